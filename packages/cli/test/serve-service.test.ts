/**
 * The service as its callers know it, without a network: what it tells is what a world of the test's own would, and whatever else comes
 * in is bounded, refused or closed.
 */
import fc from 'fast-check';
import { UmweltError, type WorldOptions } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { writeBatch } from '../src/serve/binary-commands.ts';
import type { Command } from '../src/serve/command.ts';
import { anyCommand, SENSES } from './serve-commands.ts';
import { type Form, ServeStage, type StagedCaller } from './serve-stage.ts';
import { ServeTwin } from './serve-twin.ts';

const FORMS: readonly Form[] = ['binary', 'json'];
const GUARD: Command = { do: 'put', key: 'guard', x: 0, y: 0, properties: { range: 50, marker: false } };
const TICK: Command = { do: 'tick' };

function put(key: number | string, x: number): Command {
  return { do: 'put', key, x, y: 0 };
}

function batchesOf(dimensions: 2 | 3): fc.Arbitrary<Command[][]> {
  return fc.array(fc.array(anyCommand(dimensions), { maxLength: 12 }), { minLength: 1, maxLength: 12 });
}

describe('a service', () => {
  const worlds: [string, WorldOptions][] = [
    ['2-D', { senses: SENSES }],
    ['3-D, another detector', { senses: SENSES, dimensions: 3, detector: 'hot-pair' }],
    ['caps and margins', { senses: SENSES, interests: { default: { cap: 3, leaveMargin: 2 } } }],
  ];
  for (const form of FORMS) {
    it.each(worlds)(`tells what a world with the same commands tells, in ${form}: %s`, (_, options) => {
      fc.assert(
        fc.property(batchesOf(options.dimensions ?? 2), (batches) => {
          const caller = new ServeStage(options).join(form);
          const twin = new ServeTwin(options);
          let refused = 0;
          for (const [i, batch] of batches.entries()) {
            for (const command of batch) if (!twin.carryOut(command)) refused++;
            caller.send(...batch, TICK);
            expect(caller.takeTold()).toEqual(twin.tick());
            expect(caller.relations).toEqual(twin.relations);
            expect(caller.views.at(-1)).toMatchObject({ tick: i + 1, taken: i + 1, resync: false });
          }
          expect(caller.refused.reduce((sum, { total }) => sum + total, 0)).toBe(refused);
        }),
        { numRuns: 60 },
      );
    });
  }

  it('answers every tick, also one in which nothing happened', () => {
    const caller = new ServeStage().join('binary');
    caller.send(TICK);
    caller.send(TICK);
    expect(caller.views.map(({ tick, taken, rows }) => [tick, taken, rows])).toEqual([
      [1, 1, []],
      [2, 2, []],
    ]);
  });

  it('names one key twice where an entity left and another of that key came', () => {
    const caller = new ServeStage().join('json');
    caller.send(GUARD, put('wolf', 5), TICK);
    caller.takeTold();
    caller.send({ do: 'remove', key: 'wolf' }, put('wolf', 6), TICK);
    expect(caller.takeTold()).toEqual(['entered "guard">"wolf":1', 'gone "guard">"wolf"']);
  });

  it('names its own commands where a position is given as a property', () => {
    for (const form of FORMS) {
      const caller = new ServeStage().join(form);
      caller.send(GUARD, { do: 'update', key: 'guard', properties: { x: 3 } as never });
      const [refused] = caller.refused[0]!.commands;
      expect(refused).toEqual({
        index: 1,
        code: 'BAD_OPTION',
        reason:
          'x was given as a property, expected a position only in a put or a sound: `put` moves an entity',
      });
    }
    // In JSON it is the position itself.
    const caller = new ServeStage().join('binary');
    const properties = { y: 3 } as never;
    const commands = ['put', 'sound'].map(
      (name) => ({ do: name, key: 'wolf', x: 5, y: 0, properties }) as Command,
    );
    caller.send(...commands, GUARD, TICK);
    expect(caller.codes).toEqual(['BAD_OPTION', 'BAD_OPTION']);
    expect(caller.takeTold()).toEqual([]);
  });

  it('moves nobody where the properties of a put are refused', () => {
    const stage = new ServeStage();
    const caller = stage.join('binary');
    caller.send(GUARD, put('wolf', 5), TICK);
    caller.takeTold();
    caller.send({ do: 'put', key: 'wolf', x: 500, y: 0, properties: { range: -1 } }, TICK);
    expect(caller.codes).toEqual(['BAD_RANGE']);
    expect(caller.takeTold()).toEqual([]);
  });

  it('tells long lists in several messages, and a caller who joins them has everything', () => {
    for (const form of FORMS) {
      const stage = new ServeStage({}, { limits: { partBytes: 1000 } });
      const caller = stage.join(form);
      caller.send(GUARD, ...Array.from({ length: 10_000 }, (_, i) => put(i, i / 1000)), TICK);
      expect(caller.relations).toHaveLength(10_000);
      expect(caller.views.length).toBeGreaterThan(1);
      expect(caller.views.map(({ more }) => more)).toEqual(
        caller.views.map((_, i) => i < caller.views.length - 1),
      );
    }
  });

  it('ticks by itself where it has a rate, and for nobody else', () => {
    const stage = new ServeStage({}, { rate: 20 });
    const caller = stage.join('binary');
    expect(caller.welcome?.rate).toBe(20);
    caller.send(TICK);
    expect(caller.codes).toEqual(['NOT_ON_DEMAND']);
    expect(caller.views).toEqual([]);
    stage.service.tick();
    expect(caller.views).toHaveLength(1);
  });
});

describe('several callers', () => {
  it('perceive one another, and each is told of its own watchers', () => {
    const stage = new ServeStage();
    const [one, other] = [stage.join('binary'), stage.join('json')];
    one.send(GUARD);
    other.send({ ...GUARD, key: 'spy', properties: { range: 10 } } as Command, put('wolf', 3), TICK);
    expect(one.takeTold()).toEqual(['entered "guard">"spy":1', 'entered "guard">"wolf":1']);
    expect(other.takeTold()).toEqual(['entered "spy">"wolf":1']);
  });

  it('may not touch what is another one’s', () => {
    const stage = new ServeStage();
    const [one, other] = [stage.join('binary'), stage.join('binary')];
    one.send(put('wolf', 3));
    other.send(put('wolf', 4), { do: 'remove', key: 'wolf' }, { do: 'touch', key: 'wolf' });
    expect(other.codes).toEqual(['NOT_YOURS', 'NOT_YOURS', 'NOT_YOURS']);
    expect([...stage.world.position(stage.world.ids()[0]!)]).toEqual([3, 0]);
  });

  it('lose from sight what belonged to one that ended, whose keys and number are free again', () => {
    const stage = new ServeStage();
    const [one, other] = [stage.join('binary'), stage.join('binary')];
    one.send(GUARD);
    other.send(put('wolf', 3), TICK);
    one.takeTold();
    other.events?.closed(1006);
    expect(stage.world.size).toBe(1);
    const third = stage.join('binary');
    third.send(put('wolf', 4), TICK);
    expect(third.codes).toEqual([]);
    expect(one.takeTold()).toEqual(['entered "guard">"wolf":1', 'gone "guard">"wolf"']);
    expect(third.takeTold()).toEqual([]);
  });
});

describe('who is not let in', () => {
  const token = 'a token of 16 bytes or more';

  it('does not know the token', () => {
    const stage = new ServeStage({}, { token });
    for (const form of FORMS) {
      expect(stage.join(form, 'another').closeCode).toBe(4001);
      expect(stage.join(form, '').closeCode).toBe(4001);
      expect(stage.join(form, token).welcome).toBeDefined();
    }
    expect(stage.service.metrics()).toContain('closes_total{why="unauthenticated"} 4');
  });

  it('sends commands before it says hello, and those are not carried out', () => {
    const stage = new ServeStage();
    for (const form of FORMS) {
      const caller = stage.connect(form);
      caller.send(put('wolf', 3));
      expect(caller.closeCode).toBe(4000);
    }
    expect(stage.world.size).toBe(0);
  });

  it('is a page in a browser that knows no token', () => {
    expect(new ServeStage().connect('json', 'https://evil.example').closeCode).toBe(4001);
    const stage = new ServeStage({}, { token });
    const caller = stage.connect('json', 'https://tools.example');
    caller.hello(token);
    expect(caller.welcome).toBeDefined();
  });

  it('says hello too late, or is the oldest of too many that do not', () => {
    const stage = new ServeStage({}, { limits: { helloMs: 1000, strangersMax: 2 } });
    const [first, second, third] = [stage.connect('json'), stage.connect('json'), stage.connect('json')];
    expect([first, second, third].map(({ closeCode }) => closeCode)).toEqual([4002, undefined, undefined]);
    second.hello();
    stage.clock.advance(1100);
    expect([second.closeCode, third.closeCode]).toEqual([undefined, 4002]);
  });

  it('is one more than there may be', () => {
    const stage = new ServeStage({}, { limits: { callersMax: 2 } });
    const callers = [stage.join('json'), stage.join('json'), stage.join('json')];
    expect(callers.map(({ closeCode }) => closeCode)).toEqual([undefined, undefined, 4003]);
  });

  it('comes when the service drains; those who are there are sent away', async () => {
    const stage = new ServeStage();
    const caller = stage.join('json');
    await stage.service.drain();
    expect(caller.closeCode).toBe(1001);
    expect(stage.service.status().ready).toBe(false);
    expect(stage.clock.pendingCount).toBe(0);
  });
});

describe('a caller that makes mistakes', () => {
  it('is told which commands, in order, of which batch; the first of many, and how many', () => {
    const caller = new ServeStage().join('binary');
    caller.send(GUARD);
    caller.send(put('a', Number.NaN), put('b', 1), { do: 'remove', key: 'c' }, TICK, put('d', 1));
    expect(caller.refused[0]).toMatchObject({ batch: 2, total: 3 });
    expect(caller.refused[0]?.commands.map(({ index, code }) => [index, code])).toEqual([
      [0, 'BAD_POSITION'],
      [2, 'UNKNOWN_KEY'],
      [4, 'TICK_NOT_LAST'],
    ]);
    expect(caller.takeTold()).toEqual(['entered "guard">"b":1']);
    caller.send(...Array.from({ length: 1000 }, (): Command => ({ do: 'remove', key: 'c' })));
    expect(caller.refused[1]).toMatchObject({ batch: 3, total: 1000 });
    expect(caller.refused[1]?.commands).toHaveLength(32);
  });

  it('may not have more entities than there may be', () => {
    const caller = new ServeStage({}, { limits: { entitiesMax: 2 } }).join('binary');
    caller.send(put(1, 1), put(2, 1), put(3, 1), put(1, 5), { do: 'remove', key: 2 }, put(4, 1));
    expect(caller.codes).toEqual(['FULL']);
  });

  it('is closed beyond so many refusals of a batch, which is read no further', () => {
    const few: Command[] = Array.from({ length: 100 }, () => ({ do: 'touch', key: 'nobody' }));
    for (const form of FORMS) {
      const stage = new ServeStage({}, { limits: { refusalsMax: 100 } });
      const caller = stage.join(form);
      caller.send(...few, put('wolf', 3));
      caller.send(...few, put('bear', 3));
      expect([caller.closeCode, stage.world.size]).toEqual([undefined, 2]);
      caller.send(...few, ...few, put('fox', 3), TICK);
      expect(caller.closeCode).toBe(4000);
      expect(caller.closeReason).toBe('malformed: expected at most 100 refused commands in a batch');
      expect(caller.refused.map(({ total }) => total)).toEqual([100, 100, 101]);
      expect([stage.world.size, stage.world.tickCount]).toEqual([0, 0]);
      const metrics = stage.service.metrics();
      expect(metrics).toContain('closes_total{why="malformed"} 1');
      expect(metrics).toContain('commands_total{kind="touch"} 301');
      expect(metrics).toContain('commands_total{kind="put"} 2');
    }
  });

  it('is closed beyond so many commands of a batch, which is read no further', () => {
    for (const form of FORMS) {
      const stage = new ServeStage({}, { limits: { commandsMax: 3 } });
      const caller = stage.join(form);
      caller.send(put('wolf', 1), put('wolf', 2), TICK);
      expect([caller.closeCode, stage.world.tickCount]).toEqual([undefined, 1]);
      caller.send(put('wolf', 1), put('wolf', 2), put('wolf', 3), TICK);
      expect([caller.closeCode, stage.world.tickCount]).toEqual([4000, 1]);
      expect(caller.closeReason).toBe('malformed: expected at most 3 commands in a batch');
      expect(stage.service.metrics()).toContain('commands_total{kind="put"} 5');
      expect(stage.service.metrics()).toContain('closes_total{why="malformed"} 1');
    }
  });

  it('is closed for a message of ticks alone, and for one of commands by the hundred thousand', () => {
    const stage = new ServeStage();
    const [ticks, touches] = [stage.join('binary'), stage.join('binary')];
    ticks.events?.received(new Uint8Array(1_000_000).fill(6).fill(2, 0, 1));
    expect([ticks.closeCode, ticks.refused[0]?.total, stage.world.tickCount]).toEqual([4000, 10_001, 0]);
    touches.send(put(1, 1), ...Array.from({ length: 100_000 }, (): Command => ({ do: 'touch', key: 1 })));
    expect([touches.closeCode, touches.refused]).toEqual([4000, []]);
    expect(stage.service.metrics()).toContain('commands_total{kind="touch"} 99999');
  });

  it('is closed, and what it put is gone: bytes that are no batch, the other form', () => {
    const stage = new ServeStage();
    const odd: ((caller: StagedCaller) => void)[] = [
      (caller) => caller.events?.received(Uint8Array.of(2, 99)),
      (caller) => caller.events?.received(Uint8Array.of()),
      (caller) => caller.events?.received(Uint8Array.of(1, 1, 0, 0)),
      (caller) => caller.events?.receivedText?.('{"do":"tick"}'),
    ];
    for (const say of odd) {
      const caller = stage.join('binary');
      caller.send(put('wolf', 3));
      say(caller);
      expect(caller.closeCode).toBe(4000);
      expect(stage.world.size).toBe(0);
    }
    const text = stage.join('json');
    text.events?.received(writeBatch([TICK], 2));
    expect(text.closeCode).toBe(4000);
  });

  it('is told where its bytes are wrong, or what its message should have been, and the log too', () => {
    const lines: string[] = [];
    const stage = new ServeStage({}, { log: (line) => lines.push(line) });
    const faults: [say: (caller: StagedCaller) => void, reason: string][] = [
      [
        (caller) => caller.events?.received(Uint8Array.of(2, 4, 1, 97, 99)),
        'malformed: byte 5: expected a command of 1 to 9 before this byte',
      ],
      [
        (caller) => caller.events?.received(Uint8Array.of(1, 1, 0, 0)),
        'malformed: byte 0: expected a batch, which begins with 2',
      ],
      [
        (caller) => caller.events?.receivedText?.('{"do":"tick"}'),
        'malformed: expected bytes, as the hello was',
      ],
    ];
    for (const [say, reason] of faults) {
      const caller = stage.join('binary');
      say(caller);
      expect(caller.closeReason).toBe(reason);
      expect(lines.at(-1)).toBe(`caller 1 ended: ${reason}`);
    }
    const stranger = stage.connect('json');
    stranger.events?.receivedText?.('{"do":"tick"}');
    expect(stranger.closeReason).toBe('malformed: expected a hello first, alone, such as {"do":"hello"}');
    const newer = stage.connect('json');
    newer.hello('', 9);
    expect(newer.closeReason).toBe('otherVersion: expected 1 to 3');
  });

  it('does not keep another one from being served, whatever bytes it sends', () => {
    const stage = new ServeStage();
    const good = stage.join('binary');
    good.send(GUARD, put('wolf', 3), TICK);
    const start = writeBatch([put('x', 1), { do: 'update', key: 'x', properties: { range: 5 } }, TICK], 2);
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.array(fc.oneof(fc.uint8Array({ maxLength: 60 }), fc.tuple(fc.nat(), fc.nat(255)), fc.string())),
        (hasJoined, messages) => {
          const bad = stage.connect('binary');
          if (hasJoined) bad.hello();
          for (const message of messages) {
            if (typeof message === 'string') bad.events?.receivedText?.(message);
            else if (message instanceof Uint8Array) bad.events?.received(message);
            else
              bad.events?.received(
                start.map((byte, i) => (i === message[0] % start.length ? message[1] : byte)),
              );
          }
          bad.events?.closed(1006);
        },
      ),
      { numRuns: 5000 },
    );
    expect(stage.service.metrics()).toContain('faults_total 0');
    expect(stage.world.size).toBe(2);
    good.send(put('wolf', 100), TICK);
    expect(good.closeCode).toBeUndefined();
    expect(good.relations).toEqual([]);
  });
});

describe('a caller that does not read', () => {
  const limits = { behindBytes: 1000, behindMs: 5000 };

  it('is not read from, has ticks pass without it, and is told everything anew when it has caught up', () => {
    for (const form of FORMS) {
      const stage = new ServeStage({}, { rate: 20, limits });
      const caller = stage.join(form);
      caller.send(GUARD, put('wolf', 3), put('bear', 4));
      caller.bufferedBytes = 2000;
      stage.service.tick();
      expect(caller.isPaused).toBe(true);
      // What the system had read before it was paused waits too.
      caller.send(put('bear', 400), put('fox', 5));
      for (let i = 0; i < 5; i++) stage.service.tick();
      expect(caller.views).toHaveLength(1);
      caller.bufferedBytes = 0;
      stage.clock.advance(100);
      expect(caller.isPaused).toBe(false);
      stage.service.tick();
      expect(caller.views.at(-1)).toMatchObject({ tick: 7, taken: 2, resync: true });
      expect(caller.relations).toEqual(['"guard">"fox":1', '"guard">"wolf":1']);
      stage.service.tick();
      expect(caller.views.at(-1)).toMatchObject({ tick: 8, resync: false, rows: [] });
      expect(stage.service.metrics()).toContain('ticks_missed_total 5');
    }
  });

  it('is closed when it stays so, or has more waiting than it may', () => {
    const stage = new ServeStage({}, { rate: 20, limits });
    const [one, other] = [stage.join('binary'), stage.join('binary')];
    for (const caller of [one, other]) caller.bufferedBytes = 2000;
    stage.service.tick();
    for (let i = 0; i < 3; i++) other.events?.received(new Uint8Array(1_000_000));
    expect([one.closeCode, other.closeCode]).toEqual([undefined, 4006]);
    stage.clock.advance(6000);
    expect(one.closeCode).toBe(4006);
  });

  it('and asks for ticks gets none of them until it reads, and then all', () => {
    const stage = new ServeStage({}, { limits });
    const caller = stage.join('binary');
    caller.bufferedBytes = 2000;
    for (let i = 0; i < 10; i++) caller.send(TICK);
    expect(stage.world.tickCount).toBe(1);
    caller.bufferedBytes = 0;
    stage.clock.advance(100);
    expect(caller.views.map(({ tick, resync }) => [tick, resync])).toEqual(
      Array.from({ length: 10 }, (_, i) => [i + 1, false]),
    );
  });

  it('is closed where one tick tells it more than it may, and others are told theirs', () => {
    const stage = new ServeStage({}, { limits: { tickBytesMax: 5000 } });
    const [one, other] = [stage.join('binary'), stage.join('json')];
    one.send(GUARD, ...Array.from({ length: 3000 }, (_, i) => put(i, 1)));
    other.send(
      { do: 'put', key: 'spy', x: 5, y: 0, properties: { range: 4, sees: 2 } },
      { ...put('wolf', 5), properties: { layers: 2 } } as Command,
      TICK,
    );
    expect(one.closeCode).toBe(4010);
    expect(other.takeTold()).toEqual(['entered "spy">"wolf":1']);
    expect(stage.world.size).toBe(2);
  });
});

describe('a worker thread that failed', () => {
  /** A stage whose world fails so many ticks, as one whose worker crashed: nothing has changed then. */
  function failing(times: number, rate: number): ServeStage {
    const stage = new ServeStage({}, { rate });
    const { world } = stage;
    const tick = world.tick.bind(world);
    let left = times;
    world.tick = () => {
      if (left-- > 0) throw new UmweltError('WORKER_FAILED', 'a worker thread of the world failed: it ended');
      return tick();
    };
    return stage;
  }

  it.each([0, 20])('is one line of output, and the tick is done again: rate %d', (rate) => {
    const stage = failing(1, rate);
    const caller = stage.join('binary');
    caller.send(GUARD, put('wolf', 3), ...(rate === 0 ? [TICK] : []));
    if (rate > 0) stage.service.tick();
    expect(caller.takeTold()).toEqual(['entered "guard">"wolf":1']);
    expect([caller.closeCode, stage.world.tickCount]).toEqual([undefined, 1]);
    expect(stage.lines.filter((line) => line.includes('worker'))).toEqual([
      'a worker thread of the world failed: it ended; ticks go on with one thread',
    ]);
    expect(stage.service.metrics()).toContain('faults_total 0');
  });

  it('is a fault when the tick fails again', () => {
    const stage = failing(2, 20);
    expect(() => stage.service.tick()).toThrow('it ended');
    const onDemand = failing(2, 0).join('binary');
    onDemand.send(TICK);
    expect(onDemand.closeCode).toBe(1011);
  });
});

describe('a fault of the service’s own', () => {
  it('closes the caller concerned and nobody else', () => {
    const stage = new ServeStage();
    const [one, other] = [stage.join('binary'), stage.join('binary')];
    stage.service.keyed.touch = () => {
      throw new TypeError('a bug');
    };
    one.send({ do: 'touch', key: 'x' });
    other.send(TICK);
    expect([one.closeCode, other.closeCode]).toEqual([1011, undefined]);
    expect(stage.service.metrics()).toContain('faults_total 1');
    expect(stage.lines.join('\n')).toContain('a bug');
  });
});
