/**
 * A log on three real brokers with three copies: the broker that orders the records is killed, and comes back.
 *
 * Every follower is connected to each of the three in turn, so that one hangs on the broker that dies.
 */
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { expect, it, onTestFinished } from 'vitest';
import { describeOnBroker, openLog, threeBrokers } from '../broker-stage.ts';
import { appendSurely, Reader } from './reader.ts';

describeOnBroker('a log on three brokers', () => {
  it('goes on without the one that ordered the records, and all followers with it', async () => {
    const brokers = await threeBrokers();
    const urls = brokers.map(({ url }) => url);
    const writer = await openLog(urls, { world: 'w', connectMs: 60_000 });
    const nats = await connect({ servers: urls, maxReconnectAttempts: -1 });
    onTestFinished(() => nats.close());
    const manager = await jetstreamManager(nats, { checkAPI: false });
    const { config, cluster } = await manager.streams.info(writer.stream);
    expect([config.num_replicas, cluster?.replicas?.length]).toEqual([3, 2]);

    const readers = await Promise.all(
      urls.map(async (_, first) => {
        const turned = [...urls.slice(first), ...urls.slice(0, first)];
        const log = await openLog(turned, { world: 'w', connection: { noRandomize: true } });
        const reader = await new Reader(log).begin();
        onTestFinished(() => reader.end());
        return reader;
      }),
    );
    const sure: number[] = [];
    const append = async (value: number) => {
      sure.push(await appendSurely(writer, value));
    };
    for (let value = 1; value <= 20; value++) await append(value);

    const leader = brokers[['one', 'two', 'three'].indexOf(cluster?.leader ?? '')]!;
    await leader.kill();
    for (let value = 21; value <= 40; value++) await append(value);
    await leader.restart();
    for (let value = 41; value <= 60; value++) await append(value);

    // One hung on the broker that died; without a broker to order records none was taken.
    expect(readers.reduce((sum, { losses }) => sum + losses, 0)).toBeGreaterThan(0);
    const last = sure.at(-1)!;
    for (const reader of readers) {
      await expect.poll(() => reader.values.length).toBe(last);
      expect([reader.outOfOrder, reader.foundElse]).toEqual([[], undefined]);
      expect(reader.values).toEqual(readers[0]!.values);
    }
    expect(sure.map((position) => readers[0]!.values[position - 1])).toEqual(
      Array.from({ length: 60 }, (_, index) => index + 1),
    );
  });
});
