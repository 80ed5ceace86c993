/** Leaving, when it is asked for at a bad time. */
import { afterEach, expect, it } from 'vitest';
import { type Log, memoryLog } from '../../src/index.ts';
import { readRecord } from '../../src/records/record.ts';
import { haltNodes, joinNode as join } from '../joined-nodes.ts';
import { bound, cuttable, late } from '../late-log.ts';
import { goneRecord } from '../record-makers.ts';

afterEach(haltNodes);

it('a node that leaves twice has left once, and both calls are answered', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const id = await a.add({ x: 0, y: 0 });
  await expect.poll(() => a.owned.has(id)).toBe(true);
  const gained: string[] = [];
  b.on('gain', (gainedId, _state, why) => gained.push(`${gainedId} ${why}`));
  await Promise.all([a.leave(), a.leave()]);
  await a.leave();
  await expect.poll(() => gained).toEqual([`${id} given`]);
});

it('a node that owns more than may wait for the log leaves all the same, and all is taken over', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a', { pendingBytes: 1024 }), await join(log, 'b')];
  for (let i = 0; i < 200; i += 10) {
    await a.addMany({ x: Array.from({ length: 10 }, () => i), y: new Float32Array(10) });
  }
  await expect.poll(() => a.owned.size).toBe(200);
  await a.leave();
  await expect.poll(() => b.owned.size).toBe(200);
  expect(b.members.map(({ name }) => name)).toEqual(['b']);
});

it('what waits for the log is answered when leaving takes too long', async () => {
  const inner = memoryLog();
  const log = late(inner, 0);
  const a = await join(log, 'a', { patienceMs: 3000 });
  const hero = await a.add({ x: 0, y: 0, range: 5 });
  // From now on the log takes nothing.
  Object.assign(log, { append: () => new Promise(() => {}) });
  const waiting = [a.add({ x: 1, y: 0 }), a.show(hero)];
  const answers = Promise.allSettled([...waiting, a.leave()]);
  const codes = (await answers).map((each) => each.status === 'rejected' && each.reason.code);
  expect(codes).toEqual(['LOG_DOWN', 'LOG_DOWN', 'LOG_DOWN']);
});

it('a node whose game goes on calling leaves, also if nobody takes over what it owns and the log is slow', async () => {
  const log = memoryLog();
  await join(log, 'b', { adopts: false });
  const a = await join(late(log, 25), 'a');
  const id = await a.add({ x: 0, y: 0 });
  await expect.poll(() => a.owned.has(id)).toBe(true);
  a.on('simulate', (tick) => {
    for (const owned of a.owned) a.set(owned, { tick });
  });
  a.set(id, { last: 'word' });
  await a.leave();
  expect(a.fieldsOf(id)).toMatchObject({ last: 'word' });
});

it('a game may go on calling while its node leaves, except for what would take the view of a player who went on', async () => {
  const log = memoryLog();
  const b = await join(log, 'b');
  const a = await join(late(log, 25), 'a');
  const id = await a.add({ x: 0, y: 0 });
  await expect.poll(() => a.owned.has(id)).toBe(true);
  const left = a.leave();
  a.send(id, new Uint8Array(1));
  a.broadcast(id, new Uint8Array(1));
  a.setInterest('near', { cap: 1 });
  const added = a.add({ x: 0, y: 0 });
  await expect(a.show(id)).rejects.toMatchObject({ code: 'LOG_DOWN' });
  await left;
  // In time or not, it was answered.
  await Promise.allSettled([added]);
  await expect.poll(() => b.owned.has(id)).toBe(true);
  expect(() => a.send(id, new Uint8Array(1))).toThrow('before it left');
});

it('a node with more than a record of calls leaves once they are in the log, however much its game calls meanwhile', async () => {
  const log = memoryLog();
  const b = await join(log, 'b');
  const { log: far, cut } = cuttable(log);
  const a = await join(late(far, 10), 'a', { patienceMs: 5000 });
  const id = await b.add({ x: 0, y: 0 });
  await expect.poll(() => a.world.has(id)).toBe(true);
  const heard: number[] = [];
  b.on('message', (_id, bytes) => heard.push(bytes[0]!));
  const mend = cut();
  for (let value = 1; value <= 30; value++) a.send(id, new Uint8Array(100_000).fill(value));
  const added = a.add({ x: 0, y: 0 });
  a.on('tick', () => {
    for (let i = 0; i < 10; i++) a.send(id, new Uint8Array(100_000));
  });
  const left = a.leave();
  const tooLate = expect(a.add({ x: 0, y: 0 })).rejects.toMatchObject({ code: 'LOG_DOWN' });
  mend();
  await left;
  await Promise.all([added, tooLate]);
  await expect.poll(() => heard.filter((value) => value > 0)).toHaveLength(30);
});

/** A node 'a' that is gone by the log, and says hello again; the first of its hellos are kept from the log. */
async function greeting(log: Log, held: number) {
  const told: string[] = [];
  let hellos = 0;
  const far: Log = {
    ...bound(log),
    append: (bytes) => {
      const isHello = readRecord(bytes).kind === 'hello';
      if (isHello && told.length > 0 && hellos++ < held) return new Promise(() => {});
      return log.append(bytes);
    },
  };
  const node = await join(far, 'a');
  const id = await node.add({ x: 0, y: 0 });
  await expect.poll(() => node.owned.has(id)).toBe(true);
  node.on('lose', (_id, why) => told.push(why));
  await log.append(goneRecord(1, node.self?.incarnation ?? 0));
  await expect.poll(() => hellos, { interval: 1 }).toBe(1);
  node.on('simulate', () => told.push(`simulate as ${node.self?.name}`));
  return { node, id, told };
}

it('a node that leaves while it joins again has left once its hello was heard, and simulates nothing before', async () => {
  const log = memoryLog();
  const b = await join(log, 'b');
  const { node, id, told } = await greeting(log, 1);
  await node.leave();
  expect(new Set(told)).not.toContain('simulate as undefined');
  await expect.poll(() => [b.members.map(({ name }) => name), b.owned.has(id)]).toEqual([['b'], true]);
});

it('a node that leaves while it joins again does not wait for the one that was started in its place', async () => {
  const log = memoryLog();
  await join(log, 'b');
  const { node } = await greeting(log, 1000);
  const left = node.leave();
  const next = await join(log, 'a');
  await left;
  expect([node.isLive, next.isLive]).toEqual([false, true]);
});

it('a node that cannot leave does not say why an earlier record was refused', async () => {
  const log = memoryLog();
  let isDown = false;
  const far: Log = {
    ...bound(log),
    append: async (bytes) => {
      if (!isDown) void log.append(bytes);
      if (readRecord(bytes).kind === 'hello') throw new Error('no acknowledgement');
      return new Promise(() => {});
    },
  };
  const node = await join(far, 'a', { patienceMs: 1000 });
  await node.add({ x: 0, y: 0 });
  isDown = true;
  await expect(node.leave()).rejects.toThrow('could not leave within 1000 ms: the log gave no answer');
});

it('a node that leaves gives away what it was given since the last tick: a message in between is not lost', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a', { tickMs: 500 }), await join(log, 'b')];
  const id = await a.add({ x: 0, y: 0 });
  await expect.poll(() => a.owned.has(id)).toBe(true);
  const gained: string[] = [];
  a.on('gain', (_id, _state, why) => gained.push(why));
  a.give(id, 'b');
  const tick = () => b.world.tickCount;
  await expect.poll(() => b.ownerOf(id)?.name, { interval: 1 }).toBe('b');
  const givenAt = tick();
  expect(b.owned.has(id)).toBe(false);
  await b.leave();
  // Before the next tick, at which what belongs to nobody is adopted.
  expect([a.ownerOf(id)?.name, tick()]).toEqual(['a', givenAt]);
  await expect.poll(() => gained).toEqual(['given']);
});
