/** What a client keeps of the connection before, and what it takes from the server that welcomes it again. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { entering, frame, moving, Stage, welcome } from './stage.ts';

const RESYNC = 1;
/** Slots 0 and 1, generation 1. */
const FIRST = 1;
const SECOND = 1025;

/** Its own at 0, 0 and another at 5, 0. */
function among(stage: Stage): Stage {
  const entered = [...entering(1, 0, 0), ...entering(1, 10, 0)];
  stage.receive(frame({ flags: RESYNC, number: 1, tick: 100, own: FIRST, entered }));
  return stage;
}

describe('a client that is welcomed again', () => {
  it('names no tick of an ended session to the one that came after it', () => {
    const stage = among(new Stage().open());
    for (let round = 0; round < 2; round++) {
      stage.events?.closed(1006, '');
      stage.pass(2000);
      stage.events?.opened();
      // The new session's connection breaks before a frame of it has come.
      if (round === 0) stage.receive(welcome(false));
    }
    expect([...stage.sent.at(-1)!].slice(-2)).toEqual([0, 0]);
    expect(stage.client.entities.size).toBe(2);
  });

  it('draws nothing at an older place until the first frame of a new session', () => {
    const stage = among(new Stage().open());
    for (const tick of [101, 102, 103, 104]) {
      stage.pass(50);
      stage.receive(frame({ number: tick - 99, tick, updated: moving(2, 4, 0) }));
    }
    stage.pass(200);
    stage.client.interpolate();
    expect(stage.client.entities.get(SECOND)?.shown.x).toBe(13);
    stage.events?.closed(1006, '');
    stage.pass(500);
    stage.events?.opened();
    stage.receive(welcome(false));
    stage.client.interpolate();
    expect(stage.client.entities.get(SECOND)?.shown.x).toBe(13);
  });

  it('keeps to the settings that a restarted server has', () => {
    const stage = among(new Stage().open());
    stage.events?.closed(1006, '');
    stage.pass(500);
    stage.events?.opened();
    stage.receive(welcome(true, 1, 200, 3));
    for (const tick of [101, 102, 103, 104]) {
      stage.pass(200);
      stage.receive(frame({ number: tick, tick, updated: moving(2, 4, 0) }));
    }
    stage.client.interpolate();
    // Two ticks behind the newest, and half a tick later half a step further.
    expect(stage.client.entities.get(SECOND)?.shown.x).toBeCloseTo(9);
    stage.pass(100);
    stage.client.interpolate();
    expect(stage.client.entities.get(SECOND)?.shown.x).toBeCloseTo(10);
    const numbers = Array.from({ length: 9 }, () => stage.client.sendInput(Uint8Array.of(1)));
    expect(numbers.filter((number) => number > 0)).toHaveLength(3);
  });
});

describe('a client that was sent an invalid frame', () => {
  const bad: [string, number[]][] = [
    ['ends too early', frame({ number: 2, tick: 101, left: [2], entered: entering(3, 4, 4) }).slice(0, -3)],
    ['is a resync that names nobody', frame({ flags: RESYNC, number: 2, tick: 101, entered: [9] })],
    ['ends in an entity', frame({ number: 2, tick: 101, entered: entering(3, 4, 4) }).slice(0, -8)],
    ['updates nobody', frame({ number: 2, tick: 101, left: [2], updated: moving(9, 1, 1) })],
    ['is not the next one', frame({ number: 3, tick: 102, left: [2] })],
  ];

  it.each(bad)('that %s has whom it was told of, and is told of each once', (_, bytes) => {
    const stage = among(new Stage().open());
    stage.taken();
    stage.receive(bytes);
    expect(stage.taken()).toEqual(['waiting 4000']);
    expect([...stage.client.entities.keys()].sort()).toEqual([FIRST, SECOND]);
    stage.pass(500);
    stage.events?.opened();
    stage.receive(welcome(true));
    const entered = [...entering(1, 0, 0), ...entering(2, 4, 4)];
    stage.receive(frame({ flags: RESYNC, number: 1, tick: 103, own: FIRST, entered }));
    const third = 2 * 1024 + 1;
    expect(stage.taken()).toEqual([
      'connecting',
      'open',
      `leave ${SECOND}`,
      `enter ${third}`,
      `update ${FIRST}`,
    ]);
    expect([...stage.client.entities.keys()].sort()).toEqual([FIRST, third]);
  });
});

describe('a listener that closes the client and connects it again', () => {
  function anew({ client }: Stage): void {
    client.close();
    client.connect();
  }

  it('while it connects, leaves it with one connection', () => {
    const stage = new Stage();
    const stop = stage.client.on('state', (state) => {
      if (state === 'connecting') {
        stop();
        anew(stage);
      }
    });
    stage.client.connect();
    expect([stage.client.state, stage.opened, stage.timerCount]).toEqual(['connecting', 1, 1]);
  });

  it('while everything of another world leaves, has it welcomed on the new connection', () => {
    const stage = among(new Stage().open());
    stage.events?.closed(1006, '');
    stage.pass(500);
    stage.events?.opened();
    const stop = stage.client.on('leave', () => {
      stop();
      anew(stage);
    });
    stage.receive(welcome(false, 2));
    expect([stage.client.state, stage.opened]).toEqual(['connecting', 3]);
    expect(stage.client.sendInput(Uint8Array.of(1))).toBe(0);
    stage.events?.opened();
    stage.receive(welcome(false, 2));
    expect(stage.client.state).toBe('open');
  });
});

it('a client that is never to come back by itself does not come at once', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const stage = new Stage({
    retryFirstMs: Infinity,
    retryMaxMs: Infinity,
    setTimer: undefined as never,
  }).open();
  stage.events?.closed(1006, '');
  vi.advanceTimersByTime(1e9);
  expect([stage.client.state, stage.opened]).toEqual(['waiting', 1]);
});

describe('a client whose own functions throw at a reconnection', () => {
  const functions = [
    ['url', (answer: () => string) => ({ url: answer })],
    ['credential', (answer: () => string) => ({ credential: answer })],
  ] as const;

  it.each(functions)('passes what %s throws to onError, and tries again later', (_, optionsOf) => {
    let fault: Error | undefined;
    const told: unknown[] = [];
    const answer = () => {
      if (fault !== undefined) throw fault;
      return 'test:';
    };
    const stage = among(new Stage({ ...optionsOf(answer), onError: (error) => told.push(error) }).open());
    stage.taken();
    fault = new Error('no server is left');
    stage.events?.closed(1006, '');
    stage.pass(500);
    expect([stage.taken(), told]).toEqual([['waiting 1006', 'connecting', 'waiting 1006'], [fault]]);
    expect([stage.opened, stage.client.entities.size, stage.timerCount]).toEqual([1, 2, 1]);
    fault = undefined;
    stage.pass(1000);
    stage.events?.opened();
    stage.receive(welcome(true));
    expect([stage.client.state, stage.opened]).toEqual(['open', 2]);
  });

  it('stays closed if the function closes it', () => {
    const told: unknown[] = [];
    const answers = [
      () => 'test:',
      () => {
        stage.client.close();
        throw new Error('never again');
      },
    ];
    const stage: Stage = new Stage({ url: () => answers.shift()!(), onError: (error) => told.push(error) });
    stage.open();
    stage.events?.closed(1006, '');
    stage.pass(60_000);
    expect([stage.client.state, stage.timerCount, answers.length, told.length]).toEqual(['closed', 0, 0, 1]);
  });

  it.each([
    ['a promise', Promise.resolve('me'), 'credential of UmweltClient is object; expected a string'],
    ['a number', 7, 'credential of UmweltClient is 7; expected a string'],
  ])('takes %s for no credential', (_, given, message) => {
    const answers: unknown[] = [given, 'me', given, 'me'];
    const told: unknown[] = [];
    const stage = new Stage({
      credential: () => answers.shift() as string,
      onError: (error) => told.push(error),
    });
    const refused = new TypeError(message);
    expect(() => stage.client.connect()).toThrow(refused);
    expect([stage.client.state, stage.opened]).toEqual(['closed', 0]);
    stage.open();
    stage.events?.closed(1006, '');
    stage.pass(500);
    expect([stage.opened, told]).toEqual([1, [refused]]);
    stage.pass(1000);
    expect([stage.opened, answers.length]).toEqual([2, 0]);
  });
});

describe.each(['url', 'credential'])('a client whose %s calls it', (name) => {
  const stageOf = (answers: ((stage: Stage) => void)[]): Stage => {
    const stage: Stage = new Stage({
      [name]: () => {
        answers.shift()?.(stage);
        return 'test:';
      },
    });
    return stage;
  };

  it('stays closed if it is closed, and opens no connection', () => {
    const stage = stageOf([({ client }) => client.close(), () => {}, ({ client }) => client.close()]);
    stage.client.connect();
    expect([stage.client.state, stage.opened, stage.timerCount]).toEqual(['closed', 0, 0]);
    stage.open();
    stage.events?.closed(1006, '');
    stage.pass(60_000);
    expect([stage.client.state, stage.opened, stage.timerCount]).toEqual(['closed', 1, 0]);
  });

  it('has one connection if it is closed and connected again', () => {
    const again = ({ client }: Stage) => {
      client.close();
      client.connect();
    };
    const stage = stageOf([again]).open();
    expect([stage.client.state, stage.opened, stage.timerCount]).toEqual(['open', 1, 1]);
  });

  it('keeps the connection that it made before it threw', () => {
    const fault = new Error('too late');
    const again = ({ client }: Stage) => {
      client.close();
      client.connect();
      throw fault;
    };
    const stage = stageOf([again]);
    expect(() => stage.client.connect()).toThrow(fault);
    expect([stage.client.state, stage.opened, stage.timerCount]).toEqual(['connecting', 1, 1]);
    stage.events?.opened();
    stage.receive(welcome(false));
    expect([stage.client.state, stage.closed]).toEqual(['open', []]);
  });
});
