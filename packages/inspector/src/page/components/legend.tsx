/**
 * The legend of colours: the kinds with their counts, or the ramp of heights.
 */
import type { Explorer } from '../explorer.ts';
import { compact, measured } from '../figures.ts';
import { kindColour, PALETTES } from '../palette.ts';
import { usePart } from '../store.ts';

const KINDS_SHOWN = 10;

export function Legend({ explorer }: { explorer: Explorer }) {
  const { store } = explorer;
  const greeting = usePart(store, (state) => state.greeting);
  const kindCounts = usePart(store, (state) => state.kindCounts);
  const watchedCounts = usePart(store, (state) => state.watchedCounts);
  const theme = usePart(store, (state) => state.theme);
  const isByHeight = usePart(store, (state) => state.isByHeight);
  if (greeting === undefined) return null;
  const { minZ, maxZ } = greeting.bounds;
  const palette = PALETTES[theme];
  const shown = kindCounts.slice(0, KINDS_SHOWN);
  const more = kindCounts.length - shown.length;
  return (
    <section class="legend" aria-label="Colours">
      {minZ !== undefined && maxZ !== undefined && (
        <fieldset class="switch" aria-label="Colour by">
          <button
            type="button"
            aria-pressed={isByHeight}
            onClick={() => isByHeight || explorer.toggleHeights()}
          >
            Height
          </button>
          <button
            type="button"
            aria-pressed={!isByHeight}
            onClick={() => isByHeight && explorer.toggleHeights()}
          >
            Kind
          </button>
        </fieldset>
      )}
      {isByHeight && minZ !== undefined && maxZ !== undefined ? (
        <div class="heights">
          <div class="ramp" />
          <div class="ends">
            <span>{measured(minZ)}</span>
            <span>height</span>
            <span>{measured(maxZ)}</span>
          </div>
        </div>
      ) : (
        <ul>
          {shown.map((count, kind) => (
            <li key={kind}>
              <i style={{ background: kindColour(palette, kind) }} />
              <span>{greeting.kinds[kind] ?? `kind ${kind}`}</span>
              <b>{compact(count)}</b>
              <span class="watched" data-figure={`watched-${kind}`}>
                {compact(watchedCounts[kind] ?? 0)} watched
              </span>
            </li>
          ))}
          {more > 0 && <li class="more">and {more} more kinds</li>}
        </ul>
      )}
    </section>
  );
}
