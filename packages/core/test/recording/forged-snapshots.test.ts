/**
 * Snapshots with a right checksum and wrong bytes: each is `BAD_SNAPSHOT`, or a world in which every call works.
 *
 * Bytes and words are altered at random in worlds with all rules, and the checksum is put right; what is restored plays five
 * ticks, answers every question and validates itself after each. Whether stored relations follow from altered positions is not checked when a world
 * is restored, because that takes as long as to find them anew. So a few such worlds contradict themselves, as their bytes do.
 */
import { describe, expect, test } from 'vitest';
import { checksumOf } from '../../src/bytes/checksum.ts';
import { Random } from '../../src/conformance/random.ts';
import { createScript } from '../../src/conformance/script.ts';
import { type KernelChoice, type Shape, UmweltError, World } from '../../src/index.ts';
import { ScriptPlay } from './script-play.ts';

const HEADER_BYTES = 24;
const WORDS = [0, 1, 2, 0xffff_ffff, 0x7f80_0000, 0x7fc0_0000, 0x8000_0000, 1025, 2049];

/** What may come of it: the last ones where names were altered, and what the caller supplies fits them no more. */
const CODES = ['BAD_SNAPSHOT', 'UNKNOWN_INTEREST', 'UNKNOWN_DETECTOR', 'UNKNOWN_GROUP', 'UNSUPPORTED'];

/** Writes the checksum that the body has. */
function forged(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const [low, high] = checksumOf(bytes.subarray(HEADER_BYTES));
  view.setUint32(16, low, true);
  view.setUint32(20, high, true);
  return bytes;
}

/** A copy in which some bytes, bits or words are others. */
function mutated(bytes: Uint8Array, random: Random): Uint8Array {
  const altered = bytes.slice();
  const view = new DataView(altered.buffer);
  for (let changes = random.pick([1, 1, 2, 4]); changes > 0; changes--) {
    const at = HEADER_BYTES + random.below(altered.length - HEADER_BYTES);
    const word = at - (at % 4);
    const was = view.getUint32(word, true);
    if (random.chance(0.25)) altered[at] = random.below(256);
    else if (random.chance(0.3)) view.setUint8(at, view.getUint8(at) ^ (1 << random.below(8)));
    else view.setUint32(word, random.pick([...WORDS, was + 1, was - 1, random.below(64)]) >>> 0, true);
  }
  return forged(altered);
}

/** The world, or the code of what was thrown. */
function restored(bytes: Uint8Array, interests: ScriptPlay['interests']): World | string {
  try {
    return World.restore(bytes, { interests });
  } catch (error) {
    if (error instanceof UmweltError) return error.code;
    throw error;
  }
}

function askEverything(world: World): void {
  const ids = [...world.ids()].slice(0, 5);
  const around: Shape =
    world.dimensions === 2
      ? { kind: 'circle', x: 0, y: 0, radius: 1000 }
      : { kind: 'sphere', x: 0, y: 0, z: 0, radius: 1000 };
  world.query(around);
  world.nearest(0, 0, 3, { z: 0 });
  world.stats();
  world.describe();
  world.snapshot();
  for (const watcher of ids) {
    world.position(watcher);
    world.visibleTo(watcher);
    world.watchersOf(watcher);
    world.targets(watcher, around);
    for (const marker of ids) {
      world.explain(watcher, marker);
      world.senses(watcher, marker);
    }
  }
}

function changeSomething(world: World, tick: number): void {
  const ids = [...world.ids()];
  const isFree = (id: number) => world.parentOf(id) === undefined;
  if (tick === 1) for (const id of ids.filter(isFree)) world.move(id, id % 50, 2, 3);
  if (tick === 3) for (const id of ids.filter((id) => !isFree(id)).slice(1)) world.detach(id);
  if (tick === 2 && ids.length > 0) world.remove(ids[0] as number);
  if (tick === 2) world.add({ x: 0, y: 0, z: 0, range: 10, cap: 2 });
  if (tick === 3) for (const id of ids.slice(1)) world.update(id, { range: 20, cap: 2, group: 1 });
  if (tick === 4) world.setInterest('default', { leaveMargin: world.stats().detector === 'sweep' ? 1 : 0 });
}

/** Returns whether the world was valid after each tick. */
function playOn(world: World): boolean {
  let isValid = true;
  for (let tick = 0; tick < 5; tick++) {
    askEverything(world);
    changeSomething(world, tick);
    const changes = world.tick();
    changes.hash();
    for (const { entered, left, updated, sensed } of changes)
      expect([entered, left, updated, sensed]).toBeDefined();
    isValid &&= isConsistent(world);
  }
  return isValid;
}

function isConsistent(world: World): boolean {
  try {
    world.validate();
    return true;
  } catch (error) {
    expect(String(error)).toContain('broken invariant');
    return false;
  }
}

test('any bytes altered, it is refused or restored, and then everything works', () => {
  const random = new Random(4711);
  let plays = 0;
  let contradictions = 0;
  const before = process.memoryUsage().arrayBuffers;
  for (let seed = 1; seed <= 24; seed++) {
    const attachments = seed % 2 === 0;
    const script = createScript(seed, { operations: 100, entities: 10, interests: true, attachments });
    const played = new ScriptPlay(script, (options) => [new World(options)]);
    for (const operation of script.operations.slice(0, 80)) {
      if (operation.kind !== 'churn') played.step(operation);
    }
    const bytes = (played.worlds[0] as World).snapshot();
    for (let i = 0; i < 100; i++) {
      const world = restored(mutated(bytes, random), played.interests);
      if (typeof world === 'string') expect(CODES).toContain(world);
      else {
        if (!playOn(world)) contradictions++;
        plays++;
      }
    }
  }
  expect(plays).toBeGreaterThan(300);
  expect(contradictions).toBeLessThan(plays / 100);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 29);
});

/** Where a section's body begins. */
function bodyOf(bytes: Uint8Array, tag: string): number {
  const letters = [...tag].map((letter) => letter.charCodeAt(0));
  return bytes.findIndex((_, at) => letters.every((letter, i) => bytes[at + i] === letter)) + 8;
}

describe.each<KernelChoice>(['wasm', 'typescript'])('with %s kernels a row of relations', (kernels) => {
  /** A watcher that perceives `near`, and whose row is forged to say `said`. */
  function misled(say: (near: number, far: number) => number) {
    const world = new World();
    const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
    const ids = [world.add({ x: 5, y: 0 }), world.add({ x: 500, y: 0 }), world.add({ x: 600, y: 0 })];
    const [near, far] = ids as [number, number];
    world.tick();
    const bytes = world.snapshot();
    const view = new DataView(bytes.buffer);
    const row = bodyOf(bytes, 'RELS') + 4 * (ids.length + 2);
    expect(view.getUint32(row, true)).toBe(near);
    view.setUint32(row, say(near, far), true);
    return { world: World.restore(forged(bytes), { kernels }), watcher, near, far };
  }

  test('that lacks one who leaves stays as it is', () => {
    const { world, watcher, near, far } = misled((_, other) => other);
    for (let tick = 0; tick < 3; tick++) {
      world.move(near, 700 + tick, 0);
      world.touch(far);
      world.tick();
      world.validate();
    }
    expect(world.lastChanges.of(watcher)?.updated).toEqual(Uint32Array.of(far));
  });

  test('that has one already who enters has it once', () => {
    const { world, watcher, near, far } = misled((_, other) => other);
    world.move(far, 6, 0);
    expect(world.tick().of(watcher)?.entered).toEqual(Uint32Array.of(far));
    world.validate();
    world.touch(near);
    world.touch(far);
    expect(world.tick().of(watcher)?.updated).toEqual(Uint32Array.of(far));
    world.move(far, 500, 0);
    expect(world.tick().of(watcher)?.left).toEqual(Uint32Array.of(far));
    world.validate();
  });
});

describe('of a crowd', () => {
  const world = new World({ interests: { default: { cap: 5 } } });
  world.addMany({ x: new Float32Array(300), y: new Float32Array(300), range: 12.25 });
  world.tick();
  const bytes = world.snapshot();
  const view = new DataView(bytes.buffer);
  const ends = bodyOf(bytes, 'TIES');
  const words = (value: number) => {
    let at = bodyOf(bytes, 'ENTS');
    while (at < ends && !(view.getFloat32(at, true) === value && view.getFloat32(at + 4, true) === value))
      at++;
    return at;
  };

  test.each([Number.NaN, -1, 1e-30, 2e12, Number.POSITIVE_INFINITY])(
    'a kept range of %s is BAD_SNAPSHOT',
    (value) => {
      const altered = bytes.slice();
      const at = words(12.25);
      expect(at).toBeLessThan(ends);
      new DataView(altered.buffer).setFloat32(at, value, true);
      expect(restored(forged(altered), {})).toBe('BAD_SNAPSHOT');
    },
  );

  test.each([0, 2, 255])('hidden by %s, with the ranges of one who is, is BAD_SNAPSHOT', (value) => {
    const altered = bytes.slice();
    const isRun = (at: number) => bytes.subarray(at, at + 300).every((byte) => byte === 1);
    let at = bodyOf(bytes, 'ENTS');
    while (at < ends && !isRun(at)) at++;
    expect(at).toBeLessThan(ends);
    altered[at + 150] = value;
    expect(restored(forged(altered), {})).toBe('BAD_SNAPSHOT');
  });
});
