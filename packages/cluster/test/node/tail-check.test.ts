/** Whether a log continues where a state ends, also one that cannot tell its own end. */
import { expect, it } from 'vitest';
import { type Log, memoryLog } from '../../src/index.ts';
import { isCutOff } from '../../src/node/tail-check.ts';

/** A log that keeps the records of these positions. */
function logOf(first: number, last: number, tellsEnd: boolean): Log {
  const read = (position: number) =>
    Promise.resolve(position >= first && position <= last ? Uint8Array.of(position) : undefined);
  const log = memoryLog();
  return {
    read,
    append: (bytes) => log.append(bytes),
    follow: (from, take, lost) => log.follow(from, take, lost),
    ask: (bytes) => log.ask(bytes),
    answer: (how) => log.answer(how),
    ...(tellsEnd && { last: () => Promise.resolve(last) }),
  };
}

it.each([
  // A log that was emptied, and nodes that begin by a checkpoint: their hellos were never read.
  { first: 1, last: 0, position: 7, isCut: true },
  { first: 1, last: 3, position: 7, isCut: true },
  { first: 9, last: 12, position: 7, isCut: true },
  { first: 1, last: 7, position: 7, isCut: false },
  { first: 8, last: 12, position: 7, isCut: false },
  { first: 1, last: 0, position: 0, isCut: false },
])('a log of $first to $last is cut off at $position: $isCut', async ({ first, last, position, isCut }) => {
  expect(await isCutOff(logOf(first, last, true), position)).toBe(isCut);
  expect(await isCutOff(logOf(first, last, false), position)).toBe(isCut);
});

it('a log that forgot all its records ends where its state does, which only the log can tell', async () => {
  expect(await isCutOff(logOf(8, 7, true), 7)).toBe(false);
  expect(await isCutOff(logOf(8, 7, false), 7)).toBe(true);
});
