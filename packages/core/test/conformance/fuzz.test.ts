/**
 * The fuzzer as a command: finds a planted bug, says so with exit code 1, replays what it printed, and takes no wrong
 * argument.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { detectorNames } from '../../src/index.ts';

const fuzzer = fileURLToPath(new URL('../../../../tools/fuzz.ts', import.meta.url));
const canary = fileURLToPath(new URL('./open-boundary.ts', import.meta.url));
const vanishing = fileURLToPath(new URL('./vanishing-write.ts', import.meta.url));
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'umwelt-fuzz-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fuzz(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const run = ['--conditions=umwelt:source', fuzzer, ...args];
  return spawnSync(process.execPath, run, { encoding: 'utf8', env: { ...process.env, INIT_CWD: folder } });
}

describe('a planted bug', () => {
  let found: ReturnType<typeof fuzz>;
  beforeAll(() => {
    found = fuzz('--detector', canary, '--seed', '1', '--minutes', '2');
  });

  test('is found, printed with seed and script, and exits with 1', () => {
    const { status, stdout } = found;
    expect(status).toBe(1);
    expect(stdout).toMatch(/seed \d+ fails/);
    expect(stdout).toMatch(
      /again: npm run fuzz -- --seed \d+ --operations \d+ --entities \d+ --interests (none|all) --turnover (none|all) --attachments (none|all) --detector/,
    );
  });

  test('fails again by the printed line and by the printed script, which a sound detector passes', () => {
    const { stdout } = found;
    const line = stdout.match(/again: npm run fuzz -- (.*)/)?.[1] ?? '';
    expect(fuzz(...line.split(' ')).status).toBe(1);
    writeFileSync(join(folder, 'find.txt'), stdout);
    expect(fuzz('--script', 'find.txt', '--detector', canary).status).toBe(1);
    expect(fuzz('--script', 'find.txt').status).toBe(0);
  });
});

test('a seed alone is one script on every detector, and passes with exit code 0', () => {
  const { status, stdout } = fuzz('--seed', '5', '--operations', '100', '--entities', '8');
  expect(status).toBe(0);
  expect(stdout).toContain(` in ${detectorNames.length} scripts`);
  expect(stdout).toContain('nothing found');
});

test('scripts have rules of interest where they are asked for', () => {
  const { status, stdout } = fuzz(
    ...['--seed', '6', '--operations', '60', '--entities', '6', '--interests', 'all', '--detector', 'sweep'],
  );
  expect(status).toBe(0);
  expect(stdout).toContain('nothing found');
});

test('everybody is short-lived in scripts where it is asked for', () => {
  const { status, stdout } = fuzz(
    ...[
      '--seed',
      '6',
      '--operations',
      '200',
      '--entities',
      '6',
      '--turnover',
      'all',
      '--detector',
      'hot-pair',
    ],
  );
  expect(status).toBe(0);
  expect(stdout).toContain('nothing found');
});

describe('a write past the end of a column', () => {
  const overlong = ['--detector', vanishing, '--seed', '1', '--operations', '60', '--entities', '6'];

  test('vanishes without a word', () => {
    expect(fuzz(...overlong).status).toBe(0);
  });

  test('is found where writes are checked', () => {
    const { status, stdout } = fuzz('--checked', ...overlong);
    expect(status).toBe(1);
    expect(stdout).toContain('RangeError: element 3 of a Uint8Array of 3 was written to');
  });

  test('happens to no detector where everybody is short-lived, nor to one in a crowd', () => {
    const script = ['--checked', '--seed', '4', '--operations', '400', '--interests', 'all'];
    const short = fuzz(...script, '--entities', '12', '--turnover', 'all', '--kernels', 'typescript');
    expect(short.stdout).toContain('nothing found');
    const crowd = fuzz(...script, '--entities', '60', '--turnover', 'none');
    const plain = fuzz(...script, '--entities', '12', '--interests', 'none');
    expect(plain.stdout).toContain('nothing found');
    expect(crowd.stdout).toContain('nothing found');
  });
});

test('--help prints the options', () => {
  const { status, stdout } = fuzz('--help');
  expect(status).toBe(0);
  expect(stdout).toContain('--detector');
});

test.each([
  [['--seed', 'x'], '--seed x'],
  [['--seed', '1.5'], '--seed 1.5'],
  [['--minutes', '-1'], '--minutes'],
  [['--operations', '0'], '--operations 0'],
  [['--detector', 'hexgrid'], '--detector hexgrid'],
  [['--detector', 'nowhere.ts'], '--detector nowhere.ts'],
  [['--against', 'nobody'], '--against nobody'],
  [['--interests', 'few'], '--interests few'],
  [['--turnover', 'few'], '--turnover few'],
  [['--script', 'nowhere.json'], '--script nowhere.json'],
  [['--sede', '1'], '--sede'],
])('%o is one clear line and exit code 2', (args, named) => {
  const { status, stderr, stdout } = fuzz(...args);
  expect(status).toBe(2);
  expect(stdout).toBe('');
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).toContain(named);
});
