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
      ...{ type: 'greeting', title: 'umwelt', kinds: ['watcher', 'thing'], senses: ['sight', 'hearing'] },
      ...{ rangeShape: 'box', rangeRatio: [1, 0.5], isDriven: false, hasNames: false },
      bounds: { minX: -5, minY: -5, maxX: 105, maxY: 45 },
    });
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
