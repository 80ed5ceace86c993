/** Somebody gives a log's stream other limits while nodes use it: they say so before anything is lost, and go on once it is undone. */
import type { JetStreamManager, StreamUpdateConfig } from '@nats-io/jetstream';
import { afterEach, beforeAll, expect, it } from 'vitest';
import type { NatsBroker } from '../../../../tools/nats-broker.ts';
import { NodeMetrics } from '../../src/index.ts';
import { describeOnBroker, newWorld, oneBroker, openLog, operatorOf } from '../broker-stage.ts';
import { haltNodes, joinNode } from '../joined-nodes.ts';

afterEach(haltNodes);

describeOnBroker('a log whose stream was edited', () => {
  let broker: NatsBroker;
  let manager: JetStreamManager;

  beforeAll(async () => {
    broker = await oneBroker();
    ({ manager } = await operatorOf(broker));
  });

  const problemOf = (metrics: NodeMetrics) => metrics.health().problem ?? 'none';

  it.each<[Partial<StreamUpdateConfig>, string]>([
    [{ max_msgs: 5 }, 'max_msgs 5'],
    [{ max_bytes: 2000 }, 'max_bytes 2000'],
    [{ max_msg_size: 200 }, 'max_msg_size 200'],
    [{ max_msgs_per_subject: 1 }, 'max_msgs_per_subject 1'],
    [{ max_age: 900_000_000, duplicate_window: 900_000_000 }, 'max_age 900 ms'],
  ])(
    'with %o makes its nodes unhealthy while they still go on, and healthy once that is undone',
    async (edit, told) => {
      const log = await openLog(broker.url);
      const metrics = new NodeMetrics(await joinNode(log, 'a'));
      const { config } = await manager.streams.info(log.stream);
      await manager.streams.update(log.stream, edit);
      await expect
        .poll(() => problemOf(metrics))
        .toContain(`the stream ${log.stream} is no log: it has ${told}; exp`);
      await manager.streams.update(log.stream, config);
      await expect.poll(() => problemOf(metrics)).toBe('none');
    },
  );

  it('to keep records for less than two periods of checkpoints makes its nodes unhealthy', async () => {
    const log = await openLog(broker.url);
    const checkpoints = { save: () => Promise.resolve(), newest: () => Promise.resolve(undefined) };
    const node = await joinNode(log, 'a', { checkpoints, checkpointMs: 300_000 });
    const metrics = new NodeMetrics(node);
    await manager.streams.update(log.stream, { max_age: 300_000_000_000 });
    await expect
      .poll(() => problemOf(metrics))
      .toContain('300000 was given, expected at most half of the 300000 ms');
  });

  it('to five records, and lost by a restart, is named by nodes that cannot go on, and loses no entity', async () => {
    const world = newWorld();
    const logs = [await openLog(broker.url, { world }), await openLog(broker.url, { world })];
    const [a, b] = [await joinNode(logs[0]!, 'a'), await joinNode(logs[1]!, 'b')];
    const heroes = [await a.add({ x: 1, y: 2, key: 'one' }), await b.add({ x: 3, y: 4, key: 'two' })];
    await manager.streams.update(logs[0]!.stream, { max_msgs: 5 });
    const health = [a, b].map((node) => new NodeMetrics(node));
    await expect
      .poll(() => health.map(problemOf))
      .toEqual(Array(2).fill(expect.stringContaining('max_msgs 5')));
    await broker.kill();
    await broker.restart();
    const isAhead =
      /^it is ahead: the log does not have the records that come next.*it has max_msgs 5; expected/;
    await expect.poll(() => health.map(problemOf)).toContainEqual(expect.stringMatching(isAhead));
    const mended = () => manager.streams.update(logs[0]!.stream, { max_msgs: -1 }).catch(() => undefined);
    await expect.poll(mended).toBeDefined();
    await expect.poll(() => health.map(problemOf)).toEqual(['none', 'none']);
    for (const node of [a, b]) expect([node.find('one'), node.find('two')]).toEqual(heroes);
    await expect.poll(() => a.owned.size + b.owned.size).toBe(2);
  });
});
