/** What docs/cluster.md shows is so: its server is run twice on one log, and played on. */
import { readFileSync } from 'node:fs';
import { UmweltClient } from '@umwelt/client';
import * as gateway from '@umwelt/gateway';
import { UmweltError } from 'umwelt';
import { afterEach, expect, it } from 'vitest';
import * as cluster from '../src/index.ts';
import { cuttable } from './late-log.ts';

const guide = readFileSync(new URL('../../../docs/cluster.md', import.meta.url), 'utf8');
const [, section = ''] = guide.split('## From one process to many in ten lines');
const [, code = ''] = /```ts\n(.*?)```/s.exec(section) ?? [];

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Server {
  readonly node: cluster.ClusterNode;
  readonly gateway: gateway.Gateway;
  readonly port: number;
}

/** The snippet as it stands, but for where its log and its port are. */
async function run(log: cluster.Log): Promise<Server> {
  let transport: gateway.WebSocketTransport | undefined;
  class WebSocketTransport extends gateway.WebSocketTransport {
    constructor() {
      super({ port: 0, host: '127.0.0.1' });
      transport = this;
    }
  }
  const names = {
    ...cluster,
    ...gateway,
    UmweltError,
    WebSocketTransport,
    natsLog: () => Promise.resolve(log),
  };
  const body = `${code.replaceAll(/^import .*$/gm, '')}\nreturn { node, gateway };`;
  const program = new Function(...Object.keys(names), `return (async () => {${body}})();`);
  const made: Server = await program(...Object.values(names));
  ends.push(async () => {
    made.node.halt();
    await made.gateway.drain();
  });
  return { ...made, port: transport?.port ?? 0 };
}

function play(name: string, port: () => number): UmweltClient {
  const client = new UmweltClient({
    url: () => `ws://127.0.0.1:${port()}/`,
    credential: () => name,
    retryFirstMs: 50,
  });
  ends.push(() => client.close());
  client.connect();
  return client;
}

it('imports names that are exported', () => {
  const imports = [...code.matchAll(/import \{ ([^}]+) \} from '@umwelt\/(gateway|cluster)'/g)];
  expect(imports).toHaveLength(2);
  for (const [, names = '', from] of imports) {
    for (const name of names.split(', ')) expect(from === 'gateway' ? gateway : cluster).toHaveProperty(name);
  }
  // As many lines as it says.
  expect(code.match(/\/\/ \d+/g)).toHaveLength(10);
});

it('is one world in two processes, and a player goes on where the other one is', async () => {
  const log = cluster.memoryLog();
  const [first, second] = [await run(log), await run(log)];
  let port = first.port;
  const ada = play('Ada', () => port);
  const ben = play('Ben', () => second.port);
  const seenBy = (client: UmweltClient) =>
    [...client.entities.values()].map(({ fields, x, y }) => `${fields.name} ${x} ${y}`).sort();
  await expect
    .poll(() => [seenBy(ada), seenBy(ben)])
    .toEqual([
      ['Ada 0 0', 'Ben 0 0'],
      ['Ada 0 0', 'Ben 0 0'],
    ]);
  const hero = ada.own?.id;
  ada.sendInput(Uint8Array.of(3, 4));
  await expect.poll(() => seenBy(ben)).toEqual(['Ada 3 4', 'Ben 0 0']);

  port = second.port;
  first.node.halt();
  await first.gateway.drain();
  await expect.poll(() => [ada.state, ada.welcome?.resumed, ada.own?.id]).toEqual(['open', false, hero]);
  ada.sendInput(Uint8Array.of(5, 6));
  // Its owner may be the dead one still, whose messages nobody hears: it is taken over, and told again.
  const again = setInterval(() => ada.sendInput(Uint8Array.of(5, 6)), 100);
  ends.push(() => clearInterval(again));
  await expect.poll(() => seenBy(ben)).toEqual(['Ada 5 6', 'Ben 0 0']);
});

it('keeps players whose inputs find no room while the log stands still', async () => {
  const { log, cut } = cuttable(cluster.memoryLog());
  const { node, port } = await run(log);
  const ada = play('Ada', () => port);
  const places = () => [...ada.entities.values()].map(({ x, y }) => `${x} ${y}`);
  await expect.poll(places).toEqual(['0 0']);
  const states: string[] = [];
  ada.on('state', (state) => states.push(state));
  const mend = cut();
  const hero = ada.own?.id ?? 0;
  const send = (bytes: number) => () => {
    for (;;) node.send(hero, new Uint8Array(bytes));
  };
  for (const bytes of [60_000, 1]) expect(send(bytes)).toThrow(expect.objectContaining({ code: 'TOO_MUCH' }));
  const taken = ada.inputTaken;
  ada.sendInput(Uint8Array.of(3, 4));
  await new Promise((resolve) => setTimeout(resolve, 200));
  mend();
  await expect.poll(() => ada.inputTaken).toBeGreaterThan(taken);
  ada.sendInput(Uint8Array.of(5, 6));
  await expect.poll(places).toEqual(['5 6']);
  expect(states).toEqual([]);
});

it('goes on whatever bytes a player sends', async () => {
  const { port } = await run(cluster.memoryLog());
  const ada = play('Ada', () => port);
  const places = () => [...ada.entities.values()].map(({ x, y }) => `${x} ${y}`);
  await expect.poll(places).toEqual(['0 0']);
  // What a listener throws is an uncaught error.
  for (const input of [[], [1], [7, 8, 9], [3, 4]]) ada.sendInput(Uint8Array.from(input));
  await expect.poll(places).toEqual(['3 4']);
});

it('removes heroes whose players have left, and no others, whichever node owns them', async () => {
  const [, block = ''] = /\*\*Heroes whose players have left.*?```ts\n(.*?)```/s.exec(guide) ?? [];
  expect(block).toContain('> 600');
  const log = cluster.memoryLog();
  const [first, second] = [await run(log), await run(log)];
  for (const { node } of [first, second])
    new Function('node', block.replace('> 600', '> 20').replace('<number, number>', ''))(node);
  let port = first.port;
  const ada = play('Ada', () => port);
  const ben = play('Ben', () => second.port);
  const wolf = await first.node.add({ x: 1, y: 1 });
  const keys = () => ['Ada', 'Ben'].filter((name) => second.node.find(name) !== undefined);
  await expect.poll(() => [ada.own?.fields.name, ben.own?.fields.name]).toEqual(['Ada', 'Ben']);
  const hero = ada.own?.id;
  // To the other node, where the hero goes on being the same one.
  port = second.port;
  ada.close();
  ada.connect();
  await expect.poll(() => second.node.showerOf(hero ?? 0)?.name).toBe(second.node.name);
  ben.close();
  for (const session of [...second.gateway.sessions]) if (session.watcher !== hero) session.release();
  await expect.poll(keys).toEqual(['Ada']);
  expect([ada.own?.id, second.node.world.has(wolf)]).toEqual([hero, true]);
});
