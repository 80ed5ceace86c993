/**
 * The page's layout: the world fills the window, a bar above it, a panel beside it.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Explorer } from '../explorer.ts';
import { applyPalette } from '../palette.ts';
import { usePart } from '../store.ts';
import { Charts } from './charts.tsx';
import { EntityCard } from './entity-card.tsx';
import { Help } from './help.tsx';
import { Legend } from './legend.tsx';
import { SelectedLabel } from './selected-label.tsx';
import { StructureSection } from './structure-section.tsx';
import { TimeLineBar } from './time-line.tsx';
import { TopBar } from './top-bar.tsx';
import { useName } from './use-name.ts';
import { HoverLabel, ScaleBar, WorldView } from './world-view.tsx';

function Notice({ explorer }: { explorer: Explorer }) {
  const { store } = explorer;
  const connection = usePart(store, (state) => state.connection);
  const fault = usePart(store, (state) => state.graphicsFault);
  const isWaiting = usePart(store, (state) => state.greeting !== undefined && !state.hasTick);
  if (connection === 'foreign') {
    return (
      <div class="notice" role="alert">
        <b>This page and the server are of different versions.</b>
        <button type="button" class="chip" onClick={() => location.reload()}>
          Reload the page
        </button>
      </div>
    );
  }
  if (connection === 'locked') {
    return (
      <div class="notice" role="alert">
        <b>This address is no longer valid.</b>
        <span>The inspector was restarted: open the address that it prints now.</span>
      </div>
    );
  }
  if (connection === 'lost') {
    return (
      <div class="notice">
        <b>The world does not answer.</b>
        <span>The page keeps trying.</span>
      </div>
    );
  }
  if (fault !== undefined) {
    return (
      <div class="notice" role="alert">
        <b>The world cannot be drawn here.</b>
        <span>Drawing needs WebGL2: {fault}. The figures and keys still work.</span>
      </div>
    );
  }
  if (!isWaiting) return null;
  return (
    <div class="notice late" role="status">
      <b>Waiting for the first tick.</b>
      <span>In a large world, or on a busy machine, this takes a while.</span>
    </div>
  );
}

/** In place of the selected entity's card, while there is none. */
function NoCard({ explorer, isTouch }: { explorer: Explorer; isTouch: boolean }) {
  const selectedId = usePart(explorer.store, (state) => state.selectedId);
  const name = useName(explorer, selectedId);
  if (selectedId !== 0) {
    return (
      <p class="hint quiet" data-hint="card">
        Waiting for {name}.
      </p>
    );
  }
  return (
    <p class="hint quiet" data-hint="card">
      {isTouch ? (
        'Tap an entity to see what it perceives.'
      ) : (
        <>
          Click an entity, or press <kbd>n</kbd>, to see what it perceives.
        </>
      )}
    </p>
  );
}

function Panel({ explorer, top }: { explorer: Explorer; top: ComponentChildren }) {
  const isOpen = usePart(explorer.store, (state) => state.isPanelOpen);
  const hasCard = usePart(explorer.store, (state) => state.selected !== undefined);
  const isRecording = usePart(explorer.store, (state) => state.greeting?.recording !== undefined);
  const isShownAround = usePart(explorer.store, (state) => state.isShownAround);
  const isTouch = matchMedia('(pointer: coarse)').matches;
  const panel = useRef<HTMLElement>(null);
  // A layout effect: an observer that outlived the panel would measure a hidden element, and cover the whole canvas.
  useLayoutEffect(() => {
    const element = panel.current;
    const measure = () => {
      const box = element?.isConnected ? element.getBoundingClientRect() : undefined;
      const isBelow = box?.left === 0; // a sheet: see narrow.css
      const timeLine = document.querySelector('.time-line')?.clientHeight ?? 0;
      explorer.setInsets({
        left: 0,
        right: box !== undefined && !isBelow ? window.innerWidth - box.left : 0,
        top: 52,
        bottom: box !== undefined && isBelow ? window.innerHeight - box.top : timeLine,
      });
    };
    measure();
    const observer = new ResizeObserver(measure);
    if (element !== null) observer.observe(element);
    window.addEventListener('resize', measure);
    return () => {
      observer.disconnect();
      window.removeEventListener('resize', measure);
    };
  }, [isOpen, isRecording]);
  if (!isOpen) return null;
  return (
    <aside class="panel" ref={panel} aria-label="Figures and selection">
      {top}
      {isShownAround && (
        <p class="hint quiet first" data-hint="first">
          {isTouch ? (
            'The camera follows an entity. Tap another, or drag to look around.'
          ) : (
            <>
              The camera follows an entity. Click another, <kbd>n</kbd> for the next, <kbd>f</kbd> for the
              whole world.
            </>
          )}
        </p>
      )}
      <EntityCard explorer={explorer} />
      <Charts explorer={explorer} />
      <StructureSection explorer={explorer} />
      <Legend explorer={explorer} />
      {!hasCard && <NoCard explorer={explorer} isTouch={isTouch} />}
    </aside>
  );
}

export function Page({ explorer, panelTop }: { explorer: Explorer; panelTop?: ComponentChildren }) {
  const { store } = explorer;
  const theme = usePart(store, (state) => state.theme);
  const announcement = usePart(store, (state) => state.announcement);
  const isRecording = usePart(store, (state) => state.greeting?.recording !== undefined);
  useEffect(() => applyPalette(theme, document.documentElement), [theme]);
  // The style sheets use this attribute to make room for the time line.
  document.documentElement.toggleAttribute('data-recording', isRecording);
  return (
    <>
      <WorldView explorer={explorer} />
      <SelectedLabel explorer={explorer} />
      <HoverLabel explorer={explorer} />
      <TopBar explorer={explorer} />
      <TimeLineBar explorer={explorer} />
      <Panel explorer={explorer} top={panelTop} />
      <ScaleBar explorer={explorer} />
      <Notice explorer={explorer} />
      <Help explorer={explorer} />
      <output class="visually-hidden" aria-live="polite">
        {announcement}
      </output>
    </>
  );
}
