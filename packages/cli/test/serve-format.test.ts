/**
 * Both ends of what is said: what is written is read as it was meant, in either form, and what nobody meant is refused by readers that
 * never throw.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../src/serve/answer.ts';
import { readAnswer, writeRefused, writeWelcome } from '../src/serve/binary-answers.ts';
import { readBatch, readHello, writeBatch, writeHello } from '../src/serve/binary-commands.ts';
import type { Command, CommandSink } from '../src/serve/command.ts';
import { readAnswerText, writeRefusedText, writeWelcomeText } from '../src/serve/json-answers.ts';
import { readBatchText, readHelloText, writeBatchText, writeHelloText } from '../src/serve/json-commands.ts';
import { isKey } from '../src/serve/key.ts';
import { MessageReader, MessageWriter } from '../src/serve/message-bytes.ts';
import { anyCommand, anyKey, SENSES } from './serve-commands.ts';

/** Collects commands as objects again. */
class Collected implements CommandSink {
  readonly commands: Command[] = [];
  readonly complaints: string[] = [];
  readonly hasEnough = false;

  put(...[key, x, y, z, properties]: Parameters<CommandSink['put']>): void {
    const depth = z === undefined ? {} : { z };
    this.commands.push({
      do: 'put',
      key,
      x,
      y,
      ...depth,
      ...(properties === undefined ? {} : { properties }),
    });
  }
  update(...[key, properties]: Parameters<CommandSink['update']>): void {
    this.commands.push({ do: 'update', key, properties });
  }
  touch(...[key]: Parameters<CommandSink['touch']>): void {
    this.commands.push({ do: 'touch', key });
  }
  remove(...[key]: Parameters<CommandSink['remove']>): void {
    this.commands.push({ do: 'remove', key });
  }
  attach(...[key, to, x = 0, y = 0, z]: Parameters<CommandSink['attach']>): void {
    this.commands.push({ do: 'attach', key, to, x, y, ...(z === undefined ? {} : { z }) });
  }
  detach(...[key]: Parameters<CommandSink['detach']>): void {
    this.commands.push({ do: 'detach', key });
  }
  sound(...[key, x, y, z, properties = {}]: Parameters<CommandSink['sound']>): void {
    const [depth, given] = [z === undefined ? {} : { z }, Object.keys(properties).length > 0];
    this.commands.push({ do: 'sound', key, x, y, ...depth, ...(given ? { properties } : {}) });
  }
  tick(): void {
    this.commands.push({ do: 'tick' });
  }
  nonsense(why: string): void {
    this.complaints.push(why);
  }
}

const anySound = (dimensions: 2 | 3): fc.Arbitrary<Command> =>
  fc
    .record({
      key: anyKey,
      place: fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })),
      properties: fc.constantFrom(undefined, { gain: 2 }, { minReach: { sight: 5 }, only: 'owner' }),
    })
    .map(({ key, place: [x, y], properties }) => {
      const given = properties === undefined ? {} : { properties };
      return { do: 'sound', key, x, y, ...(dimensions === 3 ? { z: x } : {}), ...given };
    });
const anyBatch = (dimensions: 2 | 3) =>
  fc.array(
    fc.oneof(
      { weight: 9, arbitrary: anyCommand(dimensions, anyKey) },
      { weight: 2, arbitrary: anySound(dimensions) },
      fc.constant<Command>({ do: 'tick' }),
    ),
  );
const anyDimensions = fc.constantFrom<2 | 3>(2, 3);
/** A put without properties and one with empty ones are the same in JSON. */
const plain = (command: Command): Command =>
  command.do === 'put' && Object.keys(command.properties ?? {}).length === 0
    ? { ...command, properties: undefined as never }
    : command;

describe('keys', () => {
  it('are read as they were written, in as few bytes as they need', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        const writer = new MessageWriter();
        writer.key(key);
        const bytes = writer.take();
        const reader = new MessageReader(bytes);
        expect(reader.key()).toBe(key);
        expect(reader.isBroken || !reader.isAtEnd).toBe(false);
        const size =
          typeof key === 'string' ? Buffer.byteLength(key) : Math.ceil(key.toString(16).length / 2);
        expect(bytes.length).toBe(1 + size);
      }),
      { numRuns: 5000 },
    );
  });

  it('are whole numbers below 2^53, or texts of 1 to 64 bytes', () => {
    for (const key of [0, 2 ** 53 - 1, 'a', 'ü'.repeat(32)]) expect(isKey(key), String(key)).toBe(true);
    for (const key of [-1, 0.5, 2 ** 53, Number.NaN, '', 'ü'.repeat(33), '\ud800', null, true, [], {}]) {
      expect(isKey(key), String(key)).toBe(false);
    }
  });

  it('that are none break the reader: no byte, a length beyond, a number of 2^53, bytes that are no UTF-8', () => {
    for (const bytes of [
      [],
      [0],
      [65, ...Array<number>(65).fill(97)],
      [0x80],
      [0x88, 0, 0, 0, 0, 0, 0, 0, 0],
      [0x87, 0, 0, 0, 0, 0, 0, 0x20],
      [2, 0xff, 0xff],
      [3, 97, 97],
    ]) {
      const reader = new MessageReader(Uint8Array.from(bytes));
      reader.key();
      expect(reader.isBroken, String(bytes)).toBe(true);
    }
  });
});

describe('counts', () => {
  it('go on from 0 when they no longer fit', () => {
    const refused = { batch: 2 ** 32 + 5, total: 1, commands: [] };
    expect(readAnswer(writeRefused(refused))).toMatchObject({ batch: 5, total: 1 });
  });
});

describe('views', () => {
  it('say who hangs from whom, and who from nobody', () => {
    const bytes = Uint8Array.of(2, 0, 9, 0, 0, 0, 3, 0, 0, 0, 5, 1, 97, 2, 0, 0, 0, 1, 97, 0x81, 5, 1, 98, 0);
    expect(readAnswer(bytes)).toMatchObject({
      rows: [{ watcher: 'a', list: 'attached', markers: ['a', 'b'], parents: [5, undefined] }],
    });
  });
});

describe('commands', () => {
  it('are read as they were written, as bytes', () => {
    fc.assert(
      fc.property(
        anyDimensions.chain((dimensions) => fc.tuple(fc.constant(dimensions), anyBatch(dimensions))),
        ([dimensions, commands]) => {
          const sink = new Collected();
          expect(readBatch(writeBatch(commands, dimensions), dimensions, sink)).toBe(true);
          expect(sink.commands).toEqual(commands);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are read as they were written, as JSON', () => {
    fc.assert(
      fc.property(anyDimensions.chain(anyBatch), (commands) => {
        const sink = new Collected();
        readBatchText(writeBatchText(commands), sink);
        expect(sink.commands).toEqual(commands.map(plain));
        expect(sink.complaints).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('in JSON that make no sense are complained of one by one, and the others count', () => {
    const sink = new Collected();
    const text =
      '[{"do":"touch","key":"a"}, 5, null, {"do":"dance"}, {"do":"touch"}, {"do":"remove","key":-1}, {"do":"tick"}]';
    readBatchText(text, sink);
    expect(sink.complaints).toHaveLength(5);
    expect(sink.commands).toEqual([{ do: 'touch', key: 'a' }, { do: 'tick' }]);
    for (const odd of ['', '{', '5', '"put"', 'null', '[[]]', '[{"do":"put","key":{}}]']) {
      const other = new Collected();
      readBatchText(odd, other);
      expect(other.complaints, odd).toHaveLength(1);
    }
  });
});

describe('what is wrong', () => {
  it.each([
    [[9], 'byte 0: expected a batch, which begins with 2'],
    [[2, 1, 1, 97, 0, 0], 'byte 4: expected 4 more bytes, and the message has 2'],
    [[2, 4, 0], 'byte 2: expected a key, whose first byte is 1 to 64 or 0x81 to 0x87'],
    [[2, 4, 0x88, 1], 'byte 2: expected a key, whose first byte is 1 to 64 or 0x81 to 0x87'],
    [[2, 4, 0x87, 0, 0, 0, 0, 0, 0, 0x20], 'byte 2: expected a key of at most 2^53 - 1'],
    [[2, 4, 2, 0xff, 0xff], 'byte 3: expected UTF-8'],
    [[2, 3, 1, 97, 1, 16], 'byte 4: expected at most 4096 bytes of text, and not 4097'],
    [[2, 3, 1, 97, 2, 0, 91, 93], 'byte 8: expected a JSON object of properties before this byte'],
  ])('in the bytes %j is told with its place', (bytes, fault) => {
    const told: string[] = [];
    expect(readBatch(Uint8Array.from(bytes), 2, new Collected(), (why) => told.push(why))).toBe(false);
    expect(told).toEqual([fault]);
  });

  it('in JSON is told as it was given', () => {
    const sink = new Collected();
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    readBatchText(
      `[{"do":"dance"}, {"do":"touch"}, {"do":"remove","key":-1}, {"do":"touch","key":${deep}}, {"do":"attach","key":1,"to":"${'x'.repeat(99)}"}]`,
      sink,
    );
    const key = 'a whole number of 0 to 2^53 - 1, or a text of 1 to 64 bytes';
    expect(sink.complaints).toEqual([
      'do: "dance" was given, expected put, update, touch, remove, attach, detach, sound or tick',
      `key: nothing was given, expected ${key}`,
      `key: -1 was given, expected ${key}`,
      `key: an array was given, expected ${key}`,
      `to: "${'x'.repeat(36)}... was given, expected the key of its parent, ${key}`,
    ]);
  });
});

describe('hello', () => {
  it('is read as it was written, in either form', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (token) => {
        expect(readHello(writeHello(token))).toEqual({ kind: 'hello', version: 3, token });
        expect(readHelloText(writeHelloText(token))).toEqual({ kind: 'hello', version: 3, token });
        expect(readHello(writeHello(token, 2))).toEqual({ kind: 'hello', version: 2, token });
        expect(readHelloText(writeHelloText(token, 2))).toEqual({ kind: 'hello', version: 2, token });
        expect(readHello(writeHello(token, 1))).toEqual({ kind: 'hello', version: 1, token });
        expect(readHelloText(writeHelloText(token, 1))).toEqual({ kind: 'hello', version: 1, token });
      }),
    );
  });

  it('of another version is known as that', () => {
    expect(readHello(writeHello('', 4))).toEqual({ kind: 'other version' });
    for (const version of ['4', '0', '1.5', '"2"', 'null'])
      expect(readHelloText(`{"do":"hello","version":${version}}`)).toEqual({ kind: 'other version' });
  });

  it('with a token that is too long, or no text, is none', () => {
    expect(readHello(writeHello('x'.repeat(1025)))).toBeUndefined();
    expect(readHelloText(JSON.stringify({ do: 'hello', token: 'x'.repeat(1025) }))).toBeUndefined();
    expect(readHelloText('{"do":"hello","token":5}')).toBeUndefined();
  });
});

describe('answers', () => {
  it('are read as they were written: welcome and refusals; views are held against a world elsewhere', () => {
    const welcome = {
      version: 2,
      dimensions: 3,
      senses: SENSES,
      rate: 12.5,
      tick: 7,
      messageBytesMax: 1 << 20,
      entitiesMax: 5,
    } as const;
    expect(readAnswer(writeWelcome(welcome))).toEqual({ is: 'welcome', ...welcome });
    expect(readAnswerText(writeWelcomeText(welcome), SENSES)).toMatchObject({ is: 'welcome', ...welcome });
    const refused = { batch: 9, total: 40, commands: [{ index: 3, code: 'BAD_RANGE', reason: 'ü' }] };
    expect(readAnswer(writeRefused(refused))).toEqual({ is: 'refused', ...refused });
    expect(readAnswerText(writeRefusedText(refused), SENSES)).toEqual({ is: 'refused', ...refused });
  });
});

describe('what nobody meant', () => {
  const samples = [
    writeHello('a token of some length'),
    writeBatch(
      [
        { do: 'put', key: 'guard', x: 1, y: 2, properties: { range: { sight: 5 } } },
        { do: 'put', key: 77_777, x: 3, y: 4 },
        { do: 'update', key: 5, properties: { gain: 0 } },
        { do: 'remove', key: 'x' },
        { do: 'attach', key: 'rider', to: 9, x: 0, y: 1 },
        { do: 'detach', key: 'rider' },
        { do: 'tick' },
      ],
      2,
    ),
    writeWelcome({
      version: 1,
      dimensions: 2,
      senses: SENSES,
      rate: 20,
      tick: 1,
      messageBytesMax: 9,
      entitiesMax: 9,
    }),
    // Views: guard's entered, two of them, with their senses.
    Uint8Array.of(2, 0, 9, 0, 0, 0, 3, 0, 0, 0, 1, 1, 97, 2, 0, 0, 0, 1, 98, 1, 0x81, 5, 3),
    writeRefused({ batch: 1, total: 1, commands: [{ index: 0, code: 'FULL', reason: 'no room' }] }),
    // Views: of guard's, a hangs from 5, and b from nobody.
    Uint8Array.of(2, 0, 9, 0, 0, 0, 3, 0, 0, 0, 5, 1, 97, 2, 0, 0, 0, 1, 97, 0x81, 5, 1, 98, 0),
  ];
  const readers: ((bytes: Uint8Array) => unknown)[] = [
    readHello,
    (bytes) => readBatch(bytes, 2, new Collected()),
    (bytes) => readBatch(bytes, 3, new Collected()),
    readAnswer as (bytes: Uint8Array) => Answer | undefined,
  ];

  it('is understood or refused, and nothing is thrown: random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        for (const read of readers) read(bytes);
      }),
      { numRuns: 20_000 },
    );
  });

  it('is understood or refused, and nothing is thrown: messages with some bytes changed, cut or made longer', () => {
    const hits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 });
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        hits,
        fc.integer({ min: -8, max: 8 }),
        (sample, changes, longer) => {
          const bytes = new Uint8Array(Math.max(1, sample.length + longer));
          bytes.set(sample.subarray(0, bytes.length));
          for (const [at, value] of changes) bytes[at % bytes.length] = value;
          for (const read of readers) read(bytes);
        },
      ),
      { numRuns: 50_000 },
    );
  });

  it('is no message when it is cut short or goes on, wherever that is', () => {
    for (const sample of samples) {
      const reads = readers.filter((read) => {
        const answer = read(sample);
        return answer !== undefined && answer !== false;
      });
      expect(reads.length).toBeGreaterThan(0);
      for (const read of reads)
        expect([undefined, false]).toContain(read(Buffer.concat([sample, Buffer.of(255)])));
      if (sample === samples[1] || sample === samples[3] || sample === samples[5]) continue;
      for (let length = 1; length < sample.length; length++) {
        if (sample === samples[4] && length === 9) continue;
        for (const read of reads) expect([undefined, false]).toContain(read(sample.subarray(0, length)));
      }
    }
  });

  it('is complained of or understood, as text, and nothing is thrown', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        readHelloText(text);
        readBatchText(text, new Collected());
      }),
      { numRuns: 10_000 },
    );
  });
});
