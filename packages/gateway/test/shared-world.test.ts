/** A gateway on a world that is changed elsewhere: by a log, which tells the world, and not by the gateway. */
import { UmweltClient } from '@umwelt/client';
import { type EntityId, World, WorldReader } from 'umwelt';
import { expect, it } from 'vitest';
import { DueTouches } from '../src/appearance/due-touches.ts';
import { Gateway, type GatewayOptions, InProcessTransport } from '../src/index.ts';
import type { InProcessLine } from '../src/transports/in-process.ts';
import { ACK } from '../src/wire/frame-format.ts';

/** The reading half of a world that can be another's, and of which not all views are known here. */
class SharedWorld extends WorldReader {
  readonly elsewhere = new Set<EntityId>();
  worldId = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);

  constructor(world: World) {
    super(world);
  }

  shows(watcher: EntityId): boolean {
    return !this.elsewhere.has(watcher);
  }

  become(world: World): void {
    this.readFrom(world);
  }
}

/** A watcher and a marker, a client, and a gateway that only reads. */
async function stage() {
  let world = new World();
  const shared = new SharedWorld(world);
  const hero = world.add({ x: 0, y: 0, range: 50 });
  const wolf = world.add({ x: 4, y: 0 });
  const options: GatewayOptions = {
    tickMs: 50,
    appearance: {
      positionStep: 0.5,
      bands: { far: { distance: 40, everyTicks: 4 } },
      fields: { hp: { type: 'uint' }, score: { type: 'uint', audience: 'far' } },
    },
    authenticate: () => ({ watcher: hero }),
  };
  let gateway = new Gateway(shared, options);
  let transport = new InProcessTransport();
  await gateway.listen(transport);
  const told: string[] = [];
  let line: InProcessLine | undefined;
  const client = new UmweltClient({
    url: '/',
    openSocket: (url, events) => {
      line = transport.openSocket(url, events);
      return line;
    },
  });
  client.on('enter', ({ id }) => told.push(`enter ${id}`));
  client.on('leave', ({ id }) => told.push(`leave ${id}`));
  client.on('frame', (tick) => told.push(`frame ${tick}`));
  const settle = async () => {
    for (let round = 0; round < 4; round++) {
      transport.deliver();
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  };
  const tick = async () => {
    told.length = 0;
    gateway.publish(world.tick());
    await settle();
    return told.join();
  };
  world.tick();
  gateway.publish(world.lastChanges);
  client.connect();
  await settle();
  await tick();
  return {
    world,
    shared,
    gateway,
    client,
    hero,
    wolf,
    tick,
    /** The connection breaks, after the client has read nothing for a while, and the client comes back. */
    missing: async (meanwhile: (line: InProcessLine) => Promise<void>) => {
      line!.stalled = true;
      await meanwhile(line!);
      client.close();
      await settle();
      client.connect();
      await settle();
    },
    become: (next: World) => {
      world = next;
      shared.become(next);
      gateway.resync();
    },
    /** The process ends and another one continues, which shows all views. */
    restart: async () => {
      const bytes = gateway.snapshot();
      const drained = gateway.drain({ keepSessions: true });
      world = World.restore(world.snapshot());
      gateway = Gateway.restore(new SharedWorld(world), bytes, options);
      transport = new InProcessTransport();
      await Promise.all([gateway.listen(transport), drained]);
      client.close();
      client.connect();
      await settle();
    },
    end: () => {
      client.close();
      return gateway.drain();
    },
  };
}

it('tells fields when the log has touched the entity, and those of a rate on their turn', async () => {
  const { world, gateway, client, wolf, tick, end } = await stage();
  // The slot's turns are ticks 3, 7, 11.
  await tick();
  gateway.set(wolf, { hp: 5, score: 3 });
  world.touch(wolf);
  const scores: unknown[] = [];
  await tick();
  expect(client.entities.get(wolf)?.fields.hp).toBe(5);
  for (let i = 0; i < 5; i++) {
    scores.push(client.entities.get(wolf)?.fields.score);
    await tick();
  }
  expect(scores.at(0)).toBe(0);
  expect(scores.at(-1)).toBe(3);
  expect(client.welcome?.worldId).toBe('0102030405060708');
  await end();
});

it('sends nothing to whose watcher is shown elsewhere, and the difference when it is back', async () => {
  const { world, shared, client, hero, wolf, tick, end } = await stage();
  shared.elsewhere.add(hero);
  // As a change of shower does it: at rest nothing is perceived.
  world.update(hero, { watches: false });
  const other = world.add({ x: 6, y: 0 });
  expect(await tick()).toBe('');
  expect([...client.entities.keys()]).toEqual([hero, wolf]);
  world.update(hero, { watches: true });
  world.move(wolf, 5, 0);
  shared.elsewhere.delete(hero);
  expect(await tick()).toBe(`enter ${other},frame 4`);
  expect(client.entities.get(wolf)?.x).toBe(5);
  await end();
});

it('sends the difference after a restart, too, if the watcher was shown elsewhere then', async () => {
  const { world, shared, client, hero, wolf, tick, restart, end } = await stage();
  shared.elsewhere.add(hero);
  const other = world.add({ x: 6, y: 0 });
  world.remove(wolf);
  expect(await tick()).toBe('');
  await restart();
  expect(await tick()).toBe(`leave ${wolf},enter ${other},frame 4`);
  expect(client.welcome?.resumed).toBe(true);
  await end();
});

it('tells that everything left when a watcher that is shown elsewhere is removed', async () => {
  const { world, shared, client, hero, wolf, tick, end } = await stage();
  shared.elsewhere.add(hero);
  expect(await tick()).toBe('');
  world.remove(hero);
  expect(await tick()).toBe(`leave ${wolf},leave ${hero},frame 4`);
  expect(client.own).toBeUndefined();
  expect(await tick()).toBe('frame 5');
  await end();
});

it('does not let anyone in as a watcher whose views are elsewhere, and goes on', async () => {
  const { shared, gateway, hero, tick, end } = await stage();
  const [session] = gateway.sessions;
  shared.elsewhere.add(hero);
  shared.visibleTo = () => {
    throw new RangeError('elsewhere');
  };
  expect(() => session!.attach(hero)).not.toThrow();
  const wolf = shared.ids()[1]!;
  expect(() => session!.attach(wolf)).toThrow('elsewhere');
  expect(session!.watcher).toBe(hero);
  expect(await tick()).toBe('');
  await end();
});

it('after a resync tells what is there now, though ticks began over', async () => {
  const { world, gateway, client, hero, wolf, tick, become, end } = await stage();
  const past = world.snapshot();
  const gone = world.add({ x: 3, y: 3 });
  gateway.set(wolf, { hp: 9 });
  gateway.setImportance(wolf, 3);
  for (let i = 0; i < 5; i++) await tick();
  expect([...client.entities.keys()]).toEqual([hero, wolf, gone]);
  become(World.restore(past));
  expect(await tick()).toBe(`leave ${gone},frame 3`);
  expect([...client.entities.values()].map(({ id, x, fields }) => [id, x, fields.hp])).toEqual([
    [hero, 0, 0],
    [wolf, 4, 0],
  ]);
  await end();
});

it('after a resync tells that everything left when the watcher is removed before the next tick', async () => {
  const { world, client, hero, wolf, tick, become, end } = await stage();
  const next = World.restore(world.snapshot());
  become(next);
  next.remove(hero);
  expect(await tick()).toBe(`leave ${hero},leave ${wolf},frame 3`);
  expect(client.own).toBeUndefined();
  await end();
});

it('takes no acknowledgement from before a resync for one of a frame since, though the tick has that number again', async () => {
  const { world, hero, wolf, client, become, tick, missing, end } = await stage();
  const earlier = World.restore(world.snapshot());
  world.move(wolf, 9, 0);
  for (let i = 0; i < 3; i++) await tick();
  expect([world.tickCount, client.entities.get(wolf)?.x]).toEqual([5, 9]);
  await missing(async (line) => {
    become(earlier);
    for (let i = 0; i < 4; i++) await tick();
    // It was under way when the state was replaced.
    line.send(Uint8Array.of(ACK, 4));
    await tick();
  });
  await tick();
  expect([...client.entities.keys()]).toEqual([hero, wolf]);
  expect(client.entities.get(wolf)?.x).toBe(4);
  await end();
});

it('sends everything to a client that comes back after the world was given another id', async () => {
  const { shared, client, hero, wolf, tick, missing, end } = await stage();
  const states: unknown[] = [];
  client.on('state', (state, code) => states.push(code ?? state));
  // The client begins empty where it finds another id: a difference would be of entities that it does not have.
  shared.worldId = Uint8Array.of(8, 7, 6, 5, 4, 3, 2, 1);
  await missing(async () => {});
  expect(await tick()).toBe(`enter ${hero},enter ${wolf},frame 3`);
  await missing(async () => {});
  expect(await tick()).toBe('frame 4');
  expect(states).toEqual(['closed', 'connecting', 'open', 'closed', 'connecting', 'open']);
  await end();
});

it('forgets the turns of ticks that were not published, after their entities were told', () => {
  const due = new DueTouches(new SharedWorld(new World()));
  for (const turn of [3, 4, 7, 9]) due.add(1024, turn);
  expect([...due.take(3)]).toEqual([1024]);
  // As after a second in which the node was behind.
  expect([...due.take(8)]).toEqual([1024]);
  expect([...due]).toEqual([[1024, 9]]);
});
