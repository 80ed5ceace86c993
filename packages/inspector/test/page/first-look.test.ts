/** Whom a page follows that nobody has told where to look. */
import { expect, it } from 'vitest';
import { Crowd } from '../../src/page/crowd.ts';
import { firstLook } from '../../src/page/first-look.ts';
import { tickFrame } from '../tick-frames.ts';

interface Someone {
  readonly x: number;
  readonly kind?: number;
  readonly isWatcher?: boolean;
  /** How far it goes from each tick to the next. */
  readonly step?: number;
}

function crowdOf(someones: readonly Someone[]): Crowd {
  const crowd = new Crowd();
  const ids = Uint32Array.from(someones, (_, i) => 1025 + i * 1024);
  crowd.takePopulation({
    ...{ kind: 'population', tick: 1, populationVersion: 1, ids },
    kinds: Uint8Array.from(someones, ({ kind = 0 }) => kind),
    watchers: Uint8Array.from(someones, ({ isWatcher = true }) => Number(isWatcher)),
  });
  for (let tick = 1; tick <= 2; tick++) {
    const positions = Float32Array.from(someones.flatMap(({ x, step = 1 }) => [x + step * tick, 0]));
    const events = new Uint8Array(ids.length);
    crowd.takeTick(tickFrame({ tick, timeMs: tick * 50, positions, events }));
  }
  return crowd;
}

const look = (someones: readonly Someone[]) => firstLook(crowdOf(someones), 2, 100 * 100);

it('is one that watches and moves', () => {
  expect(look([{ x: 0, step: 0 }, { x: 1, isWatcher: false }, { x: 2 }])).toBe(2);
});

it('is of the first kind that has such', () => {
  expect(
    look([
      { x: 0, kind: 3 },
      { x: 1, kind: 1 },
      { x: 2, kind: 1, step: 0 },
    ]),
  ).toBe(1);
  expect(
    look([
      { x: 0, kind: 1 },
      { x: 1, kind: 0, step: 0 },
    ]),
  ).toBe(0);
});

it('is nobody where nobody moves and watches', () => {
  expect(
    look([
      { x: 0, step: 0 },
      { x: 1, isWatcher: false },
    ]),
  ).toBe(-1);
  expect(firstLook(new Crowd(), 0, 1)).toBe(-1);
});

it('is in company, and not in the thick of it', () => {
  const thick = Array.from({ length: 400 }, (_, i) => ({ x: i / 1000, step: 0 }));
  const company = Array.from({ length: 21 }, (_, i) => ({ x: 60 + i / 1000, step: 0 }));
  const crowd = [{ x: 0.2 }, ...thick, { x: 60 }, ...company, { x: 30 }];
  expect(look(crowd)).toBe(401);
});
