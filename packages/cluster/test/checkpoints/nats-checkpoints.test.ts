/** Checkpoints in the object store of a real broker: what is kept, damage, no room, a broker that is down. */
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { NatsBroker } from '../../../../tools/nats-broker.ts';
import { type NatsCheckpointsOptions, natsCheckpoints } from '../../src/checkpoints/nats-checkpoints.ts';
import { describeOnBroker, newWorld, oneBroker } from '../broker-stage.ts';
import { itKeepsCheckpoints, newestOf, state } from './checkpoints-contract.ts';

describeOnBroker('checkpoints on a broker', () => {
  let broker: NatsBroker;
  let nats: NatsConnection;
  let manager: JetStreamManager;
  beforeAll(async () => {
    broker = await oneBroker();
    nats = await connect({ servers: broker.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
    manager = await jetstreamManager(nats);
  });
  afterAll(() => nats?.close());

  async function opened(options: Partial<NatsCheckpointsOptions> & { world: string }) {
    const checkpoints = await natsCheckpoints({ servers: broker.url, maxBytes: 2 ** 24, ...options });
    onTestFinished(() => checkpoints.close());
    return checkpoints;
  }

  itKeepsCheckpoints(() => {
    const world = newWorld();
    return Promise.resolve(() => opened({ world }));
  });

  it('keeps as many as it is told', async () => {
    const world = newWorld();
    const checkpoints = await opened({ world, keep: 2 });
    for (let value = 1; value <= 5; value++) await checkpoints.save(state(value));
    const { state: bucket } = await manager.streams.info(`OBJ_umwelt_${world}`);
    expect(bucket.bytes).toBeLessThan(2.1 * 300_000);
    const many = await opened({ world: newWorld(), keep: 2 ** 40 });
    for (const value of [1, 2, 3]) await many.save(state(value));
    expect((await newestOf(many))?.value).toBe(3);
  });

  /** A bucket that somebody has made otherwise than natsCheckpoints does. */
  async function bucketWith(settings: object): Promise<string> {
    const world = newWorld();
    const subjects = [`$O.umwelt_${world}.C.>`, `$O.umwelt_${world}.M.>`];
    const made = { name: `OBJ_umwelt_${world}`, subjects, discard: 'new', allow_rollup_hdrs: true } as const;
    await manager.streams.add({ ...made, ...settings });
    return world;
  }

  it.each([
    [{ max_age: 60_000_000_000 }, 'max_age 60000000000'],
    [{ retention: 'interest' }, 'retention interest'],
    [{ retention: 'workqueue' }, 'retention workqueue'],
    [{ discard: 'old', max_msgs: 3 }, 'discard old, max_msgs 3'],
    [{ max_msgs_per_subject: 1 }, 'max_msgs_per_subject 1'],
    [{ max_msg_size: 10_000 }, 'max_msg_size 10000'],
    [{ allow_rollup_hdrs: false }, 'no allow_rollup_hdrs'],
  ])('refuses a bucket with %o, from which checkpoints would vanish', async (settings, told) => {
    await expect(opened({ world: await bucketWith(settings) })).rejects.toMatchObject({
      code: 'SETTINGS_DIFFER',
      message: expect.stringContaining(`it has ${told}; expected retention limits`),
    });
  });

  it('names the room that the bucket itself has', async () => {
    const checkpoints = await opened({ world: await bucketWith({ max_bytes: 100_000 }) });
    await expect(checkpoints.save(state(1))).rejects.toMatchObject({
      code: 'TOO_MUCH',
      message: expect.stringMatching(/in maxBytes, 100000$/),
    });
  });

  it('saves in a bucket that was deleted while it saved', async () => {
    for (let round = 0; round < 4; round++) {
      const world = newWorld();
      const checkpoints = await opened({ world });
      for (const value of [1, 2]) await checkpoints.save(state(value));
      const deleted = manager.streams.delete(`OBJ_umwelt_${world}`);
      // It may be part of what is deleted.
      await checkpoints.save(state(3)).catch(() => {});
      await deleted;
      await checkpoints.save(state(4));
      expect((await newestOf(checkpoints))?.value).toBe(4);
    }
  });

  it('passes over one that lost a piece, or has other bytes', async () => {
    const world = newWorld();
    const bucket = `OBJ_umwelt_${world}`;
    const checkpoints = await opened({ world, keep: 3 });
    for (const value of [1, 2, 3]) await checkpoints.save(state(value));
    const { last_seq } = (await manager.streams.info(bucket)).state;
    // Each is three pieces and what the store says of them.
    await manager.streams.deleteMessage(bucket, last_seq - 1);
    expect((await newestOf(checkpoints))?.value).toBe(2);
    const piece = await manager.streams.getMessage(bucket, { seq: last_seq - 5 });
    await manager.streams.deleteMessage(bucket, last_seq - 5);
    await nats.request(piece?.subject ?? '', new Uint8Array(piece?.data.length ?? 0));
    expect((await newestOf(checkpoints))?.value).toBe(1);
    await manager.streams.purge(bucket, { filter: `$O.umwelt_${world}.C.>` });
    await expect(checkpoints.newest()).rejects.toMatchObject({ code: 'BAD_SNAPSHOT' });
  });

  it('takes the room of what a crash left half saved, and says so when there is none', async () => {
    const world = newWorld();
    const checkpoints = await opened({ world, maxBytes: 2 ** 20 });
    await checkpoints.save(state(1));
    for (let times = 0; times < 5; times++) {
      await nats.request(`$O.umwelt_${world}.C.left-behind`, new Uint8Array(128 * 1024));
    }
    await checkpoints.save(state(2));
    expect((await newestOf(checkpoints))?.value).toBe(2);
    await expect(checkpoints.save(state(3, 2 ** 20))).rejects.toMatchObject({ code: 'TOO_MUCH' });
    expect((await newestOf(checkpoints))?.value).toBe(2);
    await checkpoints.save(state(4));
    expect((await newestOf(checkpoints))?.value).toBe(4);
  });

  it('keeps fewer where there is no room for as many as it is told, and never drops the newest for one that fits nowhere', async () => {
    const world = newWorld();
    const checkpoints = await opened({ world, maxBytes: 2 ** 20, keep: 10 });
    for (let value = 1; value <= 14; value++) {
      // They grow: in the end there is room for one beside the newest.
      await checkpoints.save(state(value, 100_000 + 25_000 * value));
      expect((await newestOf(checkpoints))?.value).toBe(value);
    }
    await expect(checkpoints.save(state(15, 700_000))).rejects.toMatchObject({ code: 'TOO_MUCH' });
    expect((await newestOf(checkpoints))?.value).toBe(14);
  });

  it('rejects while the broker is down, and has all when it is back', async () => {
    const world = newWorld();
    const checkpoints = await opened({ world });
    await checkpoints.save(state(1));
    await broker.kill();
    await expect(checkpoints.save(state(2))).rejects.toMatchObject({ code: 'LOG_DOWN' });
    await expect(checkpoints.newest()).rejects.toMatchObject({ code: 'LOG_DOWN' });
    await broker.restart();
    await expect
      .poll(() => newestOf(checkpoints).catch(() => undefined))
      .toEqual({ value: 1, length: 300_000 });
  });

  it('goes on with an empty bucket when the broker has lost it', async () => {
    const world = newWorld();
    const checkpoints = await opened({ world });
    await checkpoints.save(state(1));
    await manager.streams.delete(`OBJ_umwelt_${world}`);
    expect(await newestOf(checkpoints)).toBeUndefined();
    await manager.streams.delete(`OBJ_umwelt_${world}`);
    await checkpoints.save(state(2));
    expect(await newestOf(checkpoints)).toEqual({ value: 2, length: 300_000 });
  });

  it('refuses options that are none, and more room than there is', async () => {
    await expect(opened({ world: 'x', keep: 0 })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(opened({ world: 'x', maxBytes: 2 ** 50 })).rejects.toMatchObject({
      code: 'BAD_OPTION',
      details: { field: 'maxBytes' },
    });
  });
});
