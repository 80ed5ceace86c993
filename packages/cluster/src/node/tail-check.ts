/**
 * Checks whether a log still holds the records that a state was made from.
 *
 * A log may lose its newest acknowledged records when its machine loses power. Nodes that applied them are then ahead, and
 * other records come at those positions. So a node compares after every lost connection.
 */
import { checksumOf } from 'umwelt/bytes';
import type { Log } from '../log/log.ts';
import { isSameWord } from '../records/record.ts';
import type { RecentRecord } from '../state/replica.ts';

/** Rejects while the log cannot be read. `mayBeForgotten`: missing records are taken for old ones that are no longer kept. */
export async function isTailKept(
  log: Log,
  recent: readonly RecentRecord[],
  mayBeForgotten = false,
): Promise<boolean> {
  const found = await Promise.all(recent.map(({ position }) => log.read(position)));
  return recent.every(({ checksum }, i) => {
    const bytes = found[i];
    return bytes === undefined ? mayBeForgotten : isSameWord(checksumOf(bytes), checksum);
  });
}

/** Whether the log still keeps one of these positions. Rejects while it cannot be read. */
export async function hasAny(log: Log, recent: readonly RecentRecord[]): Promise<boolean> {
  const found = await Promise.all(recent.map(({ position }) => log.read(position)));
  return found.some((bytes) => bytes !== undefined);
}

/**
 * Whether the log does not continue where a state ends: it no longer keeps the following records, or lost those that the state
 * was made from. A world that was stopped for longer than its log keeps records starts again this way.
 */
export async function isCutOff(log: Log, position: number): Promise<boolean> {
  if ((await log.last?.()) === position) return false;
  if ((await log.read(position + 1)) !== undefined) return false;
  // A log that cannot tell its end is taken to continue there if it has the record before.
  return log.last !== undefined || (position > 0 && (await log.read(position)) === undefined);
}
