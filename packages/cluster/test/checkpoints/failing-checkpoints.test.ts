/** Stores of checkpoints that fail: what the node tells, and that its world goes on. */
import { afterEach, expect, it } from 'vitest';
import { type Checkpoints, type ClusterNode, type Log, memoryLog, NodeMetrics } from '../../src/index.ts';
import { CheckpointKeeper } from '../../src/node/checkpoint-keeper.ts';
import { SYSTEM } from '../../src/node/environment.ts';
import { nodeIn } from '../../src/node/join-world.ts';
import { Replica } from '../../src/state/replica.ts';
import { haltNodes, joinNode, nodes } from '../joined-nodes.ts';
import { bound } from '../late-log.ts';
import { anewRecord } from '../record-makers.ts';

afterEach(haltNodes);

const full = new Error('the disk is full');

it.each<[string, () => Promise<void>]>([
  ['rejects', () => Promise.reject(full)],
  [
    'throws at once',
    () => {
      throw full;
    },
  ],
])('a save that %s is told, and tried again', async (_how, save) => {
  const checkpoints = { save, newest: () => Promise.resolve(undefined) };
  const node = await joinNode(memoryLog(), 'a', { checkpoints, checkpointMs: 20 });
  const told: unknown[] = [];
  node.on('checkpointFailed', (error) => told.push(error));
  await expect.poll(() => told.length).toBeGreaterThan(2);
  expect(new Set(told)).toEqual(new Set([full]));
  const { tickCount } = node.world;
  await expect.poll(() => node.world.tickCount).toBeGreaterThan(tickCount + 5);
});

/** A node whose clock a test may put forward, and its metrics of checkpoints. */
async function nodeOfClock(checkpoints: Checkpoints): Promise<{
  node: ClusterNode;
  forward: (milliseconds: number) => void;
  figures: () => Promise<Record<string, number>>;
}> {
  let aheadMs = 0;
  const node = nodeIn(
    { log: memoryLog(), name: 'a', tickMs: 5, checkpoints, checkpointMs: 1000 },
    { ...SYSTEM, now: () => performance.now() + aheadMs },
  );
  nodes.push(node);
  await node.enter();
  const metrics = new NodeMetrics(node);
  const figureOf = async (name: string, outcome?: string) => {
    const found = await metrics.registry.getSingleMetric(`umwelt_cluster_${name}`)?.get();
    return found?.values.find(({ labels }) => labels.outcome === outcome)?.value ?? Number.NaN;
  };
  return {
    node,
    forward: (milliseconds) => {
      aheadMs += milliseconds;
    },
    figures: async () => ({
      saved: await figureOf('checkpoints_total', 'saved'),
      failed: await figureOf('checkpoints_total', 'failed'),
      age: Math.floor(await figureOf('checkpoint_age_seconds')),
    }),
  };
}

it('a save that never settles is given up, told and counted, and checkpoints are saved again', async () => {
  const ends: (() => void)[] = [];
  let hangs = true;
  const checkpoints: Checkpoints = {
    save: () => (hangs ? new Promise((resolve) => ends.push(resolve)) : Promise.resolve()),
    newest: () => Promise.resolve(undefined),
  };
  const { node, forward, figures } = await nodeOfClock(checkpoints);
  const told: unknown[] = [];
  node.on('checkpointFailed', (error) => told.push(error));
  await expect.poll(() => ends.length).toBe(1);
  forward(170_000);
  const { tickCount } = node.world;
  await expect.poll(() => node.world.tickCount).toBeGreaterThan(tickCount + 5);
  expect([ends.length, told.length]).toEqual([1, 0]);

  forward(10_000);
  await expect.poll(() => ends.length).toBe(2);
  expect(told).toEqual([
    expect.objectContaining({ code: 'LOG_DOWN', message: expect.stringContaining('180000 ms') }),
  ]);
  expect(await figures()).toEqual({ saved: 0, failed: 1, age: 180 });
  // Each may hold its state for ever: there are ever fewer.
  forward(350_000);
  const { tickCount: later } = node.world;
  await expect.poll(() => node.world.tickCount).toBeGreaterThan(later + 5);
  expect(ends.length).toBe(2);
  hangs = false;
  forward(10_000);
  await expect.poll(figures).toEqual({ saved: 1, failed: 2, age: 0 });

  // The store was only slow: it is as patient with it as at first.
  for (const end of ends.splice(0)) end();
  expect(await figures()).toMatchObject({ saved: 1, failed: 2 });
  hangs = true;
  forward(1000);
  await expect.poll(() => ends.length).toBe(1);
  forward(180_000);
  await expect.poll(() => ends.length).toBe(2);
});

it('a store that returns nothing may be one without promises', async () => {
  let count = 0;
  const checkpoints = {
    save: () => {
      count++;
    },
    newest: () => undefined,
  } as unknown as Checkpoints;
  const node = await joinNode(memoryLog(), 'a', { checkpoints, checkpointMs: 20 });
  await expect.poll(() => count).toBeGreaterThan(2);
  expect(node.isLive).toBe(true);
});

it('a node that cannot read its checkpoints says why it could not join', async () => {
  const denied = Object.assign(new Error("EACCES: permission denied, scandir '/saved'"), { code: 'EACCES' });
  const checkpoints = { save: () => Promise.resolve(), newest: () => Promise.reject(denied) };
  await expect(joinNode(memoryLog(), 'a', { checkpoints, patienceMs: 300 })).rejects.toMatchObject({
    code: 'LOG_DOWN',
    message: expect.stringContaining('EACCES'),
  });
});

it('a node whose checkpoints never answer says so', async () => {
  const checkpoints = { save: () => Promise.resolve(), newest: () => new Promise<undefined>(() => {}) };
  await expect(joinNode(memoryLog(), 'a', { checkpoints, patienceMs: 300 })).rejects.toMatchObject({
    code: 'LOG_DOWN',
    message: expect.stringContaining('newest() of the checkpoints does not settle'),
  });
});

it('a log that stops answering when the checkpoints have answered is named instead of them', async () => {
  const log: Log = { ...bound(memoryLog()), last: () => new Promise(() => {}) };
  const checkpoints = { save: () => Promise.resolve(), newest: () => Promise.resolve(undefined) };
  await expect(joinNode(log, 'a', { checkpoints, patienceMs: 300 })).rejects.toMatchObject({
    code: 'LOG_DOWN',
    message: expect.stringContaining('the log gave no answer'),
  });
});

it('a state that must be saved is saved once the save under way has ended, whoever saves by then', async () => {
  const ends: (() => void)[] = [];
  const checkpoints: Checkpoints = {
    save: () => new Promise((resolve) => ends.push(resolve)),
    newest: () => Promise.resolve(undefined),
  };
  const keeper = new CheckpointKeeper(
    { checkpoints, checkpointMs: 1000, log: memoryLog() },
    { ...SYSTEM, now: () => 0 },
    () => {},
  );
  const replica = new Replica({ world: {}, views: 'own' });
  keeper.ticked(replica, true);
  keeper.save(replica);
  keeper.ticked(replica, true);
  expect(ends.length).toBe(1);
  ends[0]?.();
  await expect.poll(() => keeper.ended.get('saved')).toBe(1);
  keeper.ticked(replica, false);
  expect(ends.length).toBe(2);
  ends[1]?.();
  await expect.poll(() => keeper.ended.get('saved')).toBe(2);
  keeper.ticked(replica, false);
  expect(ends.length).toBe(2);
});

it('a state that the log was begun anew from is saved at once by the oldest member, and again until that succeeds', async () => {
  let nowMs = 0;
  let isFull = false;
  const checkpoints: Checkpoints = {
    save: () => (isFull ? Promise.reject(full) : Promise.resolve()),
    newest: () => Promise.resolve(undefined),
  };
  const keeper = new CheckpointKeeper(
    { checkpoints, checkpointMs: 300_000, log: memoryLog() },
    { ...SYSTEM, now: () => nowMs },
    () => {},
  );
  const replica = new Replica({ world: {}, views: 'own' });
  const counts = () => [keeper.ended.get('saved'), keeper.ended.get('failed')];
  const ticked = async (atMs: number) => {
    nowMs = atMs;
    keeper.ticked(replica, true);
    await new Promise(setImmediate);
  };
  await ticked(0);
  await ticked(10_000);
  expect(counts()).toEqual([1, 0]);
  // By another node, whose state this one copied.
  replica.beginAt(7, anewRecord());
  isFull = true;
  await ticked(10_050);
  expect(counts()).toEqual([1, 1]);
  await ticked(15_000);
  expect(counts()).toEqual([1, 1]);
  await ticked(15_050);
  expect(counts()).toEqual([1, 2]);
  isFull = false;
  await ticked(20_050);
  expect(counts()).toEqual([2, 2]);
  await ticked(320_000);
  expect(counts()).toEqual([2, 2]);
  await ticked(320_050);
  expect(counts()).toEqual([3, 2]);
});
