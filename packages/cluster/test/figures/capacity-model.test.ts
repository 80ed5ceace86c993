/** The capacity model on paper: what it must say whatever the constants, and that its plots are the committed ones. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COMMITTED, limitOf, loadOf } from './capacity-model.ts';
import { capacityPlot, PLOTS } from './capacity-plot.ts';

const limit = (...given: Parameters<typeof limitOf>) => limitOf(...given).movers;

it('more nodes bear more, until what all must hear fills one', () => {
  const [one, ten, hundred] = [1, 10, 100].map((nodes) => limit('one log', nodes, false, COMMITTED));
  expect(ten! / one!).toBeGreaterThan(8);
  expect(hundred! / ten!).toBeLessThan(8);
  // Without clients and game code: 12 bytes and some nanoseconds a move are left.
  const idle = { ...COMMITTED, clientUs: 0, gameUs: 0 };
  expect(limit('one log', 1, false, idle)).toBeCloseTo(limit('one log', 100, false, idle), -3);
});

it('ears hear less of a crowd that is spread, and all of one in a spot', () => {
  const spread = limit('ears', 100, false, COMMITTED);
  expect(spread).toBeGreaterThan(limit('one log', 100, false, COMMITTED));
  expect(limit('ears', 100, true, COMMITTED)).toBeLessThan(spread);
  expect(loadOf('ears', 1e6, 1, false, COMMITTED)).toEqual(loadOf('one log', 1e6, 1, false, COMMITTED));
});

it.each(PLOTS)('the plot $file is what the model makes', ({ file, title, isCrowded }) => {
  const committed = readFileSync(new URL(`../../../../docs/pictures/${file}`, import.meta.url), 'utf8');
  expect(committed).toBe(capacityPlot(title, isCrowded, COMMITTED));
});
