/** `umwelt cluster status` as a person types it, on a real broker; and its table. */
import { joinWorld, natsLog } from '@umwelt/cluster';
import { expect, it, onTestFinished } from 'vitest';
import { NatsBroker } from '../../../tools/nats-broker.ts';
import { findNatsServer } from '../../../tools/nats-server.ts';
import { statusText } from '../src/commands/cluster.ts';
import { told, UmweltProcess } from './child-process.ts';

it('the table has a line for each member, whatever its name', () => {
  const member = { adopts: true, silentTicks: 1, refused: 0, records: 40, bytes: 4000 };
  const text = statusText('prime', {
    answeredBy: 'a\u001b[2J',
    lagMs: 3,
    tick: 12_345,
    position: 99,
    tickMs: 50,
    silenceTicks: 100,
    entities: 1200,
    orphans: 0,
    members: [
      { ...member, name: 'a', incarnation: 1, owned: 1200, shown: 60 },
      {
        ...member,
        name: 'gateway\n2',
        incarnation: 17,
        adopts: false,
        owned: 0,
        shown: 900,
        bytes: 4_000_000,
      },
    ],
    watchedMs: 2000,
    marks: 40,
    longestGapMs: 61,
    bytes: 4_010_000,
  });
  expect(text.split('\n')).toEqual([
    'world prime: tick 12,345, 1,200 entities, 0 without an owner',
    'marks 40 of 40 in 2 s, at most 61 ms apart; log 2.0 MB/s',
    'answered by a\ufffd[2J, 3 ms behind the log',
    '',
    'member     since  adopts  silent ticks   owns  shows  refused  records    writes',
    'a              1     yes      1 of 100  1,200     60        0   20.0/s  2.0 kB/s',
    'gateway 2     17      no      1 of 100      0    900        0   20.0/s  2.0 MB/s',
  ]);
});

it('what is no request is one line and exit code 2', async () => {
  const [none, other, world, broker] = await Promise.all([
    told('cluster'),
    told('cluster', 'stop', '--world', 'x'),
    told('cluster', 'status'),
    told('cluster', 'status', '--world', 'x', '--servers', 'nats://127.0.0.1:1'),
  ]);
  expect([none, other, world, broker].map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 2]);
  expect(none.errors).toMatch(/expected umwelt cluster status, given nothing;/);
  expect(other.errors).toMatch(/expected umwelt cluster status, given 'stop';/);
  expect(world.errors).toMatch(/--world NAME is missing/);
  expect(broker.errors).toMatch(/no broker at nats:\/\/127\.0\.0\.1:1/);
});

it.skipIf(findNatsServer() === undefined && process.env.CI !== 'true')(
  'the members of a world are shown, and a world that is not there is not begun',
  async () => {
    const broker = await NatsBroker.start();
    onTestFinished(() => broker.dispose());
    const log = await natsLog({ servers: broker.url, world: 'prime', maxBytes: 2 ** 24 });
    onTestFinished(() => log.close());
    const node = await joinWorld({ log, name: 'the-only-one', tickMs: 20 });
    onTestFinished(() => node.halt());
    await node.add({ x: 0, y: 0 });
    const status = (...words: string[]) =>
      new UmweltProcess(['cluster', 'status', '--servers', broker.url, '--seconds', '0.5', ...words]).ended;
    const [shown, json, wrong] = await Promise.all([
      status('--world', 'prime'),
      status('--world', 'prime', '--json'),
      status('--world', 'primf'),
    ]);
    expect(shown.output).toMatch(/^world prime: tick [\d,]+, 1 entity, 0 without an owner\n/);
    expect(shown.output).toMatch(/^the-only-one +\d+ +yes/m);
    expect(JSON.parse(json.output)).toMatchObject({
      entities: 1,
      members: [{ name: 'the-only-one', owned: 1 }],
    });
    expect([wrong.exitCode, wrong.errors]).toEqual([
      2,
      expect.stringContaining('it has no stream UMWELT_primf'),
    ]);
  },
);
