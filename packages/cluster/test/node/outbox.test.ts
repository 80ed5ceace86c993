/** The order in which calls go to the log where they do not fit into one record. */
import { ByteReader, ByteWriter } from 'umwelt/bytes';
import { expect, it } from 'vitest';
import { Outbox } from '../../src/node/outbox.ts';
import { itemsOf, type Parcel } from '../../src/node/parcel.ts';
import { type Attached, NOTHING_ATTACHED } from '../../src/node/waiting-families.ts';
import { type Calls, readCalls } from '../../src/records/calls.ts';
import { FIRST_FORMAT, FORMAT } from '../../src/records/formats.ts';
import { RECORD_BYTES_MAX } from '../../src/records/record.ts';

/** More than fit into one record. */
const MOVERS = 100_000;
const idOf = (slot: number): number => slot * 1024 + 1;
const ATTACHED = { step: 'attach', id: idOf(1), parent: idOf(2), x: 0, y: 0, z: 0 } as const;
const DETACHED = { ...ATTACHED, parent: 0 };

function moveAll(outbox: Outbox): void {
  for (let slot = 0; slot < MOVERS; slot++) outbox.move(idOf(slot), slot, 0, 0);
}

/** What the next record holds. */
function taken(outbox: Outbox, format = FORMAT): Calls {
  return writtenBy(outbox.take(format), format);
}

function writtenBy(parcel: Parcel, format = FORMAT): Calls {
  const writer = new ByteWriter();
  parcel.write(writer, format);
  expect(writer.length).toBeLessThan(RECORD_BYTES_MAX - 500);
  return readCalls(new ByteReader(writer.bytes.slice(), 'BAD_RECORD'), format);
}

it('moves that fill every record do not hold back other calls', () => {
  const outbox = new Outbox(2 ** 24, 2);
  const moved = new Set<number>();
  const heard: number[] = [];
  for (let round = 0; round < 20; round++) {
    // As a game does that moves all its entities each tick, on a log that takes one record a tick.
    moveAll(outbox);
    outbox.put('sends', { id: idOf(round), bytes: new Uint8Array(10) });
    const calls = taken(outbox);
    for (const id of calls.moves?.ids ?? []) moved.add(id);
    for (const { id } of calls.sends ?? []) heard.push(id);
  }
  // Each in turn, some records late.
  expect(heard).toEqual(Array.from({ length: heard.length }, (_, i) => idOf(i)));
  expect(heard.length).toBeGreaterThan(15);
  expect(moved.size).toBe(MOVERS);
});

it('moves that a record has no room for have all three coordinates in the next one', () => {
  const outbox = new Outbox(2 ** 24, 3);
  for (let slot = 0; slot < 40_000; slot++) outbox.move(idOf(slot), slot + 0.25, slot + 0.5, 0 - slot);
  const moved = [taken(outbox), taken(outbox)].map(({ moves }) => moves!);
  expect(moved[0]!.ids.length).toBe(32_688);
  const places = moved.flatMap(({ ids, x, y, z }) => [...ids].map((id, i) => [id, x[i], y[i], z![i]]));
  expect(places).toEqual(
    Array.from({ length: 40_000 }, (_, slot) => [idOf(slot), slot + 0.25, slot + 0.5, 0 - slot]),
  );
});

it('many other calls do not hold back the moves', () => {
  const outbox = new Outbox(2 ** 24, 2);
  moveAll(outbox);
  for (let i = 0; i < 30; i++) outbox.put('sends', { id: idOf(1), bytes: new Uint8Array(200_000) });
  let moved = 0;
  for (let round = 0; round < 20 && moved < MOVERS; round++) {
    outbox.put('sends', { id: idOf(1), bytes: new Uint8Array(200_000) });
    moved += taken(outbox).moves?.ids.length ?? 0;
  }
  expect(moved).toBe(MOVERS);
});

it('the largest call that is taken fits into a record, and none is taken that fits into no record', () => {
  const outbox = new Outbox(2 ** 24, 2);
  const send = (length: number) => outbox.put('sends', { id: idOf(1), bytes: new Uint8Array(length) });
  const isTaken = (length: number) => {
    try {
      send(length);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: 'TOO_MUCH', details: { value: 523_008 } });
      return false;
    }
  };
  const lengths = Array.from({ length: 300 }, (_, i) => 522_980 + i);
  const counts = lengths.filter(isTaken).map(() => taken(outbox).sends?.length);
  // 8 bytes are the entity and the length.
  expect(counts).toEqual(Array.from({ length: 523_000 - 522_980 + 1 }, () => 1));
  expect(outbox.isEmpty).toBe(true);
});

it('thousands of players give up at once, before their shows are sent and after', () => {
  const outbox = new Outbox(2 ** 24, 2);
  const ids = Array.from({ length: 20_000 }, (_, slot) => idOf(slot));
  outbox.show(ids, true);
  outbox.show([idOf(7)], false);
  const parcel = outbox.take(FORMAT);
  outbox.show(ids, true);
  const startMs = performance.now();
  const counts = new Set(ids.slice(1).map((id) => outbox.withdrawShows(id)));
  // Each looks its entity up: that takes some 20 ms. To look through all that wait for each of them takes minutes.
  expect(performance.now() - startMs).toBeLessThan(4000);
  expect([...counts]).toEqual([1]);
  expect([...new Set(parcel.withdrawn)].length).toBe(19_999);
  const last = { id: idOf(0), isShown: true };
  expect(itemsOf(parcel, 'shows')).toEqual([last, { id: idOf(7), isShown: false }]);
  expect(outbox.withdrawShows(idOf(7))).toBe(0);
  expect([taken(outbox).shows, outbox.bytes, outbox.isEmpty]).toEqual([[last], 0, true]);
});

it('an entity is given away, removed or attached after its last move, and a teleport follows its move', () => {
  const outbox = new Outbox(2 ** 24, 2);
  outbox.put('sends', { id: idOf(3), bytes: new Uint8Array(10) });
  moveAll(outbox);
  const [far, last, removed, child] = [2, 1, 3, 4].map((k) => idOf(MOVERS - k)) as [
    number,
    number,
    number,
    number,
  ];
  outbox.move(far, 5, 5, 0, true);
  outbox.put('gives', { id: last, member: 1, incarnation: 2 });
  outbox.put('removes', removed);
  outbox.put('steps', { ...ATTACHED, id: child, parent: far });
  const moved = new Set<number>();
  const order: string[] = [];
  for (let round = 0; round < 8; round++) {
    const { moves, gives = [], teleports = [], removes = [], steps = [] } = taken(outbox);
    for (const id of moves?.ids ?? []) moved.add(id);
    if (gives.length > 0) order.push(`given, ${moved.has(last) ? 'moved' : 'not moved'}`);
    if (removes.length > 0) order.push(`removed, ${moved.has(removed) ? 'moved' : 'not moved'}`);
    const areMoved = moved.has(child) && moved.has(far);
    if (steps.length > 0) order.push(`attached, ${areMoved ? 'moved' : 'not moved'}`);
    if (teleports.length > 0) order.push(`teleport, ${moved.has(far) ? 'moved' : 'not moved'}`);
    for (let slot = 0; slot < MOVERS - 4; slot++) outbox.move(idOf(slot), round, 0, 0);
  }
  expect(order.sort()).toEqual(['attached, moved', 'given, moved', 'removed, moved', 'teleport, moved']);
});

it('all that fits into one record goes into one', () => {
  const outbox = new Outbox(2 ** 24, 2);
  outbox.put('sends', { id: idOf(3), bytes: new Uint8Array(10) });
  outbox.move(idOf(1), 5, 5, 0, true);
  outbox.put('gives', { id: idOf(1), member: 1, incarnation: 2 });
  const parcel = outbox.take(FORMAT);
  expect(itemsOf(parcel, 'gives').length + itemsOf(parcel, 'teleports').length).toBe(2);
  expect(outbox.isEmpty).toBe(true);
});

/** What the log has: 1 is a child of 8, and 8 of 9. */
const CARRIED: Attached = {
  has: () => true,
  parentOf: (id) =>
    new Map([
      [idOf(1), idOf(8)],
      [idOf(8), idOf(9)],
    ]).get(id),
  isParent: (id) => id === idOf(8) || id === idOf(9),
  isOwn: () => true,
};
const carryingOutbox = () => new Outbox(2 ** 24, 2, () => false, CARRIED);

it('the calls for a family after a detachment are steps, in their order, and those for others are not', () => {
  const outbox = carryingOutbox();
  outbox.move(idOf(9), 1, 1, 0);
  outbox.move(idOf(2), 1, 1, 0);
  outbox.put('steps', DETACHED);
  outbox.move(idOf(1), 5, 5, 0, true);
  outbox.move(idOf(9), 6, 6, 0);
  outbox.move(idOf(2), 3, 3, 0, true);
  outbox.move(idOf(1), 6, 7, 0);
  outbox.put('removes', idOf(8));
  outbox.put('removes', idOf(3));
  outbox.move(idOf(9), 7, 7, 0);
  outbox.put('gives', { id: idOf(1), member: 1, incarnation: 2 });
  const { moves, teleports, removes, steps, gives } = taken(outbox);
  expect([[...moves!.ids], [...moves!.x], teleports, removes]).toEqual([
    [idOf(9), idOf(2)],
    [1, 3],
    [idOf(2)],
    [idOf(3)],
  ]);
  expect(steps).toEqual([
    DETACHED,
    { step: 'teleport', id: idOf(1), x: 6, y: 7, z: 0 },
    { step: 'move', id: idOf(9), x: 6, y: 6, z: 0 },
    { step: 'remove', id: idOf(8) },
    { step: 'move', id: idOf(9), x: 7, y: 7, z: 0 },
  ]);
  expect([gives?.length, outbox.isEmpty, outbox.bytes]).toEqual([1, true, 0]);
});

it('the removal of what carries others is the first step of its family where none came before it', () => {
  const outbox = carryingOutbox();
  outbox.put('removes', idOf(8));
  outbox.move(idOf(9), 5, 5, 0);
  outbox.move(idOf(2), 5, 5, 0);
  const { moves, removes, steps } = taken(outbox);
  expect([[...moves!.ids], removes]).toEqual([[idOf(2)], [idOf(8)]]);
  expect(steps).toEqual([{ step: 'move', id: idOf(9), x: 5, y: 5, z: 0 }]);
});

it('what is attached by a record that is on its way is of a family, also if the log may refuse that', () => {
  const outbox = carryingOutbox();
  outbox.put('steps', { ...ATTACHED, id: idOf(1), parent: idOf(2) });
  expect(taken(outbox).steps?.length).toBe(1);
  outbox.put('steps', DETACHED);
  for (const slot of [2, 9, 3]) outbox.move(idOf(slot), 5, 5, 0);
  const { moves, steps } = taken(outbox);
  expect([[...moves!.ids], steps?.map(({ id }) => id)]).toEqual([[idOf(3)], [idOf(1), idOf(2), idOf(9)]]);
  // The log has all that by now.
  outbox.move(idOf(9), 6, 6, 0);
  expect(taken(outbox).steps).toBeUndefined();
});

it('a step comes after the moves of its family that are not taken yet', () => {
  const outbox = carryingOutbox();
  outbox.put('sends', { id: idOf(3), bytes: new Uint8Array(10) });
  for (let slot = 100; slot < MOVERS; slot++) outbox.move(idOf(slot), slot, 0, 0);
  outbox.move(idOf(9), 5, 5, 0);
  outbox.put('steps', DETACHED);
  const order: string[] = [];
  for (let round = 0; round < 4; round++) {
    const { moves, steps } = taken(outbox);
    if (moves?.ids.includes(idOf(9))) order.push('moved');
    if (steps !== undefined) order.push('detached');
  }
  expect(order).toEqual(['moved', 'detached']);
});

it('of owners that it has no more, an outbox keeps no steps', () => {
  const outbox = carryingOutbox();
  outbox.put('steps', DETACHED);
  outbox.move(idOf(1), 5, 5, 0);
  outbox.disown();
  outbox.move(idOf(9), 6, 6, 0);
  const { moves, steps } = taken(outbox);
  expect([[...moves!.ids], steps, outbox.isEmpty]).toEqual([[idOf(9)], undefined, true]);
});

it('in the first format, steps are sections, and those that are out of their order wait for the next record', () => {
  const outbox = carryingOutbox();
  outbox.move(idOf(9), 1, 1, 0);
  outbox.put('steps', DETACHED);
  outbox.move(idOf(9), 5, 5, 0);
  outbox.move(idOf(1), 6, 6, 0, true);
  outbox.put('removes', idOf(8));
  outbox.put('steps', { ...ATTACHED, id: idOf(1), parent: idOf(9) });
  outbox.move(idOf(9), 7, 7, 0);
  outbox.put('sends', { id: idOf(9), bytes: Uint8Array.of(1) });
  outbox.put('gives', { id: idOf(9), member: 1, incarnation: 2 });
  const records = Array.from({ length: 3 }, () => taken(outbox, FIRST_FORMAT));
  const order = records.map(({ moves, teleports = [], removes = [], steps = [] }) => [
    [...(moves?.ids ?? [])],
    [...(moves?.x ?? [])],
    [...teleports],
    [...removes],
    steps.map((step) => [step.id, 'parent' in step ? step.parent : undefined]),
  ]);
  expect(order).toEqual([
    [[idOf(9)], [1], [], [], [[idOf(1), 0]]],
    [[idOf(9), idOf(1)], [5, 6], [idOf(1)], [idOf(8)], [[idOf(1), idOf(9)]]],
    [[idOf(9)], [7], [], [], []],
  ]);
  // The give comes after the last move, and what follows the gives in a record after that.
  expect(records.map(({ gives, sends }) => [gives?.length, sends?.length])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    [1, 1],
  ]);
  expect(outbox.isEmpty).toBe(true);
});

it('what was taken for the first format is written in the second where the format has risen meanwhile', () => {
  const outbox = carryingOutbox();
  outbox.put('steps', DETACHED);
  outbox.move(idOf(9), 5, 5, 0);
  const parcel = outbox.take(FIRST_FORMAT);
  expect(writtenBy(parcel, FIRST_FORMAT).steps).toEqual([DETACHED]);
  expect(writtenBy(parcel, FORMAT).steps).toEqual([DETACHED]);
  expect(taken(outbox).steps).toEqual([{ step: 'move', id: idOf(9), x: 5, y: 5, z: 0 }]);
});

it('what is called for an entity before its removal does not go to the log, if it comes after that in a record', () => {
  const outbox = new Outbox(2 ** 24, 2);
  const [gone, other] = [idOf(1), idOf(2)];
  const tie = { tie: 'pin', reason: '', within: 5, everyTicks: 0 } as const;
  for (const [id, marker] of [
    [gone, other],
    [other, gone],
    [other, idOf(3)],
  ] as const)
    outbox.put('ties', { ...tie, watcher: id, marker });
  for (const id of [gone, other]) {
    outbox.put('channels', { id, joins: true });
    outbox.put('fields', { id, fields: { name: 'a' } });
    outbox.put('keeps', { id, bytes: Uint8Array.of(1) });
    outbox.put('sends', { id, bytes: Uint8Array.of(1) });
    outbox.show([id], false);
  }
  outbox.put('removes', gone);
  const calls = taken(outbox);
  expect(calls.ties?.map(({ watcher, marker }) => [watcher, marker])).toEqual([[other, idOf(3)]]);
  for (const list of [calls.channels, calls.fields, calls.keeps, calls.shows])
    expect(list?.map(({ id }) => id)).toEqual([other]);
  // If the record does not count, another node owns the entity, and gets the message.
  expect(calls.sends?.map(({ id }) => id)).toEqual([gone, other]);
  expect([outbox.isEmpty, outbox.bytes]).toEqual([true, 0]);
});

it('what is called for an entity before its removal goes into no later record either, where one is full', () => {
  const outbox = new Outbox(2 ** 24, 2);
  const [gone, other] = [idOf(1), idOf(2)];
  for (let i = 0; i < 20; i++) outbox.put('fields', { id: other, fields: { text: 'a'.repeat(16_000) } });
  outbox.put('fields', { id: gone, fields: { text: 'a' } });
  outbox.put('keeps', { id: gone, bytes: Uint8Array.of(1) });
  outbox.show([gone], false);
  outbox.put('removes', gone);
  const [first, second] = [taken(outbox), taken(outbox)];
  expect([first.removes, first.fields?.length]).toEqual([[gone], 16]);
  expect(second.fields?.map(({ id }) => id)).toEqual([other, other, other, other]);
  expect([second.keeps, second.shows, outbox.isEmpty]).toEqual([undefined, undefined, true]);
});

it('a show of what is removed is not in a record, and still in the parcel: also where that has no room for it', () => {
  const gone = new Set<number>();
  const outbox = new Outbox(2 ** 24, 2, () => false, { ...NOTHING_ATTACHED, has: (id) => !gone.has(id) });
  const shown = ({ shows = [] }: Calls) => shows.map(({ id }) => id);
  const parcels = (count: number) => Array.from({ length: count }, () => outbox.take(FORMAT));
  for (const isFull of [false, true]) {
    const [removed, other] = [idOf(1), idOf(2)];
    if (isFull)
      for (let i = 0; i < 20; i++) outbox.put('fields', { id: other, fields: { text: 'a'.repeat(16_000) } });
    outbox.show([removed, other], true);
    outbox.put('removes', removed);
    const [first, second] = parcels(2);
    const last = isFull ? second! : first!;
    // The log has the removal by then.
    if (isFull) gone.add(removed);
    expect(itemsOf(last, 'shows').map(({ id }) => id)).toEqual([removed, other]);
    expect(shown(writtenBy(last))).toEqual([other]);
    expect(outbox.isEmpty).toBe(true);
  }
});

it('a closed outbox still gives what waits, and takes nothing back', () => {
  const outbox = carryingOutbox();
  outbox.put('steps', DETACHED);
  outbox.move(idOf(1), 5, 5, 0, true);
  outbox.close();
  outbox.put('removes', idOf(1));
  outbox.move(idOf(1), 6, 6, 0);
  expect(taken(outbox).steps).toEqual([DETACHED, { step: 'teleport', id: idOf(1), x: 5, y: 5, z: 0 }]);
  expect(outbox.isEmpty).toBe(true);
});

it('moves and removals that are steps have room for all of them, or for none', () => {
  // The detachment takes 33 bytes, a teleport of its entity 17, its removal 5.
  for (const [room, isEnough] of [
    [16, false],
    [17, true],
  ] as const) {
    const outbox = new Outbox(33 + 13 * room, 2);
    outbox.put('steps', DETACHED);
    const check = expect(() => outbox.checkMoves(13, true));
    if (isEnough) check.not.toThrow();
    else check.toThrow(expect.objectContaining({ code: 'TOO_MUCH' }));
  }
  const outbox = new Outbox(33 + 5, 2);
  outbox.put('steps', DETACHED);
  expect(() => outbox.checkRemovals(2)).toThrow(expect.objectContaining({ code: 'TOO_MUCH' }));
  outbox.checkRemovals(1);
  outbox.put('removes', DETACHED.id);
  expect(outbox.bytes).toBe(38);
});

it('in the first format, teleports that were steps fit into a record', () => {
  const count = 40_000;
  const outbox = new Outbox(2 ** 24, 3);
  for (let slot = 0; slot < count; slot++) outbox.put('steps', { ...DETACHED, id: idOf(slot) });
  for (let slot = 0; slot < count; slot++) outbox.move(idOf(slot), slot, 0, 0, true);
  const teleports: number[] = [];
  while (!outbox.isEmpty) teleports.push(...(taken(outbox, FIRST_FORMAT).teleports ?? []));
  expect(teleports).toEqual(Array.from({ length: count }, (_, slot) => idOf(slot)));
});
