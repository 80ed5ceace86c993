/** A user who may ask for the state of a world, and does so without end: real nodes over a real broker. */
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import type { NatsBroker } from '../../../../tools/nats-broker.ts';
import { type ClusterNode, type NatsLog, NodeMetrics, type QuestionCounts } from '../../src/index.ts';
import { writePiece } from '../../src/log/nats/piece.ts';
import { describeOnBroker, oneBroker, openLog } from '../broker-stage.ts';
import { haltNodes, joinNode } from '../joined-nodes.ts';
import { gathered } from './log-contract.ts';

const ENTITIES = 30_000;
/** Questions at once, again and again. */
const BATCH = 100;
const EVERY_MS = 20;
/** A question whose answer does not end. */
const ENDLESS = 9;

const USERS = `
authorization { users: [
  { user: node, password: secret, permissions: { publish: ">", subscribe: ">" } }
  { user: observer, password: secret
    permissions: { publish: [ "umwelt.prime.snap", "_INBOX.node.>" ], subscribe: [ "_INBOX.observer.>" ] } }
] }
`;

afterEach(haltNodes);

function countsOf(log: NatsLog): QuestionCounts {
  return log.questions ?? { answered: 0, refused: 0 };
}

/** Asks until the test is over; returns how often by now. `replyOf`: where it wants to be answered. */
function flood(nats: NatsConnection, replyOf: (count: number) => string): () => number {
  let asked = 0;
  const timer = setInterval(() => {
    for (let times = 0; times < BATCH; times++)
      nats.publish('umwelt.prime.snap', Uint8Array.of(1), { reply: replyOf(asked++) });
  }, EVERY_MS);
  onTestFinished(() => clearInterval(timer));
  return () => asked;
}

function inboxOf(user: string, count: number): string {
  return `_INBOX.${user}.${String(count).padStart(22, 'x')}`;
}

/** An empty piece asks whether the asker is there: see questions.ts. */
function acknowledge(message: Msg): void {
  if (message.data.length === 8 && message.data[0] === 1) message.respond(writePiece('received', 1));
}

async function* gatheredFrom(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function crowd(node: ClusterNode): Promise<void> {
  const added: Promise<number>[] = [];
  for (let i = 0; i < ENTITIES; i++) {
    added.push(node.add({ x: i % 200, y: Math.floor(i / 200) }));
    if (added.length % 1000 === 0) await added.at(-1);
  }
  await Promise.all(added);
}

const login = (user: string) => ({
  world: 'prime',
  maxBytes: 256 * 1024 ** 2,
  connection: { user, pass: 'secret' },
});

/** A broker with a user 'node', who may do all, and one, 'observer', who may only ask. */
async function brokerWithUsers(): Promise<NatsBroker> {
  const broker = await oneBroker();
  appendFileSync(path.join(broker.folder, 'broker.conf'), USERS);
  await broker.kill();
  await broker.restart();
  return broker;
}

async function observerOf(broker: NatsBroker): Promise<NatsConnection> {
  const nats = await connect({ servers: broker.url, user: 'observer', pass: 'secret' });
  onTestFinished(() => nats.close());
  return nats;
}

describeOnBroker('a process that is asked without end', () => {
  it('spends a fifth of its time on answers', async () => {
    const broker = await brokerWithUsers();
    const log = await openLog(broker.url, login('node'));
    const workMs = 50;
    const fromMs = performance.now();
    onTestFinished(
      log.answer((question) => {
        for (const until = performance.now() + workMs; performance.now() < until; ) {}
        return gatheredFrom(question);
      }),
    );
    await log.last();
    const nats = await observerOf(broker);
    nats.subscribe('_INBOX.observer.>', { callback: (_error, message) => acknowledge(message) });
    for (let count = 0; count < 150; count++) {
      nats.publish('umwelt.prime.snap', Uint8Array.of(1), { reply: inboxOf('observer', count) });
      await delay(20);
    }
    const spentMs = performance.now() - fromMs;
    // And a quarter of a second at the beginning; the last answer may take longer than was left.
    expect(countsOf(log).answered).toBeGreaterThan(5);
    expect(countsOf(log).answered * workMs).toBeLessThan(250 + workMs + 0.25 * spentMs);
  });

  it('answers another user while one user takes very long to receive eight answers', async () => {
    const broker = await brokerWithUsers();
    const log = await openLog(broker.url, login('node'));
    const piece = new Uint8Array(256 * 1024);
    onTestFinished(
      log.answer(async function* ([question]) {
        do yield piece;
        while (question === ENDLESS);
      }),
    );
    await log.last();
    const nats = await observerOf(broker);
    /** By inbox: how many pieces came, and where to say so. */
    const received = new Map<string, { count: number; reply: string }>();
    nats.subscribe('_INBOX.observer.>', {
      callback: (_error, { subject, reply = '' }) => {
        received.set(subject, { count: (received.get(subject)?.count ?? 0) + 1, reply });
      },
    });
    for (let count = 0; count < 8; count++)
      nats.publish('umwelt.prime.snap', Uint8Array.of(ENDLESS), { reply: inboxOf('observer', count) });
    const timer = setInterval(() => {
      for (const { count, reply } of received.values()) nats.publish(reply, writePiece('received', count));
    }, 500);
    onTestFinished(() => clearInterval(timer));
    await expect.poll(() => received.size).toBe(8);
    const asker = await openLog(broker.url, login('node'));
    // It asks again where it is told to, as a node does.
    const asked = async () => (await gathered(await asker.ask(Uint8Array.of(1))).catch(() => [])).length;
    await expect.poll(asked, { timeout: 20_000 }).toBe(piece.length);
  }, 30_000);
});

describeOnBroker('a member that is asked without end', () => {
  it.each<[string, (nats: NatsConnection) => (count: number) => string]>([
    [
      'by one who takes each answer',
      (nats) => {
        nats.subscribe('_INBOX.observer.>', { callback: (_error, message) => acknowledge(message) });
        return (count) => inboxOf('observer', count);
      },
    ],
    ['in the name of others, who do not listen', () => (count) => inboxOf('node', count)],
    ['from ever new places', () => (count) => inboxOf(`stranger${count}`, count)],
  ])(
    'goes on ticking, answers few, and lets nodes join: %s',
    async (_how, replies) => {
      const broker = await brokerWithUsers();
      const log = await openLog(broker.url, login('node'));
      const member = await joinNode(log, 'member', { tickMs: 50, silenceTicks: 1000 });
      await crowd(member);
      const nats = await observerOf(broker);
      const before = countsOf(log);
      const asked = flood(nats, replies(nats));
      await expect
        .poll(() => countsOf(log).refused - before.refused, { timeout: 20_000 })
        .toBeGreaterThan(1000);
      const fromTick = member.world.tickCount;
      const joined = await joinNode(await openLog(broker.url, login('node')), 'joined', {
        silenceTicks: 1000,
        patienceMs: 40_000,
      });
      // By the state of the member, not by the log alone: see patienceMs.
      expect(joined.world.size).toBe(ENTITIES);
      expect(joined.members.map(({ name }) => name)).toEqual(['member', 'joined']);
      await delay(500);
      expect(member.world.tickCount).toBeGreaterThan(fromTick);
      expect(member.members.map(({ name }) => name)).toEqual(['member', 'joined']);
      const { answered, refused } = countsOf(log);
      expect(answered - before.answered).toBeLessThan(asked() / 5);
      const text = await new NodeMetrics(member).registry.metrics();
      const [, counted] = /umwelt_cluster_questions_total\{outcome="refused"\} (\d+)/.exec(text) ?? [];
      expect(Number(counted)).toBeGreaterThanOrEqual(refused);
    },
    120_000,
  );
});
