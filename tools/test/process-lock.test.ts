/** What only one process at a time may do is done once, also after a process that was killed while it did it. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { doneOnce } from '../process-lock.ts';

let folder = '';
let lock = '';
let count = 0;
const isDone = () => count > 0;
async function doIt(): Promise<void> {
  await setTimeout(20);
  count++;
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'umwelt-lock-'));
  lock = path.join(folder, 'lock');
  count = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

it('is done once by several at the same time, and none holds the lock afterwards', async () => {
  await Promise.all([1, 2, 3].map(() => doneOnce(lock, isDone, doIt)));
  expect(count).toBe(1);
  expect(existsSync(lock)).toBe(false);
});

it('is done by the next one if it fails, or if its process was killed', async () => {
  const failing = doneOnce(lock, isDone, () => Promise.reject(new Error('no network')));
  await expect(failing).rejects.toThrow('no network');
  writeFileSync(lock, '999999999'); // no process has this id
  await doneOnce(lock, isDone, doIt);
  expect(count).toBe(1);
});
