/** Running npm from tools and tests: what it prints, how it fails, and that one that waits for ever is ended. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { npm, npmWithin } from '../npm.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'umwelt-npm-'));
const times = path.join(folder, 'times');
// The first run waits for ever; each later one ends.
const script = `const fs = require('node:fs'); fs.appendFileSync('times', 'x');
if (fs.readFileSync('times', 'utf8') === 'x') setTimeout(() => {}, 60_000); else console.log('done');`;
writeFileSync(path.join(folder, 'waits.cjs'), script);
writeFileSync(
  path.join(folder, 'package.json'),
  '{ "private": true, "scripts": { "wait": "node waits.cjs" } }\n',
);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('resolves with the output, and rejects with what npm says', async () => {
  expect(await npm(folder, 'pkg', 'get', 'private')).toContain('true');
  await expect(npm(folder, 'run', 'nothing')).rejects.toThrow(/nothing/);
});

it('ends a run that waits for ever, and tries again', async () => {
  expect(await npmWithin(8000, 4, folder, ['run', 'wait'])).toContain('done');
  expect(readFileSync(times, 'utf8').length).toBeGreaterThan(1);
});
