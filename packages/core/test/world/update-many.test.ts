/** Changing many at once is changing each: same reports, all or nothing, the last of a repeated id; and counts for both bulk calls. */
import { expect, test } from 'vitest';
import { UmweltError, World } from '../../src/index.ts';
import { RecordedWorld } from '../../src/recording/recorded-world.ts';
import { Replay } from '../../src/recording/replay.ts';

const SENSES = { senses: ['sight', 'hearing'], groups: ['party', 'guild'] };

function crowd(world: World): Uint32Array {
  const column = Float32Array.from({ length: 90 }, (_, i) => (i * 7) % 31);
  return world.addMany({ x: column, y: column.toReversed(), range: { sight: 4, hearing: 9 } });
}

function codeOf(call: () => void): [code: string, index: number | undefined] {
  try {
    call();
  } catch (error) {
    if (error instanceof UmweltError) return [error.code, error.details.index];
    throw error;
  }
  return ['none', undefined];
}

test('each property becomes what update makes of it', () => {
  const [many, single] = [new World(SENSES), new World(SENSES)];
  const [ids] = [crowd(many), crowd(single)];
  const values = (scale: number) => Array.from(ids, (_, k) => (k % 5) * scale);
  const changes = [
    { range: values(2) },
    { range: { hearing: values(3) } },
    { gain: values(0.5) },
    { layers: values(1) },
    { layers: values(5) },
    { sees: values(2), layers: values(3) },
    { channel: values(1) },
    { weight: values(1.1) },
    { group: values(7) },
    { group: { guild: values(9) } },
  ] as const;
  for (const change of changes) {
    many.updateMany(ids, change);
    ids.forEach((id, k) => {
      const patch = Object.entries(change).map(([member, given]) => {
        const pick = (column: unknown) => (column as number[])[k];
        return [
          member,
          Array.isArray(given)
            ? pick(given)
            : Object.fromEntries(Object.entries(given).map(([n, c]) => [n, pick(c)])),
        ];
      });
      single.update(id, Object.fromEntries(patch));
    });
    expect(many.tick().hash(), JSON.stringify(Object.keys(change))).toBe(single.tick().hash());
    expect(many.stateHash()).toBe(single.stateHash());
  }
});

test('layers are what each sees that never said what it sees, be they all or some', () => {
  for (const saying of [[], [3, 17]]) {
    const [many, single] = [new World(SENSES), new World(SENSES)];
    const [ids] = [crowd(many), crowd(single)];
    for (const world of [many, single]) for (const k of saying) world.update(ids[k] as number, { sees: 6 });
    for (const scale of [1, 2, 3]) {
      const layers = Uint32Array.from(ids, (_, k) => (k % 5) * scale);
      many.updateMany(ids, { layers });
      ids.forEach((id, k) => {
        single.update(id, { layers: layers[k] as number });
      });
      expect(many.tick().hash()).toBe(single.tick().hash());
      expect(many.stateHash()).toBe(single.stateHash());
    }
  }
});

test('hidden watchers and those at rest keep what they are given', () => {
  const world = new World({ interests: { default: { cap: 1 } } });
  const ids = world.addMany({ x: new Float32Array(40), y: new Float32Array(40), range: 5 });
  world.tick();
  world.update(ids[0] as number, { watches: false });
  world.updateMany(ids, { range: new Float32Array(40).fill(7) });
  world.tick();
  expect(world.visibleTo(ids[0] as number).length).toBe(0);
  world.update(ids[0] as number, { watches: true });
  world.tick();
  expect(world.explain(ids[0] as number, ids[1] as number).reach).toBe(7);
});

test('a count takes the first so many, of columns that are longer, here and in moveMany', () => {
  const world = new World();
  const ids = world.addMany({ x: [0, 0, 0], y: [0, 0, 0] });
  world.moveMany(ids, Float32Array.of(1, 2, 3, 4), [5, 6, 7, 8, 9], undefined, undefined, { count: 2 });
  expect([...ids].map((id) => [...world.position(id)])).toEqual([
    [1, 5],
    [2, 6],
    [0, 0],
  ]);
  world.moveMany(ids, [9, 8, 7], [9, 8, 7], undefined, [2, 0], { count: 1 });
  expect([...ids].map((id) => [...world.position(id)])).toEqual([
    [1, 5],
    [2, 6],
    [7, 7],
  ]);
  world.updateMany(ids, { range: [3, 4, 5, 6] }, { count: 1 });
  world.tick();
  expect(
    [...ids].map((id) => world.explain(id, ids[2] === id ? (ids[0] as number) : (ids[2] as number)).reach),
  ).toEqual([3, 0, 0]);
  for (const count of [-1, 4, 1.5, '2']) {
    expect(
      codeOf(() => world.moveMany(ids, [1, 2, 3], [1, 2, 3], undefined, undefined, { count } as never))[0],
    ).toBe('BAD_OPTION');
    expect(codeOf(() => world.updateMany(ids, {}, { count } as never))[0]).toBe('BAD_OPTION');
  }
});

test('without a count, a column is as long as the list of ids', () => {
  const world = new World(SENSES);
  const ids = world.addMany({ x: [0, 1], y: [0, 0], range: 5 });
  world.tick();
  const before = world.stateHash();
  for (const columns of [
    { range: [1, 1, 1] },
    { range: { hearing: Float32Array.of(1, 1, 1) } },
    { range: [1, 1], layers: Uint32Array.of(1, 1, 1) },
    { group: { guild: [1, 1, 1] } },
  ]) {
    expect(codeOf(() => world.updateMany(ids, columns))).toEqual(['BAD_OPTION', undefined]);
  }
  expect(() => world.updateMany(ids, { weight: [1, 1, 1] })).toThrow(
    'weight.length: 3 was given, expected 2, as many as there are ids',
  );
  world.tick();
  expect(world.stateHash()).toBe(before);
});

test('a negative length is none of an array', () => {
  const world = new World();
  const ids = world.addMany({ x: [0], y: [0] });
  const bad = { length: -1 };
  expect(codeOf(() => world.addMany({ x: bad, y: bad }))[0]).toBe('BAD_OPTION');
  expect(codeOf(() => world.moveMany(ids, [1], [1], undefined, bad))[0]).toBe('BAD_OPTION');
  expect(codeOf(() => world.updateMany(ids, { layers: bad }))[0]).toBe('BAD_OPTION');
  expect(world.size).toBe(1);
});

test('nothing is changed when one of them is wrong, and the index says which', () => {
  const world = new World();
  const ids = world.addMany({ x: [0, 1], y: [0, 0], range: 5 });
  world.tick();
  const before = world.stateHash();
  expect(codeOf(() => world.updateMany(ids, { range: [1, -1] }))).toEqual(['BAD_RANGE', 1]);
  expect(codeOf(() => world.updateMany(ids, { gain: [Number.NaN, 1] }))).toEqual(['BAD_GAIN', 0]);
  expect(codeOf(() => world.updateMany(ids, { layers: [1, 0.5] }))).toEqual(['BAD_LAYERS', 1]);
  expect(codeOf(() => world.updateMany(ids, { range: [1, 1], weight: [1, -2] }))).toEqual(['BAD_OPTION', 1]);
  expect(codeOf(() => world.updateMany(ids, { range: [1] }))[0]).toBe('BAD_OPTION');
  expect(codeOf(() => world.updateMany(ids, { range: { smell: [1, 1] } }))[0]).toBe('UNKNOWN_SENSE');
  expect(codeOf(() => world.updateMany(ids, { group: { clan: [1, 1] } }))[0]).toBe('UNKNOWN_GROUP');
  expect(codeOf(() => world.updateMany(ids, { speed: [1, 1] } as never))[0]).toBe('BAD_OPTION');
  expect(codeOf(() => world.updateMany(Uint32Array.of(ids[0] as number, 5), { range: [1, 1] }))).toEqual([
    'BAD_ID',
    1,
  ]);
  expect(codeOf(() => world.updateMany([1] as never, { range: [1] }))[0]).toBe('BAD_OPTION');
  world.tick();
  expect(world.stateHash()).toBe(before);
});

test('of a repeated id the last wins, and a recording plays it again', () => {
  const world = new RecordedWorld(SENSES);
  const pieces: Uint8Array[] = [];
  world.record((piece) => pieces.push(piece));
  const ids = crowd(world);
  world.tick();
  world.updateMany(Uint32Array.of(ids[3] as number, ids[4] as number, ids[3] as number), {
    range: { sight: [1, 2, 30] },
    gain: [2, 2, 3],
  });
  world.moveMany(ids, new Float32Array(90).fill(4), new Float32Array(90), undefined, undefined, {
    count: 70,
  });
  world.tick();
  world.stopRecording();
  const bytes = new Uint8Array(pieces.flatMap((piece) => [...piece]));
  const replay = new Replay(bytes);
  while (replay.step() !== undefined);
  expect(replay.difference).toBeUndefined();
  expect(replay.world.stateHash()).toBe(world.stateHash());
});
