/** `umwelt compare` as a person runs it: from the words to the table and the files. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type DetectorFactory, detectorNames } from 'umwelt';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../src/clock.ts';
import { compareCommand } from '../src/commands/compare.ts';
import { Disagreement } from '../src/compare/agreement.ts';
import { type Comparison, readComparison } from '../src/compare/comparison.ts';
import { type Outcome, told, UmweltProcess, umwelt } from './child-process.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'umwelt-compare-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => path.join(folder, name);

describe('a smoke run', () => {
  let ended: Promise<Outcome> | undefined;

  /** One run for all of these tests, started by the first. */
  async function smoke(): Promise<{ outcome: Outcome; result: Comparison }> {
    ended ??= umwelt('compare', '--smoke', '--json', at('r.json'), '--html', at('r.html'));
    const outcome = await ended;
    return { outcome, result: readComparison(readFileSync(at('r.json'), 'utf8'), 'r.json') };
  }

  it('comes to its end', async () => {
    const { outcome } = await smoke();
    expect({ ...outcome, output: '', errors: '' }).toEqual({
      exitCode: 0,
      signal: null,
      output: '',
      errors: '',
    });
  });

  it('has every detector that ships in every crowd it was asked for', async () => {
    const { result } = await smoke();
    const population = result.crowds.filter(({ series }) => series === 'population');
    expect(population.map(({ scenario, entities }) => `${scenario} ${entities}`)).toEqual([
      'walkers 50',
      'walkers 200',
      'city 50',
      'city 200',
    ]);
    for (const { id } of population) {
      const rows = result.rows.filter(({ crowd }) => crowd === id);
      expect(rows.map(({ contender }) => contender)).toEqual([...detectorNames]);
      for (const row of rows) expect(row.hash).toMatch(/^[0-9a-f]{16}$/);
      expect(new Set(rows.map(({ hash }) => hash)).size).toBe(1);
    }
  });

  it('prints a block a crowd, its progress on stderr, and the advice', async () => {
    const { outcome, result } = await smoke();
    const { output, errors } = outcome;
    expect(output).toMatch(/^Walkers, 30 in range: 200 entities, .+ entities per cell, .+ cells per entity/m);
    for (const name of detectorNames) expect(output).toMatch(new RegExp(`^ {2}${name} +\\d`, 'm'));
    expect(output).toMatch(/^(Take \S+|Any( but brute-force)? will do; keep sweep)\.$/m);
    expect(errors.trimEnd().split('\n')).toHaveLength(result.crowds.length);
    for (const line of errors.trimEnd().split('\n')) expect(line).toMatch(/^\d+:\d\d {2}crowd \d+ of \d+: /);
  });

  it('writes a report of what it found', async () => {
    const { result } = await smoke();
    const page = readFileSync(at('r.html'), 'utf8');
    expect(page).toMatch(/<h1>(Take|Any) [^<]+\.<\/h1>/);
    for (const { hash } of result.rows) if (hash !== undefined) expect(page).toContain(hash);
  });

  it('can have its report made again from the result, byte for byte', async () => {
    await smoke();
    const again = await told(
      'compare',
      '--from',
      at('r.json'),
      '--html',
      at('again.html'),
      '--pictures',
      folder,
    );
    expect(again).toMatchObject({ exitCode: 0, errors: '' });
    expect(readFileSync(at('again.html'), 'utf8')).toBe(readFileSync(at('r.html'), 'utf8'));
    expect(readFileSync(at('density.svg'), 'utf8')).toMatch(/^<svg /);
  });
});

describe('a recording', () => {
  const trace = at('two.csv');
  const samples = Array.from({ length: 60 }, (_, t) => `${t},a,${t},0\n${t},b,${t + 1},0\n${t},c,${t},5\n`);
  writeFileSync(trace, `t,id,x,y\n${samples.join('')}`);

  it('is compared on, tiled, at several ranges', async () => {
    const words = ['--trace', trace, '--tile', '3', '--no-claims', '--smoke', '--json', at('t.json')];
    const { exitCode, output } = await told('compare', ...words, '--detectors', 'sweep,brute-force');
    expect(exitCode).toBe(0);
    expect(output).toMatch(/for the recording with 27 entities/);
    const { crowds } = readComparison(readFileSync(at('t.json'), 'utf8'), 't.json');
    expect(crowds.map(({ series, entities }) => [series, entities])).toEqual([
      ['population', 3],
      ['population', 27],
      ['density', 27],
      ['density', 27],
    ]);
    const [half, whole] = crowds.filter(({ series }) => series === 'density').map(({ range }) => range);
    expect((whole ?? 0) / (half ?? 1)).toBeCloseTo(2, 5);
  });

  it('is told of, with the range chosen for its fullest moment and how many that means', async () => {
    const late = at('late.csv');
    const few = Array.from({ length: 400 }, (_, t) => `${t},a,${t % 10},0\n${t},b,0,100\n`);
    const many = Array.from({ length: 100 }, (_, i) => `400,p${i},${i % 10},${Math.floor(i / 10)}\n`);
    writeFileSync(late, `t,id,x,y\n${few.join('')}${many.join('')}`);
    const words = ['--trace', late, '--gap', '5', '--playback-speed', '1', '--no-claims', '--smoke'];
    const { output, exitCode } = await told('compare', ...words, '--detectors', 'sweep');
    expect(exitCode).toBe(0);
    expect(output).toMatch(/^late: 102 ids in 400 s, at most 102 at once, 400 s from its beginning$/m);
    const chosen =
      /^range (\S+) \(chosen\): at that moment an entity perceives (\S+) others on average$/m.exec(output);
    expect(Number(chosen?.[2])).toBeGreaterThan(8);
    expect(Number(chosen?.[2])).toBeLessThan(14);
    expect(output).toMatch(/^playback speed 1, gap 5 s$/m);
    expect(output).toMatch(/^Recording, 1 × 1: 102 entities/m);
    expect(output).toContain(`${chosen?.[2]} perceived at range ${chosen?.[1]}`);
  });

  it('may be given a range, a gap, a pace and columns', async () => {
    const other = at('other.csv');
    writeFileSync(
      other,
      `who;when;east;north\n${samples
        .join('')
        .replace(/^(\d+),(\w)/gmu, '$2;$1')
        .replaceAll(',', ';')}`,
    );
    const words = [
      '--columns',
      'id,t,x,y',
      '--range',
      '4.5',
      '--gap',
      '2',
      '--playback-speed',
      '3',
      '--json',
      at('o.json'),
    ];
    const all = ['--trace', other, '--no-claims', '--smoke', '--detectors', 'sweep', ...words];
    const { output, exitCode, errors } = await told('compare', ...all);
    expect(exitCode, errors).toBe(0);
    expect(output).toMatch(/^range 4\.5: at that moment an entity perceives \S+ others on average$/m);
    expect(output).toMatch(/^playback speed 3, gap 2 s$/m);
    const { crowds } = readComparison(readFileSync(at('o.json'), 'utf8'), 'o.json');
    expect(crowds.map(({ range }) => range)).toEqual([4.5, 2.25, 4.5]);
  });

  it('that is not there, or no recording, is told before anything is measured', async () => {
    const { exitCode, output, errors } = await told('compare', '--trace', at('nowhere.csv'));
    expect({ exitCode, output }).toEqual({ exitCode: 2, output: '' });
    expect(errors).toBe(`umwelt compare: cannot read ${at('nowhere.csv')}: no such file\n`);
    writeFileSync(at('bad.csv'), 't,id,x,y\n0,a,0,zero\n');
    const bad = await told('compare', '--trace', at('bad.csv'));
    expect({ ...bad, errors: '' }).toEqual({ exitCode: 2, signal: null, output: '', errors: '' });
    // Not a word of warming up.
    expect(bad.errors).toMatch(/^umwelt compare: bad\.csv, line 2: [^\n]+\n$/);
  });
});

describe('a detector that reports wrongly', () => {
  /** Tells nobody anything. */
  const silent: DetectorFactory = () => ({
    name: 'silent',
    memoryBytes: 0,
    detect: () => {},
    collect: () => {},
    validate: () => {},
    describe: () => '',
  });

  it('fails the run once everything is written, and is named', async () => {
    const written: string[] = [];
    const output = { write: (text: string) => written.push(text) };
    const contenders = [
      { name: 'sweep', detector: 'sweep' as const },
      { name: 'silent', detector: silent },
      { name: 'brute-force', detector: 'brute-force' as const },
    ];
    const words = [
      '--smoke',
      '--no-claims',
      '--scenario',
      'walkers',
      '--entities',
      '40',
      '--json',
      at('w.json'),
    ];
    const run = compareCommand({ write: () => {} }, contenders).run(words, {
      output,
      clock: systemClock,
      stop: new AbortController().signal,
    });
    await expect(run).rejects.toThrow(Disagreement);
    await expect(run).rejects.toThrow(
      /^crowd population\/walkers\/40: silent \(0{16}\) differs from sweep, brute-force/,
    );
    expect(written.join('')).toContain(`wrote ${at('w.json')}`);
  });
});

describe('the command', () => {
  it('shows its options and crowds', async () => {
    const { exitCode, output } = await told('compare', '--help');
    expect(exitCode).toBe(0);
    for (const word of ['--budget', '--from', '--trace', 'sparse', 'pile-up']) expect(output).toContain(word);
    for (const line of output.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
  });

  it('tells a mistake in one line', async () => {
    const { exitCode, output, errors } = await told('compare', '--detectors', 'magic');
    expect({ exitCode, output }).toEqual({ exitCode: 2, output: '' });
    expect(errors).toMatch(/^umwelt compare: --detectors: [^\n]+\n$/);
  });

  it('refuses a result that is none', async () => {
    writeFileSync(at('none.json'), '{}');
    const { exitCode, errors } = await told('compare', '--from', at('none.json'), '--html', at('x.html'));
    expect(exitCode).toBe(2);
    expect(errors).toMatch(/none\.json: expected the JSON that umwelt compare writes/);
  });

  it('ends on Ctrl-C with what it has, and writes no report', async () => {
    const run = new UmweltProcess(['compare', '--detectors', 'sweep', '--html', at('ended.html')]);
    await run.printed(/^Sparse, 3 in range: 100 entities/m);
    run.kill('SIGINT');
    const { exitCode, output } = await run.ended;
    expect(exitCode).toBe(0);
    expect(output).toMatch(/^stopped before all was measured: no report$/m);
    expect(() => readFileSync(at('ended.html'))).toThrow(/ENOENT/);
  });
});
