/** What `umwelt compare` understands, and what it says about the rest. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { requestOf } from '../src/commands/compare-options.ts';
import { exactContenders } from '../src/compare/contender.ts';
import { Mistake } from '../src/faults.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'umwelt-compare-options-'));
const file = path.join(folder, 'file.txt');
writeFileSync(file, '');
afterAll(() => rmSync(folder, { recursive: true }));

const request = (...words: string[]) => requestOf(words, exactContenders);

function mistakeIn(...words: string[]): string {
  try {
    request(...words);
  } catch (error) {
    expect(error).toBeInstanceOf(Mistake);
    return (error as Mistake).message;
  }
  throw new Error('nothing was found wrong');
}

describe('a request', () => {
  it('without words is for everybody, on four kinds of crowd and four sizes, with claims', () => {
    expect(request()).toMatchObject({
      from: undefined,
      budgetSeconds: 10,
      plan: {
        source: {
          scenarios: ['sparse', 'walkers', 'dense', 'city'],
          populations: [100, 1000, 10_000, 100_000],
        },
        contenders: exactContenders,
        seed: 1,
        hasClaims: true,
        isSmoke: false,
      },
    });
  });

  it.each([
    [['--entities', '1000,100', '--scenario', 'city,flocks', '--seed', '4']],
    [['--entities', '1000', '100', '1000', '--scenario', 'city', 'flocks', '--seed', '4']],
    [['--seed', '4', '--scenario=city,flocks', '--entities', '100, 1000']],
  ])('takes lists with commas or in a row: %j', (words) => {
    expect(request(...words).plan).toMatchObject({
      source: { scenarios: ['city', 'flocks'], populations: [100, 1000] },
      seed: 4,
    });
  });

  it('may be for some detectors, in their own order', () => {
    const { plan } = request('--detectors', 'brute-force,sweep', '--no-claims');
    expect(plan?.contenders.map(({ name }) => name)).toEqual(['sweep', 'brute-force']);
    expect(plan?.hasClaims).toBe(false);
  });

  it('may be for a world of things and players, counted apart', () => {
    const words = ['--scenario', 'world', '--things', '1000', '500', '--players', '20'];
    expect(request(...words).plan?.source).toMatchObject({
      scenarios: ['world'],
      things: [500, 1000],
      players: 20,
    });
    expect(request('--scenario', 'world').plan?.source).toMatchObject({ things: [100_000], players: 100 });
    expect(request('--scenario', 'world,city', '--entities', '50').plan?.source).toMatchObject({
      populations: [50],
      things: [100_000],
    });
  });

  it('may be for a recording, on growing crowds of copies', () => {
    expect(request('--trace', 'a.csv').plan?.source).toEqual({
      trace: { path: 'a.csv', gapSeconds: 10 },
      tiles: [1],
    });
    expect(request('--trace', 'a.csv', '--tile', '20').plan?.source).toMatchObject({
      tiles: [1, 3, 10, 20],
    });
  });

  it('says how the recording is to be read and played', () => {
    const words = ['--columns', 'id, t,-,x,y', '--gap', '30', '--range', '2.5', '--playback-speed', '60'];
    expect(request('--trace', 'a.csv', ...words).plan?.source).toMatchObject({
      trace: { columns: ['id', 't', '-', 'x', 'y'], gapSeconds: 30, range: 2.5, playbackSpeed: 60 },
    });
  });

  it('may be to make a report of a result that was kept', () => {
    expect(request('--from', 'r.json', '--html', path.join(folder, 'r.html'))).toMatchObject({
      from: 'r.json',
      plan: undefined,
    });
  });
});

describe('a mistake', () => {
  it.each([
    [
      ['--scenario', 'atlantis'],
      /^--scenario: expected some of sparse, dense, town, city, .+, given 'atlantis'$/,
    ],
    [['--detectors', 'sweep,magic'], /^--detectors: expected some of .+, given 'magic'$/],
    [['--entities', '100,many'], /^--entities: expected a whole number from 1 to 4193280, given 'many'$/],
    [['--entities', '0'], /^--entities: /],
    [['--budget', '0'], /^--budget: expected a number from 0\.01 to 86400, given '0'$/],
    [['--seed', '1.5'], /^--seed: /],
    [['--tile', '3'], /^--tile needs --trace FILE$/],
    [['--things', '3'], /^--things needs --scenario world$/],
    [['--scenario', 'city', '--players', '3'], /^--players needs --scenario world$/],
    [
      ['--scenario', 'world', '--entities', '3'],
      /^--entities does not go with --scenario world, which has --things and --players$/,
    ],
    [['--trace', 'a.csv', '--things', '3'], /^--things does not go with --trace$/],
    [['--range', '3'], /^--range needs --trace FILE$/],
    [['--columns', 't,id,x,y'], /^--columns needs --trace FILE$/],
    [['--trace', 'a.csv', '--range', '0'], /^--range: expected a number from 0\.000001 to /],
    [['--trace', 'a.csv', '--gap', 'no'], /^--gap: /],
    [['--from', 'r.json', '--html', 'x.html', '--gap', '3'], /^--gap does not go with --from$/],
    [['--trace', 'a.csv', '--tile', '0'], /^--tile: /],
    [['--trace', 'a.csv', '--scenario', 'city'], /^--scenario does not go with --trace$/],
    [['--trace', 'a.csv', '--entities', '5'], /^--entities does not go with --trace$/],
    [['--from', 'r.json'], /^--from needs --html FILE or --pictures FOLDER$/],
    [['--from', 'r.json', '--html', 'x.html', '--smoke'], /^--smoke does not go with --from$/],
    [['--from', 'r.json', '--html', 'x.html', '--json', 'y.json'], /^--json does not go with --from$/],
    [['city'], /'city' is not an option/],
    [['--htm', 'x'], /did you mean --html\?/],
  ])('%j is told in one line', (words, expected) => {
    expect(mistakeIn(...words)).toMatch(expected);
  });

  it('in where to write is told before anything is measured', () => {
    expect(mistakeIn('--html', path.join(folder, 'no', 'r.html'))).toMatch(/^--html: no such folder: /);
    expect(mistakeIn('--json', folder)).toMatch(/^--json: a file was expected, and '.+' is a folder$/);
    expect(mistakeIn('--json', '-')).toBe(
      "--json: a file was expected, and '-' is none; for a file of that name, give ./-",
    );
    expect(mistakeIn('--json', path.join(file, 'r.json'))).toMatch(/^--json: a folder was expected, and /);
    expect(mistakeIn('--pictures', file)).toMatch(/^--pictures: a folder was expected, and /);
    expect(mistakeIn('--pictures', path.join(folder, 'no'))).toMatch(/^--pictures: no such folder: /);
  });

  it('in where to write does not replace what is read, or the other result', () => {
    const fresh = path.join(folder, 'fresh');
    expect(mistakeIn('--trace', file, '--json', file)).toMatch(
      /^--json: '.+' is the file of --trace too, and would replace it$/,
    );
    expect(mistakeIn('--trace', file, '--html', file)).toMatch(/^--html: '.+' is the file of --trace too/);
    expect(mistakeIn('--from', file, '--html', file)).toMatch(/^--html: '.+' is the file of --from too/);
    expect(mistakeIn('--json', fresh, '--html', fresh)).toMatch(/^--html: '.+' is the file of --json too/);
    expect(request('--json', '/dev/null', '--html', '/dev/null')).toMatchObject({ html: '/dev/null' });
  });
});
