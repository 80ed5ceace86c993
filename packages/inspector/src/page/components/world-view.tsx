/**
 * The canvas with the world, and the elements over it: the scale, the zoom buttons, the label of the hovered entity.
 */
import { useEffect, useRef } from 'preact/hooks';
import type { Explorer } from '../explorer.ts';
import { measured, roundStep, whole } from '../figures.ts';
import { listenToGestures } from '../gestures.ts';
import { listenToKeys } from '../keyboard.ts';
import { usePart } from '../store.ts';
import { Icon } from './icon.tsx';
import { IconButton } from './icon-button.tsx';
import { useName } from './use-name.ts';

const SCALE_MAX_PX = 150;

export function WorldView({ explorer }: { explorer: Explorer }) {
  const world = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const labels = useRef<HTMLCanvasElement>(null);
  const focusLabels = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (world.current === null || canvas.current === null) return;
    if (labels.current === null || focusLabels.current === null) return;
    explorer.attach(canvas.current, labels.current, focusLabels.current);
    listenToGestures(world.current, explorer);
    listenToKeys(explorer, world.current);
  }, []);
  return (
    <div
      class="world"
      ref={world}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the world is explored by keyboard
      tabIndex={0}
      role="application"
      aria-label="The world, seen from above. Press question mark for the list of keys. After you select an entity, Tab goes to the next; press Escape first to leave with Tab."
      aria-roledescription="map"
    >
      <canvas ref={canvas} />
      <canvas class="labels" ref={labels} />
      <canvas class="labels" ref={focusLabels} />
    </div>
  );
}

export function ScaleBar({ explorer }: { explorer: Explorer }) {
  const scale = usePart(explorer.store, (state) => state.scale);
  const units = roundStep(SCALE_MAX_PX / scale);
  return (
    <section class="map-tools" aria-label="Zoom and scale">
      <fieldset class="zoom" aria-label="Zoom">
        <IconButton label="Zoom in" keyHint="+" onPress={() => explorer.zoomBy(1.6)}>
          <Icon name="faster" />
        </IconButton>
        <IconButton label="Zoom out" keyHint="−" onPress={() => explorer.zoomBy(1 / 1.6)}>
          <Icon name="slower" />
        </IconButton>
        <IconButton label="Show the whole world" keyHint="f" onPress={() => explorer.fit()}>
          <Icon name="fit" />
        </IconButton>
      </fieldset>
      <div class="scale-bar">
        <span>
          {units >= 1 ? whole(units) : measured(units)} {units === 1 ? 'unit' : 'units'}
        </span>
        <i style={{ width: `${units * scale}px` }} />
      </div>
    </section>
  );
}

export function HoverLabel({ explorer }: { explorer: Explorer }) {
  const { store } = explorer;
  const hovered = usePart(store, (state) => state.hovered);
  const kind = usePart(store, (state) => state.hoveredKind);
  const greeting = usePart(store, (state) => state.greeting);
  const label = useRef<HTMLDivElement>(null);
  const id = hovered?.id ?? 0;
  const name = useName(explorer, id);
  const kindName = greeting?.kinds[kind];
  useEffect(() => {
    const place = () => {
      const element = label.current;
      const at = explorer.screenOf(id);
      if (element !== null && at !== undefined) {
        element.style.transform = `translate(${Math.round(at.x)}px, ${Math.round(at.y)}px)`;
        const { width, insets } = explorer.camera;
        element.dataset.side = `${at.x > width - insets.right - 220 ? 'left' : ''} ${at.y < 120 ? 'below' : ''}`;
      }
    };
    place();
    explorer.afterDraw.add(place);
    return () => void explorer.afterDraw.delete(place);
  }, [id]);
  if (hovered === undefined) return null;
  return (
    <div class="hover-label" ref={label} aria-hidden="true">
      <div>
        <b>{name}</b>
        {kindName !== undefined && !name.startsWith(kindName) && ` ${kindName}`}
        <span>
          {hovered.range > 0 && `perceives ${whole(hovered.perceives.total)} · `}perceived by{' '}
          {whole(hovered.perceivedBy.total)}
        </span>
      </div>
    </div>
  );
}
