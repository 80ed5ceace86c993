/** The log in this process: what every log does, what it keeps, and whom it asks. */
import { expect, it, vi } from 'vitest';
import { memoryLog } from '../../src/log/memory-log.ts';
import { followed, gathered, itIsALog, record } from './log-contract.ts';

itIsALog(() => Promise.resolve(memoryLog()));

it('delivers nothing from within append', async () => {
  const log = memoryLog();
  const { taken } = await followed(log, 1);
  void log.append(record(1));
  expect(taken).toEqual([]);
  await expect.poll(() => taken.length).toBe(1);
});

it('keeps the newest bytes; who follows from what is gone begins with the first that is kept', async () => {
  const log = memoryLog({ maxBytes: 40 });
  for (let value = 1; value <= 10; value++) await log.append(record(value, 16));
  expect(await log.read(8)).toBeUndefined();
  expect(await log.read(9)).toEqual(record(9, 16));
  expect(await log.read(11)).toBeUndefined();
  expect(await log.last?.()).toBe(10);
  const { taken } = await followed(log, 1);
  await expect
    .poll(() => taken)
    .toEqual([
      [9, 9],
      [10, 10],
    ]);
});

it('a full log does not move all its records at each append', async () => {
  const log = memoryLog({ maxBytes: 1000 * 16 });
  for (let value = 0; value < 1000; value++) void log.append(record(value, 16));
  const splice = vi.spyOn(Array.prototype, 'splice');
  for (let value = 1000; value < 2500; value++) void log.append(record(value, 16));
  const { length: moves } = splice.mock.calls;
  splice.mockRestore();
  expect(moves).toBe(1);
  expect(await log.last?.()).toBe(2500);
  expect(await log.read(1500)).toBeUndefined();
  expect(await log.read(1501)).toEqual(record(1500, 16));
  expect(await log.read(2500)).toEqual(record(2499, 16));
});

it('asks those that answer by turns', async () => {
  const log = memoryLog();
  const asked = async () => [...(await gathered(await log.ask(record(3, 1))))];
  for (const value of [1, 2]) {
    log.answer(async function* () {
      yield record(value, 1);
    });
  }
  expect([await asked(), await asked(), await asked()]).toEqual([[1], [2], [1]]);
});

it('refuses a limit that is none', () => {
  expect(() => memoryLog({ maxBytes: Number.NaN })).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
});
