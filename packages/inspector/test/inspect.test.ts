/** The inspector by one line: what it asks of the world by itself, and that nobody has to publish. */
import { World } from 'umwelt';
import { afterEach, describe, expect, it } from 'vitest';
import { type Inspector, inspect } from '../src/index.ts';
import { boundsOf, TickWatch } from '../src/server/inspect.ts';
import { FeedClient } from './feed-client.ts';

const open: { close(): Promise<void> | void }[] = [];

afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

function look(inspector: Inspector): FeedClient {
  const client = new FeedClient(inspector.url, {});
  open.push(inspector, { close: () => client.socket.terminate() });
  return client;
}

/** A watcher that sees and hears, and a thing. */
function littleWorld() {
  const world = new World({ senses: ['sight', 'hearing'], rangeShape: 'box', rangeRatio: [1, 0.5] });
  const watcher = world.add({ x: 0, y: 0, range: { sight: 50, hearing: 20 } });
  const thing = world.add({ x: 100, y: 40 });
  world.tick();
  return { world, watcher, thing };
}

describe('inspect(world, { port })', () => {
  it('greets with what the world is, and with no play and pause', async () => {
    const { world } = littleWorld();
    const client = look(await inspect(world, { port: 0 }));
    await client.frames(1);
    expect(client.heard[0]).toMatchObject({
      ...{ type: 'greeting', title: 'A world', kinds: ['watcher', 'marker'], senses: ['sight', 'hearing'] },
      ...{ rangeShape: 'box', rangeRatio: [1, 0.5], isDriven: false, hasNames: false },
      bounds: { minX: -5, minY: -5, maxX: 105, maxY: 45 },
    });
  });

  it('says what was given where the world or the options should be', async () => {
    const port = inspect(new World(), 7600 as never);
    await expect(port).rejects.toThrow('options is 7600; expected an object such as { port: 7600 }');
    const swapped = inspect({ port: 7600 } as never);
    await expect(swapped).rejects.toThrow(
      'world is {"port":7600}; expected a World, or a node or an observer',
    );
  });

  it('publishes every tick that the world does, by itself', async () => {
    const { world, watcher } = littleWorld();
    const client = look(await inspect(world, { port: 0 }));
    await client.frames(1);
    client.taken();
    world.move(watcher, 7, 0);
    world.tick();
    await client.frames(2);
    const frame = client.all('tick').at(-1);
    expect(frame?.tick).toBe(2);
    expect(frame?.positions[0]).toBe(7);
  });

  it('tells ranges and kinds without being told', async () => {
    const { world, watcher } = littleWorld();
    const client = look(await inspect(world, { port: 0 }));
    await client.frames(1);
    client.say({ type: 'select', id: watcher });
    await client.until(() => client.all('focus').at(-1) !== undefined);
    expect(client.all('focus').at(-1)?.ranges).toEqual([
      { sense: 'sight', range: 50 },
      { sense: 'hearing', range: 20 },
    ]);
    expect([...(client.all('population').at(-1)?.kinds ?? [])]).toEqual([0, 1]);
  });

  it('does what is asked of the world only where commands are given', async () => {
    const { world } = littleWorld();
    const client = look(await inspect(world, { port: 0 }));
    await client.frames(1);
    client.say({ type: 'pause' });
    await client.until(() => client.closeCode !== undefined);
    expect(client.closeCode).toBe(1008);
  });

  it('ends the connection of a page when the world has been disposed of, and not the process', async () => {
    const { world, watcher } = littleWorld();
    const inspector = await inspect(world, { port: 0 });
    const client = look(inspector);
    await client.frames(1);
    // The inspector has not seen this tick yet.
    world.tick();
    await world.dispose();
    client.say({ type: 'select', id: watcher });
    client.say({ type: 'structure', window: { minX: 0, minY: 0, maxX: 10, maxY: 10 } });
    await client.until(() => client.closeCode !== undefined);
    expect(client.closeCode).toBe(1011);
    const late = look(inspector);
    await late.until(() => late.closeCode !== undefined);
    expect(late.closeCode).toBe(1011);
    await expect.poll(() => inspector.clientCount).toBe(0);
  });

  it('ends the connection of a page for which a function of the game throws, and no other', async () => {
    let isBroken = false;
    const rank = (_watcher: number, _marker: number, distance: number): number => {
      if (isBroken) throw new Error('no such player');
      return distance;
    };
    const world = new World({ interests: { default: { cap: 1, rank } } });
    const [watcher] = [0, 1, 2].map((x) => world.add({ x, y: 0, range: x === 0 ? 10 : 0 }));
    world.tick();
    const inspector = await inspect(world, { port: 0 });
    const clients = [look(inspector), look(inspector)];
    for (const client of clients) await client.frames(1);
    isBroken = true;
    clients[0]!.say({ type: 'select', id: watcher! });
    await clients[0]!.until(() => clients[0]!.closeCode !== undefined);
    expect(clients[0]!.closeCode).toBe(1011);
    isBroken = false;
    clients[1]!.taken();
    world.tick();
    await clients[1]!.frames(2);
    expect(clients[1]!.closeCode).toBeUndefined();
  });

  it('is protected as the other: beyond the loopback it wants a token', async () => {
    const { world } = littleWorld();
    const inspector = await inspect(world, { port: 0, host: '0.0.0.0' });
    open.push(inspector);
    expect(inspector.url).toMatch(/\?token=/);
    const { port } = new URL(inspector.url);
    expect((await fetch(`http://localhost:${port}/`)).status).toBe(401);
  });

  it('refuses what is no world, kinds without kindOf, and options that there are not', async () => {
    const { world } = littleWorld();
    const bad = (promise: Promise<unknown>) => expect(promise).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await bad(inspect({} as World));
    await bad(inspect(world, { kinds: ['player'] }));
    await bad(inspect(world, { kindOf: () => 0 }));
    await bad(inspect(world, { prot: 7600 } as never));
    await bad(inspect(world, { port: -1 }));
  });
});

/** A world that two processes share, as one of them has it: what the second shows is not known. */
function sharedWorld() {
  const { world, watcher, thing } = littleWorld();
  const holders = new Map([
    [watcher, { owner: 'first', shower: 'second' }],
    [thing, { owner: 'first', shower: undefined as string | undefined }],
  ]);
  const reader = Object.assign(world, { shows: (id: number) => holders.get(id)?.shower === 'first' });
  const named = (name: string | undefined) => (name === undefined ? undefined : { name });
  const node = {
    world: reader,
    name: 'first',
    ownerOf: (id: number) => named(holders.get(id)?.owner),
    showerOf: (id: number) => named(holders.get(id)?.shower),
  };
  return { node, world, watcher, thing, holders };
}

describe('inspect(node)', () => {
  it('draws who owns an entity and who shows what it perceives, also when that changes', async () => {
    const { node, world, watcher, holders } = sharedWorld();
    const inspector = await inspect(node, { port: 0 });
    const client = look(inspector);
    await client.frames(1);
    const kinds = ['first, shown by second', 'first'];
    expect(client.heard[0]).toMatchObject({ title: 'first', kinds });
    expect([...client.all('population').at(-1)!.kinds]).toEqual([0, 1]);

    // Nobody came or went, and the new kind was not among those of the greeting: the page comes again.
    holders.set(watcher, { owner: 'second', shower: 'first' });
    const ticking = setInterval(() => world.tick(), 50);
    open.push({ close: () => clearInterval(ticking) });
    await client.until(() => {
      if (client.closeCode === undefined) client.taken();
      return client.closeCode !== undefined;
    });
    expect(client.closeCode).toBe(1001);
    const again = look(inspector);
    await again.frames(1);
    expect(again.heard[0]).toMatchObject({ kinds: [...kinds, 'second, shown by first'] });
    expect([...again.all('population').at(-1)!.kinds]).toEqual([2, 1]);

    // One that it knows: no new greeting.
    holders.set(watcher, { owner: 'first', shower: undefined });
    await again.until(() => {
      again.taken();
      return again.all('population').at(-1)!.kinds[0] === 1;
    });
    expect(again.closeCode).toBeUndefined();
  });

  it('shows the relations of those that it shows, and says of others that they are not known', async () => {
    const { node, world, watcher, thing, holders } = sharedWorld();
    world.move(thing, 10, 0);
    world.tick();
    const client = look(await inspect(node, { port: 0 }));
    await client.frames(1);
    client.say({ type: 'select', id: watcher });
    await client.until(() => client.all('focus').at(-1)?.id === watcher);
    expect(client.all('focus').at(-1)?.perceives.total).toBe(0);
    client.say({ type: 'explain', id: thing });
    const explained = () => client.heard.find((news) => 'type' in news && news.type === 'explanation');
    await client.until(() => explained() !== undefined);
    expect(explained()).toMatchObject({
      forth: { related: false, rule: 'not shown', sentence: expect.stringContaining('not known here') },
    });

    holders.set(watcher, { owner: 'first', shower: 'first' });
    client.heard.length = 0;
    client.say({ type: 'select', id: 0 });
    client.say({ type: 'select', id: watcher });
    await client.until(() => client.all('focus').some(({ perceives }) => perceives.total === 1));
    client.say({ type: 'explain', id: thing });
    await client.until(() => explained() !== undefined);
    expect(explained()).toMatchObject({ forth: { related: true, rule: 'senses' } });
  });
});

describe('the pace of a world', () => {
  it('is as it ticks, and a pause is none', () => {
    const world = { tickCount: 0 };
    const watch = new TickWatch(world);
    expect(watch.look(0)).toBe(false);
    for (let ms = 0; ms < 5000; ms += 20) {
      world.tickCount++;
      expect(watch.look(ms)).toBe(true);
    }
    expect(watch.tickSeconds).toBeCloseTo(0.02, 3);
    world.tickCount++;
    watch.look(60_000);
    expect(watch.tickSeconds).toBeCloseTo(0.02, 3);
  });
});

describe('the bounds of a world', () => {
  it('are where everybody is, with room around, and somewhere where nobody is', () => {
    expect(boundsOf(new World())).toEqual({ minX: -50, minY: -50, maxX: 50, maxY: 50 });
    const alone = new World();
    alone.add({ x: 5, y: 5 });
    expect(boundsOf(alone)).toEqual({ minX: 4, minY: 4, maxX: 6, maxY: 6 });
    const deep = new World({ dimensions: 3 });
    for (const z of [-3, 8]) deep.add({ x: 0, y: 0, z });
    expect(boundsOf(deep)).toMatchObject({ minZ: -3, maxZ: 8 });
  });
});
