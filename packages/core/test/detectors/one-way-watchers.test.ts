/**
 * Watchers none of which sees another: creatures that look for players only, spectators. The sweep does not test them against each other.
 * It reports what brute force reports, with each kind of kernels, whoever changes sides. Random lives; the seed of a failure is in its
 * message.
 */
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { areWorthAClass, oneWayLayersOf } from '../../src/detectors/sweep/one-way.ts';
import { type EntityPatch, World, type WorldOptions } from '../../src/index.ts';
import { expectAlike, threeWorlds } from './three-worlds.ts';

const PLAYERS = 1;
const CREATURES = 2;
const LOOT = 4;
const SIDE = 120;
const ENTITIES = 320;

/** A creature looks for players; a player sees all; a spectator is seen by nobody; some see what is like them. */
function roles(random: Random): EntityPatch {
  const range = 10 * random.pick([0.5, 1, 1, 1, 1.5]);
  return random.pick<EntityPatch>([
    { layers: CREATURES, sees: PLAYERS, range, marker: true },
    { layers: CREATURES, sees: PLAYERS, range, marker: true },
    { layers: CREATURES, sees: PLAYERS, range: 10, marker: true },
    { layers: CREATURES, sees: PLAYERS, range: 10, marker: true },
    { layers: CREATURES, sees: PLAYERS, range: 60, marker: true },
    { layers: PLAYERS, sees: PLAYERS | CREATURES | LOOT, range: 10, marker: true },
    { layers: PLAYERS | CREATURES, sees: PLAYERS, range: 10, marker: true },
    { layers: CREATURES, sees: CREATURES, range: 10, marker: true },
    { layers: CREATURES, sees: PLAYERS, range: 10, marker: false },
    { layers: LOOT, sees: 1, range: 0, marker: true },
  ]);
}

interface Life {
  readonly name: string;
  readonly options?: WorldOptions;
  readonly channels?: number;
}

const LIVES: readonly Life[] = [
  { name: 'a plane' },
  { name: 'channels', channels: 3 },
  { name: 'two senses', options: { senses: ['sight', 'hearing'] } },
  { name: 'space', options: { dimensions: 3 } },
  { name: 'boxes', options: { rangeShape: 'box', rangeRatio: [1, 0.5] } },
];

describe.each([...LIVES])('$name', ({ options, channels = 0 }) => {
  test.each([1, 2, 3, 4])('seed %i: all kernels report what brute force reports', (seed) => {
    const random = new Random(seed);
    const worlds = threeWorlds(options);
    const is3D = options?.dimensions === 3;
    const role = (): EntityPatch => {
      const { range, ...rest } = roles(random);
      return options?.senses === undefined
        ? { range: range!, ...rest }
        : { range: { sight: range as number, hearing: (range as number) / 2 }, ...rest };
    };
    const add = () => {
      const z = is3D ? { z: 10 * random.fraction() } : {};
      const channel = random.below(channels + 1);
      const init = { x: SIDE * random.fraction(), y: SIDE * random.fraction(), ...z, channel, ...role() };
      return worlds.map((world) => world.add(init))[0]!;
    };
    const ids = Array.from({ length: ENTITIES }, add);
    let apart = 0;
    for (let tick = 0; tick < 24; tick++) {
      const moving = [1, 0.03, 0.03, 0.03, 0][tick % 5]!;
      const changing = [0, 0.1, 0.02, 0.02, 0.01, 0.01][tick % 6]!;
      for (const [i, id] of ids.entries()) {
        if (random.chance(moving)) {
          const [x, y, z = 0] = worlds[0]!.position(id);
          const by = () => (random.fraction() - 0.5) * random.pick([1, 1, 1, 1, 40]);
          const [toX, toY, toZ] = [x + by(), y + by(), is3D ? z + by() : 0];
          for (const world of worlds) world.move(id, toX, toY, toZ);
        }
        if (!random.chance(changing)) continue;
        if (random.chance(0.2)) {
          for (const world of worlds) world.remove(id);
          ids[i] = add();
          continue;
        }
        const patch = random.pick<() => EntityPatch>([
          role,
          () => ({ gain: random.pick([1, 1, 0, 3]) }),
          () => ({ sees: random.pick([0, 1, 3]) }),
          () => ({ layers: random.pick([1, 2, 6]) }),
          () => (channels > 0 ? { channel: random.below(channels + 1) } : { marker: random.chance(0.5) }),
        ])();
        for (const world of worlds) world.update(id, patch);
      }
      expectAlike(worlds, `seed ${seed}, tick ${tick}`);
      if (/^class (8|24):/m.test(worlds[2]!.describe())) apart++;
    }
    expect(apart).toBe(24);
  });
});

test.each(['auto', 'typescript'] as const)(
  'what was seen when it came to a class of which nothing is seen: %s',
  (kernels) => {
    const world = new World({ kernels });
    const ids = Array.from({ length: 200 }, (_, i) => world.add({ x: 5 * (i % 20), y: i, range: 8 }));
    world.tick();
    world.move(ids[0]!, 1, 0);
    world.tick();
    expect(world.describe()).toContain('staying in cells');
    const [changed, fallen] = [ids[42]!, ids[43]!];
    expect([world.related(changed, fallen), world.related(fallen, changed)]).toEqual([true, true]);
    // Both change in place, in one tick: the second one to a thing that nobody sees, of which there was none.
    world.update(changed, { layers: 3, sees: 1 });
    world.update(fallen, { range: 0, marker: false });
    const changes = world.tick();
    expect(changes.of(changed)?.left).toEqual(Uint32Array.of(fallen));
    expect(changes.of(fallen)?.left).toContain(changed);
  },
);

describe('which watchers are one-way', () => {
  interface Watcher {
    readonly sees: number;
    readonly layers: number;
    readonly marker?: boolean;
  }
  /** What is chosen among watchers: bits of layers. */
  function chosen(watchers: readonly Watcher[], current?: { sees: number; layers: number }) {
    const state = {
      sees: { at: (slot: number) => watchers[slot]!.sees },
      layers: { at: (slot: number) => watchers[slot]!.layers },
      isMarker: (slot: number) => watchers[slot]!.marker ?? true,
    };
    return oneWayLayersOf(state as never, [...watchers.keys()], current);
  }
  const creatures = (count: number): Watcher[] => Array(count).fill({ sees: 1, layers: 2 });
  const others = (count: number): Watcher[] => Array(count).fill({ sees: 3, layers: 1 });

  test('those of one in twenty or more', () => {
    expect(chosen([...creatures(1), ...others(19)])).toEqual({ sees: 1, layers: 2 });
    expect(chosen([...creatures(1), ...others(20)])).toBeUndefined();
    expect(chosen([])).toBeUndefined();
  });

  test('all kinds that do not see each other, the most frequent first', () => {
    const foes: Watcher[] = Array(5).fill({ sees: 2, layers: 4 });
    expect(chosen([...creatures(6), ...foes])).toEqual({ sees: 1, layers: 2 });
    const friends: Watcher[] = Array(5).fill({ sees: 8, layers: 4 });
    expect(chosen([...creatures(6), ...friends])).toEqual({ sees: 9, layers: 6 });
  });

  test('what is no marker is on no layer', () => {
    const spectators: Watcher[] = Array(6).fill({ sees: 7, layers: 1, marker: false });
    expect(chosen([...spectators, ...others(4)])).toEqual({ sees: 7, layers: 0 });
  });

  test('a choice stays until another one is clearly better', () => {
    const current = { sees: 2, layers: 4 };
    const foes = (count: number): Watcher[] => Array(count).fill({ sees: 2, layers: 4 });
    expect(chosen([...creatures(5), ...foes(4)], current)).toBe(current);
    expect(chosen([...creatures(6), ...foes(4)], current)).toEqual({ sees: 1, layers: 2 });
    expect(chosen([...foes(1), ...others(20)], current)).toBeUndefined();
  });

  test('the crowd loses them where more pairs are among them than with others', () => {
    const layers = { sees: 1, layers: 2 };
    /** Creatures and players, each with a place along both axes. */
    const isWorth = (creatureAt: (i: number) => number, count: number, players: number, wasWorth = false) => {
      const at = Array.from({ length: count + players }, (_, i) => (i < count ? creatureAt(i) : i % 12));
      const state = {
        x: Float32Array.from(at),
        y: Float32Array.from(at),
        sees: { at: (slot: number) => (slot < count ? 1 : 3) },
        layers: { at: (slot: number) => (slot < count ? 2 : 1) },
        isMarker: () => true,
      };
      return areWorthAClass(state as never, [...at.keys()], layers, wasWorth);
    };
    const everywhere = (i: number) => i % 12;
    expect(isWorth(everywhere, 120, 480)).toBe(false);
    expect(isWorth(everywhere, 480, 120)).toBe(true);
    // In one spot, a fifth of all is enough.
    expect(isWorth(() => 3, 120, 480)).toBe(true);
    // Where it is close, what was chosen stays.
    expect(isWorth(everywhere, 444, 200)).toBe(false);
    expect(isWorth(everywhere, 444, 200, true)).toBe(true);
    expect(isWorth(everywhere, 0, 100)).toBe(false);
  });
});
