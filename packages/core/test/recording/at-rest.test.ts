/** A snapshot of a world at rest: the state without relations, from which a process begins that says itself who watches. */
import { expect, test } from 'vitest';
import { checksumOf } from '../../src/bytes/checksum.ts';
import { createScript } from '../../src/conformance/script.ts';
import { UmweltError, World } from '../../src/index.ts';
import { ScriptPlay } from './script-play.ts';

function crowd(count: number): World {
  const world = new World({ interests: { default: { cap: 10, memoryTicks: 5 } } });
  const column = (step: number) => Float32Array.from({ length: count }, (_, i) => (i * step) % 200);
  world.addMany({ range: 40, x: column(7.3), y: column(11.9) });
  return world;
}

test('it holds nobody who is related, is smaller, and has the same hash of the state', () => {
  const world = crowd(400);
  world.tick();
  const bytes = world.snapshot({ atRest: true });
  expect(bytes.length).toBeLessThan(world.snapshot().length / 2);
  const restored = World.restore(bytes);
  expect(restored.stateHash()).toBe(world.stateHash());
  expect(restored.tickCount).toBe(world.tickCount);
  expect(restored.stats().relationCount).toBe(0);
  restored.validate();
  expect(restored.tick().viewCount).toBe(0);
});

test('whoever is woken in it is told of its surroundings, as one that is added', () => {
  const world = crowd(400);
  world.tick();
  const restored = World.restore(world.snapshot({ atRest: true }));
  const watcher = restored.ids()[17] as number;
  restored.update(watcher, { watches: true });
  const changes = restored.tick();
  expect(changes.viewCount).toBe(1);
  expect(changes.of(watcher)?.entered).toEqual(world.visibleTo(watcher));
});

test('what is pending, ids and pins are those of the world that was stored', () => {
  const [world, twin] = [crowd(50), crowd(50)];
  for (const each of [world, twin]) {
    const ids = each.ids();
    each.pin(ids[0] as number, ids[49] as number);
    each.tick();
    each.update(ids[3] as number, { range: 90, layers: 3 });
    each.update(ids[4] as number, { watches: false });
    each.move(ids[5] as number, 1, 2);
    each.remove(ids[6] as number);
    each.add({ x: 3, y: 4, range: 5 });
  }
  const restored = World.restore(world.snapshot({ atRest: true }));
  expect(restored.add({ x: 0, y: 0 })).toBe(twin.add({ x: 0, y: 0 }));
  expect([...restored.tick().removed]).toEqual([...twin.tick().removed]);
  expect(restored.stateHash()).toBe(twin.stateHash());
  const [pinning] = twin.ids() as unknown as [number];
  for (const id of restored.ids()) restored.update(id, { watches: true });
  restored.tick();
  expect(restored.visibleTo(pinning)).toEqual(twin.visibleTo(pinning));
});

test('of worlds of random scripts it is what the same world would be with all at rest', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const script = createScript(seed, { operations: 120, entities: 14, interests: seed % 2 === 0 });
    const played = new ScriptPlay(script, (options) => [new World(options)]);
    for (const operation of script.operations.slice(0, 90)) {
      if (operation.kind !== 'churn') played.step(operation);
    }
    const [world] = played.worlds as [World];
    const bytes = world.snapshot({ atRest: true });
    const restored = World.restore(bytes, { interests: played.interests });
    expect(restored.snapshot({ atRest: true }), `seed ${seed}, stored again`).toEqual(bytes);
    expect(restored.stateHash(), `seed ${seed}`).toBe(world.stateHash());
    expect(restored.tick().viewCount).toBe(0);
    for (const id of world.ids()) world.update(id, { watches: false });
    world.tick();
    expect(restored.stateHash(), `seed ${seed}, a tick later`).toBe(world.stateHash());
  }
});

test('one whose entities are awake after all is BAD_SNAPSHOT', () => {
  const world = crowd(20);
  world.tick();
  const bytes = world.snapshot();
  const letters = [...'WRLD'].map((letter) => letter.charCodeAt(0));
  const at = bytes.findIndex((_, i) => letters.every((letter, k) => bytes[i + k] === letter));
  bytes[at + 8 + 16] = 1;
  const view = new DataView(bytes.buffer);
  const [low, high] = checksumOf(bytes.subarray(24));
  view.setUint32(16, low, true);
  view.setUint32(20, high, true);
  expect(() => World.restore(bytes)).toThrow(/that all are at rest/);
});

test('options that there are not are refused', () => {
  const world = new World();
  for (const options of [{ atRest: 1 }, { rest: true }, null, []]) {
    expect(() => world.snapshot(options as never)).toThrow(UmweltError);
  }
});
