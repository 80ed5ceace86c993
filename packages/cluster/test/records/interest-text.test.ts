/** Interests in records: what the log holds is read alike on every node. */
import { UmweltError } from 'umwelt';
import { ByteReader, ByteWriter } from 'umwelt/bytes';
import { expect, it } from 'vitest';
import { readInterest, writeInterest } from '../../src/records/interest-text.ts';

function read(text: string): unknown {
  const writer = new ByteWriter();
  writer.text(text);
  try {
    return readInterest(new ByteReader(writer.bytes.slice(), 'BAD_RECORD'));
  } catch (error) {
    return error instanceof UmweltError ? error.code : error;
  }
}

/** Calls it with as many calls around it. */
const within = (calls: number, call: () => unknown): unknown =>
  calls === 0 ? call() : [within(calls - 1, call)][0];

const nested = (levels: number) => `{"cap":${'['.repeat(levels)}${']'.repeat(levels)}}`;

it.each([1, 15, 16, 1000, 2000, 2500, 3000, 16_000])(
  'how deep a caller is makes no difference, %i levels',
  (levels) => {
    const outcome = (value: unknown) => (typeof value === 'string' ? value : 'read');
    const expected = levels < 16 ? 'read' : 'BAD_RECORD';
    expect(outcome(read(nested(levels)))).toBe(expected);
    expect(outcome(within(3000, () => read(nested(levels))))).toBe(expected);
  },
);

it('Infinity comes back wherever it was', () => {
  const interest = {
    cap: Number.POSITIVE_INFINITY,
    updateRates: [{ within: 5, everyTicks: 2 }, { within: Number.POSITIVE_INFINITY }],
  };
  const writer = new ByteWriter();
  writeInterest(writer, interest as never);
  expect(readInterest(new ByteReader(writer.bytes.slice(), 'BAD_RECORD'))).toEqual(interest);
  expect(read('[1]')).toBe('BAD_RECORD');
  expect(read('{"cap":"Infinity"')).toBe('BAD_RECORD');
  expect(Object.getPrototypeOf(read('{"__proto__":"Infinity"}'))).toBe(Object.prototype);
});

it('functions have no place in it, not even the name of the usual rank: a stored state would not have that, and differ', () => {
  expect(read('{"cap":3}')).toEqual({ cap: 3 });
  expect(read('{"rank":"nearest","cap":3}')).toBe('BAD_RECORD');
  expect(read('{"admit":null}')).toBe('BAD_RECORD');
});
