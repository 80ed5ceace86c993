/** Moves of single settlements, held against trying every placement. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Bounds,
  boundsFor,
  type ChannelRules,
  channelCountFor,
} from '../../src/channels/channel-options.ts';
import { Placement } from '../../src/channels/placement.ts';
import { Settlement } from '../../src/channels/settlement.ts';
import { amissOf, fewestMoves, type Outcome } from './fewest-moves.ts';

const ALL = Number.POSITIVE_INFINITY;

/** Somebody: the channel, and the group or 0. */
type Somebody = readonly [channel: number, group: number];

/** Settles a crowd in one call; what was left amiss, and the moves it took. */
function settle(crowd: readonly Somebody[], open: readonly number[], bounds: Bounds): Outcome {
  const placement = new Placement(open);
  const where = crowd.map(([channel]) => channel);
  crowd.forEach(([channel, group], id) => {
    placement.enter(id, channel, group);
  });
  placement.complete();
  const moves = new Settlement(placement, bounds, ALL, new Map()).run();
  for (const [id, channel] of moves) {
    expect(channel).not.toBe(where[id]);
    where[id] = channel;
  }
  crowd.forEach(([, group], id) => {
    expect(open).toContain(where[id]);
    if (group !== 0) expect(where[id]).toBe(where[crowd.findIndex((each) => each[1] === group)]);
  });
  const sizes = open.map((channel) => where.filter((at) => at === channel).length);
  return { amiss: amissOf(sizes, bounds), moves: moves.size };
}

/** What can be placed on its own, as the trial of every placement takes it. */
function unitsOf(crowd: readonly Somebody[]): { channels: number[] }[] {
  const groups = new Map<number, number[]>();
  const units: { channels: number[] }[] = [];
  for (const [channel, group] of crowd) {
    const known = group === 0 ? undefined : groups.get(group);
    if (known !== undefined) {
      known.push(channel);
      continue;
    }
    const channels = [channel];
    if (group !== 0) groups.set(group, channels);
    units.push({ channels });
  }
  return units;
}

const rulesOf = (target: number, tolerance: number): ChannelRules => ({
  target,
  tolerance,
  movesPerTick: ALL,
  kind: 0,
  choose: undefined,
});

const crowds = (groups: number, most: number) =>
  fc.record({
    crowd: fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: groups })), {
      minLength: 1,
      maxLength: most,
    }),
    channelCount: fc.integer({ min: 1, max: 3 }),
    target: fc.integer({ min: 1, max: 6 }),
    tolerance: fc.constantFrom(0, 0.1, 0.25, 0.5, 1),
  });

describe('a settlement', () => {
  test('of singles takes the fewest moves there are, and leaves nothing amiss', () => {
    fc.assert(
      fc.property(crowds(0, 8), ({ crowd, channelCount, target, tolerance }) => {
        const open = [1, 2, 3].slice(0, channelCount);
        const bounds = boundsFor(crowd.length, channelCount, rulesOf(target, tolerance));
        const outcome = settle(crowd, open, bounds);
        expect(outcome).toEqual(fewestMoves(unitsOf(crowd), open, bounds));
        expect(outcome.amiss).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  test('with groups takes the fewest moves in nineteen of twenty crowds', () => {
    let tried = 0;
    let best = 0;
    const random = fc.sample(crowds(3, 9), { numRuns: 1000, seed: 4 });
    for (const { crowd, channelCount, target, tolerance } of random) {
      const open = [1, 2, 3].slice(0, channelCount);
      const bounds = boundsFor(crowd.length, channelCount, rulesOf(target, tolerance));
      const outcome = settle(crowd, open, bounds);
      const fewest = fewestMoves(unitsOf(crowd), open, bounds);
      expect(outcome.amiss).toBeGreaterThanOrEqual(fewest.amiss);
      if (outcome.amiss === fewest.amiss) expect(outcome.moves).toBeGreaterThanOrEqual(fewest.moves);
      tried++;
      if (outcome.amiss === fewest.amiss && outcome.moves === fewest.moves) best++;
    }
    expect(best / tried).toBeGreaterThan(0.95);
  });

  test('of a crowd that is well placed moves nobody', () => {
    const crowd: Somebody[] = [...Array(6).fill([1, 0]), ...Array(5).fill([2, 0])];
    expect(settle(crowd, [1, 2], boundsFor(11, 2, rulesOf(5, 0.2)))).toEqual({ amiss: 0, moves: 0 });
  });

  test('prefers those of no group', () => {
    const crowd: Somebody[] = [
      [1, 0],
      [1, 1],
      [1, 1],
      [1, 1],
    ];
    expect(settle(crowd, [1, 2], { most: 3, least: 1 })).toEqual({ amiss: 0, moves: 1 });
  });
});

describe('the number of channels', () => {
  test('follows the two thresholds', () => {
    const rules = rulesOf(50, 0.2);
    expect([60, 61, 120, 121, 180, 181].map((count) => channelCountFor(count, 1, rules))).toEqual([
      1, 2, 2, 3, 3, 4,
    ]);
    expect([120, 81, 80, 79, 41, 40, 39, 0].map((count) => channelCountFor(count, 3, rules))).toEqual([
      3, 3, 3, 2, 2, 2, 1, 1,
    ]);
  });

  test('once found stays: no crowd is both too large and too small for it', () => {
    fc.assert(
      fc.property(
        fc.nat(2000),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 80 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (count, before, target, tolerance) => {
          const rules = rulesOf(target, tolerance);
          const found = channelCountFor(count, before, rules);
          expect(channelCountFor(count, found, rules)).toBe(found);
          expect(count).toBeLessThanOrEqual(target * found * (1 + tolerance));
          expect(count).toBeGreaterThanOrEqual(target * (found - 1) * (1 - tolerance));
        },
      ),
    );
  });
});
