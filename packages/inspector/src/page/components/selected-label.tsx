/**
 * The selected entity's name, beside it in the world. If it is out of sight, the label is at the edge of the picture in its
 * direction, as a button that goes there.
 */
import { useEffect, useRef } from 'preact/hooks';
import type { Explorer } from '../explorer.ts';
import { usePart } from '../store.ts';
import { useName } from './use-name.ts';

/** Distance from the picture's edge, in CSS pixels: half the label, so that all of it is visible. */
const EDGE_X_PX = 76;
const EDGE_Y_PX = 28;
/** Space between a label beside an entity in sight and the picture's side, in CSS pixels. */
const SIDE_PX = 4;

interface Placed {
  readonly x: number;
  readonly y: number;
  /** Direction of the entity, clockwise from the right, in degrees; undefined: it is in sight. */
  readonly away: number | undefined;
}

function within(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), Math.max(min, max));
}

/** `halfWidth`: of the label beside an entity in sight, with the space to keep at the edge, in CSS pixels. */
function placeOf({ camera }: Explorer, { x, y }: { x: number; y: number }, halfWidth: number): Placed {
  const { insets, width, height } = camera;
  const [left, right] = [insets.left, width - insets.right];
  const [top, bottom] = [insets.top, height - insets.bottom];
  if (x >= left && x <= right && y >= top && y <= bottom) {
    return { x: within(x, left + halfWidth, right - halfWidth), y, away: undefined };
  }
  const away = (Math.atan2(y - camera.originY, x - camera.originX) * 180) / Math.PI;
  return {
    x: within(x, left + EDGE_X_PX, right - EDGE_X_PX),
    y: within(y, top + EDGE_Y_PX, bottom - EDGE_Y_PX),
    away,
  };
}

export function SelectedLabel({ explorer }: { explorer: Explorer }) {
  const id = usePart(explorer.store, (state) => (state.selected?.present === true ? state.selected.id : 0));
  const name = useName(explorer, id);
  const label = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const place = () => {
      const element = label.current;
      const at = explorer.screenOf(id);
      if (element === null) return;
      element.hidden = at === undefined;
      if (at === undefined) return;
      const text = element.firstElementChild as HTMLElement;
      const { x, y, away } = placeOf(explorer, at, text.offsetWidth / 2 + SIDE_PX);
      element.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
      element.toggleAttribute('data-away', away !== undefined);
      element.tabIndex = away === undefined ? -1 : 0;
      element.style.setProperty('--away', `${away ?? 0}deg`);
    };
    place();
    explorer.afterDraw.add(place);
    return () => void explorer.afterDraw.delete(place);
  }, [id]);
  if (id === 0) return null;
  return (
    <button
      type="button"
      class="selected-label"
      ref={label}
      aria-label={`Go to ${name}`}
      onClick={() => explorer.goToSelected()}
    >
      <span>
        <i aria-hidden="true" />
        <b>{name}</b>
      </span>
    </button>
  );
}
