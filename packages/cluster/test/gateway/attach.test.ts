/** Gateways of several nodes on real sockets: every frame of every client shows what one world would show. */
import { UmweltClient } from '@umwelt/client';
import { type ClusterNode, type Log, memoryLog } from '@umwelt/cluster';
import { Gateway, WebSocketTransport } from '@umwelt/gateway';
import { World } from 'umwelt';
import { afterEach, expect, it, vi } from 'vitest';
import { participantOf } from '../../src/node/cluster-node.ts';
import { cuttable } from '../late-log.ts';
import { goneRecord } from '../record-makers.ts';
import { ClientTwin } from './client-twin.ts';
import { HostedNode, type HostOptions, keyOf } from './hosted-node.ts';

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function host(log: Log, name: string, options: Partial<HostOptions> = {}): Promise<HostedNode> {
  const hosted = await HostedNode.start({ log, name, seed: name.charCodeAt(0), wolves: 20, ...options });
  ends.push(() => hosted.crash());
  return hosted;
}

function client(url: () => string, credential: string): UmweltClient {
  const made = new UmweltClient({
    url,
    credential: () => credential,
    retryFirstMs: 20,
    retryMaxMs: 100,
  });
  ends.push(() => made.close());
  made.connect();
  return made;
}

async function twinOf(log: Log): Promise<ClientTwin> {
  const twin = new ClientTwin();
  const stop = await log.follow(
    1,
    (position, bytes) => twin.apply(position, bytes),
    () => {},
  );
  ends.push(stop);
  return twin;
}

const ticks = (node: ClusterNode, count: number) =>
  new Promise<void>((resolve) => {
    let left = count;
    const stop = node.on('tick', () => {
      if (--left > 0) return;
      stop();
      resolve();
    });
  });

it('clients of three nodes hold what one world would show them, and go on elsewhere when a node dies', async () => {
  const log = memoryLog();
  const nodes = [await host(log, 'a'), await host(log, 'b'), await host(log, 'c')];
  const twin = await twinOf(log);
  let up = nodes;
  let heard = 0;
  let left = 0;
  const clients = Array.from({ length: 12 }, (_, index) => {
    let tries = index;
    const made = client(() => up[tries++ % up.length]!.url, String(index));
    twin.watch(made, String(index));
    made.on('message', () => heard++);
    return made;
  });
  const steer = setInterval(() => {
    for (const each of clients) each.sendInput(Uint8Array.of(Math.random() * 256, Math.random() * 256));
  }, 60);
  ends.push(() => clearInterval(steer));
  await expect.poll(() => clients.every(({ state }) => state === 'open')).toBe(true);
  await ticks(nodes[2]!.node, 60);
  expect(twin.problem).toBeUndefined();

  const [dead] = nodes;
  const orphans = clients.filter((_, index) => index % 3 === 0);
  const tokens = orphans.map(({ welcome }) => welcome?.token);
  const framed = new Set<UmweltClient>();
  const inView = orphans.reduce((sum, { entities }) => sum + entities.size, 0);
  up = nodes.slice(1);
  await dead!.crash();
  for (const orphan of orphans) {
    orphan.on('leave', () => {
      if (!framed.has(orphan)) left++;
    });
    orphan.on('frame', () => framed.add(orphan));
  }
  await expect.poll(() => clients.every(({ state }) => state === 'open')).toBe(true);
  const back = twin.compared;
  await ticks(nodes[2]!.node, 60);
  expect(twin.problem).toBeUndefined();
  // Its token was nobody's there: a fresh one, for the same hero and the same world.
  expect(orphans.map(({ welcome }) => welcome?.token)).not.toEqual(tokens);
  expect(new Set(clients.map(({ welcome }) => welcome?.worldId)).size).toBe(1);
  expect(orphans.every(({ welcome }) => welcome?.resumed === false)).toBe(true);
  expect(new Set(clients.map(({ own }) => own?.id)).size).toBe(12);
  // Nothing vanished, to come again: with the first frame there fewer left than were in view.
  expect(framed.size).toBe(orphans.length);
  expect(left).toBeLessThan(inView / 2);
  expect(twin.compared - back).toBeGreaterThan(12 * 40);
  expect(twin.entities / twin.compared).toBeGreaterThan(3);
  expect(heard).toBeGreaterThan(100);
});

it('one frame that shows something else is found', async () => {
  const log = memoryLog();
  const a = await host(log, 'a');
  const twin = await twinOf(log);
  const made = client(() => a.url, 'one');
  twin.watch(made, 'one');
  await expect.poll(() => twin.compared).toBeGreaterThan(10);
  expect(twin.problem).toBeUndefined();
  made.on('frame', () => {
    for (const entity of made.entities.values()) (entity.steps as number[])[0]!++;
  });
  await expect.poll(() => twin.problem).toContain('client one');
});

it('a gateway of a node that joins later shows fields that were set before, also those that it does not declare', async () => {
  const log = memoryLog();
  const a = await host(log, 'a', { isStill: true });
  const wolf = await a.node.add({ x: 1, y: 0, fields: { name: 'grey', scent: 'rain' } });
  await ticks(a.node, 1);
  expect(a.gateway.get(wolf, 'name')).toBe('grey');
  a.node.set(wolf, { health: 7 });
  await ticks(a.node, 2);
  const b = await host(log, 'b', { isStill: true });
  const refused: unknown[] = [];
  a.node.on('gatewayRefused', (error) => refused.push(error));
  expect([a, b].map(({ gateway }) => [gateway.get(wolf, 'name'), gateway.get(wolf, 'health')])).toEqual([
    ['grey', 7],
    ['grey', 7],
  ]);
  a.node.set(wolf, { scent: 'mud' });
  await expect.poll(() => refused).toHaveLength(1);
  expect(refused).toEqual([expect.objectContaining({ code: 'BAD_OPTION' })]);
  // Together with one that it declares: that one is set, and the other is told once.
  a.node.set(wolf, { scent: 'hay', health: 8 });
  await expect.poll(() => a.gateway.get(wolf, 'health')).toBe(8);
  expect(refused).toHaveLength(2);
});

it('a player whose node is cut off from the log goes on to another, and is not taken from there', async () => {
  const log = memoryLog();
  const far = cuttable(log);
  const [a, b] = [await host(log, 'a', { isStill: true }), await host(far.log, 'b', { isStill: true })];
  const hero = await a.node.add({ x: 0, y: 0, range: { sight: 5 }, key: 'hero:one' });
  const mend = far.cut();
  // One of its records is on its way, so that what is called now waits.
  await ticks(b.node, 5);
  const early = client(() => b.url, 'one');
  const show = vi.spyOn(b.node, 'show');
  await expect.poll(() => show.mock.calls.length).toBe(1);
  early.close();
  const late = client(() => a.url, 'one');
  await expect.poll(() => late.own?.id).toBe(hero);
  const closes: unknown[] = [];
  late.on('state', (state, code) => closes.push([state, code]));
  mend();
  await expect.poll(() => b.node.members.find(({ name }) => name === 'b')?.silentTicks).toBeLessThan(2);
  await ticks(a.node, 10);
  expect([a.node.showerOf(hero)?.name, late.state, closes]).toEqual(['a', 'open', []]);
});

it('the number of an input that the owner sets as it moves comes with the position, while the gateway has taken later ones', async () => {
  const log = memoryLog();
  const a = await host(log, 'a', {
    isStill: true,
    gateway: { appearance: { positionStep: 1, fields: { input: { type: 'uint', audience: 'owner' } } } },
  });
  const b = await host(log, 'b', { isStill: true });
  const hero = await b.node.add({ x: 0, y: 0, key: keyOf('one') });
  b.node.on('message', (id, [input = 0]) => {
    b.node.move(id, input, 0);
    b.node.set(id, { input });
  });
  const made = client(() => a.url, 'one');
  const told: { x: number | undefined; input: unknown; taken: number }[] = [];
  made.on('frame', () => {
    if (made.own === undefined) return;
    told.push({ x: made.own.x, input: made.own.fields.input, taken: made.inputTaken });
  });
  await expect.poll(() => made.own?.id).toBe(hero);
  for (let input = 1; input <= 20; input++) {
    made.sendInput(Uint8Array.of(input));
    await ticks(a.node, 1);
  }
  await expect.poll(() => made.own?.x).toBe(20);
  expect(told.filter(({ x, input }) => x !== input)).toEqual([]);
  expect(told.some(({ x, taken }) => taken > (x ?? 0))).toBe(true);
});

it('a hero that another node shows ends the session that showed it', async () => {
  const log = memoryLog();
  const [a, b] = [await host(log, 'a'), await host(log, 'b')];
  const first = client(() => a.url, 'twice');
  await expect.poll(() => first.own).toBeDefined();
  const hidden: number[] = [];
  a.node.on('hide', (id) => hidden.push(id));
  const second = client(() => b.url, 'twice');
  await expect.poll(() => first.state).toBe('closed');
  await expect.poll(() => second.own?.id).toBe(first.own?.id);
  expect(hidden).toEqual([second.own?.id]);
  expect([...a.gateway.sessions]).toEqual([]);
  // What the game says when a session ends is nothing that the cluster would refuse.
  await ticks(b.node, 3);
  expect(a.node.self?.refused).toBe(0);
  expect(b.node.showerOf(second.own!.id)?.name).toBe('b');
});

it('a player whose hero another node removes stays, without a body until it is given another one', async () => {
  const log = memoryLog();
  const [a, b] = [await host(log, 'a', { isStill: true }), await host(log, 'b', { isStill: true })];
  const hero = await b.node.add({ x: 0, y: 0, range: { sight: 25 }, key: 'hero:one' });
  const wolf = await b.node.add({ x: 1, y: 0 });
  const made = client(() => a.url, 'one');
  await expect.poll(() => [...made.entities.keys()]).toEqual([hero, wolf]);
  const told: string[] = [];
  made.on('leave', ({ id }, reason) => told.push(`${id} ${reason}`));
  a.node.on('hide', (id) => told.push(`hide ${id}`));
  b.node.remove(hero);
  await expect.poll(() => made.entities.size).toBe(0);
  expect(told.sort()).toEqual([`${hero} gone`, `${wolf} out of range`, `hide ${hero}`].sort());
  await ticks(a.node, 3);
  const [session] = a.gateway.sessions;
  expect([made.state, session?.watcher, session?.own]).toEqual(['open', 0, 0]);
  const body = await a.node.add({ x: 2, y: 0, range: { sight: 25 }, key: 'hero:one' });
  await a.node.show(body);
  session!.attach(body);
  await expect.poll(() => [...made.entities.keys()].sort()).toEqual([wolf, body].sort());
  expect([made.own?.id, made.state]).toEqual([body, 'open']);
});

it('a node goes on when another took a hero before its session began', async () => {
  const log = memoryLog();
  const b = await host(log, 'b', { isStill: true });
  const hero = await b.node.add({ x: 0, y: 0, range: { sight: 25 } });
  const taken: boolean[] = [];
  const left: number[] = [];
  const a: HostedNode = await host(log, 'a', {
    isStill: true,
    gateway: {
      authenticate: async () => {
        await a.node.show(hero);
        // As while a database is slow to give the profile; once only.
        if (taken.length === 0) {
          await b.node.show(hero);
          await expect.poll(() => a.node.showerOf(hero)?.name).toBe('b');
        }
        taken.push(true);
        return { watcher: hero };
      },
      onLeave: ({ watcher }) => {
        left.push(watcher);
        a.node.hide(watcher);
      },
    },
  });
  const made = client(() => a.url, 'one');
  await expect.poll(() => made.own?.id).toBe(hero);
  expect([taken.length, left]).toEqual([2, [hero]]);
  expect(a.node.showerOf(hero)?.name).toBe('a');
});

it('clients of a node that was fenced wait, and go on with what changed', async () => {
  const log = memoryLog();
  const [a, b] = [await host(log, 'a'), await host(log, 'b')];
  const twin = await twinOf(log);
  const made = client(() => a.url, 'one');
  twin.watch(made, 'one');
  await expect.poll(() => made.entities.size).toBeGreaterThan(3);
  const lost: string[] = [];
  a.node.on('lose', (_id, why) => lost.push(why));
  // As a supervisor that took it for dead.
  const { number, incarnation } = participantOf(a.node).self!;
  let left = 0;
  let before = 0;
  made.on('leave', () => left++);
  a.node.on('lose', (_id, why) => {
    if (why !== 'fenced' || before > 0) return;
    before = made.entities.size;
    left = 0;
    const stop = made.on('frame', () => {
      stop();
      leftAtOnce = left;
    });
  });
  let leftAtOnce = Number.POSITIVE_INFINITY;
  await log.append(goneRecord(number, incarnation));
  await expect.poll(() => lost).toContain('fenced');
  await expect.poll(() => a.node.isLive).toBe(true);
  expect(a.node.self?.incarnation).not.toBe(incarnation);
  const compared = twin.compared;
  await expect.poll(() => twin.compared).toBeGreaterThan(compared + 10);
  expect(twin.problem).toBeUndefined();
  expect(made.state).toBe('open');
  // Nobody had vanished with the frame that they went on with.
  expect(leftAtOnce).toBeLessThan(before);
  await ticks(b.node, 1);
});

it('clients of a node that copied another state are told everything anew, and hold what is', async () => {
  const log = memoryLog();
  const [a, b] = [await host(log, 'a'), await host(log, 'b')];
  const twin = await twinOf(log);
  const made = client(() => a.url, 'one');
  twin.watch(made, 'one');
  await expect.poll(() => made.entities.size).toBeGreaterThan(3);
  const { world } = a.node;
  let copies = 0;
  a.node.on('copy', () => copies++);
  participantOf(a.node).enter();
  await expect.poll(() => copies).toBe(1);
  const compared = twin.compared;
  await expect.poll(() => twin.compared).toBeGreaterThan(compared + 10);
  expect(twin.problem).toBeUndefined();
  expect(a.node.world).toBe(world);
  expect(made.state).toBe('open');
  await ticks(b.node, 1);
});

it('two gateways on one node show one watcher to a client each, with their own fields, until it is hidden', async () => {
  const a = await host(memoryLog(), 'a', { isStill: true });
  const bare = new Gateway(a.node.world, {
    tickMs: 20,
    appearance: { positionStep: 1, fields: { health: { type: 'uint' } } },
    authenticate: async ({ credential }) => {
      const hero = a.node.find(`hero:${credential}`)!;
      await a.node.show(hero);
      return { watcher: hero };
    },
  });
  const transport = new WebSocketTransport({ port: 0, host: '127.0.0.1' });
  await bare.listen(transport);
  ends.push(() => bare.drain());
  a.node.attach(bare);
  const first = client(() => a.url, 'one');
  await expect.poll(() => first.own).toBeDefined();
  const second = client(() => `ws://127.0.0.1:${transport.port}/`, 'one');
  await expect.poll(() => second.own?.id).toBe(first.own?.id);
  const hero = first.own!.id;
  a.node.set(hero, { name: 'Ada', health: 7 });
  await expect
    .poll(() => [first.own?.fields, second.own?.fields])
    .toEqual([{ name: 'Ada', health: 7 }, { health: 7 }]);
  a.node.hide(hero);
  await expect.poll(() => [first.state, second.state]).toEqual(['closed', 'closed']);
});

it('a gateway on another world is no gateway of the node', async () => {
  const a = await host(memoryLog(), 'a', { isStill: true });
  const gateway = new Gateway(new World(), {
    tickMs: 20,
    appearance: { positionStep: 1 },
    authenticate: () => undefined,
  });
  ends.push(() => gateway.drain());
  expect(() => a.node.attach(gateway)).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
});
