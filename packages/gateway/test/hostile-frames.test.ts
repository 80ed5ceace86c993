/**
 * Bytes that nobody meant: what a client gets from a server, and a server from a client, is understood or refused.
 */
import fc from 'fast-check';
import { World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { readClientMessage } from '../src/wire/client-message.ts';
import { FrameDesk } from './frame-desk.ts';

const SENSES = ['sight'];
const FIELDS = {
  'any-flag': { type: 'bool' },
  'any-count': { type: 'int' },
  'any-health': { type: 'uint' },
  'any-gold': { type: 'float32' },
  'any-name': { type: 'string' },
  'near-rank': { type: 'uint', audience: 'near' },
} as const;

/** A client among five others, up to date, and the frame that comes next: it enters, updates, hides and sends off. */
function stage() {
  const world = new World({ senses: SENSES });
  const desk = new FrameDesk(world, { positionStep: 0.1, nearDistance: 3, fields: FIELDS }, SENSES);
  const ids = [0, 1, 2, 3, 4].map((x) => world.add({ x, y: 0, range: 10 }));
  for (const id of ids) desk.columns.set(id, { 'any-name': `entity ${id}`, 'any-count': -id });
  const seat = desk.seat(ids[0]!, ids[0]!);
  desk.tick();
  seat.wired.receive(desk.frame(seat));
  world.remove(ids[1]!);
  world.add({ x: 2, y: 2 });
  world.move(ids[2]!, 9, 1);
  desk.columns.set(ids[3]!, { 'any-gold': 0.5, 'any-flag': true, 'any-health': 4e9 });
  desk.tick();
  seat.view.queue({ marker: ids[3]!, bytes: Uint8Array.of(1, 2, 3) });
  return { desk, seat, frame: desk.frame(seat) };
}

type Hit = [at: number, value: number];
const hits = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 3 });

describe('a client', () => {
  it('takes the frame that the following damage', () => {
    const { desk, seat, frame } = stage();
    seat.wired.receive(frame);
    expect(seat.wired.client.state).toBe('open');
    expect(desk.actual(seat).sort()).toEqual(desk.expected(seat).sort());
  });

  it('drops the connection for a damaged frame, or takes a sound one', () => {
    let taken = 0;
    let refused = 0;
    fc.assert(
      fc.property(hits, fc.integer({ min: -3, max: 3 }), (changes: Hit[], longer) => {
        const { seat, frame } = stage();
        const bytes = new Uint8Array(Math.max(1, frame.length + longer));
        bytes.set(frame.subarray(0, bytes.length));
        // Not the kind, which the next test is about.
        for (const [at, value] of changes) bytes[1 + (at % (bytes.length - 1))] = value;
        seat.wired.receive(bytes);
        const { state, entities } = seat.wired.client;
        if (state === 'open') taken++;
        else refused++;
        expect(['open', 'waiting']).toContain(state);
        expect(entities.size).toBeLessThanOrEqual(bytes.length);
        for (const { x, y, shown } of entities.values()) {
          expect(Number.isFinite(x + y + shown.x)).toBe(true);
        }
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(taken, refused)).toBeGreaterThan(30);
  });

  it('drops the connection for bytes of chance', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, isFrame) => {
        const { seat } = stage();
        if (isFrame && bytes.length > 0) bytes[0] = 2;
        seat.wired.receive(bytes);
        expect(['open', 'waiting']).toContain(seat.wired.client.state);
      }),
      { numRuns: 2000 },
    );
  });

  it('starts from nothing after a frame that made no sense', () => {
    const { desk, seat, frame } = stage();
    seat.wired.receive(frame.subarray(0, frame.length - 1));
    expect(seat.wired.client.state).toBe('waiting');
    seat.wired.runTimers();
    seat.wired.events?.opened();
    expect(seat.wired.said.at(-1)).toMatchObject({ kind: 'hello', lastTick: 0 });
    seat.view.resume(0, desk.world.tickCount);
    desk.welcome(seat, true);
    desk.tick();
    seat.wired.receive(desk.frame(seat));
    expect(desk.actual(seat).sort()).toEqual(desk.expected(seat).sort());
  });

  it('refuses frames out of turn', () => {
    const { desk, seat, frame } = stage();
    desk.tick();
    seat.wired.receive(desk.frame(seat));
    expect(seat.wired.client.state).toBe('waiting');
    expect(frame.length).toBeGreaterThan(0);
  });
});

describe('the reader of what clients say', () => {
  it('answers a message or nothing, and never throws', () => {
    let read = 0;
    fc.assert(
      fc.property(fc.nat({ max: 5 }), fc.uint8Array({ maxLength: 60 }), (kind, bytes) => {
        const message = readClientMessage(Uint8Array.of(kind, ...bytes));
        if (message !== undefined) read++;
        if (message?.kind === 'hello') expect([0, 16]).toContain(message.token.length);
      }),
      { numRuns: 20_000 },
    );
    expect(read).toBeGreaterThan(100);
  });

  it.each([
    ['nothing', []],
    ['an unknown kind', [9]],
    ['a hello without a version', [1]],
    ['a token of another length', [1, 2, 3, 1, 2, 3, 0, 0]],
    ['a token cut short', [1, 2, 16, 1, 2, 3]],
    ['a credential cut short', [1, 2, 0, 0, 5, 65]],
    ['a credential that is not UTF-8', [1, 2, 0, 0, 1, 0xff]],
    ['a credential that is too long', [1, 2, 0, 0, 0xff, 0xff, 3, 65]],
    ['bytes after the end', [3, 1, 1]],
    ['a number beyond 32 bits', [3, 0xff, 0xff, 0xff, 0xff, 0x7f]],
    ['a number that does not end', [4, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]],
    ['an input without a number', [2]],
  ])('refuses %s', (_, bytes) => {
    expect(readClientMessage(Uint8Array.from(bytes))).toBeUndefined();
  });

  it('knows a hello of another version, whatever it holds', () => {
    expect(readClientMessage(Uint8Array.of(1, 9, 200, 200))).toEqual({ kind: 'other version' });
  });
});
