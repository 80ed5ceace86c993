/** One appearance for both ends: what a game declares for its gateway are the types of what its clients have. */
import { type Entity, UmweltClient } from '@umwelt/client';
import { World } from 'umwelt';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type AppearanceOptions, type FieldValue, Gateway, type GatewayOptions } from '../src/index.ts';
import { GatewayStage } from './gateway-stage.ts';

const appearance = {
  positionStep: 0.5,
  bands: { near: 15 },
  fields: {
    name: { type: 'string', max: 32, sense: 'sight' },
    health: { type: 'uint' },
    isAsleep: { type: 'bool', audience: 'all' },
    heading: { type: 'float32', audience: 'near' },
    gold: { type: 'int', audience: 'owner' },
  },
} as const satisfies AppearanceOptions;
type Looks = typeof appearance;

const options = { tickMs: 50, authenticate: () => undefined };

describe('the types of an appearance', () => {
  it('are those of what a gateway sets and gets', () => {
    const world = new World({ senses: ['sight'] });
    const gateway = new Gateway(world, { ...options, appearance });
    const id = world.add({ x: 0, y: 0 });
    gateway.set(id, { health: 80, name: 'Ada' });
    // @ts-expect-error: a field of another type
    expect(() => gateway.set(id, { health: 'all' })).toThrow(/health/);
    // @ts-expect-error: no field
    expect(() => gateway.set(id, { mana: 1 })).toThrow(/mana/);
    expectTypeOf(gateway.get(id, 'health')).toEqualTypeOf<number>();
    expectTypeOf(gateway.get(id, 'name')).toEqualTypeOf<string>();
    expectTypeOf(gateway.get(id, 'isAsleep')).toEqualTypeOf<boolean>();
    expect([gateway.get(id, 'health'), gateway.get(id, 'isAsleep')]).toEqual([80, false]);
  });

  it('are found where the appearance is written into the options', () => {
    const world = new World();
    const id = world.add({ x: 0, y: 0 });
    const inline = { positionStep: 1, fields: { level: { type: 'uint' } } } as const;
    const gateway = new Gateway(world, {
      ...options,
      appearance: { positionStep: 1, fields: { level: { type: 'uint' } } },
    });
    expectTypeOf(gateway.get(id, 'level')).toEqualTypeOf<number>();
    const restored = Gateway.restore(world, gateway.snapshot(), { ...options, appearance: inline });
    expectTypeOf(restored.get(id, 'level')).toEqualTypeOf<number>();
    // Whatever its fields are, it is a gateway.
    const any: Gateway = gateway;
    expect(any.get(id, 'level')).toBe(0);
  });

  it('are open where they are not known', () => {
    const open: GatewayOptions = { ...options, appearance: { positionStep: 1 } };
    const world = new World();
    const id = world.add({ x: 0, y: 0 });
    const gateway = new Gateway(world, open);
    expect(gateway.get(id, 'any')).toBeUndefined();
    expectTypeOf(gateway.get(id, 'any')).toEqualTypeOf<FieldValue | undefined>();
    expectTypeOf(gateway.set).toBeCallableWith(1, { any: 3 });
    const client = new UmweltClient({ url: '' });
    client.on('enter', ({ fields }) =>
      expectTypeOf(fields).toEqualTypeOf<Readonly<Record<string, FieldValue>>>(),
    );
    expect(client.state).toBe('closed');
  });

  it('are those of what a client has: optional where some clients are not shown a field', () => {
    const client = new UmweltClient<Looks>({ url: '' });
    client.on('update', (entity, changes) => {
      expectTypeOf(entity.fields.health).toEqualTypeOf<number>();
      expectTypeOf(entity.fields.isAsleep).toEqualTypeOf<boolean>();
      expectTypeOf(entity.fields.name).toEqualTypeOf<string | undefined>();
      expectTypeOf(entity.fields.heading).toEqualTypeOf<number | undefined>();
      expectTypeOf(entity.fields.gold).toEqualTypeOf<number | undefined>();
      // @ts-expect-error: no field
      expectTypeOf(entity.fields.mana).toEqualTypeOf<number>();
      type Name = 'name' | 'health' | 'isAsleep' | 'heading' | 'gold';
      expectTypeOf(changes.fields).toEqualTypeOf<readonly Name[]>();
    });
    expectTypeOf(client.own).toEqualTypeOf<Entity<Looks> | undefined>();
    expectTypeOf(new UmweltClient({ url: '', appearance }).own).toEqualTypeOf<Entity<Looks> | undefined>();
    const any: Entity | undefined = client.own;
    expect(any).toBeUndefined();
  });

  it('are read-only in a client, whose mirror no game changes', () => {
    const client = new UmweltClient<Looks>({ url: '' });
    // Only their types are of interest: no frame comes.
    client.on('enter', (entity) => {
      // @ts-expect-error: read-only
      entity.x = 1;
      // @ts-expect-error: read-only
      entity.z = 1;
      // @ts-expect-error: read-only
      entity.shown.y = 1;
      // @ts-expect-error: read-only
      entity.steps[0] = 1;
      // @ts-expect-error: read-only
      entity.fields.health = 1;
      // @ts-expect-error: read-only
      entity.senses = 1;
      // @ts-expect-error: read-only
      entity.parent = undefined;
      // @ts-expect-error: read-only
      entity.leftMs = 1;
    });
    expect(client.entities.size).toBe(0);
  });

  it('are none where an appearance has no fields', () => {
    const bare = { positionStep: 1 } as const satisfies AppearanceOptions;
    const client = new UmweltClient<typeof bare>({ url: '' });
    expectTypeOf<keyof NonNullable<typeof client.own>['fields']>().toEqualTypeOf<never>();
    expect(client.entities.size).toBe(0);
  });
});

/** A stage of that appearance, a watcher and another beside it. */
async function stageOf(given: GatewayOptions['appearance']) {
  const stage = await new GatewayStage({ appearance: given }, new World({ senses: ['sight'] })).listen();
  const watcher = stage.world.add({ x: 0, y: 0, range: 10 });
  const other = stage.world.add({ x: 1, y: 0 });
  return { stage, watcher, other };
}

describe('an update', () => {
  it('says which fields changed, and whether it moved, is perceived otherwise, or has another parent', async () => {
    const { stage, watcher, other } = await stageOf(appearance);
    const horse = stage.world.add({ x: 2, y: 0 });
    const player = await stage.joinedPlayer(watcher);
    const told: string[] = [];
    player.client.on('update', ({ id }, { position, senses, parent, fields }) => {
      if (id === other) told.push(`${position} ${senses} ${parent} ${fields}`);
    });
    stage.tick();
    expect(told.splice(0)).toEqual([]);
    stage.gateway.set(other, { health: 3, heading: 0.5 });
    stage.tick();
    expect(told.splice(0)).toEqual(['false false false health,heading']);
    stage.world.move(other, 1.5, 0);
    stage.gateway.set(other, { health: 3, isAsleep: true });
    stage.tick();
    expect(told.splice(0)).toEqual(['true false false isAsleep']);
    stage.world.attach(other, horse, { x: -0.5 });
    stage.tick();
    expect(told.splice(0)).toEqual(['false false true ']);
    stage.world.detach(other);
    stage.world.pin(watcher, other);
    stage.world.update(other, { gain: 0 });
    stage.tick();
    // It is not seen any more: its name is for those who see it.
    expect(told.splice(0)).toEqual(['false true true name']);
  });

  it('says after a resync what differs from what the client had', async () => {
    const { stage, watcher, other } = await stageOf(appearance);
    const player = await stage.joinedPlayer(watcher);
    stage.tick();
    const told: string[] = [];
    player.client.on('update', ({ id }, { position, senses, fields }) => {
      told.push(`${id === other} ${position} ${senses} ${fields}`);
    });
    stage.gateway.set(other, { health: 9 });
    stage.joined[0]!.view.mustResync = true;
    stage.tick();
    expect(told).toEqual(['false false false ', 'true false false health']);
  });
});

describe('a client that was made for an appearance', () => {
  it('has what the server tells where that has its fields, in whatever order and beside whatever others', async () => {
    const { stage, watcher, other } = await stageOf({
      positionStep: 2,
      fields: { mana: { type: 'int' }, health: { type: 'uint' }, name: { type: 'string' } },
    });
    const shape = { fields: { name: { type: 'string' }, health: { type: 'uint' } } } as const;
    stage.gateway.set(other, { health: 7 });
    const player = await stage.joinedPlayer(watcher, { appearance: shape });
    stage.tick();
    expect(player.client.entities.get(other)?.fields).toEqual({ mana: 0, health: 7, name: '' });
  });

  it('leaves a server for good that has other fields, and says so once', async () => {
    const { stage, watcher } = await stageOf({
      positionStep: 1,
      fields: { health: { type: 'float32' }, name: { type: 'string' } },
    });
    const errors: unknown[] = [];
    const player = await stage.joinedPlayer(watcher, { appearance, onError: (error) => errors.push(error) });
    stage.clock.pass(60_000);
    await stage.settle();
    expect(player.client.state).toBe('closed');
    expect(errors.map(String)).toEqual([
      'AppearanceError: the server has another appearance than this client: ' +
        "'health' is float32, expected uint; 'isAsleep' is not there, expected bool; " +
        "'heading' is not there, expected float32; 'gold' is not there, expected int",
    ]);
  });
});
