/** Nodes of two versions on a log in memory: an upgrade, node after node. */
import type { UmweltError } from 'umwelt';
import { afterEach, expect, it } from 'vitest';
import {
  type ClusterNode,
  clusterStatus,
  type Log,
  memoryLog,
  type ObserveOptions,
} from '../../src/index.ts';
import { participantOf } from '../../src/node/cluster-node.ts';
import { SYSTEM } from '../../src/node/environment.ts';
import { nodeIn } from '../../src/node/join-world.ts';
import { observeIn } from '../../src/node/observe-world.ts';
import type { Formats } from '../../src/records/formats.ts';
import { haltNodes, nodes } from '../joined-nodes.ts';
import { callsRecord, goneRecord } from '../record-makers.ts';

afterEach(haltNodes);

const EARLIER: Formats = [1, 1];
const LATER: Formats = [1, 2];

async function join(log: Log, name: string, formats: Formats): Promise<ClusterNode> {
  const options = { log, name, tickMs: 5, silenceTicks: 400 };
  const node = nodeIn(options, { ...SYSTEM, formats });
  nodes.push(node);
  await node.enter();
  return node;
}

/** The log's records by kind and format, in their order, without repetitions. */
async function kindsOf(log: Log): Promise<{ readonly members: number[]; readonly nobody: number[] }> {
  const found = { members: [] as number[], nobody: [] as number[] };
  for (let position = 1; position <= (await log.last?.())!; position++) {
    const [format = 0, kind = 0] = (await log.read(position))!;
    const list = kind >= 1 && kind <= 3 ? found.members : found.nobody;
    if (list.at(-1) !== format) list.push(format);
  }
  return found;
}

it('an upgrade, node after node, loses nothing, and ends in the later format', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a', EARLIER), await join(log, 'b', EARLIER)];
  const hero = await a.add({ x: 0, y: 0, key: 'hero' });
  a.keep(hero, Uint8Array.of(1, 2, 3));
  const c = await join(log, 'c', LATER);
  const heard: number[] = [];
  for (const node of [a, b, c]) node.on('message', (_id, bytes) => heard.push(bytes[0]!));
  let isOver = false;
  const sending = (async () => {
    let sent = 0;
    for (; !isOver; sent++) {
      c.send(hero, Uint8Array.of(sent % 256));
      await c.add({ x: sent, y: 1 });
    }
    return sent;
  })();
  await a.leave();
  expect(participantOf(c).replica.members.format).toBe(1);
  const d = await join(log, 'd', LATER);
  d.on('message', (_id, bytes) => heard.push(bytes[0]!));
  await b.leave();
  await expect.poll(() => participantOf(d).replica.members.format).toBe(2);
  await c.add({ x: 5, y: 5, key: 'last' });
  isOver = true;
  const sent = await sending;
  await expect.poll(() => d.find('last')).toBeDefined();
  await expect.poll(() => heard.length).toBe(sent);
  expect(heard).toEqual(Array.from({ length: sent }, (_, i) => i % 256));
  await expect.poll(() => [c.world.size, d.world.size]).toEqual([sent + 2, sent + 2]);
  expect([...d.stateOf(hero)]).toEqual([1, 2, 3]);
  const { members, nobody } = await kindsOf(log);
  // No record of the later format came before the last node of the earlier version had left.
  expect([members[0], members.at(-1)]).toEqual([1, 2]);
  expect(nobody).toEqual([1]);
});

it('a status tells which members keep the others from the later format', async () => {
  const log = memoryLog();
  const a = await join(log, 'a', EARLIER);
  await join(log, 'b', LATER);
  const status = () => clusterStatus(log, { watchMs: 50 });
  expect(await status()).toMatchObject({
    format: 1,
    members: [
      { name: 'a', formats: [1, 1] },
      { name: 'b', formats: [1, 2] },
    ],
  });
  await a.leave();
  expect(await status()).toMatchObject({ format: 2, members: [{ name: 'b', formats: [1, 2] }] });
});

it('a node of the earlier version is refused once the later format is written, and is told what the others read', async () => {
  const log = memoryLog();
  const a = await join(log, 'a', LATER);
  const failed = join(log, 'b', EARLIER);
  await expect(failed).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  await expect(failed).rejects.toThrow(/records of its world are of format 2, this node reads 1\./);
  // One that finds no state sees it by the log.
  const silent: Log = { ...logOf(log), ask: async () => nothing() };
  const other = join(silent, 'c', EARLIER);
  await expect(other).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    message:
      'this node reads records of format 1, expected format 2, in which the members of this world write; the members read: a 1 to 2. Start the version of @umwelt/cluster that they have',
  });
  expect(a.members.map(({ name }) => name)).toEqual(['a']);
});

it('a node that nobody answers joins though the log ends with a record of a format in which no member writes', async () => {
  const log = memoryLog();
  const a = await join(log, 'a', EARLIER);
  const id = await a.add({ x: 1, y: 2 });
  const { number: member, incarnation } = participantOf(a).self!;
  haltNodes();
  // Forged, or from before the log lost its end: its writer was of the later version then.
  await log.append(callsRecord({ member, incarnation, seq: 1e6 }, {}).with(0, 2));
  const b = await join(log, 'b', EARLIER);
  expect([...b.world.position(id)]).toEqual([1, 2]);
  expect(participantOf(b).replica.members.format).toBe(1);
});

it('a node that nobody answers is refused where members write in a format that it does not read, whatever ends the log', async () => {
  const log = memoryLog();
  const a = await join(log, 'a', EARLIER);
  await a.add({ x: 1, y: 2 });
  const { number: member, incarnation } = participantOf(a).self!;
  haltNodes();
  await log.append(callsRecord({ member, incarnation, seq: 1e6 }, {}).with(0, 2));
  const refused = {
    code: 'UNSUPPORTED',
    message: expect.stringContaining(
      'this node reads records of format 2 to 3, expected format 1, in which the members',
    ),
  };
  await expect(join(log, 'b', [2, 3])).rejects.toMatchObject(refused);
});

it('a node that reads the earlier format no more is refused as long as a member reads no other', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a', EARLIER), await join(log, 'b', LATER)];
  const refused = { code: 'UNSUPPORTED', message: expect.stringContaining('this node reads 2 to 3.') };
  await expect(join(log, 'c', [2, 3])).rejects.toMatchObject(refused);
  await a.leave();
  await expect.poll(() => participantOf(b).replica.members.format).toBe(2);
  const c = await join(log, 'c', [2, 3]);
  expect(c.members.map(({ name }) => name)).toEqual(['b', 'c']);
});

it('a member of the earlier version that was taken for gone, as the last of it, fails and says why; its entities live on', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a', EARLIER), await join(log, 'b', LATER)];
  const id = await a.add({ x: 1, y: 2 });
  const failed = new Promise<UmweltError>((resolve) => a.on('failed', resolve));
  const { number, incarnation } = participantOf(a).self!;
  void log.append(goneRecord(number, incarnation));
  expect(await failed).toMatchObject({
    code: 'UNSUPPORTED',
    message: expect.stringContaining('reads records of format 1, expected format 2'),
  });
  await expect.poll(() => b.owned.has(id)).toBe(true);
  b.move(id, 7, 8);
  await expect.poll(() => [...b.world.position(id)]).toEqual([7, 8]);
});

it('an observer of the earlier version ends where the format rises, and says why', async () => {
  const log = memoryLog();
  const [a] = [await join(log, 'a', EARLIER), await join(log, 'b', LATER)];
  const observe = (options: Partial<ObserveOptions> = {}) =>
    observeIn({ log, ...options }, { ...SYSTEM, formats: EARLIER });
  const ended = new Promise<UmweltError>((resolve) => {
    void observe({ ended: resolve });
  });
  // It follows.
  await expect.poll(() => participantOf(a).replica.tick).toBeGreaterThan(5);
  await a.leave();
  expect(await ended).toMatchObject({ code: 'UNSUPPORTED', message: expect.stringContaining('b 1 to 2') });
  await expect(observe()).rejects.toMatchObject({ code: 'UNSUPPORTED' });
});

function logOf(log: Log): Log {
  return {
    append: (bytes) => log.append(bytes),
    follow: (from, take, lost) => log.follow(from, take, lost),
    read: (position) => log.read(position),
    last: () => log.last!(),
    ask: (bytes) => log.ask(bytes),
    answer: (how) => log.answer(how),
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
