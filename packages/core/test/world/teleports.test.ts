/**
 * Teleports as calls: what listeners hear, what a snapshot and a recording carry, and what is refused. What they mean is in the
 * conformance suite.
 */
import { expect, test } from 'vitest';
import { RecordedWorld, Replay, type UmweltError, World } from '../../src/index.ts';

const TELEPORT = { teleport: true };

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(pieces.flatMap((piece) => [...piece]));
}

/** A watcher and two markers that it relates to, after a tick. */
function settled<W extends World>(world: W) {
  const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
  const [one, other] = world.addMany({ x: [1, 2], y: [0, 0] });
  world.tick();
  return { world, watcher, one, other };
}

test('listeners hear leave, then enter, and neither update nor watched', () => {
  const { world, one, other } = settled(new World());
  const heard: string[] = [];
  for (const event of ['leave', 'enter', 'update', 'sense'] as const)
    world.on(event, (_, marker) => heard.push(`${event} ${marker}`));
  for (const event of ['watched', 'unwatched'] as const)
    world.on(event, (marker) => heard.push(`${event} ${marker}`));
  world.move(other, 3, 0, undefined, TELEPORT);
  world.move(one, 4, 0);
  world.tick();
  expect(heard).toEqual([`leave ${other}`, `enter ${other}`, `update ${one}`]);
});

test('one that was teleported since the last tick is so in the world that a snapshot makes', () => {
  const { world, other, watcher } = settled(new World());
  world.move(other, 3, 0, undefined, TELEPORT);
  world.move(other, 3.5, 0);
  const twin = World.restore(world.snapshot());
  for (const each of [world, twin]) {
    const view = each.tick().of(watcher);
    expect([[...(view?.left ?? [])], [...(view?.entered ?? [])]]).toEqual([[other], [other]]);
    expect(each.tick().viewCount).toBe(0);
  }
  expect(twin.lastChanges.hash()).toBe(world.lastChanges.hash());
});

test('a recording carries teleports of one and of many', () => {
  const world = new RecordedWorld();
  const pieces: Uint8Array[] = [];
  world.record((bytes) => pieces.push(bytes));
  const { one, other } = settled(world);
  const hashes: string[] = [];
  const tick = () => hashes.push(world.tick().hash());
  world.move(one, 2, 2, undefined, TELEPORT);
  tick();
  world.moveMany(Uint32Array.of(one, other), [1, 3], [1, 1], undefined, Uint32Array.of(1), TELEPORT);
  tick();
  world.moveMany(Uint32Array.of(one, other), [4, 4], [1, 1], undefined, undefined, { ...TELEPORT, count: 1 });
  tick();
  world.stopRecording();
  // A hash says who was told of whom, and not where they are.
  expect(new Set(hashes).size).toBe(2);
  const replay = new Replay(joined(pieces));
  const played: (string | undefined)[] = [];
  while (replay.tick < replay.lastTick) played.push(replay.step()?.found);
  expect(played.slice(-3)).toEqual(hashes);
  expect(replay.difference).toBeUndefined();
});

test.each<[string, unknown]>([
  ['no object', 5],
  ['null', null],
  ['no boolean', { teleport: 1 }],
  ['another key', { teleported: true }],
])('options that are %s are BAD_OPTION, and nothing moves', (_, options) => {
  const { world, one } = settled(new World());
  const codeOf = (call: () => void) => {
    try {
      call();
      return undefined;
    } catch (error) {
      return (error as UmweltError).code;
    }
  };
  expect(codeOf(() => world.move(one, 9, 9, undefined, options as never))).toBe('BAD_OPTION');
  const many = () => world.moveMany(Uint32Array.of(one), [9], [9], undefined, undefined, options as never);
  expect(codeOf(many)).toBe('BAD_OPTION');
  expect(world.tick().viewCount).toBe(0);
});

test('options in the place of z are told of, also in 2-D, where z is ignored', () => {
  const { world, one } = settled(new World());
  const expected =
    'z: an object (Object) was given, expected coordinates, or undefined: the options of a move come last';
  expect(() => world.move(one, 9, 9, TELEPORT as never)).toThrow(expected);
  expect(() => world.moveMany(Uint32Array.of(one), [9], [9], TELEPORT as never)).toThrow(expected);
  expect(() => world.moveMany(Uint32Array.of(one), [9], [9], { count: 1 } as never)).toThrow(expected);
  expect(world.tick().viewCount).toBe(0);
});

test('the eighth sense is a sense like the others: pairs that it keeps, alone or with them, are reported anew', () => {
  const senses = Array.from({ length: 8 }, (_, i) => `sense ${i + 1}`);
  const world = new World({ senses });
  const range = Object.fromEntries(senses.map((sense, i) => [sense, i === 7 ? 100 : 10]));
  world.add({ x: 0, y: 0, range, marker: false });
  const [near, far, coming] = world.addMany({ x: [1, 50, 60], y: [0, 0, 0] });
  world.tick();
  world.moveMany(Uint32Array.of(near, far, coming), [2, 51, 3], [0, 0, 0], undefined, undefined, TELEPORT);
  const heard: string[] = [];
  for (const event of ['leave', 'enter', 'sense'] as const)
    world.on(event, (_, marker, mask) => heard.push(`${event} ${marker} ${mask}`));
  world.tick();
  expect(heard).toEqual([
    ...[near, far, coming].map((marker) => `leave ${marker} 0`),
    ...[`enter ${near} 255`, `enter ${far} 128`, `enter ${coming} 255`],
  ]);
});
