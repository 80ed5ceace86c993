/** The compile cache is emptied only when it holds too much. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { compileCache } from '../compile-cache.ts';

let root = '';

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'umwelt-compiled-'));
});

afterEach(() => rmSync(root, { recursive: true }));

it('the cache of compiled code is emptied past its limit, and only then', () => {
  const folder = compileCache(root, 100);
  const file = path.join(folder, 'v24', 'entry');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, new Uint8Array(60));
  const bound = 10_000;
  expect(compileCache(root, bound)).toBe(folder);
  expect(existsSync(file)).toBe(true);
  writeFileSync(path.join(folder, 'v24', 'another'), new Uint8Array(bound));
  expect(compileCache(root, bound)).toBe(folder);
  expect(existsSync(folder)).toBe(false);
});
