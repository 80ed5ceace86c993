/** Arguments that no caller of TypeScript can give: each is an `UmweltError` that says what was given, and changes nothing. */
import { World } from 'umwelt';
import { afterEach, expect, it } from 'vitest';
import { clusterStatus, joinWorld, memoryLog, observeWorld, Territories } from '../../src/index.ts';
import { participantOf } from '../../src/node/cluster-node.ts';
import { haltNodes, joinNode as join } from '../joined-nodes.ts';

afterEach(haltNodes);

const code = (expected: string) => expect.objectContaining({ name: 'UmweltError', code: expected });

it('calls of a node', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const [id, other] = await a.addMany({ x: [0, 1], y: [0, 0] });
  await expect.poll(() => a.owned.size).toBe(2);
  // A number of a member that is gone.
  await b.leave();
  await expect.poll(() => a.members.length).toBe(1);
  await expect.poll(() => participantOf(a).replica.members.byNumber(1)).toBe(undefined);
  const { replica, outbox } = participantOf(a);
  const { position } = replica;
  // biome-ignore lint/suspicious/noExplicitAny: it is given what no type allows.
  const node = a as any;
  for (const value of [undefined, null, 5, 'x', Symbol('x'), [1]]) {
    const isList = Array.isArray(value);
    await expect(node.add(value)).rejects.toThrow(code('BAD_OPTION'));
    await expect(node.addMany(value)).rejects.toThrow(code('BAD_OPTION'));
    expect(() => node.removeMany(value)).toThrow(code('BAD_OPTION'));
    expect(() => node.set(id, value)).toThrow(code('BAD_OPTION'));
    if (value !== undefined) {
      await expect(node.add({ x: 0, y: 0, fields: value })).rejects.toThrow(code('BAD_OPTION'));
      if (!isList) expect(() => node.broadcast(id, new Uint8Array(1), value)).toThrow(code('BAD_OPTION'));
      expect(() => node.broadcast(id, new Uint8Array(1), { sense: value })).toThrow(code('UNKNOWN_SENSE'));
    }
    for (const call of ['unpin', 'unblock']) {
      expect(() => node[call](id, value)).toThrow(code('BAD_ID'));
      expect(() => node[call](value, other)).toThrow(code('BAD_ID'));
    }
    for (const call of ['move', 'touch', 'remove', 'joinChannel', 'detachEntity']) {
      expect(() => node[call](value, 1, 1)).toThrow(code('BAD_ID'));
    }
    expect(() => node.give(id, value)).toThrow(code('BAD_OPTION'));
  }
  expect(() => node.give(id, {})).toThrow(code('BAD_OPTION'));
  // A misspelt sense would let all hear it.
  expect(() => node.broadcast(id, new Uint8Array(1), { sens: 'sight' })).toThrow(code('BAD_OPTION'));
  expect(outbox.isEmpty).toBe(true);
  await expect.poll(() => replica.position).toBeGreaterThan(position);
  expect([a.world.size, a.owned.size, a.self?.refused]).toEqual([2, 2, 0]);
});

it('errors name the field or the index, and hold what was given', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const [own, removed] = await a.addMany({ x: [0, 1], y: [0, 0] });
  const foreign = await b.add({ x: 0, y: 0 });
  a.remove(removed!);
  await expect
    .poll(() => [a.owned.size, a.world.has(foreign), a.world.has(removed!)])
    .toEqual([1, true, false]);
  const detailsOf = (call: () => unknown): unknown => {
    try {
      call();
    } catch (error) {
      return (error as { details?: unknown }).details ?? error;
    }
    return 'nothing thrown';
  };
  // biome-ignore lint/suspicious/noExplicitAny: they are given what no type allows.
  const [node, Tiles] = [a as any, Territories as any];
  const bare = Object.create(null);
  expect(detailsOf(() => node.set(own, { hp: 1n }))).toEqual({ field: 'fields.hp', value: 1n });
  const many = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`f${i}`, i]));
  expect(detailsOf(() => node.set(own, many))).toEqual({ field: 'fields', value: 65 });
  expect(detailsOf(() => node.on(bare, () => {}))).toEqual({ field: 'event', value: bare });
  expect(detailsOf(() => node.on('tick', 5))).toEqual({ field: 'listener', value: 5 });
  for (const value of [1n, Symbol('x'), bare, '5']) {
    expect(detailsOf(() => new Tiles(node, { tileSize: value }))).toEqual({ field: 'tileSize', value });
    const half = { tileSize: 1, hysteresis: value };
    expect(detailsOf(() => new Tiles(node, half))).toEqual({ field: 'hysteresis', value });
  }
  expect(detailsOf(() => new Tiles(node, { tileSize: 1, size: 2 }))).toEqual({ field: 'size', value: 2 });
  for (const id of [foreign, removed!]) {
    const ids = Uint32Array.of(own!, id);
    const at = [1];
    expect(detailsOf(() => a.moveMany(ids, [1, 1], [1, 1]))).toEqual({ id, index: 1 });
    expect(detailsOf(() => a.moveMany(ids, [1, 1], [1, 1], undefined, at))).toEqual({ id, index: 0 });
    expect(detailsOf(() => a.updateMany(ids, { range: [1, 1] }))).toEqual({ id, index: 1 });
    expect(detailsOf(() => a.removeMany(ids))).toEqual({ id, index: 1 });
    expect(detailsOf(() => a.touch(id))).toEqual({ id });
  }
  expect(participantOf(a).outbox.isEmpty).toBe(true);
});

it('an interest that takes too many letters in a record is refused, so that the node goes on writing', async () => {
  const a = await join(memoryLog(), 'a', { world: { groups: ['g'] } });
  const id = await a.add({ x: 0, y: 0 });
  await expect.poll(() => a.owned.size).toBe(1);
  // Infinity has ten letters there.
  const quotas = Array.from({ length: 32 }, () => ({ layers: 1, cap: Number.POSITIVE_INFINITY }));
  const ofKinds = (count: number) => ({ quotas, showGroup: Array.from({ length: count }, () => 'g') });
  expect(() => a.setInterest('i', ofKinds(7992))).toThrow(code('BAD_OPTION'));
  a.setInterest('i', ofKinds(7900));
  a.update(id, { interest: 'i' });
  a.move(id, 7, 0);
  await expect.poll(() => a.world.position(id)[0]).toBe(7);
  expect(participantOf(a).replica.interests.has('i')).toBe(true);
  expect([a.self?.refused, participantOf(a).replica.garbageCount]).toEqual([0, 0]);
});

it('an entity that the last tick removed is stale for every call', async () => {
  const a = await join(memoryLog(), 'a');
  const [own, removed] = (await a.addMany({ x: [0, 1], y: [0, 0] })) as unknown as [number, number];
  await expect.poll(() => a.owned.size).toBe(2);
  const bytes = new Uint8Array(1);
  const calls: readonly (() => unknown)[] = [
    () => a.move(removed, 1, 1),
    () => a.touch(removed),
    () => a.give(removed, 'a'),
    () => a.send(removed, bytes),
    () => a.broadcast(removed, bytes),
    () => a.pin(own, removed),
    () => a.block(own, removed),
    () => a.attachEntity(own, removed),
    () => a.ownerOf(removed),
    () => a.showerOf(removed),
    () => a.stateOf(removed),
    () => a.fieldsOf(removed),
  ];
  const told: unknown[] = [];
  let shown: Promise<unknown> | undefined;
  a.on('tick', (changes) => {
    if (!changes.removed.includes(removed)) return;
    shown = a.show(removed).catch((error) => error.code);
    for (const call of calls) {
      try {
        told.push(call());
      } catch (error) {
        told.push((error as { code?: string }).code);
      }
    }
  });
  a.remove(removed);
  await expect.poll(() => told).toEqual(calls.map(() => 'STALE_ID'));
  expect(await shown).toBe('STALE_ID');
  expect(a.self?.refused).toBe(0);
});

it('a tie with an entity that was removed may be undone', async () => {
  const a = await join(memoryLog(), 'a');
  const [id, other] = (await a.addMany({ x: [0, 1], y: [0, 0] })) as unknown as [number, number];
  await expect.poll(() => a.owned.size).toBe(2);
  a.remove(other);
  await expect.poll(() => a.world.has(other)).toBe(false);
  a.unpin(id, other);
  a.unblock(id, other);
});

it('a world where its options, or a node, belong is told as one', async () => {
  const log = memoryLog();
  const node = await join(log, 'a');
  for (const [world, given] of [
    [new World() as never, 'an object (World)'],
    [node.world as never, `an object (${node.world.constructor.name})`],
    [[] as never, 'an array of 0'],
  ] as const) {
    const told = `world: ${given} was given, expected an object with WorldOptions, of which each process makes its own`;
    await expect(joinWorld({ log, world })).rejects.toThrow(told);
    await expect(observeWorld({ log, world })).rejects.toThrow(told);
  }
  expect(() => new Territories(new World() as never, { tileSize: 1 })).toThrow(
    'node: an object (World) was given, expected a node, what joinWorld() resolves to',
  );
});

it('options', async () => {
  const log = memoryLog();
  const node = await join(log, 'a');
  for (const value of [null, 5, 'x']) {
    const given = value as never;
    expect(() => memoryLog(given)).toThrow(code('BAD_OPTION'));
    expect(() => new Territories(node, given)).toThrow(code('BAD_OPTION'));
    expect(() => new Territories(given, { tileSize: 1 })).toThrow(code('BAD_OPTION'));
    await expect(joinWorld({ log, world: given })).rejects.toThrow(code('BAD_OPTION'));
    await expect(joinWorld({ log, checkpoints: given })).rejects.toThrow(code('BAD_OPTION'));
    await expect(observeWorld(given)).rejects.toThrow(code('BAD_OPTION'));
    await expect(observeWorld({ log: given })).rejects.toThrow(code('BAD_OPTION'));
    await expect(observeWorld({ log, world: given })).rejects.toThrow(code('BAD_OPTION'));
    await expect(clusterStatus(given)).rejects.toThrow(code('BAD_OPTION'));
    await expect(clusterStatus(log, given)).rejects.toThrow(code('BAD_OPTION'));
  }
  for (const field of ['tickMs', 'silenceTicks', 'pendingBytes', 'patienceMs', 'checkpointMs', 'name']) {
    const details = { field, value: null };
    await expect(joinWorld({ log, [field]: null })).rejects.toMatchObject({ code: 'BAD_OPTION', details });
  }
  const checkpoints = { newest: async () => undefined };
  await expect(joinWorld({ log, checkpoints: checkpoints as never })).rejects.toThrow(code('BAD_OPTION'));
  // A timer of so many milliseconds would ring at once.
  await expect(joinWorld({ log, patienceMs: 2 ** 31 })).rejects.toThrow(code('BAD_OPTION'));
  expect(() => memoryLog({ maxByte: 5 } as never)).toThrow(code('BAD_OPTION'));
});
