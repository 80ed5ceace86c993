/** How a cluster stands, asked from outside: on a log in memory and over a real broker. */
import { afterEach, expect, it } from 'vitest';
import { type ClusterNode, clusterStatus, type Log, memoryLog } from '../../src/index.ts';
import { readStanding, STANDING_QUESTION } from '../../src/status/world-standing.ts';
import { describeOnBroker, newWorld, oneBroker, openLog } from '../broker-stage.ts';
import { haltNodes, joinNode } from '../joined-nodes.ts';

afterEach(haltNodes);

const join = (log: Log, name: string, adopts = true) =>
  joinNode(log, name, { adopts, tickMs: 10, silenceTicks: 1000 });

/** A owns three and shows one, b owns one and shows two. */
async function populate(a: ClusterNode, b: ClusterNode): Promise<void> {
  const ids = await Promise.all([1, 2, 3].map((x) => a.add({ x, y: 0, range: 5 })));
  await b.add({ x: 9, y: 0 });
  await expect.poll(() => [a.world.size, b.world.size]).toEqual([4, 4]);
  await Promise.all([a.show(ids[0]!), b.show(ids[1]!), b.show(ids[2]!)]);
}

async function expectStatusOf(log: Log): Promise<void> {
  const status = (await clusterStatus(log, { watchMs: 400 }))!;
  expect(status).toMatchObject({ entities: 4, orphans: 0, tickMs: 10, silenceTicks: 1000, watchedMs: 400 });
  expect(['a', 'b']).toContain(status.answeredBy);
  expect(status.members).toMatchObject([
    { name: 'a', adopts: true, owned: 3, shown: 1, refused: 0 },
    { name: 'b', adopts: false, owned: 1, shown: 2, refused: 0 },
  ]);
  // Each says at least that it is there, at every tick.
  for (const { records, bytes } of status.members) {
    expect(records).toBeGreaterThan(1);
    expect(bytes).toBeGreaterThan(16 * records);
  }
  expect(status.marks).toBeGreaterThan(1);
  expect(status.bytes).toBeGreaterThanOrEqual(status.members[0]!.bytes + status.members[1]!.bytes);
  expect(status.longestGapMs).toBeGreaterThan(0);
}

it('a status has the members, what they own, show and write', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b', false)];
  await populate(a, b);
  await expectStatusOf(log);
  // It joined nothing.
  expect(a.members.map(({ name }) => name)).toEqual(['a', 'b']);
});

it('a status is none where no member answers', async () => {
  expect(await clusterStatus(memoryLog(), { watchMs: 10 })).toBeUndefined();
  await expect(clusterStatus(memoryLog(), { watchMs: 0 })).rejects.toMatchObject({ code: 'BAD_OPTION' });
});

it.each([
  'no JSON',
  'null',
  '{}',
  '{"answeredBy":"a","lagMs":0,"tick":1,"position":1,"tickMs":1,"silenceTicks":1,"entities":1,"orphans":0,"members":[{}]}',
])('a status is not made from what a stranger answers: %s', async (lie) => {
  const log = memoryLog();
  log.answer(async function* (question) {
    expect(question).toEqual(STANDING_QUESTION);
    yield new TextEncoder().encode(lie);
  });
  await expect(clusterStatus(log, { watchMs: 10 })).rejects.toMatchObject({ code: 'BAD_SNAPSHOT' });
  expect(() => readStanding(Uint8Array.of(255))).toThrow(expect.objectContaining({ code: 'BAD_SNAPSHOT' }));
});

describeOnBroker('a status over a broker', () => {
  it('has the members, what they own, show and write', async () => {
    const broker = await oneBroker();
    const world = newWorld();
    const open = () => openLog(broker.url, { world });
    const [a, b] = [await join(await open(), 'a'), await join(await open(), 'b', false)];
    await populate(a, b);
    await expectStatusOf(await open());
  });
});
