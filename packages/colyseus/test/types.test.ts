/** One appearance for a room and its players: what the room declares are the types of what it sets and of what its clients have. */
import { MapSchema, schema, t } from '@colyseus/schema';
import type { AppearanceOptions, FieldValue } from '@umwelt/gateway';
import { World } from 'umwelt';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type PlayerRoom, perceive } from '../src/client.ts';
import { RoomInterest, type RoomInterestOptions } from '../src/index.ts';

const appearance = {
  positionStep: 0.5,
  fields: {
    name: { type: 'string', max: 32, sense: 'sight' },
    health: { type: 'uint' },
    isAsleep: { type: 'bool' },
    gold: { type: 'int', audience: 'owner' },
  },
} as const satisfies AppearanceOptions;

const noRoom = () => ({ clients: [], onMessage: () => {}, hasReservedSeat: () => false }) as never;

/** Of the player's SDK, that never answers. */
const playerRoom: PlayerRoom = {
  connection: { isOpen: false },
  send() {},
  onMessage() {},
  onDrop() {},
  onReconnect() {},
  onLeave() {},
};

describe("the types of a room's appearance", () => {
  it('are those of what it sets, by itself and by its gateway', () => {
    const world = new World();
    const interest = new RoomInterest(noRoom(), world, { mode: 'frames', tickMs: 50, appearance });
    const id = world.add({ x: 0, y: 0 });
    interest.set(id, { health: 80, name: 'Ada' });
    // @ts-expect-error: a field of another type
    expect(() => interest.set(id, { health: 'all' })).toThrow(/health/);
    // @ts-expect-error: no field
    expect(() => interest.set(id, { mana: 1 })).toThrow(/mana/);
    // @ts-expect-error: a field of another type
    expect(() => interest.gateway.set(id, { isAsleep: 1 })).toThrow(/isAsleep/);
    expectTypeOf(interest.gateway.get(id, 'health')).toEqualTypeOf<number>();
    expectTypeOf(interest.gateway.get(id, 'isAsleep')).toEqualTypeOf<boolean>();
    expect(interest.gateway.get(id, 'health')).toBe(80);
    // Whatever its fields are, it is an interest.
    const any: RoomInterest = interest;
    expect(any.gateway.get(id, 'name')).toBe('Ada');
  });

  it('are found where the appearance is written into the options', () => {
    const world = new World();
    const interest = new RoomInterest(noRoom(), world, {
      mode: 'frames',
      tickMs: 50,
      appearance: { positionStep: 1, fields: { level: { type: 'uint' } } },
    });
    const id = world.add({ x: 0, y: 0 });
    interest.set(id, { level: 3 });
    expectTypeOf(interest.gateway.get(id, 'level')).toEqualTypeOf<number>();
    // @ts-expect-error: a field of another type
    expect(() => interest.set(id, { level: 'three' })).toThrow(/level/);
  });

  it("are open where they are not known, and in mode 'view' there are none", () => {
    const world = new World();
    const id = world.add({ x: 0, y: 0 });
    const open: RoomInterestOptions = { mode: 'frames', tickMs: 50, appearance: { positionStep: 1 } };
    const interest = new RoomInterest(noRoom(), world, open);
    expectTypeOf(interest.gateway.get(id, 'any')).toEqualTypeOf<FieldValue | undefined>();
    expectTypeOf(interest.set).toBeCallableWith(1, { any: 3 });
    const State = schema({ units: t.map(schema({ x: t.float32() })).view() });
    expect(new State().units).toBeInstanceOf(MapSchema);
    const viewed: RoomInterest = new RoomInterest(noRoom(), world, { mode: 'view' });
    expect(() => viewed.gateway).toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }));
  });

  it("are those of what the room's players have", () => {
    const client = perceive(playerRoom, { appearance });
    client.on('update', (entity, changes) => {
      expectTypeOf(entity.fields.health).toEqualTypeOf<number>();
      expectTypeOf(entity.fields.name).toEqualTypeOf<string | undefined>();
      expectTypeOf(entity.fields.gold).toEqualTypeOf<number | undefined>();
      // @ts-expect-error: no field
      expectTypeOf(entity.fields.mana).toEqualTypeOf<number>();
      expectTypeOf(changes.fields).toEqualTypeOf<readonly ('name' | 'health' | 'isAsleep' | 'gold')[]>();
    });
    expectTypeOf(perceive<typeof appearance>).returns.toEqualTypeOf<typeof client>();
    expect(client.state).toBe('closed');
  });
});
