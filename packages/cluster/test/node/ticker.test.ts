/** When a node marks a tick: by its own clock, whatever the clocks of the others do. */
import { expect, it } from 'vitest';
import type { Environment } from '../../src/node/environment.ts';
import { Ticker } from '../../src/node/ticker.ts';
import { VirtualTime } from '../simulation/virtual-time.ts';

const TICK_MS = 50;

/** Times between marks by the ticker itself, once others have marked so many ticks, one each `othersMs`, and stopped. */
async function gapsAfter(count: number, othersMs: number): Promise<number[]> {
  const time = new VirtualTime();
  const environment = {
    now: () => time.now,
    after: (milliseconds: number, call: () => void) => time.after(milliseconds, call),
  } as Environment;
  const marks: number[] = [];
  const ticker = new Ticker(
    environment,
    () => 1,
    () => {
      marks.push(time.now);
      ticker.next(TICK_MS);
    },
  );
  ticker.next(TICK_MS);
  for (let i = 0; i < count; i++) {
    await time.run(time.now + othersMs);
    ticker.next(TICK_MS);
  }
  const from = time.now;
  marks.length = 0;
  await time.run(from + 5 * TICK_MS);
  ticker.stop();
  return marks.map((at, i) => at - (marks[i - 1] ?? from));
}

it('a node takes over at once from one whose clock ran faster for a day', async () => {
  // 50 parts in a million, 86,400 s.
  const gaps = await gapsAfter(10_000, TICK_MS - (86_400_000 * 50e-6) / 10_000);
  expect(gaps[0]).toBeLessThanOrEqual(TICK_MS + 20);
  expect(gaps.slice(1).every((gap) => gap <= TICK_MS + 10)).toBe(true);
});

it('a node takes over at once from one whose clock is slower, and does not make up for it', async () => {
  const gaps = await gapsAfter(1000, TICK_MS + 5);
  expect(gaps[0]).toBeLessThanOrEqual(TICK_MS + 10);
  expect(gaps.length).toBeLessThanOrEqual(6);
});
