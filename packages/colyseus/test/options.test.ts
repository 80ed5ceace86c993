/** What a game gives that cannot be: options by name, changes of another world, instances that every client is sent. */
import type { Client } from '@colyseus/core';
import { Encoder, type Schema, schema, t } from '@colyseus/schema';
import { UmweltError, World } from 'umwelt';
import { describe, expect, test, vi } from 'vitest';
import { type PlayerRoom, perceive } from '../src/client.ts';
import { type InterestRoom, RoomInterest } from '../src/index.ts';
import { Unit } from './room-stage.ts';

const room = {
  clients: new Map(),
  onMessage: () => {},
  hasReservedSeat: () => false,
} as never as InterestRoom;
const frames = { mode: 'frames', tickMs: 50, appearance: { positionStep: 1 } } as const;

function refusal(options: object): { code: string; field: string | undefined; message: string } | undefined {
  const world = new World();
  try {
    void new RoomInterest({ ...room }, world, options as never);
    return undefined;
  } catch (error) {
    if (!(error instanceof UmweltError)) throw error;
    return { code: error.code, field: error.details.field, message: error.message };
  }
}

describe('options of a room interest', () => {
  test.each([
    [{ mode: 'view' }],
    [{ mode: 'view', graceMs: 0, clock: performance }],
    [frames],
    [{ ...frames, graceMs: Number.POSITIVE_INFINITY, limits: { messagesPerSecond: 10 }, onInput: () => {} }],
  ])('%o are taken', (options) => {
    expect(refusal(options)).toBeUndefined();
  });

  test.each([
    [{ mode: 'view', grace: 10 }, 'grace'],
    [{ mode: 'view', tickMs: 50 }, 'tickMs'],
    [{ mode: 'view', limits: {} }, 'limits'],
    [{ ...frames, limit: {} }, 'limit'],
    [{ ...frames, oninput: () => {} }, 'oninput'],
    [{ ...frames, authenticate: () => undefined }, 'authenticate'],
    [{ ...frames, limits: { graceMs: 5 } }, 'limits.graceMs'],
    [{ ...frames, limits: { messagesPerMinute: 5 } }, 'limits.messagesPerMinute'],
  ])('%o are refused by name', (options, field) => {
    expect(refusal(options)).toMatchObject({ code: 'BAD_OPTION', field });
    expect(refusal(options)?.message).toMatch(/expected .*[gG]raceMs|expected .*messagesPerSecond/);
  });
});

describe('changes that are not those of the world', () => {
  test.each([{ mode: 'view' } as const, frames])('are refused with %o, and change nothing', (options) => {
    const [world, elsewhere] = [new World(), new World()];
    const interest = new RoomInterest({ ...room }, world, options);
    elsewhere.tick();
    for (const changes of [elsewhere.tick(), undefined, {}]) {
      const refused = expect.objectContaining({ code: 'BAD_OPTION' });
      expect(() => interest.publish(changes as never)).toThrow(refused);
    }
    interest.publish(world.tick());
    // Both are at tick 3.
    world.tick();
    world.tick();
    const refused = /changes of another world at tick 3 were given; expected those of this room's world/;
    expect(() => interest.publish(elsewhere.tick())).toThrow(refused);
    interest.publish(world.lastChanges);
  });
});

describe('options of perceive', () => {
  const playerRoom = {
    connection: { isOpen: true },
    send: () => {},
    onMessage: () => {},
    onDrop: () => {},
    onReconnect: () => {},
    onLeave: () => {},
  } satisfies PlayerRoom;

  test('those of a client that concern no connection are taken', () => {
    expect(perceive(playerRoom, { keepLeftMs: 500, delayTicks: 1 }).state).toBe('closed');
  });

  test.each(['url', 'credential', 'openSocket', 'keepLeft'])('%s is refused by name', (name) => {
    expect(() => perceive(playerRoom, { [name]: 'x' })).toThrow(`${name} is no option; expected delayTicks`);
  });

  test.each([[undefined], ['forest'], [Promise.resolve(playerRoom)]])('%o is told to be no room', (room) => {
    const refused = 'room is no room of the Colyseus SDK; expected what `await joinOrCreate()` returned';
    expect(() => perceive(room as never)).toThrow(new TypeError(refused));
  });

  test('a room gets no listeners from options that are refused', () => {
    const onMessage = vi.fn();
    const appearance = { fields: { hp: { type: 'number' } } } as never;
    expect(() => perceive({ ...playerRoom, onMessage }, { appearance })).toThrow(
      "'number' is no type for field 'hp' of UmweltClient; expected one of bool, int, uint, float32, string",
    );
    expect(onMessage).not.toHaveBeenCalled();
  });
});

describe('an instance without .view() on the path to it', () => {
  const Open = schema({ open: t.map(Unit), hidden: t.map(Unit).view() }, 'Open');
  const Detailed = schema({ id: t.uint32(), gold: t.uint32().view() }, 'Detailed');
  const Bank = schema({ all: t.map(Detailed) }, 'Bank');

  function roomOf(state: Schema) {
    const world = new World();
    const client = { sessionId: 'one' } as Client;
    const room = { clients: new Map([['one', client]]), hasReservedSeat: () => false };
    const interest = new RoomInterest(room as never as InterestRoom, world, { mode: 'view' });
    const encoder = new Encoder(state);
    const id = world.add({ x: 0, y: 0, range: 10 });
    interest.follow(client, id);
    const step = () => {
      try {
        interest.publish(world.tick());
      } finally {
        encoder.encode({ offset: 0 });
      }
    };
    return { id, track: (instance: Schema) => interest.track(id, instance), step };
  }

  test('is an error by the second tick: every client is sent it', () => {
    const state = new Open();
    const { id, track, step } = roomOf(state);
    const unit = new Unit();
    state.open.set('a', unit);
    track(unit);
    step();
    const refused = `schema of entity ${id} is sent to every client, perceived or not; expected .view() on the path to it`;
    expect(step).toThrow(refused);
    expect(step).toThrow(refused);
    state.hidden.set('a', unit);
    state.open.delete('a');
    expect(step).toThrow(refused); // Colyseus settles it with the next patch
    step();
  });

  test('is none if it moves on within a tick, or if fields of its own have .view()', () => {
    const state = new Open();
    const { track, step } = roomOf(state);
    const unit = new Unit();
    state.open.set('a', unit);
    track(unit);
    state.hidden.set('a', unit);
    state.open.delete('a');
    step();
    step();

    const bank = new Bank();
    const other = roomOf(bank);
    const detailed = new Detailed();
    bank.all.set('a', detailed);
    other.track(detailed);
    other.step();
    other.step();
  });
});
