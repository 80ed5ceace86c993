/** The log on one real broker: what every log does, what it refuses, and the traps of the NATS client. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { UmweltError } from 'umwelt';
import { beforeAll, expect, it } from 'vitest';
import type { NatsBroker } from '../../../../tools/nats-broker.ts';
import { natsCheckpoints } from '../../src/checkpoints/nats-checkpoints.ts';
import { reasonOf } from '../../src/log/nats/connection.ts';
import { natsLog } from '../../src/log/nats-log.ts';
import { describeOnBroker, newWorld, oneBroker, openLog, operatorOf } from '../broker-stage.ts';
import { haltNodes, joinNode } from '../joined-nodes.ts';
import { followed, itIsALog, record } from './log-contract.ts';
import { appendSurely, Reader } from './reader.ts';

const down = expect.objectContaining({ code: 'LOG_DOWN' });
const here = (name: string) => new URL(name, import.meta.url);

describeOnBroker('the log on a broker', () => {
  let broker: NatsBroker;
  let nats: NatsConnection;
  let manager: JetStreamManager;
  beforeAll(async () => {
    broker = await oneBroker();
    ({ nats, manager } = await operatorOf(broker));
  });

  itIsALog(() => openLog(broker.url));

  it('is one stream in a file, bounded in bytes and age, from which nobody takes a record', async () => {
    const log = await openLog(broker.url, { world: 'prime', maxBytes: 2 ** 24, maxAgeMs: 60_000 });
    expect(log.stream).toBe('UMWELT_prime');
    const { config } = await manager.streams.info('UMWELT_prime');
    expect(config).toMatchObject({
      subjects: ['umwelt.prime.log'],
      storage: 'file',
      discard: 'old',
      retention: 'limits',
      num_replicas: 1,
      max_bytes: 2 ** 24,
      max_age: 60_000_000_000,
      deny_delete: true,
    });
  });

  it('takes a stream that is there with its own limits', async () => {
    await openLog(broker.url, { world: 'kept', maxBytes: 2 ** 24 });
    const again = await openLog(broker.url, { world: 'kept', maxBytes: 2 ** 25 });
    expect(await again.append(record(1))).toBe(1);
    expect((await manager.streams.info('UMWELT_kept')).config.max_bytes).toBe(2 ** 24);
  });

  it.each([
    [{ retention: 'workqueue' }, 'retention workqueue'],
    [{ retention: 'interest' }, 'retention interest'],
    [{ discard: 'new' }, 'discard new'],
    [{ no_ack: true }, 'no_ack'],
    [{ max_msgs_per_subject: 5 }, 'max_msgs_per_subject 5'],
    [{ max_msg_size: 1024 }, 'max_msg_size 1024'],
    [{ max_msgs: 7 }, 'max_msgs 7'],
    [{ max_bytes: 8192 }, 'max_bytes 8192'],
    [{ max_age: 500_000_000 }, 'max_age 500 ms'],
  ] as const)('refuses a stream with %o', async (settings, told) => {
    const world = newWorld();
    const [name, subjects] = [`UMWELT_${world}`, [`umwelt.${world}.log`]];
    await manager.streams.add({ name, subjects, ...settings });
    for (const create of [true, false]) {
      await expect(openLog(broker.url, { world, create })).rejects.toMatchObject({
        code: 'SETTINGS_DIFFER',
        message: expect.stringContaining(`it has ${told}; expected the one subject`),
      });
    }
  });

  it('is not for checkpoints that are further apart than its own stream keeps records', async () => {
    const world = newWorld();
    const [name, subjects] = [`UMWELT_${world}`, [`umwelt.${world}.log`]];
    await manager.streams.add({ name, subjects, max_msgs: 1000, max_bytes: 2 ** 20, max_age: 4_000_000_000 });
    const log = await openLog(broker.url, { world, maxAgeMs: 60_000 });
    expect(log.keepsMs).toBe(4000);
    const checkpoints = { save: () => Promise.resolve(), newest: () => Promise.resolve(undefined) };
    await expect(joinNode(log, 'node', { checkpoints, checkpointMs: 2001 })).rejects.toMatchObject({
      code: 'BAD_OPTION',
      message:
        'checkpointMs: 2001 was given, expected at most half of the 4000 ms for which the log keeps records',
    });
    const { isLive } = await joinNode(log, 'node', { checkpoints, checkpointMs: 2000 });
    haltNodes();
    expect(isLive).toBe(true);
    await manager.streams.update(log.stream, { max_age: 0 });
    expect((await openLog(broker.url, { world })).keepsMs).toBeUndefined();
  });

  it('refuses a stream that has the records of another one, and says what somebody has made of its own', async () => {
    const { stream } = await openLog(broker.url, { world: 'copied' });
    await manager.streams.add({ name: 'UMWELT_mirror', mirror: { name: stream } });
    await manager.streams.add({
      name: 'UMWELT_mixed',
      subjects: ['umwelt.mixed.log'],
      sources: [{ name: stream }],
    });
    await expect(openLog(broker.url, { world: 'mirror' })).rejects.toMatchObject({
      code: 'SETTINGS_DIFFER',
      message: expect.stringContaining(`it has a mirror of ${stream}, subjects none;`),
    });
    await expect(openLog(broker.url, { world: 'mixed' })).rejects.toMatchObject({
      code: 'SETTINGS_DIFFER',
      message: expect.stringContaining(`it has sources ${stream};`),
    });
    const edited = await openLog(broker.url, { world: 'edited' });
    await manager.streams.update(edited.stream, { subjects: ['other.subject'] });
    await expect(edited.append(record(1))).rejects.toMatchObject({
      code: 'LOG_DOWN',
      message: expect.stringContaining('it has subjects other.subject; expected the one subject'),
    });
    await manager.streams.update(edited.stream, { subjects: ['umwelt.edited.log'] });
    expect(await edited.append(record(1))).toBe(1);
  });

  it('begins no world where it was told to find one', async () => {
    await expect(openLog(broker.url, { world: 'no-such', create: false })).rejects.toMatchObject({
      code: 'BAD_OPTION',
      details: { field: 'world' },
    });
    await openLog(broker.url, { world: 'such' });
    expect(await (await openLog(broker.url, { world: 'such', create: false })).append(record(1))).toBe(1);
    await expect(manager.streams.info('UMWELT_no-such')).rejects.toThrow(/not found/);
  });

  it('makes its stream again when somebody has deleted it, also where nothing but records was sent', async () => {
    const world = newWorld();
    const log = await openLog(broker.url, { world });
    const looking = await openLog(broker.url, { world, create: false });
    for (let times = 0; times < 2; times++) {
      await log.append(record(1));
      await manager.streams.delete(log.stream);
      await expect(looking.append(record(2))).rejects.toMatchObject({
        code: 'BAD_OPTION',
        message: expect.stringContaining(`no stream ${log.stream}`),
      });
      expect(await log.append(record(3))).toBe(1);
    }
    expect([...(await looking.read(1))!]).toEqual([3, 3, 3, 3]);
  });

  it('has the records of a stream that was deleted while they were sent', async () => {
    for (let round = 0; round < 8; round++) {
      const log = await openLog(broker.url, { maxBytes: 2 ** 20 });
      for (let count = 0; count < 30; count++) await log.append(record(1));
      const sent = [0, 1, 2, 3].map((milliseconds) => delay(milliseconds).then(() => appendSurely(log, 2)));
      await manager.streams.delete(log.stream);
      await Promise.all(sent);
      expect(await log.read(await log.append(record(3)))).toEqual(record(3));
    }
  });

  it('says so when the broker has no room for what a stream reserves', async () => {
    const refused = openLog(broker.url, { maxBytes: 2 ** 50 });
    await expect(refused).rejects.toMatchObject({
      code: 'BAD_OPTION',
      message: expect.stringMatching(/maxBytes: 1125899906842624 .*max_file.*insufficient storage/),
    });
    await expect(openLog(broker.url, { replicas: 3 })).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });

  it('refuses a broker that takes no messages as long as records are', async () => {
    const small = await oneBroker();
    await small.kill();
    const file = path.join(small.folder, 'broker.conf');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/max_payload: \S+/, 'max_payload: 64KB'));
    await small.restart();
    const refused = {
      code: 'SETTINGS_DIFFER',
      message: expect.stringMatching(/at most 65536 bytes, expected 525312 or more: max_payload/),
    };
    await expect(openLog(small.url)).rejects.toMatchObject(refused);
    await expect(natsCheckpoints({ servers: small.url, world: 'w' })).rejects.toMatchObject(refused);
  });

  it.each([
    [{ servers: [] }, 'servers'],
    [{ servers: 7 }, 'servers'],
    [{ servers: [undefined] }, 'servers'],
    [{ servers: '' }, 'servers'],
    [{ servers: 'nats://one:4222,nats://two:4222' }, 'servers'],
    [{ servers: 'wss://broker' }, 'servers'],
    [{ servers: 'broker:99999' }, 'servers'],
    [{ world: 'two words' }, 'world'],
    [{ world: 'a.b' }, 'world'],
    [{ world: '' }, 'world'],
    [{ replicas: 2 }, 'replicas'],
    [{ maxBytes: -1 }, 'maxBytes'],
    [{ maxBytes: Number.NaN }, 'maxBytes'],
    [{ maxAgeMs: 10 }, 'maxAgeMs'],
    [{ maxAgeMs: 2 ** 53 - 1 }, 'maxAgeMs'],
    [{ create: 'no' }, 'create'],
    [{ connectMs: 0.5 }, 'connectMs'],
    [{ connection: 'tls' }, 'connection'],
    [{ maxbytes: 5 }, 'maxbytes'],
  ])('refuses options %o', async (wrong, field) => {
    const options = { servers: broker.url, world: 'x', ...wrong } as Parameters<typeof natsLog>[0];
    await expect(natsLog(options)).rejects.toMatchObject({ code: 'BAD_OPTION', details: { field } });
  });

  it('a machine that has no address is named in plain words', () => {
    const error = new Error('getaddrinfo ENOTFOUND broker.example');
    expect(reasonOf(error)).toBe("no machine is known as 'broker.example'");
  });

  it.each(['nats://127.0.0.1:1', '127.0.0.1:1', '[::1]:1'])(
    'says where it found no broker: %s',
    async (servers) => {
      const refused = natsLog({ servers, world: 'x', connectMs: 1 });
      await expect(refused).rejects.toMatchObject({
        code: 'LOG_DOWN',
        message: expect.stringContaining(`no broker at ${servers}: `),
      });
    },
  );

  it.each(['nats://me:secret@127.0.0.1:1', 'me:se/secret@127.0.0.1', 'secret@broker'])(
    'refuses a user in an address, whom the client would ignore, and does not repeat the password: %s',
    async (servers) => {
      const error: UmweltError = await natsLog({ servers, world: 'x' }).catch((refused) => refused);
      expect(error).toMatchObject({ code: 'BAD_OPTION', message: expect.stringContaining('{ user, pass }') });
      expect(JSON.stringify([error.message, error.details])).not.toContain('secret');
    },
  );

  it('refuses a broker without TLS where the address says tls', async () => {
    const refused = natsLog({ servers: broker.url.replace('nats:', 'tls:'), world: 'x', connectMs: 1 });
    await expect(refused).rejects.toMatchObject({
      code: 'LOG_DOWN',
      message: expect.stringMatching(/does not support 'tls'/),
    });
  });

  it('refuses a record that is too long, as the broker does when somebody else sends one', async () => {
    const log = await openLog(broker.url);
    expect(await log.append(record(1, 512 * 1024))).toBe(1);
    await expect(log.append(record(1, 512 * 1024 + 1))).rejects.toMatchObject({ code: 'TOO_MUCH' });
    const subject = log.stream.replace('UMWELT_', 'umwelt.').concat('.log');
    const answer = await nats.request(subject, record(1, 600 * 1024));
    expect(answer.string()).toMatch(/message size exceeds maximum/);
    expect(await log.last()).toBe(1);
  });

  it('begins with the first record that is kept, where the oldest are not', async () => {
    const log = await openLog(broker.url, { maxBytes: 2 ** 20 });
    for (let value = 1; value <= 10; value++) await log.append(record(value, 300 * 1024));
    expect(await log.read(1)).toBeUndefined();
    const { taken, losses } = await followed(log, 1);
    await expect.poll(() => taken.at(-1)).toEqual([10, 10]);
    expect(taken.map(([position]) => position)).toEqual([8, 9, 10]);
    expect(losses()).toBe(0);
  });

  it('is lost at a gap, and goes on behind it when followed again', async () => {
    const world = newWorld();
    await manager.streams.add({
      name: `UMWELT_${world}`,
      subjects: [`umwelt.${world}.log`],
      max_bytes: 2 ** 20,
    });
    const log = await openLog(broker.url, { world });
    for (let value = 1; value <= 5; value++) await log.append(record(value));
    await manager.streams.deleteMessage(log.stream, 3);
    const first = await followed(log, 1);
    await expect.poll(first.losses).toBe(1);
    expect(first.taken).toEqual([
      [1, 1],
      [2, 2],
    ]);
    const second = await followed(log, 3);
    await expect
      .poll(() => second.taken)
      .toEqual([
        [4, 4],
        [5, 5],
      ]);
    expect(second.losses()).toBe(0);
  });

  it('goes on when its consumer was deleted', async () => {
    const log = await openLog(broker.url);
    const reader = await new Reader(log).begin();
    await log.append(record(1));
    await expect.poll(() => reader.values).toEqual([1]);
    for await (const { name } of manager.consumers.list(log.stream))
      await manager.consumers.delete(log.stream, name);
    // The client may notice that before the follower does: it depends on how busy the machine is.
    for (const value of [2, 3]) await log.append(record(value));
    await expect.poll(() => reader.values).toEqual([1, 2, 3]);
    expect(reader.outOfOrder).toEqual([]);
    reader.end();
  });

  it('ends the process when the follower throws, instead of going on without it', async () => {
    const log = await openLog(broker.url);
    await log.append(record(1));
    const world = log.stream.replace('UMWELT_', '');
    const words = [...process.execArgv, here('throwing-follower.ts').pathname, broker.url, world];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    let [printed, errors] = ['', ''];
    child.stdout.on('data', (text: Buffer) => {
      printed += text;
    });
    child.stderr.on('data', (text: Buffer) => {
      errors += text;
    });
    const exitCode = await new Promise((resolve) => child.once('close', resolve));
    expect(exitCode).toBe(1);
    expect(errors).toContain("a fault of the caller's own at 1");
    expect(printed).toBe('following\n');
  });

  it('hands on all records in order to a reader that is far behind', async () => {
    const log = await openLog(broker.url, { maxBytes: 2 ** 26 });
    const COUNT = 10_000;
    const last = async (from: number) => {
      const positions = Array.from({ length: 500 }, (_, i) => log.append(record((from + i) % 251, 100)));
      return Math.max(...(await Promise.all(positions)));
    };
    for (let from = 1; from <= COUNT; from += 500) expect(await last(from)).toBe(from + 499);
    let [next, wrong, losses] = [1, 0, 0];
    await log.follow(
      1,
      (position, bytes) => {
        const fromMs = performance.now();
        while (performance.now() - fromMs < 0.2);
        if (position !== next || bytes[0] !== next % 251) wrong++;
        next = position + 1;
      },
      () => losses++,
    );
    await expect.poll(() => next).toBe(COUNT + 1);
    await log.append(record((COUNT + 1) % 251));
    await expect.poll(() => next).toBe(COUNT + 2);
    expect([wrong, losses]).toEqual([0, 0]);
  });

  it('is lost for a reader so far behind that the log no longer keeps what comes next', async () => {
    const log = await openLog(broker.url, { maxBytes: 2 ** 20 });
    const slow = await openLog(broker.url, { world: log.stream.replace('UMWELT_', '') });
    const taken: number[] = [];
    let isSlow = true;
    const take = (position: number) => {
      taken.push(position);
      const fromMs = performance.now();
      while (isSlow && performance.now() - fromMs < 12);
    };
    const losses = Promise.withResolvers<void>();
    await slow.follow(1, take, losses.resolve);
    const COUNT = 20_000;
    for (let from = 0; from < COUNT; from += 500) {
      await Promise.all(Array.from({ length: 500 }, () => log.append(record(1, 100))));
    }
    isSlow = false;
    await losses.promise;
    const whole = taken.length;
    expect(taken.at(-1)).toBe(whole);
    expect(whole).toBeLessThan(COUNT);
    const stop = await slow.follow(whole + 1, take, fail);
    await expect.poll(() => taken.at(-1)).toBe(COUNT);
    expect(taken.length).toBeLessThan(COUNT);
    stop();
  });

  it('is lost for a slow reader whose log was replaced by another one while no more was requested', async () => {
    const log = await openLog(broker.url);
    let isSlow = true;
    let [last, foreign, losses] = [0, 0, 0];
    await log.follow(
      1,
      (position, bytes) => {
        last = position;
        if (bytes[0] !== 1) foreign++;
        const fromMs = performance.now();
        while (isSlow && performance.now() - fromMs < 12);
      },
      () => losses++,
    );
    const append = async (count: number, value: number) => {
      for (let from = 0; from < count; from += 500)
        await Promise.all(Array.from({ length: 500 }, () => log.append(record(value))));
    };
    await append(6000, 1);
    await manager.streams.delete(log.stream);
    await append(7000, 2);
    // Fewer than may wait: it has not requested more.
    expect(last).toBeLessThan(4096);
    isSlow = false;
    await expect.poll(() => losses).toBe(1);
    expect(foreign).toBe(0);
  });

  it('does not cut off a follower that takes nothing for three seconds', async () => {
    const log = await openLog(broker.url, { maxBytes: 2 ** 27 });
    const world = log.stream.replace('UMWELT_', '');
    const worker = new Worker(here('stalled-follower.ts'), {
      workerData: { servers: broker.url, world },
      execArgv: ['--conditions=umwelt:source'],
    });
    let seen: { count: number; losses: number } | undefined;
    worker.on('message', (message) => {
      seen = message;
    });
    await expect.poll(() => seen?.count).toBe(0);
    worker.postMessage(3000);
    for (let times = 0; times < 200; times++) await log.append(record(1, 256 * 1024));
    await expect.poll(() => seen).toEqual({ count: 200, losses: 0 });
    await worker.terminate();
  });

  it('answers LOG_DOWN to everything once it is closed, and tells no follower', async () => {
    const log = await openLog(broker.url);
    const { losses } = await followed(log, 1);
    await log.close();
    expect(log.isUp).toBe(false);
    for (const call of [
      log.append(record(1)),
      log.read(1),
      log.last(),
      log.follow(1, fail, fail),
      log.ask(record(1)),
    ]) {
      await expect(call).rejects.toEqual(down);
    }
    expect(() => log.answer(fail)).toThrow(down);
    expect(losses()).toBe(0);
  });
});

function fail(): never {
  throw new Error('called');
}
