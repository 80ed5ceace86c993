/**
 * Events of the selected entity's view: totals since it was selected, and a list, newest first.
 *
 * Of up to a thousand events only the rows in view are elements. When the user has scrolled down, the rows stay in place
 * while new ones come in above.
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Explorer } from '../explorer.ts';
import { whole } from '../figures.ts';
import { EVENTS_KEPT, type Lately } from '../lately.ts';
import { usePart } from '../store.ts';
import { EntityChip } from './entity-chip.tsx';

/** Row height in CSS pixels, as in the style sheet. */
const ROW_PX = 26;
const ROWS_IN_SIGHT = 5;

export function RecentEvents({ explorer }: { explorer: Explorer }) {
  const lately = usePart(explorer.store, (state) => state.lately);
  const isWatcher = usePart(explorer.store, (state) => (state.selected?.range ?? 0) > 0);
  if (lately === undefined) return null;
  const { enteredTotal, leftTotal, sinceTick } = lately;
  if (!isWatcher && enteredTotal + leftTotal === 0) return null;
  return (
    <div class="events">
      <h3>Entered and left since tick {whole(sinceTick)}</h3>
      {enteredTotal + leftTotal === 0 ? (
        lately.unknownTicks === 0 && <p class="quiet">None.</p>
      ) : (
        <p class="event-totals">
          <span class="enter" data-figure="entered-total">
            {whole(enteredTotal)} entered
          </span>
          <span class="leave" data-figure="left-total">
            {whole(leftTotal)} left
          </span>
        </p>
      )}
      <Gaps lately={lately} />
      <EventList explorer={explorer} lately={lately} />
    </div>
  );
}

/** Tells which events the list or the totals do not show. */
function Gaps({ lately }: { lately: Lately }) {
  const { unknownTicks, enteredTotal, leftTotal, heardTotal, kept } = lately;
  const missed = enteredTotal + leftTotal - heardTotal;
  const gaps = [
    ...(missed > 0 ? [`${whole(missed)} missed: too many between two frames of this page.`] : []),
    ...(unknownTicks > 0
      ? [`${whole(unknownTicks)} ${unknownTicks === 1 ? 'tick was' : 'ticks were'} not published.`]
      : []),
    ...(heardTotal > kept.length ? [`The latest ${whole(EVENTS_KEPT)} are listed.`] : []),
  ];
  return gaps.length === 0 ? null : <p class="quiet gaps">{gaps.join(' ')}</p>;
}

function EventList({ explorer, lately }: { explorer: Explorer; lately: Lately }) {
  const { kept, heardTotal, sinceTick } = lately;
  const box = useRef<HTMLElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const before = useRef({ heardTotal, sinceTick });
  useLayoutEffect(() => {
    const element = box.current;
    const isSame = before.current.sinceTick === sinceTick;
    const fresh = isSame ? heardTotal - before.current.heardTotal : 0;
    before.current = { heardTotal, sinceTick };
    if (element !== null && element.scrollTop > 0 && fresh > 0) element.scrollTop += fresh * ROW_PX;
  }, [heardTotal, sinceTick]);
  if (kept.length === 0) return null;
  const first = Math.max(0, Math.min(Math.floor(scrollTop / ROW_PX), kept.length - ROWS_IN_SIGHT) - 1);
  const shown = kept.slice(first, first + ROWS_IN_SIGHT + 3);
  return (
    <section
      class="event-list"
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard
      tabIndex={0}
      aria-label="Entered and left, newest first"
      style={{ height: `${Math.min(kept.length, ROWS_IN_SIGHT) * ROW_PX}px` }}
      onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
    >
      <ol style={{ height: `${(kept.length - first) * ROW_PX}px`, marginTop: `${first * ROW_PX}px` }}>
        {shown.map((event) => (
          <li key={`${event.tick} ${event.isEnter} ${event.id}`}>
            <span class={event.isEnter ? 'enter' : 'leave'}>{event.isEnter ? 'entered' : 'left'}</span>
            <EntityChip explorer={explorer} id={event.id} />
            <time>tick {whole(event.tick)}</time>
          </li>
        ))}
      </ol>
    </section>
  );
}
