/** The files that CONTRIBUTING names for each kind of change exist. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../run-command.ts';

const text = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8');
const [, traces = ''] = /^## Six changes[^\n]*\n(.*?)^## /ms.exec(text) ?? [];

/** Names in capitals stand for a file that is yet to be written. */
const named = [...traces.matchAll(/`([\w./-]+\/[\w./-]+)`/g)]
  .map(([, file]) => String(file))
  .filter((file) => !file.includes('NAME'));

test('the traces of six changes name files', () => {
  expect(traces.match(/^\*\*/gm)).toHaveLength(6);
  expect(named.length).toBeGreaterThan(40);
});

test.each([...new Set(named)])('%s is there', (file) => {
  const folder = file.startsWith('docs/') ? root : path.join(root, 'packages');
  expect(existsSync(path.join(folder, file))).toBe(true);
});
