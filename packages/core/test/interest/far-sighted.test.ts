/** Watchers that see very far, among markers that are seen from as far as their `maxReach` says: searched, and found by any detector. */
import { afterEach, expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { type EntityPatch, type Interest, World, type WorldOptions } from '../../src/index.ts';
import { searchShares } from '../../src/interest/seats/searched-watchers.ts';

const USUAL = { ...searchShares };
const SEARCHED = { ...USUAL, enter: 1, ofAll: 0 };
const NEVER = { ...USUAL, enter: Number.POSITIVE_INFINITY, isForNewcomers: false };
const ENTITIES = 300;
const SIDE = 200;

afterEach(() => void Object.assign(searchShares, USUAL));

/** A few are seen from afar, some from nowhere, and some from as far as others see. */
function patchOf(random: Random): EntityPatch {
  const maxReach = random.pick([10, 10, 10, 10, 12, 4, 0, 60, Number.POSITIVE_INFINITY]);
  return { maxReach, gain: random.pick([1, 1, 1, 0.01]), range: random.pick([1e5, 1e5, 1e5, 8]) };
}

test.each<[string, Interest, WorldOptions]>([
  ['without rules', {}, {}],
  ['a cap that is reached', { cap: 4 }, {}],
  ['a cap that most do not reach', { cap: 12 }, {}],
  ['a cap in 3-D', { cap: 4 }, { dimensions: 3 }],
  ['a cap in boxes, memory, a margin', { cap: 6, memoryTicks: 4, leaveMargin: 2 }, { rangeShape: 'box' }],
])(
  '%s: reports are those of brute force, with rows of all that is perceived',
  (_title, interest, options) => {
    const random = new Random(7);
    const interests = { default: interest };
    const plans = [
      { shares: SEARCHED, world: new World({ ...options, interests }) },
      { shares: USUAL, world: new World({ ...options, interests }) },
      { shares: NEVER, world: new World({ ...options, interests, detector: 'brute-force' }) },
    ];
    const at = (): [number, number, number] => [random.below(SIDE), random.below(SIDE), random.below(10)];
    const ids = Array.from({ length: ENTITIES }, () => {
      const [x, y, z] = at();
      const init = { x, y, z, ...patchOf(random) };
      return plans.map(({ world }) => world.add(init))[0]!;
    });
    let reported = 0;
    for (let tick = 0; tick < 15; tick++) {
      for (const id of ids) {
        if (random.chance(0.02)) {
          const patch = patchOf(random);
          for (const { world } of plans) world.update(id, patch);
        }
        const [x, y, z] = plans[0]!.world.position(id);
        const [toX, toY, toZ] = random.chance(0.02)
          ? at()
          : [x! + random.below(3) - 1, y! + random.below(3) - 1, z];
        for (const { world } of plans) world.move(id, toX!, toY!, toZ);
      }
      const hashes = plans.map(({ shares, world }) => {
        Object.assign(searchShares, shares);
        const changes = world.tick();
        if (tick > 0) reported += changes.enteredCount;
        return changes.hash();
      });
      expect(new Set(hashes).size, `tick ${tick}`).toBe(1);
    }
    expect(reported).toBeGreaterThan(500);
  },
);
