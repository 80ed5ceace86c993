/**
 * The sieve that dismisses pairs without deciding them: it must never dismiss one that crossed, least of all a hair from
 * the boundary, where float32 and float64 part. And the witness that tells a tick that failed.
 */
import { describe, expect, test } from 'vitest';
import { bruteForce } from '../../src/detectors/brute-force.ts';
import type { Crossings } from '../../src/detectors/crossings.ts';
import type { DetectorFactory } from '../../src/detectors/detector.ts';
import { PairSieve } from '../../src/detectors/pairs/pair-sieve.ts';
import { TickWitness } from '../../src/detectors/pairs/tick-witness.ts';
import type { EntityStore } from '../../src/entities/entity-store.ts';
import type { WorldSettings } from '../../src/settings.ts';
import { type Place, randomFrom, SideBySide } from './side-by-side.ts';

/** Every pair through the sieve, in ticks in which only positions change. */
const sievesAll: DetectorFactory = (store) => {
  const sieve = new PairSieve(store);
  const definition = bruteForce(store);
  return {
    ...definition,
    name: 'sieves all',
    detect(_store: EntityStore, out: Crossings) {
      if (store.counts.moved < store.pendingCount) {
        definition.detect(store, out);
        return;
      }
      sieve.load(out);
      const others = new Int32Array(store.slotCount);
      for (let slot = 0; slot < store.slotCount; slot++) others[slot] = slot;
      for (let slot = 0; slot < store.slotCount; slot++) sieve.sift(slot, others, slot + 1, others.length);
    },
  };
};

/** The next float32, so many steps away. */
function stepped(value: number, steps: number): number {
  const number = Float32Array.of(value);
  const bits = new Int32Array(number.buffer);
  bits[0] = (bits[0] ?? 0) + steps;
  return number[0] ?? 0;
}

const WORLDS: [string, Partial<WorldSettings>, boolean][] = [
  ['circles', {}, false],
  ['spheres', { dimensions: 3 }, false],
  ['circles in two senses', { senses: ['sight', 'hearing'] }, true],
  ['boxes', { rangeShape: 'box', ratioX: Math.fround(0.7), ratioY: 3 }, true],
  [
    'solid boxes',
    { dimensions: 3, rangeShape: 'box', ratioX: Math.fround(0.7), ratioZ: Math.fround(0.1) },
    true,
  ],
  ['cylinders', { dimensions: 3, rangeShape: 'cylinder', ratioZ: Math.fround(1.3) }, true],
];

describe.each(WORLDS)('the sieve, with %s', (_, settings, isRich) => {
  test('dismisses none that crossed, a few float32 steps from the boundary', () => {
    const random = randomFrom(11);
    let crossed = 0;
    for (let trial = 0; trial < 60; trial++) {
      const world = new SideBySide(sievesAll, settings);
      const range = Math.fround([1, 50, 0.3, 12345.678, 1e-3][trial % 5]! * (0.5 + random()));
      const center = [0, range, 37 * range, -1000 * range][trial % 4]!;
      const { ratioX = 1, ratioY = 1, ratioZ = 1 } = settings;
      const nearRim = (): Place => {
        const [angle, slope] = [random() * 7, settings.dimensions === 3 ? random() * 7 : 0];
        // On the rim mostly, and else well inside or outside: a pair that comes from there may end a hair from it.
        const far = random() < 0.7 ? 1 : random() * 2;
        const on = (part: number) => Math.fround(center + Math.fround(range * part * far));
        const hair = () => Math.floor(random() * 7) - 3;
        const flat = Math.cos(slope);
        return [
          stepped(on(Math.cos(angle) * flat * ratioX), hair()),
          stepped(on(Math.sin(angle) * flat * ratioY), hair()),
          stepped(on(Math.sin(slope) * ratioZ), hair()),
        ];
      };
      const traits = isRich ? { gain: Math.fround(0.5 + random()), minReach: range * random() } : {};
      world.add([center, center, center], { range, ...traits });
      const slots = Array.from({ length: 30 }, () => world.add(nearRim(), random() < 0.5 ? { range } : {}));
      for (let tick = 0; tick < 4; tick++) {
        for (const slot of slots) if (random() < 0.7) world.move(slot, nearRim());
        crossed += world.tick().length;
      }
    }
    expect(crossed).toBeGreaterThan(500);
  });
});

describe('the witness', () => {
  const changes: [string, (world: SideBySide, slot: number) => void][] = [
    ['a move', (world, slot) => world.move(slot, [1, 2])],
    ['a move along z', (world, slot) => world.move(slot, [0, 0, 2])],
    ['an addition', (world) => world.add([5, 5], {})],
    ['a removal', (world, slot) => world.store.remove(slot)],
    ['a property', (world, slot) => world.update(slot, { channel: 7 })],
    ['being no marker any more', (world, slot) => world.update(slot, { marker: false })],
  ];
  test.each(changes)('knows by %s that a tick failed, and that it came to pass', (_, change) => {
    const world = new SideBySide(bruteForce, { dimensions: 3 });
    const slot = world.add([0, 0], { range: 3 });
    world.tick();
    const witness = new TickWitness();
    expect(witness.holds(world.store)).toBe(true);
    change(world, slot);
    world.store.settle();
    witness.note(world.store);
    expect(witness.holds(world.store)).toBe(false);
    world.tick();
    expect(witness.holds(world.store)).toBe(true);
  });

  test('needs nothing to change where nothing does', () => {
    const world = new SideBySide(bruteForce);
    const slot = world.add([0, 0], { range: 3 });
    world.tick();
    const witness = new TickWitness();
    world.move(slot, [4, 4]);
    world.move(slot, [0, 0]);
    world.update(slot, { range: 5 });
    world.update(slot, { range: 3 });
    world.store.settle();
    witness.note(world.store);
    expect(witness.holds(world.store)).toBe(true);
  });
});
