/** The configurations that the package ships: the broker takes them, and they say what the log relies on. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { findNatsServer } from '../../../../tools/nats-server.ts';
import { clusterStatus, NodeMetrics, natsCheckpoints, observeWorld } from '../../src/index.ts';
import type { NatsLog } from '../../src/log/nats-options.ts';
import { describeOnBroker, oneBroker, openLog } from '../broker-stage.ts';
import { haltNodes, joinNode } from '../joined-nodes.ts';
import { gathered } from './log-contract.ts';

afterEach(haltNodes);

const readme = readFileSync(new URL('../../brokers/README.md', import.meta.url), 'utf8');
/** Those of README.md, for users with the password 'secret'. */
function permissions(): string {
  const [, block = ''] = /```\n(authorization .*?)```/s.exec(readme) ?? [];
  return block.replaceAll(/\$\w+_PASSWORD/g, 'secret');
}

const file = (name: string) => new URL(`../../brokers/${name}.conf`, import.meta.url).pathname;

describeOnBroker('the configuration', () => {
  const program = findNatsServer() ?? '';
  // Also where there is none: what is in a suite that is skipped runs, except for its tests.
  const version = program === '' ? '' : spawnSync(program, ['--version']).stdout?.toString();
  const [, minor = 0] = (/v(\d+\.\d+)/.exec(version ?? '')?.[1] ?? '').split('.').map(Number);

  it.each([
    ['one-server', 9],
    ['three-servers', 9],
    ['always-synced', 11],
  ])('%s is taken by nats-server from 2.%i on', (name, from) => {
    const run = spawnSync(program, ['-t', '-c', file(name)], {
      env: { ...process.env, UMWELT_BROKER: 'one' },
    });
    const errors = run.stderr.toString();
    if (minor >= from) expect(errors).toContain('is valid');
    else expect(errors).toContain('unknown field "sync_interval"');
  });

  const login = { world: 'prime', connection: { user: 'node', pass: 'secret' } };
  const observerLogin = { world: 'prime', create: false, connection: { user: 'observer', pass: 'secret' } };

  async function permittedBroker() {
    const broker = await oneBroker();
    await broker.kill();
    appendFileSync(path.join(broker.folder, 'broker.conf'), permissions());
    await broker.restart();
    return broker;
  }

  it('with the permissions that README.md names lets nodes join by each other and save checkpoints', async () => {
    const broker = await permittedBroker();
    const [first, second] = [await openLog(broker.url, login), await openLog(broker.url, login)];
    await joinNode(first, 'first');
    expect((await clusterStatus(second, { watchMs: 1 }))?.answeredBy).toBe('first');
    await joinNode(second, 'second');
    const checkpoints = await natsCheckpoints({ servers: broker.url, maxBytes: 2 ** 20, ...login });
    onTestFinished(() => checkpoints.close());
    await checkpoints.save(Uint8Array.of(1, 2, 3));
    await checkpoints.save(Uint8Array.of(4));
    await checkpoints.save(Uint8Array.of(5));
    expect([...((await checkpoints.newest()) ?? [])]).toEqual([5]);
    // Nothing was refused that would only be missed later.
    expect(broker.output).not.toContain('Violation');
  });

  it('with these permissions lets an observer see the world, and no user read what another is sent', async () => {
    const broker = await permittedBroker();
    const node = await joinNode(await openLog(broker.url, login), 'node');
    const hero = await node.add({ x: 1, y: 2, key: 'hero' });
    const spies = ['node', 'observer'].map(async (user) => {
      const nats = await connect({ servers: broker.url, user, pass: 'secret' });
      onTestFinished(() => nats.close());
      const other = user === 'node' ? 'observer' : 'node';
      return [`_INBOX.>`, `_INBOX.${other}.>`].map(
        (subject) =>
          new Promise((resolve) =>
            nats.subscribe(subject, { callback: (error, message) => resolve(error ?? message) }),
          ),
      );
    });
    for (const heard of (await Promise.all(spies)).flat())
      expect(await heard).toMatchObject({ operation: 'subscription' });
    const log = await openLog(broker.url, observerLogin);
    const observer = await observeWorld({ log });
    onTestFinished(() => observer.stop());
    const seen = await node.add({ x: 3, y: 4 });
    await expect.poll(() => observer.world.has(seen)).toBe(true);
    expect(observer.world.has(hero)).toBe(true);
    expect((await clusterStatus(log, { watchMs: 1 }))?.answeredBy).toBe('node');
    expect(new NodeMetrics(node).health().isHealthy).toBe(true);
    await expect(log.append(Uint8Array.of(1))).rejects.toMatchObject({
      message: expect.stringContaining('expected a user who may publish to umwelt.prime.log'),
    });
  });
});

describeOnBroker('a node that may not subscribe to questions', () => {
  it('is not healthy, says why, and is healthy once it may', async () => {
    const allowed = permissions();
    const broker = await oneBroker();
    const conf = path.join(broker.folder, 'broker.conf');
    const open = readFileSync(conf, 'utf8');
    const allow = (permissions: string) => writeFileSync(conf, `${open}\n${permissions}`);
    allow(allowed.replace('subscribe: [ "umwelt.prime.snap", ', 'subscribe: [ '));
    await broker.kill();
    await broker.restart();
    const login = { world: 'prime', connection: { user: 'node', pass: 'secret' } };
    const node = await joinNode(await openLog(broker.url, login), 'first');
    const metrics = new NodeMetrics(node);
    await expect
      .poll(() => metrics.health())
      .toEqual({
        isHealthy: false,
        problem: expect.stringMatching(/no other node can join by it: .*Subscription to "umwelt.prime.snap"/),
      });
    allow(allowed);
    broker.reload();
    await expect.poll(() => metrics.health().isHealthy).toBe(true);
    const second = await joinNode(await openLog(broker.url, login), 'second');
    expect(second.members.map(({ name }) => name)).toEqual(['first', 'second']);
  });
});

describeOnBroker('a node without a permission', () => {
  const ALL = 'permissions: { publish: ">", subscribe: ">" }';
  const login = (user: string) => ({ world: 'prime', connection: { user, pass: 'secret' } });

  /** A broker with a user 'free', and one, 'node', who may do all but publish or subscribe to this. */
  async function brokerWithout(operation: 'publish' | 'subscribe', denied: string) {
    const broker = await oneBroker();
    const file = path.join(broker.folder, 'broker.conf');
    const open = readFileSync(file, 'utf8');
    const allow = (permissions: string) => {
      const users = `{ user: free, password: secret }, { user: node, password: secret, ${permissions} }`;
      writeFileSync(file, `${open}\nauthorization { users: [ ${users} ] }`);
    };
    allow(`permissions: { ${operation}: { allow: ">", deny: "${denied}" } }`);
    await broker.kill();
    await broker.restart();
    return Object.assign(broker, { allow });
  }

  const refused = (subject: string) => ({
    code: 'LOG_DOWN',
    message: expect.stringContaining(`Permissions Violation for Publish to "${subject}`),
  });

  it('says so if it may not request records', async () => {
    const subject = '$JS.API.CONSUMER.MSG.NEXT.';
    const { url } = await brokerWithout('publish', `${subject}>`);
    const joined = joinNode(await openLog(url, login('node')), 'node', { patienceMs: 3000 });
    await expect(joined).rejects.toMatchObject(refused(subject));
  });

  it('is told that it may not ask', async () => {
    const { url } = await brokerWithout('publish', 'umwelt.prime.snap');
    const log = await openLog(url, login('node'));
    await expect(log.ask(Uint8Array.of(1))).rejects.toMatchObject(refused('umwelt.prime.snap'));
  });

  it('is told at once that it gets no answers from the broker, and what it would need', async () => {
    const broker = await brokerWithout('subscribe', '_INBOX.>');
    const options = { ...login('node'), servers: broker.url, connectMs: 10 ** 9 };
    const unheard = {
      code: 'LOG_DOWN',
      message: expect.stringMatching(
        /Violation for Subscription.*expected a user who may subscribe to _INBOX\.node\.>$/,
      ),
    };
    await expect(openLog(broker.url, options)).rejects.toMatchObject(unheard);
    await expect(natsCheckpoints(options)).rejects.toMatchObject(unheard);
    broker.allow(ALL);
    broker.reload();
    let log: NatsLog | undefined;
    const opened = async () => {
      log = await openLog(broker.url, options).catch(() => undefined);
      return log?.isUp;
    };
    await expect.poll(opened).toBe(true);
    broker.allow('permissions: { subscribe: { allow: ">", deny: "_INBOX.>" } }');
    broker.reload();
    const asked = () => log?.ask(Uint8Array.of(1)).then(gathered, (error: unknown) => error);
    await expect.poll(asked).toMatchObject({ name: 'UmweltError', ...unheard });
  });

  it('leaves questions to others while it may not answer, is not healthy, and is once it may', async () => {
    const broker = await brokerWithout('publish', '_INBOX.free.>');
    const muteLog = await openLog(broker.url, login('node'));
    const mute = await joinNode(muteLog, 'mute');
    const metrics = new NodeMetrics(mute);
    await joinNode(await openLog(broker.url, login('free')), 'second');
    const problem = expect.stringMatching(
      /no other node can join by it: .*Publish to "_INBOX.*expected a user who may publish to _INBOX\.free\.>$/,
    );
    expect(metrics.health()).toEqual({ isHealthy: false, problem });
    const asker = await openLog(broker.url, login('free'));
    for (let times = 0; times < 8; times++)
      expect((await clusterStatus(asker, { watchMs: 1 }))?.answeredBy).toBe('second');
    // By then it has tried again, in vain.
    await delay(5500);
    expect(metrics.health()).toEqual({ isHealthy: false, problem });
    broker.allow(ALL);
    broker.reload();
    await expect.poll(() => metrics.health().isHealthy).toBe(true);
    await expect.poll(async () => (await clusterStatus(asker, { watchMs: 1 }))?.answeredBy).toBe('mute');
  });

  it('stays healthy when an asker wants the answer where nobody may send one', async () => {
    const broker = await brokerWithout('publish', 'secret.>');
    const node = await joinNode(await openLog(broker.url, login('node')), 'node');
    const nats = await connect({ servers: broker.url, user: 'free', pass: 'secret' });
    onTestFinished(() => nats.close());
    nats.publish('umwelt.prime.snap', Uint8Array.of(1), { reply: 'secret.subject' });
    await nats.flush();
    const asker = await openLog(broker.url, login('free'));
    expect((await clusterStatus(asker, { watchMs: 1 }))?.answeredBy).toBe('node');
    expect(new NodeMetrics(node).health().isHealthy).toBe(true);
  });

  it('is told why a long answer ends where it may not say what it has received', async () => {
    const { url } = await brokerWithout('publish', '_INBOX.>');
    const [answerer, asker] = [await openLog(url, login('free')), await openLog(url, login('node'))];
    answerer.answer(async function* () {
      for (let count = 0; count < 40; count++) yield new Uint8Array(256 * 1024);
    });
    await answerer.last();
    const answer = gathered(await asker.ask(Uint8Array.of(1)));
    await expect(answer).rejects.toMatchObject(refused('_INBOX.'));
  });
});

it.each(['one-server', 'three-servers', 'always-synced'])(
  'the configuration %s bounds what a broker holds',
  (name) => {
    const text = readFileSync(file(name), 'utf8');
    for (const line of [
      'max_payload: 1MB',
      'write_deadline: "10s"',
      'ping_interval: "5s"',
      'max_mem: ',
      'max_file: ',
      'store_dir: ',
    ]) {
      expect(text).toContain(line);
    }
  },
);
