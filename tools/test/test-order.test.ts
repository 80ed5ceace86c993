/** The order of test files: the longest first, each file exactly once. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../run-command.ts';
import { longest, longestFirst } from '../test-order.ts';

it('the listed files exist, each once', () => {
  expect(longest.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  expect(new Set(longest).size).toBe(longest.length);
});

it('they come first, the longest at the front, and no file is left out', () => {
  const [first = '', second = ''] = longest;
  const last = longest.at(-1) ?? '';
  const given = ['unlisted.test.ts', second, 'another.test.ts', last, first];
  expect(longestFirst(given, (file) => file)).toEqual([
    first,
    second,
    last,
    'unlisted.test.ts',
    'another.test.ts',
  ]);
});
