/**
 * Watchers whose rows have room for all candidates for many ticks, so that a kernel reads little more than crossings and what lingers, beside
 * the same watchers whose rows are decided whole by row-decider.ts: an `admit` that admits every marker changes nothing else, and no kernel decides rows there.
 */
import { describe, expect, test } from 'vitest';
import { type EntityPatch, type Interest, World } from '../../src/index.ts';
import { NEVER_SEARCHED, numbersFrom, oneOf, withShares } from './searched-lives.ts';

const COUNT = 160;
const TICKS = 120;
const SIZE = 130;
/** A dozen are perceived. */
const RANGE = 20;
const STEP = 4;

const QUOTAS = [
  { layers: 2, cap: 4 },
  { layers: 1, cap: 20 },
];

/** What half of them go by where the others are mutual and let nobody linger. */
const LASTING: Interest = { lingerTicks: 3 };

const KINDS: Readonly<Record<string, Interest>> = {
  'with lingering': { lingerTicks: 3 },
  'with lingering and a margin': { lingerTicks: 4, leaveMargin: 2 },
  'with lingering, memory and dwell': { lingerTicks: 3, cap: 30, memoryTicks: 6, minDwellTicks: 3 },
  'with lingering and groups': { lingerTicks: 5, showGroup: true },
  'with lingering, reported at rates': {
    lingerTicks: 3,
    updateRates: [
      [0.5, 1],
      [1, 3],
    ],
  },
  'with quotas': { quotas: QUOTAS },
  'with quotas under a cap, and a margin': { quotas: QUOTAS, cap: 25, leaveMargin: 2 },
  'with a budget': { enterBudget: 2 },
  'with a budget and a margin': { enterBudget: 1, leaveMargin: 2 },
  'with all three': { lingerTicks: 3, quotas: QUOTAS, enterBudget: 3 },
  'with all three, a cap, a margin and memory': {
    lingerTicks: 2,
    quotas: QUOTAS,
    enterBudget: 3,
    cap: 28,
    leaveMargin: 1,
    memoryTicks: 5,
  },
  'mutually, among others who let linger': { mutual: true },
  'mutually, with a margin': { mutual: true, cap: 30, leaveMargin: 2 },
  'mutually, with a margin, dwell and a cap that some reach': {
    mutual: true,
    cap: 13,
    leaveMargin: 2,
    minDwellTicks: 3,
  },
  'mutually, with a margin and memory': { mutual: true, cap: 30, leaveMargin: 1, memoryTicks: 6 },
  'with all three, mutually': { lingerTicks: 3, quotas: QUOTAS, enterBudget: 3, mutual: true },
};

function someChange(random: () => number): EntityPatch {
  return oneOf(random, [
    { layers: 1 },
    { layers: 2 },
    { layers: 3 },
    { channel: 1 },
    { channel: 0 },
    { gain: 0.5 },
    { gain: 1 },
    { marker: false },
    { marker: true },
    { always: true },
    { always: false },
    { group: 1 },
    { group: 0 },
    { range: 8 },
    { range: RANGE },
    { cap: 9 },
    { watches: false },
    { watches: true },
    { interest: 'other' },
    { interest: 'default' },
  ] as const);
}

describe.each(Object.entries(KINDS))('walkers %s', (_, interest) => {
  test.each([
    ['auto', 5, 0.2],
    ['typescript', 6, 0.2],
    // Hardly anything but moves: what time alone ends must end.
    ['auto', 7, 0.01],
    // Often.
    ['auto', 8, 3],
  ] as const)('are told the same with %s kernels, seed %d, %d changes a tick', (kernels, seed, changes) => {
    const random = numbersFrom(seed);
    const isMixed = interest.mutual === true && interest.lingerTicks === undefined;
    const other = isMixed ? LASTING : { ...interest, lingerTicks: 1, quotas: [{ layers: 3, cap: 30 }] };
    const interests = { default: interest, other };
    const whole = Object.fromEntries(
      Object.entries(interests).map(([name, rules]) => [name, { ...rules, admit: () => true }]),
    );
    const options = { kernels, groups: ['party'] } as const;
    let worlds = [new World({ ...options, interests }), new World({ ...options, interests: whole })];
    const x = Float32Array.from({ length: COUNT }, () => SIZE * random());
    const y = Float32Array.from({ length: COUNT }, () => SIZE * random());
    const init = () => ({
      range: RANGE,
      sees: 3,
      layers: random() < 0.3 ? 2 : 1,
      group: random() < 0.1 ? 1 : 0,
      interest: random() < 0.5 && isMixed ? 'other' : 'default',
    });
    const addBoth = (i: number) => {
      const given = { ...init(), x: x[i] as number, y: y[i] as number };
      return worlds.map((world) => world.add(given))[0] as number;
    };
    const ids = Array.from(x, (_x, i) => addBoth(i));
    let lingering = 0;
    for (let tick = 0; tick < TICKS; tick++) {
      const [roomy, decided] = worlds as [World, World];
      const hash = roomy.tick().hash();
      const expected = withShares(NEVER_SEARCHED, () => decided.tick().hash());
      expect(hash, `tick ${tick}`).toBe(expected);
      const [stats, wanted] = worlds.map((world) => world.stats()) as [
        ReturnType<World['stats']>,
        ReturnType<World['stats']>,
      ];
      expect(stats.lingeringCount).toBe(wanted.lingeringCount);
      expect(stats.waitingCount).toBe(wanted.waitingCount);
      lingering += stats.lingeringCount;
      const watcher = oneOf(random, ids);
      const [related, others] = worlds.map((world) => [...world.visibleTo(watcher)]);
      expect(related).toEqual(others);
      for (let i = 0; i < COUNT; i++) {
        x[i] = Math.min(SIZE, Math.max(0, (x[i] as number) + STEP * (random() - 0.5)));
        y[i] = Math.min(SIZE, Math.max(0, (y[i] as number) + STEP * (random() - 0.5)));
      }
      for (const world of worlds) world.moveMany(Uint32Array.from(ids), x, y);
      for (let left = changes; left > 0 && (left >= 1 || random() < left); left--) {
        const i = Math.floor(COUNT * random());
        if (random() < 0.2) {
          for (const world of worlds) world.remove(ids[i] as number);
          ids[i] = addBoth(i);
        } else {
          const patch = someChange(random);
          for (const world of worlds) world.update(ids[i] as number, patch);
        }
      }
      if (tick === TICKS / 2) {
        const bytes = worlds.map((world) => world.snapshot());
        for (const world of worlds) void world.dispose();
        worlds = [
          World.restore(bytes[0] as Uint8Array, { kernels }),
          World.restore(bytes[1] as Uint8Array, { kernels, interests: whole }),
        ];
      }
    }
    expect(lingering > 0).toBe((interest.lingerTicks ?? 0) > 0 || isMixed || changes >= 0.2);
    for (const world of worlds) void world.dispose();
  });
});
