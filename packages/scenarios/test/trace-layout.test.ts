/** Traces as other programs write them: delimiters, headers, orders of columns, lines that are not in order. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { UmweltError } from 'umwelt';
import { afterAll, describe, expect, it } from 'vitest';
import { readTrace, type TraceSample } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'umwelt-layout-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function file(text: string, name = `trace ${files++}.csv`): string {
  const path = join(folder, name);
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
  return path;
}

/** As 't id x y z', by line. */
async function read(path: string, columns?: string): Promise<string[]> {
  const samples: TraceSample[] = [];
  for await (const batch of readTrace(path, { columns: columns?.split(',') })) samples.push(...batch.samples);
  return samples.map(({ t, id, x, y, z }) => [t, id, x, y, z].join(' '));
}

async function refusal(path: string, columns?: string): Promise<UmweltError> {
  const error = await read(path, columns).catch((fault: unknown) => fault);
  expect(error).toBeInstanceOf(UmweltError);
  return error as UmweltError;
}

const TWO = ['0 a 1 2 0', '1.5 b 3 4 0'];

describe('a delimiter', () => {
  it.each([',', ';', '\t', '|', ' '])('is found in the header: %j', async (delimiter) => {
    const lines = ['t,id,x,y', '0,a,1,2', '1.5,b,3,4'].map((line) => line.replaceAll(',', delimiter));
    expect(await read(file(`${lines.join('\r\n')}\r\n`))).toEqual(TWO);
    const deep = ['t,id,x,y,z', '0,a,1,2,-3'].map((line) => line.replaceAll(',', delimiter));
    expect(await read(file(deep.join('\n')))).toEqual(['0 a 1 2 -3']);
  });

  it('may be spaces in any number, as in tables', async () => {
    expect(await read(file('  t  id   x  y\n  0   a   1  2\n1.5   b   3  4 \n'))).toEqual(TWO);
  });

  it('that is no comma leaves commas to ids, and fractions behind a comma are told', async () => {
    expect(await read(file('t;id;x;y\n0;a,b;1;2\n'))).toEqual(['0 a,b 1 2 0']);
    const { message } = await refusal(file('t;id;x;y\n0;a;1,25;2\n'));
    expect(message).toMatch(
      /line 2: x is '1,25'; expected a finite number, with a point before its fraction$/,
    );
  });
});

describe('columns', () => {
  it.each([
    ['in the order given, with a header of other names', 'id,t,-,y,x', 'who,when,why,lat,lon\n'],
    ['in the order given, without a header', 'id,t,-,y,x', ''],
    ['by their names', 'when,who,lon,lat', 'who,when,why,lat,lon\n'],
    ['by names in quotes', 'when,who,lon,lat', '"who","when","why","lat","lon"\n'],
    ['by their numbers', '2,1,5,4', 'who,when,why,lat,lon\n'],
    ['by their numbers, without a header', '2,1,5,4', ''],
    ['by name and number', 'when,1,lon,4', 'who,when,why,lat,lon\n'],
    ['where a header of these names says they are', 't,id,x,y', 'id,t,why,y,x\n'],
    ['where a header of these names says, whatever order is given', 'y,x,t,id', 'id,t,why,y,x\n'],
  ])('are taken %s', async (_, columns, header) => {
    expect(await read(file(`${header}a,0,z,2,1\nb,1.5,z,4,3\n`), columns)).toEqual(TWO);
    const tabbed = `${header}a,0,z,2,1\nb,1.5,z,4,3\n`.replaceAll(',', '\t');
    expect(await read(file(tabbed), columns)).toEqual(TWO);
  });

  it('may be five, in 3-D', async () => {
    expect(await read(file('0 7 1 2 3\n'), 't,id,x,z,y')).toEqual(['0 7 1 3 2']);
    expect(await read(file('a;b;c;d;e\n0;7;1;2;3\n'), 'a,b,c,d,e')).toEqual(['0 7 1 2 3']);
  });

  it('that are said allow for quotes and spaces round values', async () => {
    const path = file('"t" , "id", "x", "y"\n0, "a", 1 , 2\n"1.5",b,"3", 4\n');
    expect(await read(path, 't,id,x,y')).toEqual(TWO);
    expect((await refusal(path)).message).toMatch(/, or --columns t,id,x,y, found/);
  });

  it('are needed for another header, and the refusal says so', async () => {
    expect((await refusal(file('id;t;speed;x;y\na;0;1;1;2\n'))).message).toMatch(
      /line 1: expected the header .+, or --columns id,t,-,x,y, found 'id;t;speed;x;y'$/,
    );
    expect((await refusal(file('frame,ped,px,py\n0,a,1,2\n'))).message).toMatch(
      /or --columns to name the columns, found 'frame,ped,px,py'$/,
    );
  });

  it.each([
    ['frame,ped,px,pz', /line 1: expected a column 'pz', found 'frame,ped,px,py'$/],
    ['frame,ped,px,9', /line 1: expected a column '9', found/],
    ['frame,ped,px,1', /line 1: expected different columns: '1' is named twice, found/],
    ['t,id,-,-,x,y', /line 1: expected the 6 columns t,id,-,-,x,y, found/],
  ])('that the file lacks are told: %s', async (columns, expected) => {
    expect((await refusal(file('frame,ped,px,py\n0,a,1,2\n'), columns)).message).toMatch(expected);
  });

  it.each(['t,id,x', 't,id,x,x,y', 't,id,x,z', 'a,b,c', 'a,b,c,-', 'a,b,c,d,e,f', 'a,,c,d'])(
    'that make no sense are a bad option, before the file is looked for: %s',
    async (columns) => {
      const error = await refusal(join(folder, 'nowhere.csv'), columns);
      expect(error).toMatchObject({ code: 'BAD_OPTION', details: { field: 'columns', value: columns } });
    },
  );

  it('must be as many in every line', async () => {
    expect((await refusal(file('f,p,x,y,v\n0,a,1,2\n'), 'f,p,x,y')).message).toMatch(
      /line 2: expected 5 columns \(as in its first line\), found 4 in '0,a,1,2'$/,
    );
  });
});

describe('lines out of order', () => {
  const header = 't,id,x,y\n';
  const byId = '0,a,1,1\n1,a,2,1\n2.50,a,3,1\n0,b,9,1\n1,b,8,1\n2.5,a,7,7\n3,a,4,1\n';

  it('are counted, and the first is named', async () => {
    const { message, details, code } = await refusal(file(header + byId, 'byid.csv'));
    expect(message).toMatch(/^byid\.csv, line 5: time runs backwards: t is 0 after 2\.5 \(in all /);
    expect(message).toContain(
      '(in all 2 lines are each earlier than one above, 1 line is a duplicate). To mend it: awk',
    );
    expect({ code, details }).toEqual({ code: 'BAD_TRACE', details: { index: 5 } });
  });

  it('that are only duplicates are counted, too', async () => {
    const { message } = await refusal(
      file(`${header}0,a,1,1\n0,b,1,1\n0,a,2,2\n0,b,2,2\n1,a,3,3\n1,a,3,3\n`),
    );
    expect(message).toMatch(
      /line 4: is a duplicate: 'a' already has .+ \(in all 3 lines are each a duplicate\)/,
    );
  });

  it('are counted up to a line that is no sample', async () => {
    const { message } = await refusal(file(`${header}1,a,1,1\n0,a,1,1\n0,b,1,1\nhm\n-1,a,1,1\n`));
    expect(message).toMatch(/\(in all 2 lines are each earlier than one above up to line 5\)/);
  });

  it('in a stream, which cannot be looked at twice, are told of the first', async () => {
    const stream = [new TextEncoder().encode(header + byId)];
    const all = async () => {
      for await (const _ of readTrace(stream));
    };
    await expect(all()).rejects.toThrow(/^trace, line 5: time runs backwards: t is 0 after 2\.5$/);
  });

  const sorted = ['0 a 1 1 0', '0 b 9 1 0', '1 a 2 1 0', '1 b 8 1 0', '2.5 a 3 1 0', '3 a 4 1 0'];
  it.each([
    ['commas', header + byId, 'plain.csv', undefined],
    ['a quote in the name', header + byId, "it's a file.csv", undefined],
    ['semicolons', (header + byId).replaceAll(',', ';'), 'semicolons.csv', undefined],
    [
      'tabs and \\r\\n',
      (header + byId).replaceAll(',', '\t').replaceAll('\n', '\r\n'),
      'tabs.tsv',
      undefined,
    ],
    [
      'bars, and blank lines at the end',
      `${(header + byId).replaceAll(',', '|')}\n\n`,
      'bars.txt',
      undefined,
    ],
    ['spaces and no header', byId.replaceAll(',', '  '), 'spaces', 't,id,x,y'],
    ['other columns', byId.replace(/^([^,]+),(\w)/gmu, 'x,$2,$1'), 'other.csv', '-,id,t,x,y'],
    ['gzip', header + byId, 'packed.csv.gz', undefined],
  ])('are mended by the command that is told: %s', async (_, text, name, columns) => {
    const { message } = await refusal(file(text, name), columns);
    const command = message.slice(message.indexOf('To mend it: ') + 'To mend it: '.length);
    execFileSync('sh', ['-c', command]);
    const mended = join(folder, name.replace(/^(.*?)(\.\w+)?(\.gz)?$/, '$1-mended$2$3'));
    if (name.endsWith('.gz')) expect(gunzipSync(readFileSync(mended)).toString()).toContain(header);
    expect(await read(mended, columns)).toEqual(sorted);
  });

  it('that are only duplicates are mended without sorting', async () => {
    const path = file(`${header}1,a,1,1\n1,a,2,2\n`, 'twice.csv');
    const { message } = await refusal(path);
    expect(message).not.toContain('sort');
    execFileSync('sh', ['-c', message.slice(message.indexOf('awk'))]);
    expect(await read(join(folder, 'twice-mended.csv'))).toEqual(['1 a 1 1 0']);
  });
});
