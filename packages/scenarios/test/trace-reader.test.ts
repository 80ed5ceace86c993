/** The reader of traces: what it takes, how it is fed, what it refuses and where, and what it holds meanwhile. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { RecordedWorld, UmweltError } from 'umwelt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTrace, Random, readTrace, type TraceSample } from '../src/index.ts';
import { TraceParser } from '../src/traces/trace-parser.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'umwelt-traces-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** All samples, and the error that ended them, if one did. */
async function read(
  source: Parameters<typeof readTrace>[0],
): Promise<{ samples: TraceSample[]; error?: UmweltError }> {
  const samples: TraceSample[] = [];
  try {
    for await (const batch of readTrace(source)) samples.push(...batch.samples);
  } catch (error) {
    if (error instanceof UmweltError) return { samples, error };
    throw error;
  }
  return { samples };
}

const bytes = (text: string): Uint8Array[] => [new TextEncoder().encode(text)];

async function refusal(text: string): Promise<{ message: string; line: number | undefined; before: number }> {
  const { samples, error } = await read(bytes(text));
  if (error === undefined) throw new Error('the trace was taken');
  expect(error.code).toBe('BAD_TRACE');
  return { message: error.message, line: error.details.index, before: samples.length };
}

describe('readTrace', () => {
  it('reads 2-D and 3-D samples as written', async () => {
    const flat = await read(bytes('t,id,x,y\n0.5,7,1.25,-2\n0.5,8,1e3,.5\n'));
    expect(flat.samples).toEqual([
      { line: 2, t: 0.5, id: '7', x: 1.25, y: -2, z: 0 },
      { line: 3, t: 0.5, id: '8', x: 1000, y: 0.5, z: 0 },
    ]);
    const deep = await read(bytes('t,id,x,y,z\n-1,a,+1,2.,3E-2\n'));
    expect(deep.samples).toEqual([{ line: 2, t: -1, id: 'a', x: 1, y: 2, z: 0.03 }]);
    for await (const { dimensions } of readTrace(bytes('t,id,x,y,z\n0,a,1,2,3\n')))
      expect(dimensions).toBe(3);
    for await (const { dimensions } of readTrace(bytes('t,id,x,y\n0,a,1,2\n'))) expect(dimensions).toBe(2);
  });

  it('takes \\r\\n, a last line without an end, a byte order mark, and blank lines at the end', async () => {
    const plain = await read(bytes('t,id,x,y\n0,a,1,2\n1,a,3,4\n'));
    for (const text of [
      't,id,x,y\r\n0,a,1,2\r\n1,a,3,4\r\n',
      't,id,x,y\n0,a,1,2\n1,a,3,4',
      't,id,x,y\r\n0,a,1,2\r\n1,a,3,4\r',
      '\uFEFFt,id,x,y\n0,a,1,2\n1,a,3,4\n',
      't,id,x,y\n0,a,1,2\n1,a,3,4\n\n\r\n\n',
    ]) {
      expect(await read(bytes(text))).toEqual(plain);
    }
  });

  it('takes ids in any script, and tells them apart as text', async () => {
    const { samples } = await read(bytes('t,id,x,y\n0,жук,1,2\n0,1,3,4\n0,01,5,6\n0,🐝 two,7,8\n'));
    expect(samples.map((sample) => sample.id)).toEqual(['жук', '1', '01', '🐝 two']);
  });

  it('takes a header without samples', async () => {
    expect(await read(bytes('t,id,x,y'))).toEqual({ samples: [] });
  });

  it('reads files, packed or not', async () => {
    const text = 't,id,x,y\n0,a,1,2\n1,a,3,4\n';
    const plain = await read(file('plain.csv', text));
    expect(plain.samples).toHaveLength(2);
    expect(await read(file('packed.csv.gz', gzipSync(text)))).toEqual(plain);
    const twoMembers = new Uint8Array([...gzipSync('t,id,x,y\n0,a,1'), ...gzipSync(',2\n1,a,3,4\n')]);
    expect(await read(file('members.csv.gz', twoMembers))).toEqual(plain);
  });

  it('gives the same samples, or the same error after the same samples, however the bytes are cut', async () => {
    const random = new Random(11);
    const texts = [
      randomTrace(random, 60),
      `${randomTrace(random, 40)}oops\n`,
      `${randomTrace(random, 30)}9e9,é`,
    ];
    for (const text of texts) {
      const whole = new TextEncoder().encode(text);
      const expected = await read([whole]);
      for (let round = 0; round < 100; round++) {
        const pieces: Uint8Array[] = [];
        const most = 1 + random.below(60);
        for (let from = 0; from < whole.length; ) {
          // Now and then a piece is empty.
          const to = from + random.below(most + 1);
          pieces.push(whole.subarray(from, to));
          from = Math.max(from, to);
        }
        const cut = await read(pieces);
        expect(cut.samples).toEqual(expected.samples);
        expect(cut.error?.message).toBe(expected.error?.message);
      }
    }
  });

  it('closes the file when its taker stops early', async () => {
    const path = file('long.csv.gz', gzipSync(`t,id,x,y\n${'0'.repeat(10)}`.padEnd(50, '1')));
    const many = file(
      'many.csv',
      `t,id,x,y\n${Array.from({ length: 50_000 }, (_, i) => `${i},a,1,2\n`).join('')}`,
    );
    for (let i = 0; i < 50; i++) {
      for await (const batch of readTrace(many)) {
        expect(batch.samples[0]?.line).toBe(2);
        break;
      }
    }
    expect((await read(path)).error?.details.index).toBe(2);
  });
});

/** Ids of several bytes a character, both line ends, moments of several samples. */
function randomTrace(random: Random, lineCount: number): string {
  let text = 't,id,x,y\r\n';
  let t = 0;
  for (let i = 0; i < lineCount; i++) {
    if (random.below(3) === 0) t += random.unit();
    const id = `${['é', '鳥', '🐦', 'b'][random.below(4)]}${i}`;
    text += `${t},${id},${random.between(-1e3, 1e3)},${random.unit()}${random.below(2) === 0 ? '\r\n' : '\n'}`;
  }
  return text;
}

describe('a refused trace', () => {
  const good = 't,id,x,y\n0,a,1,2\n';

  it.each([
    ['is empty', '', 1, 0, /line 1: is empty; expected the header t,id,x,y or t,id,x,y,z$/],
    ['begins without a header', '0,a,1,2\n', 1, 0, /line 1: expected the header .*, found '0,a,1,2'$/],
    ['has another header', 'id,t,x,y\n', 1, 0, /line 1: expected the header/],
    ['begins with a blank line', '\nt,id,x,y\n', 1, 0, /line 1: expected the header .*, found ''$/],
    [
      'has a line of other text',
      `${good}hello\n`,
      3,
      1,
      /line 3: expected 4 columns \(t,id,x,y\), found 1 in 'hello'$/,
    ],
    ['has a column too few', `${good}1,a,3\n`, 3, 1, /line 3: expected 4 columns .*, found 3/],
    ['has a column too many', `${good}1,a,3,4,5\n`, 3, 1, /line 3: expected 4 columns .*, found 5/],
    [
      'is 3-D and a line is not',
      't,id,x,y,z\n0,a,1,2\n',
      2,
      0,
      /line 2: expected 5 columns \(t,id,x,y,z\), found 4/,
    ],
    ['has a blank line amid', `${good}\n\n1,a,3,4\n`, 3, 1, /line 3: is blank$/],
    ['has no id', `${good}1,,3,4\n`, 3, 1, /line 3: the id is empty$/],
    [
      'has words for numbers',
      `${good}1,a,three,4\n`,
      3,
      1,
      /line 3: x is 'three'; expected a finite number$/,
    ],
    ['has a missing number', `${good}1,a,3,\n`, 3, 1, /line 3: y is ''; expected a finite number$/],
    ['has NaN', `${good}1,a,NaN,4\n`, 3, 1, /line 3: x is 'NaN'; expected a finite number$/],
    ['has Infinity', `${good}Infinity,a,3,4\n`, 3, 1, /line 3: t is 'Infinity'; expected a finite number$/],
    ['has a number too large', `${good}1,a,3,1e999\n`, 3, 1, /line 3: y is '1e999', which is not finite$/],
    [
      'has a position too far',
      `${good}1,a,-2e12,4\n`,
      3,
      1,
      /line 3: x is '-2e12'; positions go from -1e12 to 1e12$/,
    ],
    ['has a hexadecimal number', `${good}0x1,a,3,4\n`, 3, 1, /line 3: t is '0x1'/],
    ['has a space in a number', `${good}1,a, 3,4\n`, 3, 1, /line 3: x is ' 3'/],
    ['runs backwards', `${good}2,a,1,2\n1.5,b,3,4\n`, 4, 2, /line 4: time runs backwards: t is 1.5 after 2$/],
    [
      'has a duplicate',
      `${good}0,b,1,2\n0,a,3,4\n`,
      4,
      2,
      /line 4: is a duplicate: 'a' already has a sample at t = 0$/,
    ],
    ['has a duplicate written otherwise', `${good}-0.0,a,3,4\n`, 3, 1, /line 3: is a duplicate/],
    ['has a control character', `${good}1,a\u0007\u202e,3,4,5\n`, 3, 1, /in '1,a\?\?,3,4,5'$/],
    [
      'has a very long line',
      `${good}1,${'a'.repeat(5000)},3,4\n`,
      3,
      1,
      /line 3: is longer than 4096 characters$/,
    ],
    ['has a fault in a last line without an end', `${good}1,a,3`, 3, 1, /line 3: expected 4 columns/],
  ])('%s', async (_, text, line, before, message) => {
    const found = await refusal(text);
    expect(found.message).toMatch(message);
    expect(found.message).not.toContain('\n');
    expect(found.line).toBe(line);
    expect(found.before).toBe(before);
  });

  it('takes a line of just 4,096 characters', async () => {
    for (const end of ['', '\n', '\r\n']) {
      const text = `t,id,x,y\n0,${'a'.repeat(4090)},1,2${end}`;
      expect((await read(bytes(text))).samples).toHaveLength(1);
      expect((await refusal(text.replace(',1,2', ',11,2'))).line).toBe(2);
    }
    const [whole] = bytes(`t,id,x,y\n0,${'a'.repeat(4090)},1,2\r\n`);
    expect((await read([whole!.subarray(0, -1), whole!.subarray(-1)])).samples).toHaveLength(1);
  });

  it('is not UTF-8', async () => {
    const text = new TextEncoder().encode('t,id,x,y\n0,a,1,2\n0,?,1,2\n');
    text[19] = 0xff;
    const { samples, error } = await read([text]);
    expect(samples).toHaveLength(1);
    expect(error?.message).toBe('trace, line 3: is not UTF-8 text');
    expect(error?.details.index).toBe(3);
  });

  it('is the recording of a world', async () => {
    const pieces: Uint8Array[] = [];
    const world = new RecordedWorld();
    world.record((piece) => pieces.push(piece));
    world.dispose();
    const { error } = await read([new Uint8Array(Buffer.concat(pieces))]);
    expect(error?.message).toBe(
      'trace, line 1: is that of a recorded world; expected the header t,id,x,y or t,id,x,y,z. `umwelt replay` plays it',
    );
  });

  it('ends within a character', async () => {
    const text = new TextEncoder().encode('t,id,x,y\n0,a,1,2\n0,é');
    const { error } = await read([text.subarray(0, -1)]);
    expect(error?.message).toBe('trace, line 3: is not UTF-8 text');
  });

  it('is not there, or is a folder', async () => {
    for (const [path, reason] of [
      [join(folder, 'nowhere.csv'), 'no such file'],
      [join(folder, 'nowhere.csv.gz'), 'no such file'],
      [folder, 'it is a folder'],
    ] as const) {
      const { error } = await read(path);
      expect(error?.code).toBe('BAD_TRACE');
      expect(error?.message).toBe(`cannot read ${path}: ${reason}`);
      expect(error?.details).toEqual({ field: 'path', value: path });
    }
  });

  it.each([5, undefined, null, {}, Symbol('path')])(
    'is neither a path nor pieces of bytes: %#',
    async (source) => {
      const expected = { code: 'BAD_OPTION', details: { field: 'source', value: source } };
      await expect(readTrace(source as string).next()).rejects.toMatchObject(expected);
      await expect(loadTrace(source as string)).rejects.toMatchObject({ code: 'BAD_OPTION' });
    },
  );

  it('is bytes in one piece, which must be in a list', async () => {
    const bytes = new TextEncoder().encode('t,id,x,y\n0,a,1,2\n');
    const refused = readTrace(bytes as unknown as Uint8Array[]).next();
    await expect(refused).rejects.toThrow(
      'a trace: source is bytes; expected a path, or an iterable of pieces',
    );
    expect((await readTrace([bytes]).next()).value?.samples).toHaveLength(1);
  });

  it.each([
    ['t,id,x,y\n', 'text'],
    [5, '5'],
    [null, 'null'],
  ])('has a piece that is no bytes: %#', async (piece, told) => {
    const refused = readTrace([piece] as unknown as Uint8Array[]).next();
    await expect(refused).rejects.toMatchObject({
      code: 'BAD_OPTION',
      message: `a trace: a piece of source is ${told}; expected a Uint8Array of bytes`,
    });
  });

  it('is read with options of a wrong kind', async () => {
    for (const options of [null, 5, { colums: [] }])
      await expect(readTrace([], options as object).next()).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });

  it('is a gzip file cut short: what was whole is read, the error names the line', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `${i},walker ${i % 7},${i * 0.37},${i * 0.11}\n`);
    const packed = gzipSync(`t,id,x,y\n${lines.join('')}`);
    const { samples, error } = await read(file('cut.csv.gz', packed.subarray(0, packed.length >> 1)));
    expect(samples.length).toBeGreaterThan(5000);
    expect(samples.length).toBeLessThan(15_000);
    expect(error?.code).toBe('BAD_TRACE');
    expect(error?.details.index).toBe(samples.length + 2);
    expect(error?.message).toBe(`cut.csv.gz, line ${samples.length + 2}: the gzip file is cut short`);
    const tail = await read(file('tail.csv.gz', packed.subarray(0, packed.length - 3)));
    expect(tail.samples).toHaveLength(20_000);
    expect(tail.error?.message).toBe('tail.csv.gz, line 20002: the gzip file is cut short');
  });

  it('is no gzip file, or a damaged one', async () => {
    const none = await read(file('none.csv.gz', 't,id,x,y\n0,a,1,2\n'));
    expect(none.error?.message).toBe('none.csv.gz, line 1: the gzip file is damaged, or it is no gzip file');
    const packed = gzipSync(`t,id,x,y\n${'0,a,1,2\n'.repeat(1)}`);
    packed[packed.length - 5]! ^= 0x40;
    expect((await read(file('bad.csv.gz', packed))).error?.message).toMatch(/the gzip file is damaged/);
  });

  it('is an empty file, packed or not', async () => {
    expect((await read(file('empty.csv', ''))).error?.message).toMatch(/^empty.csv, line 1: is empty/);
    expect((await read(file('empty.csv.gz', ''))).error).toMatchObject({
      code: 'BAD_TRACE',
      details: { index: 1 },
    });
    expect((await read(file('empty2.csv.gz', gzipSync('')))).error?.message).toMatch(
      /^empty2.csv.gz, line 1: is empty/,
    );
  });
});

describe('a trace of a million lines', () => {
  it('is never held: a batch is taken before more is read, and little is kept between pieces', async () => {
    const lineCount = 1_000_000;
    const linesAPiece = 500;
    const encoder = new TextEncoder();
    let produced = 0;
    let taken = 0;
    let mostAhead = 0;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield encoder.encode('t,id,x,y\n');
      while (produced < lineCount) {
        let text = '';
        for (let i = 0; i < linesAPiece; i++, produced++) {
          text += `${Math.floor(produced / 100)},${produced % 100},${produced % 977}.25,${produced % 89}\n`;
        }
        mostAhead = Math.max(mostAhead, produced - taken);
        yield encoder.encode(text);
      }
    }
    let largestBatch = 0;
    for await (const { samples } of readTrace(pieces())) {
      taken += samples.length;
      largestBatch = Math.max(largestBatch, samples.length);
    }
    expect(taken).toBe(lineCount);
    expect(largestBatch).toBeLessThanOrEqual(linesAPiece);
    expect(mostAhead).toBeLessThanOrEqual(linesAPiece);
  });

  it('leaves a parser with one unfinished line and the ids of one moment', () => {
    const parser = new TraceParser('long');
    const encoder = new TextEncoder();
    parser.push(encoder.encode('t,id,x,y\n'), []);
    let mostCharacters = 0;
    let mostIds = 0;
    let samples = 0;
    for (let i = 0; i < 1_000_000; i += 250) {
      let text = '';
      for (let k = i; k < i + 250; k++) text += `${Math.floor(k / 40)},${k % 40},1,2\n`;
      // Cut in the middle of a line.
      for (const part of [text.slice(0, 1001), text.slice(1001)]) {
        const out: TraceSample[] = [];
        parser.push(encoder.encode(part), out);
        samples += out.length;
        mostCharacters = Math.max(mostCharacters, parser.held.characters);
        mostIds = Math.max(mostIds, parser.held.ids);
      }
    }
    parser.end([]);
    expect(samples).toBe(1_000_000);
    expect(mostIds).toBe(40);
    expect(mostCharacters).toBeGreaterThan(0);
    expect(mostCharacters).toBeLessThan(20);
  });

  it('comes in batches of 64 KiB of text when it is one single piece', async () => {
    const text = `t,id,x,y\n${Array.from({ length: 100_000 }, (_, i) => `${i},a,1,2\n`).join('')}`;
    let largest = 0;
    let total = 0;
    for await (const { samples } of readTrace(bytes(text))) {
      largest = Math.max(largest, samples.length);
      total += samples.length;
    }
    expect(total).toBe(100_000);
    expect(largest).toBeLessThanOrEqual(65_536 / 8);
  });
});
