/** The configurations that the package ships: the broker takes them, and they say what the log relies on. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { findNatsServer } from '../../../../tools/nats-server.ts';
import { clusterStatus, NodeMetrics, natsCheckpoints } from '../../src/index.ts';
import { describeOnBroker, oneBroker, openLog } from '../broker-stage.ts';
import { haltNodes, joinNode } from '../joined-nodes.ts';

afterEach(haltNodes);

const readme = readFileSync(new URL('../../brokers/README.md', import.meta.url), 'utf8');
const file = (name: string) => new URL(`../../brokers/${name}.conf`, import.meta.url).pathname;

describeOnBroker('the configuration', () => {
  const program = findNatsServer() ?? '';
  const [, minor = 0] = (
    /v(\d+\.\d+)/.exec(spawnSync(program, ['--version']).stdout?.toString() ?? '')?.[1] ?? ''
  )
    .split('.')
    .map(Number);

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

  it('with the permissions that README.md names lets nodes join by each other and save checkpoints', async () => {
    const [, block = ''] = /```\n(authorization .*?)```/s.exec(readme) ?? [];
    const broker = await oneBroker();
    await broker.kill();
    appendFileSync(path.join(broker.folder, 'broker.conf'), block.replace('$NODE_PASSWORD', 'secret'));
    await broker.restart();
    const login = { world: 'prime', connection: { user: 'node', pass: 'secret' } };
    const [first, second] = [await openLog(broker.url, login), await openLog(broker.url, login)];
    await joinNode(first, 'first');
    expect((await clusterStatus(second, { watchMs: 1 }))?.answeredBy).toBe('first');
    await joinNode(second, 'second');
    const checkpoints = await natsCheckpoints({ servers: broker.url, maxBytes: 2 ** 20, ...login });
    onTestFinished(() => checkpoints.close());
    await checkpoints.save(Uint8Array.of(1, 2, 3));
    expect([...((await checkpoints.newest()) ?? [])]).toEqual([1, 2, 3]);
  });
});

describeOnBroker('a node that may not subscribe to questions', () => {
  it('is not healthy, says why, and is healthy once it may', async () => {
    const [, block = ''] = /```\n(authorization .*?)```/s.exec(readme) ?? [];
    const allowed = block.replace('$NODE_PASSWORD', 'secret');
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
    await expect.poll(() => metrics.health().isHealthy, { timeout: 20_000 }).toBe(true);
    const second = await joinNode(await openLog(broker.url, login), 'second');
    expect(second.members.map(({ name }) => name)).toEqual(['first', 'second']);
  });
});

describeOnBroker('a node without a permission', () => {
  /** Its log on a broker where it may publish all but this. */
  async function logWithout(denied: string) {
    const broker = await oneBroker();
    const permissions = `{ publish: { allow: ">", deny: "${denied}" } }`;
    const user = `{ user: node, password: secret, permissions: ${permissions} }`;
    appendFileSync(path.join(broker.folder, 'broker.conf'), `authorization { users: [ ${user} ] }`);
    await broker.kill();
    await broker.restart();
    return openLog(broker.url, { world: 'prime', connection: { user: 'node', pass: 'secret' } });
  }
  const refused = (subject: string) => ({
    code: 'LOG_DOWN',
    message: expect.stringContaining(`Permissions Violation for Publish to "${subject}`),
  });

  it('says so if it may not request records', async () => {
    const subject = '$JS.API.CONSUMER.MSG.NEXT.';
    const joined = joinNode(await logWithout(`${subject}>`), 'node', { patienceMs: 3000 });
    await expect(joined).rejects.toMatchObject(refused(subject));
  });

  it('is told that it may not ask', async () => {
    const log = await logWithout('umwelt.prime.snap');
    await expect(log.ask(Uint8Array.of(1))).rejects.toMatchObject(refused('umwelt.prime.snap'));
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
