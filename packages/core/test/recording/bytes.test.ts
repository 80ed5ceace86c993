/** What is written is read again; what does not fit is refused before anything is made of it. */
import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { ByteReader } from '../../src/bytes/byte-reader.ts';
import { ByteWriter } from '../../src/bytes/byte-writer.ts';
import { checksumOf, reverseElements } from '../../src/bytes/checksum.ts';
import { Random } from '../../src/conformance/random.ts';
import { RecordedWorld, UmweltError } from '../../src/index.ts';

function written(write: (writer: ByteWriter) => void): ByteReader {
  // So small that it must grow.
  const writer = new ByteWriter(1);
  write(writer);
  return new ByteReader(writer.bytes.slice(), 'BAD_SNAPSHOT');
}

function refusal(run: () => void): string {
  try {
    run();
  } catch (error) {
    if (error instanceof UmweltError) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'none';
}

describe('a reader', () => {
  test('says how long a section ahead is, and 0 of one that is not there', () => {
    const reader = written((writer) => {
      writer.section('ONE_', () => writer.u8(1));
      writer.section('TWO_', () => writer.column(new Uint32Array(5)));
    });
    expect(['ONE_', 'TWO_', 'NONE'].map((tag) => reader.bytesOfSection(tag))).toEqual([1, 24, 0]);
    reader.section('ONE_', () => reader.u8());
    expect(['ONE_', 'TWO_'].map((tag) => reader.bytesOfSection(tag))).toEqual([0, 24]);
  });

  test('gives what was written, numbers of every kind', () => {
    const reader = written((writer) => {
      writer.u8(255);
      writer.u16(65_534);
      writer.u32(0xfedc_ba98);
      writer.f32(1.5);
      writer.f64(-Math.PI);
      writer.flag(true);
      writer.flag(false);
    });
    const read = [reader.u8(), reader.u16(), reader.u32(), reader.f32(), reader.f64()];
    expect(read).toEqual([255, 65_534, 0xfedc_ba98, 1.5, -Math.PI]);
    expect([reader.flag(), reader.flag(), reader.left]).toEqual([true, false, 0]);
  });

  test('reads a text without a column for it, as the writer writes it', () => {
    const columns = [vi.spyOn(ByteWriter.prototype, 'column'), vi.spyOn(ByteReader.prototype, 'column')];
    const text = written((writer) => writer.text('health')).text();
    const calls = columns.map(({ mock }) => mock.calls.length);
    for (const column of columns) column.mockRestore();
    expect([text, ...calls]).toEqual(['health', 0, 0]);
  });

  test('gives any text as it was, and columns wherever they lie', () => {
    const texts = ['', 'sight', '视野', 'lone \ud800 half', 'x'.repeat(10_000)];
    const columns = [new Uint32Array([1, 0xffff_ffff]), new Float32Array([-0, 1e12]), new Uint16Array(3)];
    for (let shift = 0; shift < 4; shift++) {
      const reader = written((writer) => {
        for (let i = 0; i < shift; i++) writer.u8(7);
        writer.texts(texts);
        for (const column of columns) writer.column(column);
        writer.column(columns[0]);
      });
      for (let i = 0; i < shift; i++) reader.u8();
      expect(reader.texts(8)).toEqual(texts);
      expect([reader.column('u32'), reader.column('f32'), reader.column('u16')]).toEqual(columns);
      expect(reader.wordColumn()).toEqual(columns[0]);
      reader.finish();
    }
  });

  test('reads a section whole, and by its tag', () => {
    const reader = written((writer) => {
      writer.section('PART', () => writer.u16(9));
      writer.u8(5);
    });
    expect(reader.section('PART', () => reader.u16())).toBe(9);
    expect(reader.u8()).toBe(5);
  });

  test.each<[string, (reader: ByteReader) => void, RegExp]>([
    ['a number beyond the end', (reader) => reader.f64(), /expected 8 bytes, not 6/],
    [
      'a column longer than what is left',
      (reader) => reader.column('f64'),
      /expected 2147516[0-9]+ bytes, not 2/,
    ],
    ['another tag', (reader) => reader.section('PART', () => 0), /expected the section PART/],
    ['a flag that is neither 0 nor 1', (reader) => reader.flag(), /a flag of 0 or 1/],
    ['too much', (reader) => reader.finish(), /expected the end, not 6 bytes more/],
  ])('refuses %s', (_what, read, message) => {
    const reader = new ByteReader(new Uint8Array([3, 16, 0, 16, 0, 0]), 'BAD_SNAPSHOT');
    expect(refusal(() => read(reader))).toMatch(message);
    expect(refusal(() => read(reader))).toMatch(/^BAD_SNAPSHOT /);
  });

  test('refuses a section that is not read to its end', () => {
    const reader = written((writer) => writer.section('PART', () => writer.u32(9)));
    expect(refusal(() => reader.section('PART', () => reader.u16()))).toMatch(/PART: .*2 bytes more/);
  });
});

describe('a checksum', () => {
  const random = new Random(9);
  const bytes = Uint8Array.from({ length: 203 }, () => random.below(256));
  const sumOf = (some: Uint8Array) => checksumOf(some).join();

  test('does not depend on where the bytes lie', () => {
    for (let offset = 0; offset < 5; offset++) {
      const larger = new Uint8Array(300);
      larger.set(bytes, offset);
      expect(sumOf(larger.subarray(offset, offset + bytes.length))).toBe(sumOf(bytes));
    }
  });

  test('changes with every bit, with zeros at the end, and with the order of words', () => {
    const seen = new Set([sumOf(bytes)]);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const altered = bytes.slice();
      altered[bit >> 3] ^= 1 << (bit & 7);
      seen.add(sumOf(altered));
    }
    for (let zeros = 1; zeros <= 20; zeros++) {
      const longer = new Uint8Array(bytes.length + zeros);
      longer.set(bytes);
      seen.add(sumOf(longer));
    }
    for (let word = 4; word + 4 <= bytes.length; word += 4) {
      const swapped = bytes.slice();
      swapped.set(bytes.subarray(word, word + 4), 0);
      swapped.set(bytes.subarray(0, 4), word);
      seen.add(sumOf(swapped));
    }
    expect(seen.size).toBe(1 + bytes.length * 8 + 20 + Math.floor(bytes.length / 4) - 1);
  });

  test('changes with any two bits', () => {
    const short = bytes.slice(0, 48);
    const sum = sumOf(short);
    let missed = 0;
    for (let one = 0; one < 384; one++) {
      short[one >> 3] ^= 1 << (one & 7);
      for (let two = one + 1; two < 384; two++) {
        short[two >> 3] ^= 1 << (two & 7);
        if (sumOf(short) === sum) missed++;
        short[two >> 3] ^= 1 << (two & 7);
      }
      short[one >> 3] ^= 1 << (one & 7);
    }
    expect(missed).toBe(0);
  });

  test('is this, for these bytes, on every machine', () => {
    expect(checksumOf(new Uint8Array([1, 2, 3, 4, 5]))).toEqual([2_431_900_571, 4_001_510_241]);
  });
});

test('elements of a machine with the other order of bytes are turned round', () => {
  const bytes = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]);
  reverseElements(bytes, 4);
  expect([...bytes]).toEqual([4, 3, 2, 1, 8, 7, 6, 5]);
  reverseElements(bytes, 1);
  expect(bytes[0]).toBe(4);
});

test('the guide describes the versions that are written', () => {
  const guide = readFileSync(new URL('../../../../docs/recording.md', import.meta.url), 'utf8');
  const world = new RecordedWorld();
  const pieces: Uint8Array[] = [];
  world.record((piece) => pieces.push(piece));
  for (const [name, bytes] of [
    ['Snapshot', world.snapshot()],
    ['Recording', pieces[0]],
  ] as const) {
    expect(guide).toContain(`### ${name}, version ${bytes[4]}\n`);
  }
});
