/**
 * The selected entity's senses, each with its colour and line, range, and number of perceived markers. The key to the picture.
 */
import type { FocusFrame } from '../../focus-frame.ts';
import { HOLDS } from '../../focus-frame.ts';
import type { Explorer } from '../explorer.ts';
import { measured, whole } from '../figures.ts';
import { PALETTES } from '../palette.ts';
import { senseStyle } from '../sense-style.ts';
import { usePart } from '../store.ts';

const LINE_PX = 30;

function Line({ colour, dash }: { colour: string; dash: number }) {
  return (
    <svg width={LINE_PX} height="8" aria-hidden="true">
      <line
        x1="1"
        x2={LINE_PX - 1}
        y1="4"
        y2="4"
        stroke={colour}
        stroke-width="2"
        stroke-dasharray={dash === 0 ? undefined : `${dash} ${dash}`}
      />
    </svg>
  );
}

/** How many markers it relates to by each sense, and by each other rule. */
function countsOf({ perceives }: FocusFrame): { bySense: number[]; byHold: number[] } {
  const bySense = new Array<number>(8).fill(0);
  const byHold = new Array<number>(HOLDS.length).fill(0);
  for (let i = 0; i < perceives.ids.length; i++) {
    const mask = perceives.senses[i] as number;
    for (let s = 0; s < 8; s++) if ((mask & (1 << s)) !== 0) bySense[s] = (bySense[s] as number) + 1;
    const hold = perceives.holds[i] as number;
    byHold[hold] = (byHold[hold] as number) + 1;
  }
  return { bySense, byHold };
}

const HOLD_WORDS = {
  margin: 'held by the leave margin',
  pin: 'pinned',
  group: 'in its group',
  always: 'always shown',
  linger: 'lingering',
  attached: 'attached to its own tree',
};

export function Senses({ explorer, focus }: { explorer: Explorer; focus: FocusFrame }) {
  const theme = usePart(explorer.store, (state) => state.theme);
  const senses = usePart(explorer.store, (state) => state.greeting?.senses ?? []);
  if (focus.range <= 0) return <p class="quiet">It perceives nothing: it has no range.</p>;
  const { bySense, byHold } = countsOf(focus);
  const told = focus.ranges.length > 0 ? focus.ranges : [{ sense: senses[0] ?? 'range', range: focus.range }];
  const palette = PALETTES[theme];
  return (
    <ul class="senses" aria-label="Senses">
      {told.map(({ sense, range }) => {
        const s = Math.max(0, senses.indexOf(sense));
        return (
          <li key={sense}>
            <Line {...senseStyle(palette, s)} />
            <span>{sense}</span>
            <span class="quiet">
              {range > 0 ? 'range ' : 'none'}
              {range > 0 && <span data-figure={`range-${sense}`}>{measured(range)}</span>}
            </span>
            <b>{whole(bySense[s] as number)}</b>
          </li>
        );
      })}
      {HOLDS.map((hold, i) => {
        const count = byHold[i] as number;
        if (hold === 'senses' || count === 0) return null;
        return (
          <li key={hold} data-hold={hold}>
            <Line
              colour={hold === 'margin' ? palette.inkFaint : palette.ink}
              dash={hold === 'margin' ? 3 : 2}
            />
            <span>{HOLD_WORDS[hold]}</span>
            <span class="quiet">{hold === 'margin' ? `+ ${measured(focus.margin)}` : ''}</span>
            <b>{whole(count)}</b>
          </li>
        );
      })}
    </ul>
  );
}
