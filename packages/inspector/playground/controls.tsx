/**
 * What a visitor may set, at the panel's top: how many there are, how far they see and hear, who gets a seat.
 */
import { useEffect, useState } from 'preact/hooks';
import { measured, whole } from '../src/page/figures.ts';
import type { Playground } from './playground.ts';
import { NO_CAP, RANGE, SLIDERS, type SliderName } from './settings.ts';

/** People of the town see unequally far: what is set multiplies that. Hearing is told in parts of what they see at first. */
const factor = (value: number) => `${measured(value)}×`;

/** In the order of the sliders: what is set, and how a value is said. */
const SHOWN: readonly [name: SliderName, label: string, say: (value: number) => string][] = [
  ['entities', 'Entities', whole],
  ['sight', 'Sight', factor],
  ['hearing', 'Hearing', factor],
  ['cap', 'Seats each', (value) => (value === NO_CAP ? 'no cap' : whole(value))],
  ['margin', 'Leave margin', (value) => `${measured(value * RANGE)} units`],
];

export function Controls({ playground }: { playground: Playground }) {
  const [, redraw] = useState(0);
  const [isShared, share] = useState(false);
  useEffect(() => playground.subscribe(() => redraw((count) => count + 1)), []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
    } catch {
      // A page from a file or without https has no clipboard, and a browser may refuse it.
      prompt('Copy the address', location.href);
      return;
    }
    share(true);
    setTimeout(() => share(false), 2000);
  };
  return (
    <section class="controls" aria-label="The world">
      <header>
        <h2>Playground</h2>
        <button type="button" class="chip" onClick={copy} title="The address has all that is set here">
          {isShared ? 'Address copied' : 'Share'}
        </button>
      </header>
      <p class="quiet">
        Drag an entity. Increase a sense. Seats limit how many others each is shown: reduce them, and see
        which are cut.
      </p>
      {SHOWN.map(([name, label, say]) => {
        const { min, max, step } = SLIDERS[name];
        return (
          <label key={name}>
            <span>{label}</span>
            <output>{say(playground.settings[name])}</output>
            <input
              type="range"
              data-setting={name}
              min={min}
              max={max}
              step={step}
              value={playground.settings[name]}
              onInput={(event) => playground.set({ [name]: event.currentTarget.valueAsNumber })}
            />
          </label>
        );
      })}
    </section>
  );
}
