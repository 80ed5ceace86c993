/** `umwelt record` and `umwelt replay` as processes: what one writes, the other makes again. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { detectorNames } from 'umwelt';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { umwelt } from './child-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'umwelt-record-'));
const file = join(folder, 'flocks.umwr');
const RECORD = ['record', '--scenario', 'flocks', '--entities', '150', '--seed', '3', '--ticks', '40'];
let recorded: string | undefined;

/** Records, the first time; answers what the command said. */
async function recording(): Promise<string> {
  if (recorded === undefined) {
    const { exitCode, output, errors } = await umwelt(...RECORD, '--out', file);
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    recorded = output;
  }
  return recorded;
}

afterAll(() => rmSync(folder, { recursive: true }));

async function mistakeIn(...words: string[]): Promise<string> {
  const { exitCode, output, errors } = await umwelt(...words);
  expect({ exitCode, output }, errors).toEqual({ exitCode: 2, output: '' });
  expect(errors).toMatch(/^umwelt (record|replay): [^\n]+\n$/);
  return errors;
}

beforeEach(async () => void (await recording()));

describe('a recording', () => {
  it('has the hash of the same world when it is played', async () => {
    const words = ['--scenario', 'flocks', '--entities', '150', '--seed', '3', '--ticks', '40'];
    const { output } = await umwelt('play', ...words, '--no-page', '--speed', '1000');
    const hash = /hash of all reports [0-9a-f]{16}/.exec(output)?.[0];
    expect(hash).toBeDefined();
    expect(await recording()).toContain(hash);
  });

  it('is the same, byte for byte, when it is made again', async () => {
    const other = join(folder, 'again.umwr');
    await umwelt(...RECORD, '--out', other);
    expect(readFileSync(other).equals(readFileSync(file))).toBe(true);
  });

  it.each([[[]], ...detectorNames.map((name) => [['--detector', name]])])(
    'is replayed with %j',
    async (words) => {
      const { exitCode, output, errors } = await umwelt('replay', file, ...words);
      expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
      expect(output).toMatch(/^40 ticks, each with the hash that was recorded$/m);
      expect(output).toMatch(/^tick 40: 150 entities, [\d,]+ relations, detector [a-z-]+$/m);
    },
  );

  it('is stopped at a tick, with its figures', async () => {
    const { exitCode, output } = await umwelt('replay', file, '--at', '17');
    expect(exitCode).toBe(0);
    expect(output).toMatch(/^tick 17: 150 entities/m);
    expect(output).toMatch(/^it reports [\d,]+ entered, [\d,]+ left, [\d,]+ updated, [\d,]+ sensed$/m);
    expect(output).toMatch(/^its hash is [0-9a-f]{16}$/m);
  });

  it('of a trace goes to its end', async () => {
    const trace = join(folder, 'two.csv');
    writeFileSync(trace, 't,id,x,y\n0,a,0,0\n0,b,1,0\n2,a,4,0\n2,b,5,0\n');
    const out = join(folder, 'two.umwr');
    expect(await umwelt('record', '--trace', trace, '--out', out)).toMatchObject({ exitCode: 0, errors: '' });
    expect(await umwelt('replay', out)).toMatchObject({ exitCode: 0, errors: '' });
  });

  it('that was cut short is replayed as far as it is whole', async () => {
    const cut = join(folder, 'cut.umwr');
    const bytes = readFileSync(file);
    writeFileSync(cut, bytes.subarray(0, bytes.length - 30));
    const { exitCode, output } = await umwelt('replay', cut);
    expect(exitCode).toBe(0);
    expect(output).toMatch(/^the recording was cut short: it is whole up to tick \d+$/m);
  });
});

describe('a mistake is told in one line', () => {
  it.each([
    [['record'], /--out FILE is needed/],
    [['record', '--out', 'x', '--trace', 'y', '--seed', '1'], /--seed does not go with --trace/],
    [['record', '--out', 'x', '--ticks', '0'], /--ticks: expected a whole number/],
    [['record', '--out', '/nowhere/x', '--entities', '5'], /no such file: '\/nowhere\/x'/],
    [['replay'], /a recording is needed first/],
    [['replay', '--at', '3'], /a recording is needed first/],
    [['replay', 'nowhere.umwr'], /no such file: 'nowhere.umwr'/],
  ])('%j', async (words, expected) => {
    expect(await mistakeIn(...words)).toMatch(expected);
  });

  it('a tick that the recording does not have', async () => {
    expect(await mistakeIn('replay', file, '--at', '41')).toMatch(
      /the recording has ticks 0 to 40, given '41'/,
    );
  });

  it('a file that is no recording, and one that was altered', async () => {
    const text = join(folder, 'text.umwr');
    writeFileSync(text, 'not a recording, whatever its name says');
    expect(await mistakeIn('replay', text)).toMatch(/no recording of a world/);
    const altered = readFileSync(file);
    altered.writeUInt8(altered.readUInt8(700) ^ 1, 700);
    writeFileSync(text, altered);
    expect(await mistakeIn('replay', text)).toMatch(/altered/);
  });
});
