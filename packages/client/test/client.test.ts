/**
 * The client against messages written by hand from the format's document, on a clock of the test's own.
 */
import { describe, expect, it } from 'vitest';
import { UmweltClient } from '../src/index.ts';
import { entering, frame, moving, Stage, varint, welcome } from './stage.ts';

const RESYNC = 1;
/** Ids of slots 0 and 1, generation 1. */
const FIRST = 1;
const SECOND = 1025;

/** With the client's own at (0, 0) and another, with 7 hp, at (5, -1), in world units. */
function among(stage: Stage): Stage {
  const entered = [...entering(1, 0, 0), ...entering(1, 10, -2, 7)];
  stage.receive(frame({ flags: RESYNC, number: 1, tick: 100, own: FIRST, entered }));
  return stage;
}

it('a client is not made with an option that there is not', () => {
  const options = { url: 'test:', retryFirst: 5 };
  expect(() => new UmweltClient(options)).toThrow(
    /'retryFirst' is no option of UmweltClient; expected one of url,/,
  );
});

describe('a client that connects', () => {
  it('says hello, and is open when it is welcomed', () => {
    const stage = new Stage({ credential: () => 'me' });
    stage.client.connect();
    expect(stage.client.state).toBe('connecting');
    stage.events?.opened();
    expect([...stage.sent[0]!]).toEqual([1, 3, 0, 0, 2, 109, 101]);
    stage.receive(welcome(false));
    expect(stage.client.state).toBe('open');
    expect(stage.client.welcome).toMatchObject({ tickMs: 50, positionStep: 0.5, senses: ['sight'] });
  });

  it('has what a frame tells, and tells of it', () => {
    const stage = among(new Stage().open());
    expect(stage.taken()).toEqual(['connecting', 'open', `enter ${FIRST}`, `enter ${SECOND}`]);
    expect(stage.client.own?.id).toBe(FIRST);
    expect(stage.client.entities.get(SECOND)).toMatchObject({ x: 5, y: -1, senses: 1, fields: { hp: 7 } });
  });

  it('takes changes, senses, messages and leaves, and tells of leaves first', () => {
    const stage = among(new Stage().open());
    stage.taken();
    const sensed = [2, 0];
    const messages = [2, 3, 9, 8, 7];
    stage.receive(frame({ number: 2, tick: 101, updated: moving(2, 3, -300), sensed, messages }));
    expect(stage.taken()).toEqual([`update ${SECOND}`, `message ${SECOND}: 9,8,7`]);
    expect(stage.client.entities.get(SECOND)).toMatchObject({ x: 6.5, y: -151, senses: 0 });
    // Hide field 0; then away, and another comes to the slot.
    stage.receive(frame({ number: 3, tick: 102, updated: [2, 4, 1] }));
    expect(stage.client.entities.get(SECOND)?.fields).not.toHaveProperty('hp');
    stage.taken();
    stage.receive(frame({ number: 4, tick: 103, left: [2], entered: [2, 2, 1, 2, 0, 0] }));
    expect(stage.taken()).toEqual([`leave ${SECOND}`, `enter ${SECOND + 1}`]);
  });

  it('keeps across a resync what it is told again', () => {
    const stage = among(new Stage().open());
    stage.taken();
    const before = stage.client.entities.get(SECOND);
    stage.receive(frame({ flags: RESYNC, number: 2, tick: 101, own: 0, entered: entering(2, 4, 4) }));
    expect(stage.taken()).toEqual([`leave ${FIRST}`, `update ${SECOND}`]);
    expect(stage.client.entities.get(SECOND)).toBe(before);
    expect(before).toMatchObject({ x: 2, y: 2, fields: {} });
    expect(stage.client.own).toBeUndefined();
  });
});

describe('a client that is told of leaves', () => {
  it('hears who is gone from the world, and who is only out of range', () => {
    const stage = among(new Stage({ keepLeftMs: 5000 }).open());
    stage.taken();
    stage.receive(frame({ number: 2, tick: 101, left: [1], gone: [2] }));
    expect(stage.taken()).toEqual([`leave ${FIRST}`, `leave ${SECOND}`]);
    expect(stage.reasons).toEqual(['out of range', 'gone']);
    expect([FIRST, SECOND].map((id) => stage.client.left.get(id)?.leftReason)).toEqual([
      'out of range',
      'gone',
    ]);
    stage.receive(frame({ number: 3, tick: 102, entered: entering(1, 0, 0) }));
    expect(stage.client.entities.get(FIRST)?.leftReason).toBeUndefined();
  });

  it('does not know why those left whom a resync does not name', () => {
    const stage = among(new Stage().open());
    stage.receive(frame({ flags: RESYNC, number: 2, tick: 101, own: 0 }));
    expect(stage.reasons).toEqual(['unknown', 'unknown']);
  });

  it('ends the connection where one is gone that it does not have, or that left in the same frame', () => {
    for (const parts of [{ gone: [9] }, { left: [2], gone: [2] }]) {
      const stage = among(new Stage().open());
      stage.receive(frame({ number: 2, tick: 101, ...parts }));
      expect(stage.closed).toEqual([4000]);
    }
  });
});

describe('a client that comes back to another world', () => {
  /** Its own and another, one of whom has left and is kept; then a welcome of a world whose ids began anew. */
  function elsewhere(resumed: boolean): Stage {
    const stage = among(new Stage({ keepLeftMs: 5000 }).open());
    const third = [...entering(3, 1, 1)];
    stage.receive(frame({ number: 2, tick: 101, entered: third }));
    stage.receive(frame({ number: 3, tick: 102, left: [3] }));
    stage.events?.closed(1006, '');
    stage.pass(500);
    stage.events?.opened();
    stage.taken();
    stage.receive(welcome(resumed, 2));
    return stage;
  }

  it('is told that all have left, and has nothing', () => {
    const stage = elsewhere(false);
    expect(stage.taken()).toEqual([`leave ${FIRST}`, `leave ${SECOND}`, 'open']);
    expect([stage.client.entities.size, stage.client.left.size, stage.client.tick]).toEqual([0, 0, 0]);
    expect(stage.client.own).toBeUndefined();
  });

  it('takes nobody there for somebody it knew', () => {
    const stage = elsewhere(false);
    stage.taken();
    const entered = [...entering(1, 3, 3), ...entering(1, 4, 4), ...entering(1, 5, 5)];
    stage.receive(frame({ flags: RESYNC, number: 1, tick: 7, own: SECOND, entered }));
    expect(stage.taken()).toEqual([`enter ${FIRST}`, `enter ${SECOND}`, 'enter 2049']);
    expect(stage.client.entities.get(SECOND)).toMatchObject({ x: 2, y: 2, fields: {} });
    expect(stage.client.inputTaken).toBe(0);
  });

  it('takes no difference from what it had', () => {
    const stage = elsewhere(true);
    stage.receive(frame({ number: 1, tick: 103, updated: moving(1, 1, 1) }));
    expect(stage.closed).toEqual([4000]);
    expect(stage.client.entities.size).toBe(0);
  });
});

describe('a client whose connection breaks', () => {
  it('asks where to go at each connection, and goes there with what it has', () => {
    const urls = ['test:one', 'test:two', 'test:three'];
    const stage = among(new Stage({ url: () => urls.shift() ?? 'test:none' }).open());
    expect(stage.url).toBe('test:one');
    stage.events?.closed(1006, '');
    stage.pass(500);
    expect(stage.url).toBe('test:two');
    stage.events?.closed(1006, '');
    stage.pass(1000);
    expect([stage.url, stage.opened]).toEqual(['test:three', 3]);
    // Another server of the same world knows nothing of its session: all is told anew, and nobody is lost meanwhile.
    stage.events?.opened();
    stage.taken();
    stage.receive(welcome(false));
    stage.receive(frame({ flags: RESYNC, number: 1, tick: 7, own: FIRST, entered: entering(1, 3, 3) }));
    expect(stage.taken()).toEqual(['open', `leave ${SECOND}`, `update ${FIRST}`]);
  });

  it('is closed, and says why, when it cannot be told where to go', () => {
    const url = () => {
      throw new Error('no server is left');
    };
    const stage = new Stage({ url });
    expect(() => stage.client.connect()).toThrow('no server is left');
    expect(stage.client.state).toBe('closed');
  });

  it('waits twice as long after each failure, up to the limit, and less once it was served', () => {
    const stage = new Stage({ retryFirstMs: 100, retryMaxMs: 350 });
    stage.client.connect();
    const waits = [100, 200, 350, 350].map((ms) => {
      stage.events?.closed(1006, '');
      const before = stage.opened;
      stage.pass(ms - 1);
      expect(stage.opened).toBe(before);
      stage.pass(1);
      return stage.opened - before;
    });
    expect(waits).toEqual([1, 1, 1, 1]);
    stage.events?.opened();
    stage.receive(welcome(false));
    among(stage).events?.closed(1006, '');
    stage.pass(100);
    expect(stage.opened).toBe(6);
  });

  it('goes on with its token and what it has', () => {
    const stage = among(new Stage().open());
    stage.events?.closed(1006, '');
    stage.pass(500);
    stage.events?.opened();
    const hello = [...stage.sent.at(-1)!];
    expect(hello.slice(2)).toEqual([16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 100, 0]);
    stage.receive(welcome(true));
    stage.receive(frame({ number: 7, tick: 130, left: [2] }));
    expect([...stage.client.entities.keys()]).toEqual([FIRST]);
  });

  it.each([4000, 4001, 4005, 4008, 4009])('does not come again after %i', (code) => {
    const stage = among(new Stage().open());
    stage.events?.closed(code, '');
    expect(stage.client.state).toBe('closed');
    expect(stage.timerCount).toBe(0);
  });

  it.each([1001, 1006, 1011, 4003, 4004, 4006, 4007])('comes again after %i', (code) => {
    const stage = among(new Stage().open());
    stage.events?.closed(code, '');
    expect(stage.client.state).toBe('waiting');
    stage.pass(60_000);
    expect(stage.opened).toBeGreaterThan(1);
  });

  it('takes silence for a broken connection', () => {
    const stage = among(new Stage().open());
    stage.pass(15_000);
    expect(stage.closed).toEqual([4007]);
    expect(stage.client.state).toBe('waiting');
  });

  it('hears nothing more of a connection that it gave up', () => {
    const stage = among(new Stage().open());
    const old = stage.events;
    stage.client.close();
    stage.taken();
    old?.received(Uint8Array.from(frame({ number: 2, tick: 101, left: [2] })));
    old?.closed(1006, '');
    expect(stage.taken()).toEqual([]);
    expect(stage.timerCount).toBe(0);
    expect(stage.client.entities.size).toBe(2);
  });
});

describe('a client that is told nonsense', () => {
  it.each([
    ['an update of somebody unknown', { updated: moving(3, 1, 1) }],
    ['somebody who left and was never there', { left: [3] }],
    ['somebody who entered twice', { entered: entering(2, 0, 0) }],
    ['a slot that is none', { entered: [...varint(2 ** 23), ...entering(1, 0, 0).slice(1)] }],
    ['generation 0', { entered: [3, 0, 1, 2, 0, 0] }],
    ['an entity without a place', { entered: [3, 1, 1, 0] }],
    ['a difference to nothing', { entered: [3, 1, 1, 1, 0, 0] }],
    ['a field that there is not', { updated: [2, 16, 1] }],
    ['a place both whole and as difference', { updated: [2, 3, 1, 1] }],
    ['a message about nobody', { messages: [9, 0] }],
    ['another number than the next', { number: 5 }],
  ])('gives the connection up: %s', (_, parts) => {
    const stage = among(new Stage().open());
    stage.receive(frame({ number: 2, tick: 101, ...parts }));
    expect(stage.closed).toEqual([4000]);
    expect(stage.client.state).toBe('waiting');
    stage.pass(500);
    stage.events?.opened();
    // Nothing that it has is to be built on.
    expect(stage.sent.at(-1)![19]).toBe(0);
  });

  it('gives the connection up: a difference where a new session begins', () => {
    const stage = new Stage().open();
    stage.receive(frame({ number: 1, tick: 1 }));
    expect(stage.closed).toEqual([4000]);
  });

  it('gives the connection up: a frame before the welcome', () => {
    const stage = new Stage();
    stage.client.connect();
    stage.receive(frame({ flags: RESYNC, number: 1, tick: 1 }));
    expect(stage.closed).toEqual([4000]);
  });
});

describe('a client that speaks', () => {
  it('numbers its inputs, and says nothing where nobody listens', () => {
    const stage = new Stage();
    expect(stage.client.sendInput(Uint8Array.of(1))).toBe(0);
    among(stage.open());
    expect(stage.client.sendInput(Uint8Array.of(5, 6))).toBe(1);
    expect(stage.client.sendInput(Uint8Array.of(7))).toBe(2);
    expect(stage.sent.slice(-2).map((bytes) => [...bytes])).toEqual([
      [2, 1, 5, 6],
      [2, 2, 7],
    ]);
  });

  it('sends no more inputs than the server takes in, and says so', () => {
    const stage = among(new Stage().open());
    const sent = (count: number): number[] =>
      Array.from({ length: count }, () => stage.client.sendInput(Uint8Array.of(1))).filter((n) => n > 0);
    expect(sent(50)).toHaveLength(10);
    stage.pass(500);
    expect(sent(50)).toEqual([11, 12, 13, 14, 15]);
    // A stall saves nothing up beyond a second.
    stage.pass(10_000);
    expect(sent(50)).toHaveLength(10);
    expect(stage.client.welcome?.inputsPerSecond).toBe(10);
  });

  it('keeps its pace across a broken connection', () => {
    const stage = among(new Stage().open());
    for (let i = 0; i < 10; i++) stage.client.sendInput(Uint8Array.of(1));
    stage.events?.closed(1006, '');
    stage.pass(500);
    stage.events?.opened();
    stage.receive(welcome(true));
    const sent = Array.from({ length: 50 }, () => stage.client.sendInput(Uint8Array.of(1)));
    expect(sent.filter((number) => number > 0)).toHaveLength(5);
  });

  it('acknowledges frames as they come where timers do not run', () => {
    const stage = among(new Stage({ setTimer: () => () => {} }).open());
    for (let tick = 101; tick <= 140; tick++) {
      stage.pass(50);
      stage.receive(frame({ number: tick - 99, tick }));
    }
    expect(stage.sent.slice(1).map((bytes) => [...bytes])).toEqual([
      [3, 110],
      [3, 120],
      [3, 130, 1],
      [3, 140, 1],
    ]);
  });

  it('acknowledges frames now and then, and measures the way there and back', () => {
    const stage = among(new Stage().open());
    stage.pass(600);
    expect([...stage.sent.at(-1)!]).toEqual([3, 100]);
    stage.receive(frame({ number: 2, tick: 112 }));
    stage.receive(frame({ number: 3, tick: 113 }));
    stage.pass(399);
    expect([...stage.sent.at(-1)!]).toEqual([3, 100]);
    stage.pass(1);
    expect([...stage.sent.at(-1)!]).toEqual([3, 113]);
    stage.pass(4000);
    expect([...stage.sent.at(-1)!]).toEqual([4, 1]);
    stage.pass(80);
    stage.receive([3, 1]);
    expect(stage.client.roundTripMs).toBe(80);
  });
});

describe('what is drawn', () => {
  const shownX = (stage: Stage, id: number): number | undefined => {
    stage.client.interpolate();
    return (stage.client.entities.get(id) ?? stage.client.left.get(id))?.shown.x;
  };

  it('lies between the places told, two ticks behind', () => {
    const stage = among(new Stage().open());
    for (const tick of [101, 102, 103]) {
      stage.pass(50);
      stage.receive(frame({ number: tick - 99, tick, updated: moving(2, 4, 0) }));
    }
    // Tick 103 has just arrived: 101 is shown, at 7; half a tick later, half a step further.
    expect(shownX(stage, SECOND)).toBeCloseTo(7);
    stage.pass(25);
    expect(shownX(stage, SECOND)).toBeCloseTo(8);
    stage.pass(1000);
    expect(shownX(stage, SECOND)).toBeCloseTo(11);
  });

  it('is where it is when it enters, before anything was interpolated', () => {
    const stage = new Stage().open();
    const seen: number[][] = [];
    stage.client.on('enter', ({ shown: { x, y, z } }) => seen.push([x, y, z]));
    among(stage);
    expect(seen).toEqual([
      [0, 0, 0],
      [5, -1, 0],
    ]);
  });

  it('rests until shortly before it moves', () => {
    const stage = among(new Stage().open());
    for (let tick = 101; tick <= 120; tick++) {
      stage.pass(50);
      const updated = tick === 120 ? moving(2, 4, 0) : [];
      stage.receive(frame({ number: tick - 99, tick, updated }));
    }
    expect(shownX(stage, SECOND)).toBeCloseTo(5);
    stage.pass(50);
    expect(shownX(stage, SECOND)).toBeCloseTo(6);
    stage.pass(50);
    expect(shownX(stage, SECOND)).toBeCloseTo(7);
  });

  it('keeps what left for as long as was asked, and gives the same back if it returns', () => {
    const stage = among(new Stage({ keepLeftMs: 1000 }).open());
    const entity = stage.client.entities.get(SECOND);
    stage.receive(frame({ number: 2, tick: 101, left: [2] }));
    expect(stage.client.left.get(SECOND)).toBe(entity);
    expect(entity?.leftMs).toBe(1000);
    stage.pass(900);
    stage.receive(frame({ number: 3, tick: 119, entered: entering(2, 1, 1) }));
    expect(stage.client.entities.get(SECOND)).toBe(entity);
    expect(entity?.leftMs).toBeUndefined();
    stage.receive(frame({ number: 4, tick: 120, left: [2] }));
    stage.pass(1000);
    expect(shownX(stage, SECOND)).toBeUndefined();
  });

  it('forgets what left at once unless asked to keep it', () => {
    const stage = among(new Stage().open());
    stage.receive(frame({ number: 2, tick: 101, left: [2] }));
    expect(stage.client.left.size).toBe(0);
  });

  it('is not taken from later ticks where the server continues from an earlier one', () => {
    const stage = among(new Stage().open());
    for (const tick of [101, 102, 103]) {
      stage.pass(50);
      stage.receive(frame({ number: tick - 99, tick, updated: moving(2, 100, 0) }));
    }
    stage.receive(frame({ flags: RESYNC, number: 5, tick: 50, own: FIRST, entered: entering(2, 30, 0) }));
    expect(shownX(stage, SECOND)).toBe(15);
    stage.pass(50);
    stage.receive(frame({ number: 6, tick: 51, updated: moving(2, 4, 0) }));
    stage.pass(100);
    expect(shownX(stage, SECOND)).toBe(17);
  });

  it('never goes back when frames come late', () => {
    const stage = among(new Stage().open());
    let last = 0;
    for (let tick = 101; tick <= 160; tick++) {
      stage.pass(tick % 7 === 0 ? 200 : 22);
      stage.receive(frame({ number: tick - 99, tick, updated: moving(2, 4, 0) }));
      const x = shownX(stage, SECOND)!;
      expect(x).toBeGreaterThanOrEqual(last);
      last = x;
    }
    expect(last).toBeGreaterThan(50);
  });
});

describe('a listener that throws', () => {
  /** A client whose listeners all throw, and what came of it. */
  function thrower() {
    const thrown: unknown[] = [];
    const stage = new Stage({ onError: (error) => thrown.push((error as Error).message) });
    for (const event of ['state', 'enter', 'leave', 'update', 'message', 'frame'] as const) {
      stage.client.on(event, () => {
        throw new Error(event);
      });
    }
    return { stage, thrown };
  }

  it('costs no other listener an event of the frame, and the frame is taken in', () => {
    const { stage, thrown } = thrower();
    const later: string[] = [];
    stage.client.on('enter', ({ id }) => later.push(`enter ${id}`));
    stage.client.on('frame', (tick) => later.push(`frame ${tick}`));
    among(stage.open());
    expect(later).toEqual([`enter ${FIRST}`, `enter ${SECOND}`, 'frame 100']);
    expect(thrown).toEqual(['state', 'state', 'enter', 'enter', 'frame']);
    stage.receive(frame({ number: 2, tick: 101, left: [2], messages: [1, 1, 9] }));
    expect(later.at(-1)).toBe('frame 101');
    expect(stage.taken().slice(-2)).toEqual([`leave ${SECOND}`, `message ${FIRST}: 9`]);
    expect(stage.client.state).toBe('open');
  });

  it('does not keep the client from coming back', () => {
    const { stage } = thrower();
    among(stage.open());
    stage.events?.closed(1006, '');
    expect(stage.client.state).toBe('waiting');
    stage.pass(500);
    stage.events?.opened();
    stage.receive(welcome(true));
    expect(stage.client.state).toBe('open');
  });

  it('is reported as uncaught where nobody asks for it', async () => {
    const stage = new Stage();
    const uncaught: unknown[] = [];
    const before = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => uncaught.push(error.message));
    stage.client.on('frame', () => {
      throw new Error('frame');
    });
    among(stage.open());
    await new Promise((resolve) => setImmediate(resolve));
    process.removeAllListeners('uncaughtException');
    for (const listener of before) process.on('uncaughtException', listener);
    expect(uncaught).toEqual(['frame']);
    expect(stage.client.tick).toBe(100);
  });
});
