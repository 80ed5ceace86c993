/** Options that are none: each mode refuses what it does not know, by name, and so does the player's end. */
import { UmweltError, World } from 'umwelt';
import { describe, expect, test } from 'vitest';
import { type PlayerRoom, perceive } from '../src/client.ts';
import { type InterestRoom, RoomInterest } from '../src/index.ts';

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
});
