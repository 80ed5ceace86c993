/** Channels that were written and read again do what those do that went on. */
import { describe, expect, test } from 'vitest';
import { type ChannelOptions, Channels, type EntityId, World } from '../../src/index.ts';
import { errorOf } from './gathering.ts';

/** Steps of a crowd that is made from a seed alone, so that two worlds get the same. */
class Crowd {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  step(world: World, channels: Channels): void {
    const ids = [...world.ids()];
    if (ids.length < 30 || this.#below(3) > 0) {
      const id = world.add({ x: this.#below(100), y: 0, group: this.#below(4) });
      if (this.#below(4) > 0) channels.join(id);
    }
    const any = () => ids[this.#below(ids.length)] as EntityId;
    if (ids.length === 0) return;
    const choice = this.#below(6);
    if (choice === 0) world.remove(any());
    else if (choice === 1) channels.leave(any());
    else if (choice === 2) world.update(any(), { group: this.#below(4) });
    else if (choice === 3) channels.join(any());
    if (this.#below(40) === 0) for (const id of world.ids()) if (this.#below(3) > 0) world.remove(id);
    if (this.#below(2) === 0) {
      channels.balance();
      world.tick();
    }
  }

  #below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }
}

function standing(world: World, channels: Channels): unknown {
  return [[...world.ids()].map((id) => [id, channels.channelOf(id)]), channels.channelCount, channels.size];
}

const OPTIONS: readonly [string, ChannelOptions][] = [
  ['our own rule', { target: 4, tolerance: 0.3, movesPerTick: 2 }],
  [
    'a rule of the user',
    { target: 4, tolerance: 0.3, choose: (id, counts) => 1 + ((id >>> 10) % counts.length) },
  ],
];

describe.each(OPTIONS)('channels with %s', (_, options) => {
  test.each([1, 2, 3, 4, 5, 6])('go on as those do that they are a copy of, seed %i', (seed) => {
    const world = new World();
    const channels = new Channels(world, options);
    const crowd = new Crowd(seed);
    for (let i = 0; i < 120; i++) crowd.step(world, channels);
    for (let copies = 0; copies < 12; copies++) {
      const otherWorld = World.restore(world.snapshot());
      const other = Channels.restore(otherWorld, channels.snapshot(), options);
      expect(standing(otherWorld, other)).toEqual(standing(world, channels));
      const further = seed * 100 + copies;
      const [first, second] = [new Crowd(further), new Crowd(further)];
      for (let i = 0; i < 40; i++) {
        first.step(world, channels);
        second.step(otherWorld, other);
        expect(standing(otherWorld, other)).toEqual(standing(world, channels));
      }
    }
  });
});

test('channels made anew on a restored world forget those that are open and empty, and a copy does not', () => {
  const world = new World();
  const options = { target: 10, tolerance: 0.2 };
  const channels = new Channels(world, options);
  const ids = Array.from({ length: 13 }, () => world.add({ x: 0, y: 0 }));
  for (const id of ids) channels.join(id);
  for (const id of ids) if (channels.channelOf(id) === 2) channels.leave(id);
  const restored = World.restore(world.snapshot());
  expect(channels.channelCount).toBe(2);
  expect(Channels.restore(restored, channels.snapshot(), options).channelCount).toBe(2);
  expect(new Channels(restored, options).channelCount).toBe(1);
});

test('bytes that are no channels are refused', () => {
  const world = new World();
  const channels = new Channels(world, { target: 4, tolerance: 0.3 });
  for (let i = 0; i < 9; i++) channels.join(world.add({ x: i, y: 0, group: i % 3 }));
  const bytes = channels.snapshot();
  const restored = (given: Uint8Array) => Channels.restore(world, given, { target: 4, tolerance: 0.3 });
  for (let length = 0; length < bytes.length; length++) {
    expect(errorOf(() => restored(bytes.subarray(0, length))).code).toBe('BAD_SNAPSHOT');
  }
  expect(errorOf(() => restored(Uint8Array.from([...bytes, 0]))).code).toBe('BAD_SNAPSHOT');
  for (const none of [undefined, null, 5, 'bytes', {}, [...bytes]]) {
    expect(errorOf(() => restored(none as unknown as Uint8Array)).code).toBe('BAD_SNAPSHOT');
  }
  expect(errorOf(() => Channels.restore({} as World, bytes, { target: 4, tolerance: 0.3 })).code).toBe(
    'BAD_OPTION',
  );
});
