/**
 * A process that stood still, as one that was suspended does: its timers fire before it reads what its socket holds. Answers that
 * came meanwhile count.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { memoryLog, natsCheckpoints } from '../../src/index.ts';
import { within } from '../../src/log/nats/connection.ts';
import { describeOnBroker, newWorld, oneBroker, openLog } from '../broker-stage.ts';
import { haltNodes, joinNode } from '../joined-nodes.ts';
import { late } from '../late-log.ts';
import { gathered, record } from './log-contract.ts';

afterEach(haltNodes);

function standStill(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

it('a time-out takes an answer that came meanwhile', async () => {
  const { port1, port2 } = new MessageChannel();
  const answer = within(1000, new Promise((resolve) => port1.once('message', resolve)));
  // Messages are read after timers have fired.
  setTimeout(() => port2.postMessage('here'), 990);
  standStill(1300);
  await expect(answer).resolves.toBe('here');
  port1.close();
});

it('a time-out tells that there was no answer, once the process runs', async () => {
  const answer = within(50, new Promise(() => undefined));
  standStill(400);
  await expect(answer).rejects.toMatchObject({
    code: 'LOG_DOWN',
    message: expect.stringContaining('no answer in 50 ms'),
  });
});

it('a node joins though its process stood still for longer than that may take', async () => {
  const joined = joinNode(late(memoryLog(), 20), 'a', { patienceMs: 300 });
  await delay(1);
  standStill(1000);
  expect((await joined).name).toBe('a');
});

describeOnBroker('a log whose process stood still', () => {
  it('has all answers that came meanwhile', async () => {
    const broker = await oneBroker();
    const world = newWorld();
    const [log, other] = [await openLog(broker.url, { world }), await openLog(broker.url, { world })];
    const checkpoints = await natsCheckpoints({ servers: broker.url, world, maxBytes: 2 ** 20 });
    onTestFinished(() => checkpoints.close());
    await checkpoints.save(record(7));
    await log.append(record(1));
    log.answer(async function* () {
      yield record(2);
    });
    const end = await log.last();
    const taken: number[] = [];
    const calls = [
      log.append(record(3)),
      log.read(1),
      log.last(),
      other.ask(record(4)).then(gathered),
      log.follow(
        1,
        (position) => taken.push(position),
        () => taken.push(-1),
      ),
      checkpoints.newest(),
      checkpoints.save(record(8)),
    ];
    const outcomes = Promise.allSettled(calls);
    // All requests have left at the end of this turn. No call may take longer than what follows, but for those to checkpoints.
    await new Promise(process.nextTick);
    standStill(5500);
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'fulfilled' });
    await expect.poll(() => taken).toEqual([1, 2]);
    expect(await log.last()).toBe(end + 1);
  });

  it('is opened though that took longer than it may', async () => {
    const broker = await oneBroker();
    await openLog(broker.url);
    const opening = openLog(broker.url, { connectMs: 1000 });
    // Until the client waits for what the broker says first.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    standStill(2300);
    expect((await opening).isUp).toBe(true);
  });
});
