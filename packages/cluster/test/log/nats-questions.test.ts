/** Questions to any member over a real broker: long answers, slow askers, ends that break, strangers that lie. */
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { UmweltError } from 'umwelt';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NatsBroker } from '../../../../tools/nats-broker.ts';
import type { Log } from '../../src/log/log.ts';
import { writePiece } from '../../src/log/nats/piece.ts';
import type { NatsLog } from '../../src/log/nats-options.ts';
import { describeOnBroker, newWorld, oneBroker, openLog } from '../broker-stage.ts';
import { gathered, record } from './log-contract.ts';

const down = expect.objectContaining({ code: 'LOG_DOWN' });
const PIECE = 256 * 1024;

describeOnBroker('a question over a broker', () => {
  let broker: NatsBroker;
  let nats: NatsConnection;
  beforeAll(async () => {
    broker = await oneBroker();
    nats = await connect({ servers: broker.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  });
  afterAll(() => nats?.close());

  async function pair() {
    const world = newWorld();
    const [asker, answerer] = await Promise.all([
      openLog(broker.url, { world }),
      openLog(broker.url, { world }),
    ]);
    return { asker, answerer, subject: `umwelt.${world}.snap` };
  }

  /** Answers from now on: the broker knows of it once it said something else. */
  async function answering(log: Log, how: Parameters<Log['answer']>[0]): Promise<void> {
    log.answer(how);
    await log.last?.();
  }

  it('is answered with as many bytes as there are, in whatever lengths they are given', async () => {
    const { asker, answerer } = await pair();
    const whole = Uint8Array.from({ length: 6_000_001 }, (_, index) => (index * 7 + (index >> 12)) % 251);
    await answering(answerer, async function* () {
      yield whole.subarray(0, 1);
      yield new Uint8Array(0);
      yield whole.subarray(1, 5_000_000);
      yield whole.subarray(5_000_000);
    });
    const given = await gathered(await asker.ask(record(1)));
    expect(Buffer.compare(given, whole)).toBe(0);
  });

  it('is answered no faster than the asker takes it, and ends with it', async () => {
    const { asker, answerer } = await pair();
    let [given, ended] = [0, 0];
    await answering(answerer, async function* () {
      try {
        for (; given < 100; given++) yield record(given, PIECE);
      } finally {
        ended++;
      }
    });
    const pieces = (await asker.ask(record(1)))[Symbol.asyncIterator]();
    for (let taken = 1; taken <= 40; taken++) {
      expect((await pieces.next()).value?.[0]).toBe(taken - 1);
      // Sixteen may be under way, and one waits to be.
      expect(given).toBeLessThanOrEqual(taken + 16);
    }
    expect(ended).toBe(0);
    await pieces.return?.();
    await expect.poll(() => ended).toBe(1);
    expect(given).toBeLessThan(60);
  });

  it('throws when the broker dies in the middle of the answer, at both ends', async () => {
    const { asker, answerer } = await pair();
    let ended = 0;
    await answering(answerer, async function* () {
      try {
        for (let count = 0; count < 100; count++) yield record(count, PIECE);
      } finally {
        ended++;
      }
    });
    const pieces = (await asker.ask(record(1)))[Symbol.asyncIterator]();
    await pieces.next();
    await broker.kill();
    await expect(
      (async () => {
        for (;;) await pieces.next().then(({ done }) => expect(done).toBe(false));
      })(),
    ).rejects.toEqual(down);
    await expect.poll(() => ended).toBe(1);
    await broker.restart();
    await expect.poll(() => asker.isUp && answerer.isUp && !nats.isClosed()).toBe(true);
    // Whoever answered still does: the client says so to the broker by itself, soon.
    await expect
      .poll(async () => {
        const again = (await asker.ask(record(1)))[Symbol.asyncIterator]();
        const { value } = await again.next();
        await again.return?.();
        return value?.length;
      })
      .toBe(PIECE);
  });

  it('says why a member cannot answer', async () => {
    const { asker, answerer } = await pair();
    await answering(answerer, async function* () {
      yield record(1);
      throw new UmweltError('BAD_OPTION', 'this question is none');
    });
    const pieces = await asker.ask(record(1));
    await expect(gathered(pieces)).rejects.toMatchObject({
      code: 'LOG_DOWN',
      message: expect.stringContaining('this question is none'),
    });
  });

  it('is told to come again where eight others are being answered', async () => {
    const { asker, answerer } = await pair();
    await answering(answerer, async function* () {
      for (let count = 0; count < 40; count++) yield record(count, PIECE);
    });
    const slow = await Promise.all(
      Array.from({ length: 8 }, async () => (await asker.ask(record(1)))[Symbol.asyncIterator]()),
    );
    await Promise.all(slow.map((pieces) => pieces.next()));
    await expect(gathered(await asker.ask(record(1)))).rejects.toMatchObject({
      message: expect.stringContaining('too many questions at once'),
    });
    await Promise.all(slow.map((pieces) => pieces.return?.()));
    await expect
      .poll(async () => (await gathered(await asker.ask(record(1))).catch(() => record(0))).length)
      .toBe(40 * PIECE);
  });

  it.each([
    ['garbage', [Uint8Array.of(7, 7, 7)]],
    ['nothing', [new Uint8Array(0)]],
    ['a piece that is not the first', [writePiece('piece', 1, record(1))]],
    ['a piece twice', [writePiece('piece', 0, record(1)), writePiece('piece', 0, record(1))]],
    ['an end too early', [writePiece('piece', 0, record(1)), writePiece('end', 5)]],
    [
      'more than was asked for',
      Array.from({ length: 80 }, (_, count) => writePiece('piece', count, record(1))),
    ],
  ])('throws when a stranger answers %s', async (_, lies) => {
    const { asker, subject } = await pair();
    const stranger = nats.subscribe(subject, {
      queue: 'umwelt',
      callback: (_error, message) => {
        for (const lie of lies) message.respond(lie);
      },
    });
    await nats.flush();
    await expect(
      (async () => {
        for await (const _piece of await asker.ask(record(1)))
          await new Promise((resolve) => setTimeout(resolve, 20));
      })(),
    ).rejects.toEqual(down);
    stranger.unsubscribe();
  });

  it('is not answered into a log, to other members or to the broker, by whatever subject the answer is asked for', async () => {
    const { answerer, subject } = await pair();
    let asked = 0;
    await answering(answerer, async function* () {
      asked++;
      yield record(1);
    });
    const log = subject.replace('.snap', '.log');
    for (const reply of [log, subject, `$JS.API.STREAM.PURGE.${(answerer as NatsLog).stream}`])
      nats.publish(subject, record(1), { reply });
    const inbox = nats.subscribe('umwelt.an-inbox.1', { max: 1 });
    nats.publish(subject, record(1), { reply: 'umwelt.an-inbox.1' });
    for await (const { data } of inbox) expect([...data.subarray(8)]).toEqual([...record(1)]);
    expect([asked, await answerer.last?.()]).toEqual([1, 0]);
  });

  it('writes into no log, asks nobody and calls no broker where a stranger wants to hear there what was received', async () => {
    const { asker, subject } = await pair();
    const log = asker as NatsLog;
    await log.append(record(1));
    const replies = [`$JS.API.STREAM.PURGE.${log.stream}`, subject.replace('.snap', '.log'), subject];
    const heard: string[] = [];
    const spy = nats.subscribe('>', { callback: (_error, { subject }) => void heard.push(subject) });
    const stranger = nats.subscribe(subject, {
      queue: 'umwelt',
      callback: (_error, { reply: inbox = '' }) => {
        const reply = replies.at(-1)!;
        if (inbox === '') return;
        for (let count = 0; count < 8; count++)
          nats.publish(inbox, writePiece('piece', count, record(1)), { reply });
        nats.publish(inbox, record(9), { reply });
      },
    });
    await nats.flush();
    for (; replies.length > 0; replies.pop()) {
      heard.length = 0;
      await expect(gathered(await asker.ask(record(1)))).rejects.toEqual(down);
      expect(await log.last()).toBe(1);
      expect((await log.read(1))?.[0]).toBe(1);
      await nats.flush();
      expect(heard.filter((each) => each === subject).length).toBe(1);
    }
    for (const each of [spy, stranger]) each.unsubscribe();
  });

  it('stops answering an asker that says nonsense', async () => {
    const { answerer, subject } = await pair();
    let ended = 0;
    await answering(answerer, async function* () {
      try {
        for (let count = 0; count < 100; count++) yield record(count, PIECE);
      } finally {
        ended++;
      }
    });
    for (const nonsense of [record(9), writePiece('received', 1000), writePiece('end')]) {
      const before = ended;
      const inbox = nats.subscribe(`_INBOX.test.${before}`, {
        callback: (_error, message) => void message.respond(nonsense),
      });
      nats.publish(subject, record(1), { reply: `_INBOX.test.${before}` });
      await expect.poll(() => ended).toBe(before + 1);
      inbox.unsubscribe();
    }
  });
});
