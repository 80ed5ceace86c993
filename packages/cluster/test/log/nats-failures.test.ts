/**
 * What a real broker does to a log when it dies, freezes, loses what it had, or has no more room: nothing is dropped in
 * silence, nobody waits for ever, and a node can tell whether the log still has what it took.
 */
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { NatsBroker } from '../../../../tools/nats-broker.ts';
import type { NatsLog, NatsOptions } from '../../src/log/nats-options.ts';
import { describeOnBroker, oneBroker, openLog } from '../broker-stage.ts';
import { followed, record } from './log-contract.ts';
import { appendSurely, Reader } from './reader.ts';

const down = expect.objectContaining({ code: 'LOG_DOWN' });

async function isDown(log: NatsLog): Promise<void> {
  await expect.poll(() => log.isUp).toBe(false);
}

async function isUp(log: NatsLog): Promise<void> {
  await expect.poll(() => log.isUp).toBe(true);
}

async function newReader(log: NatsLog): Promise<Reader> {
  const reader = await new Reader(log).begin();
  onTestFinished(() => reader.end());
  return reader;
}

const socketsOpen = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;

/** Its store as it was once: what a broker may have after a power failure. */
class StoreCopy {
  readonly #broker: NatsBroker;
  readonly #copy: string;

  constructor(broker: NatsBroker) {
    this.#broker = broker;
    this.#copy = path.join(broker.folder, 'copy');
    cpSync(this.#store, this.#copy, { recursive: true });
  }

  bringBack(): void {
    rmSync(this.#store, { recursive: true });
    cpSync(this.#copy, this.#store, { recursive: true });
  }

  get #store(): string {
    return path.join(this.#broker.folder, 'store');
  }
}

/** Restarts it with another `max_payload`. */
async function takeAtMost(broker: NatsBroker, payload: string): Promise<void> {
  await broker.kill();
  const file = path.join(broker.folder, 'broker.conf');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/max_payload: \S+/, `max_payload: ${payload}`));
  await broker.restart();
}

describeOnBroker('a log whose broker fails', () => {
  it('leaves a broker that takes no messages as long as records are, and says so', async () => {
    const [broker, small] = [await oneBroker(), await oneBroker()];
    await takeAtMost(small, '64KB');
    const connection = { noRandomize: true };
    const log = await openLog([broker.url, small.url], { replicas: 1, connection });
    await log.append(record(1));
    await broker.kill();
    const refused = expect.objectContaining({
      code: 'LOG_DOWN',
      message: expect.stringContaining('at most 65536 bytes, expected 525312 or more: max_payload'),
    });
    const outcome = () => log.append(record(2)).catch((error: unknown) => error);
    await expect.poll(outcome).toEqual(refused);
    await broker.restart();
    await expect.poll(outcome).toBe(2);
    await takeAtMost(broker, '64KB');
    await expect.poll(outcome).toEqual(refused);
    await takeAtMost(broker, '1MB');
    await expect.poll(outcome).toBe(3);
    expect(await log.append(record(3, 512 * 1024))).toBe(4);
  });

  it('connects again though its authenticator threw meanwhile, and says what it throws at first', async () => {
    const broker = await oneBroker();
    await broker.kill();
    appendFileSync(path.join(broker.folder, 'broker.conf'), 'authorization { user: me, password: secret }');
    await broker.restart();
    let hasFile = false;
    let asked = 0;
    const authenticator = () => {
      asked++;
      if (!hasFile) throw new Error('no file of credentials');
      return { user: 'me', pass: 'secret' };
    };
    const options = { connection: { authenticator } };
    await expect(openLog(broker.url, { ...options, connectMs: 1 })).rejects.toThrow('no file of credentials');
    hasFile = true;
    const log = await openLog(broker.url, options);
    hasFile = false;
    asked = 0;
    await broker.kill();
    await broker.restart();
    await expect.poll(() => asked).toBeGreaterThan(1);
    expect(log.isUp).toBe(false);
    hasFile = true;
    await isUp(log);
    expect(await log.append(record(1))).toBe(1);
  });

  it('rejects what is under way when the broker dies, and what is called before it is back', async () => {
    const broker = await oneBroker();
    const log = await openLog(broker.url);
    await log.append(record(1));
    await broker.freeze();
    const underWay = log.append(record(2));
    const refused = expect(underWay).rejects.toEqual(down);
    await broker.kill();
    await refused;
    await isDown(log);
    for (const call of [log.append(record(3)), log.read(1), log.last(), log.ask(record(4))]) {
      await expect(call).rejects.toEqual(down);
    }
    await broker.restart();
    await isUp(log);
    // Nothing that was refused comes later by itself.
    expect(await log.append(record(5))).toBe(2);
    expect([...(await log.read(2))!]).toEqual([5, 5, 5, 5]);
  });

  it('tells no loss, and nothing else, to a reader that it could not begin to follow', async () => {
    const broker = await oneBroker();
    const log = await openLog(broker.url);
    await log.append(record(1));
    await broker.freeze();
    const heard: string[] = [];
    const followed = log.follow(
      1,
      () => heard.push('taken'),
      () => heard.push('lost'),
    );
    const refused = expect(followed).rejects.toEqual(down);
    await broker.kill();
    await refused;
    await broker.restart();
    await isUp(log);
    // What it was late for, if anything, has come by then.
    await newReader(log).then((reader) => expect.poll(() => reader.values).toEqual([1]));
    expect(heard).toEqual([]);
  });

  it('goes on where it was when the broker is killed and started again', async () => {
    const broker = await oneBroker();
    const [writer, follower] = await Promise.all([
      openLog(broker.url, { world: 'w' }),
      openLog(broker.url, { world: 'w' }),
    ]);
    const reader = await newReader(follower);
    const positions: number[] = [];
    for (let value = 1; value <= 40; value++) {
      if (value % 20 === 0) {
        // A follower that is not back yet would lose the broker but once.
        await expect.poll(() => reader.values.length).toBe(positions.at(-1));
        await broker.kill();
        setTimeout(() => void broker.restart(), 300);
      }
      positions.push(await appendSurely(writer, value));
    }
    await expect.poll(() => reader.values.length).toBe(positions.at(-1));
    for (const [index, position] of positions.entries()) expect(reader.values[position - 1]).toBe(index + 1);
    expect([reader.outOfOrder, reader.losses, reader.foundElse]).toEqual([[], 2, undefined]);
  });

  it('connects again at once when the clock was set back, before or after it lost the broker', async () => {
    const broker = await oneBroker();
    const [first, second] = [await openLog(broker.url), await openLog(broker.url)];
    const { now } = Date;
    let backMs = 3_600_000;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - backMs);
    onTestFinished(() => clock.mockRestore());
    await broker.kill();
    await Promise.all([isDown(first), isDown(second)]);
    backMs *= 2;
    await broker.restart();
    await Promise.all([isUp(first), isUp(second)]);
    // An hour forward is no reason to wait either.
    backMs = 0;
    await broker.kill();
    await isDown(first);
    await broker.restart();
    await isUp(first);
  });

  it('leaves a broker that answers nothing any more', async () => {
    const broker = await oneBroker();
    const log = await openLog(broker.url);
    const reader = await newReader(log);
    await log.append(record(1));
    await expect.poll(() => reader.values).toEqual([1]);
    await broker.freeze();
    await expect(log.append(record(2))).rejects.toEqual(down);
    await expect.poll(() => reader.losses).toBe(1);
    broker.thaw();
    const position = await appendSurely(log, 3);
    await expect.poll(() => reader.values.length).toBe(position);
    expect([reader.values.at(-1), reader.outOfOrder]).toEqual([3, []]);
  });

  it('that is closed leaves no socket behind which it tried to connect again to a broker that answers nothing', async () => {
    const broker = await oneBroker();
    const before = socketsOpen();
    const connection = { pingInterval: 200, maxPingOut: 1, reconnectTimeWait: 10, reconnectJitter: 0 };
    const log = await openLog(broker.url, { connection });
    await broker.freeze();
    await isDown(log);
    // It connects, and waits for the broker to say who it is.
    await expect.poll(socketsOpen).toBe(before + 1);
    await log.close();
    await expect.poll(socketsOpen).toBe(before);
    broker.thaw();
  });

  it('that is closed just before it tries to connect again leaves no socket behind either', async () => {
    const broker = await oneBroker();
    const before = socketsOpen();
    let log: NatsLog | undefined;
    let closing: Promise<void> | undefined;
    const connection: NatsOptions['connection'] = {
      ...{ pingInterval: 200, maxPingOut: 1, reconnectTimeWait: 10, reconnectJitter: 0, timeout: 1000 },
      // After it, the client looks up the address, and then connects.
      reconnectToServer: () => {
        closing ??= log?.close();
        return null;
      },
    };
    log = await openLog(broker.url.replace('127.0.0.1', 'localhost'), { connection });
    await broker.freeze();
    await expect.poll(() => closing !== undefined).toBe(true);
    await closing;
    await expect.poll(socketsOpen).toBe(before + 1);
    // It gives this attempt up.
    await expect.poll(socketsOpen).toBe(before);
    broker.thaw();
  });

  it('is given up in time, also with a client that is told to wait for its first connection', async () => {
    const connection = { waitOnFirstConnect: true };
    const opening = openLog('nats://127.0.0.1:1', { connectMs: 300, connection });
    const late = delay(5000).then(() => 'still waits');
    await expect(Promise.race([opening, late])).rejects.toMatchObject({
      code: 'LOG_DOWN',
      message: expect.stringContaining('no broker at nats://127.0.0.1:1: connection refused'),
    });
  });

  it('that could not be opened leaves no socket behind to a broker that answers nothing', async () => {
    const broker = await oneBroker();
    const before = socketsOpen();
    await broker.freeze();
    const opening = openLog(broker.url, { connectMs: 600, connection: { timeout: 200 } });
    await expect.poll(socketsOpen).toBe(before + 1);
    await expect(opening).rejects.toMatchObject({ code: 'LOG_DOWN' });
    await expect.poll(socketsOpen, { timeout: 2000 }).toBe(before);
    broker.thaw();
  });

  it('shows that the broker lost its tail: none or other bytes at a position that was taken', async () => {
    const broker = await oneBroker();
    const [log, other] = await Promise.all([
      openLog(broker.url, { world: 'w' }),
      openLog(broker.url, { world: 'w' }),
    ]);
    for (let value = 1; value <= 5; value++) await log.append(record(value));
    await broker.kill();
    const copy = new StoreCopy(broker);
    await broker.restart();
    await Promise.all([isUp(log), isUp(other)]);
    const [late, early] = [await newReader(log), await newReader(other)];
    for (let value = 6; value <= 8; value++) await appendSurely(log, value);
    await expect.poll(() => [late.values.length, early.values.length]).toEqual([8, 8]);
    // One that took no record of the tail sees nothing wrong.
    early.values.length = 5;

    await broker.kill();
    copy.bringBack();
    await broker.restart();
    await expect.poll(() => late.foundElse).toBe('nothing');
    expect(await log.last()).toBe(5);
    expect([...(await log.read(5))!]).toEqual([5, 5, 5, 5]);
    for (let value = 16; value <= 18; value++) await appendSurely(log, value);
    expect([...(await log.read(8))!].at(0)).toBe(18);
    await expect.poll(() => early.values).toEqual([1, 2, 3, 4, 5, 16, 17, 18]);
    expect([early.foundElse, early.outOfOrder]).toEqual([undefined, []]);
  });

  it('is a log without records when the broker comes back without its store', async () => {
    const broker = await oneBroker();
    const log = await openLog(broker.url);
    const reader = await newReader(log);
    for (let value = 1; value <= 3; value++) await log.append(record(value));
    await expect.poll(() => reader.values.length).toBe(3);
    await broker.kill();
    rmSync(path.join(broker.folder, 'store'), { recursive: true });
    await broker.restart();
    await expect.poll(() => reader.foundElse).toBe('nothing');
    expect(await log.last()).toBe(0);
    expect(await log.append(record(9))).toBe(1);
    const { taken } = await followed(log, 1);
    await expect.poll(() => taken).toEqual([[1, 9]]);
  });

  it('rejects what the disk of the broker does not take, and goes on when there is room', async () => {
    // A limit on the length of its files stands for a full disk.
    const broker = await oneBroker({ fileBytes: 512 * 1024 });
    const log = await openLog(broker.url);
    const reader = await newReader(log);
    let count = 0;
    const filled = (async () => {
      for (; count < 32; count++) await log.append(record(1, 64 * 1024));
    })();
    await expect(filled).rejects.toEqual(down);
    await broker.kill();
    await broker.restart();
    const position = await appendSurely(log, 2);
    await expect.poll(() => reader.values.length).toBe(position);
    expect([reader.values.at(-1), reader.outOfOrder]).toEqual([2, []]);
    expect(position).toBeGreaterThan(count);
  });
});
