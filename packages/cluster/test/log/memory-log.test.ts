/** The log in this process: order, what it keeps, and who is asked. */
import { expect, it } from 'vitest';
import type { Log } from '../../src/log/log.ts';
import { memoryLog } from '../../src/log/memory-log.ts';

const record = (value: number, length = 4) => new Uint8Array(length).fill(value);

async function follow(log: Log, from: number) {
  const taken: [number, number][] = [];
  const stop = await log.follow(
    from,
    (position, bytes) => taken.push([position, bytes[0]!]),
    () => {},
  );
  return { taken, stop };
}

it('gives each record a position, one more each, from 1', async () => {
  const log = memoryLog();
  expect(await log.last?.()).toBe(0);
  expect(await Promise.all([log.append(record(1)), log.append(record(2))])).toEqual([1, 2]);
  expect(await log.last?.()).toBe(2);
});

it('delivers to each follower all records from where it begins, in order, each once', async () => {
  const log = memoryLog();
  for (let value = 1; value <= 600; value++) await log.append(record(value % 256));
  const [whole, late] = [await follow(log, 1), await follow(log, 599)];
  await log.append(record(7));
  await expect
    .poll(() => late.taken)
    .toEqual([
      [599, 599 % 256],
      [600, 600 % 256],
      [601, 7],
    ]);
  await expect.poll(() => whole.taken.length).toBe(601);
  expect(whole.taken.map(([position]) => position)).toEqual(Array.from({ length: 601 }, (_, i) => i + 1));
});

it('delivers nothing from within follow and append, and nothing after the end', async () => {
  const log = memoryLog();
  await log.append(record(1));
  const { taken, stop } = await follow(log, 1);
  expect(taken).toEqual([]);
  await expect.poll(() => taken.length).toBe(1);
  await log.append(record(2));
  stop();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(taken.length).toBe(1);
});

it('copies what it is given: bytes used again do not change the log', async () => {
  const log = memoryLog();
  const bytes = record(1);
  await log.append(bytes);
  bytes.fill(9);
  expect(await log.read(1)).toEqual(record(1));
});

it('keeps the newest bytes; who follows from what is gone begins with the first that is kept', async () => {
  const log = memoryLog({ maxBytes: 40 });
  for (let value = 1; value <= 10; value++) await log.append(record(value, 16));
  expect(await log.read(8)).toBeUndefined();
  expect(await log.read(9)).toEqual(record(9, 16));
  expect(await log.read(11)).toBeUndefined();
  expect(await log.last?.()).toBe(10);
  const { taken } = await follow(log, 1);
  await expect
    .poll(() => taken)
    .toEqual([
      [9, 9],
      [10, 10],
    ]);
});

it('asks those that answer by turns, and gets nothing where nobody does', async () => {
  const log = memoryLog();
  const asked = async () => {
    const pieces: number[] = [];
    for await (const piece of await log.ask(record(3, 1))) pieces.push(...piece);
    return pieces;
  };
  expect(await asked()).toEqual([]);
  const answerWith = (value: number) =>
    log.answer(async function* (question) {
      yield question;
      yield record(value, 1);
    });
  const stop = answerWith(1);
  answerWith(2);
  expect([await asked(), await asked(), await asked()]).toEqual([
    [3, 1],
    [3, 2],
    [3, 1],
  ]);
  stop();
  expect(await asked()).toEqual([3, 2]);
});

it('refuses a limit that is none', () => {
  expect(() => memoryLog({ maxBytes: Number.NaN })).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
});
