/**
 * Whether a log still holds what a state was made from.
 *
 * A log may lose its newest records after it acknowledged them, when its machine loses power. Nodes that applied them are
 * ahead then, and other records come at those positions. So after every lost connection a node compares.
 */
import { checksumOf } from 'umwelt/bytes';
import type { Log } from '../log/log.ts';
import { isSameWord } from '../records/record.ts';
import type { RecentRecord } from '../state/replica.ts';

/** Rejects while the log cannot be read. `mayBeForgotten`: records that are not there count as old ones. */
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

/**
 * Whether a log does not go on where a state ends: it forgot the records that follow, or lost those that the state was made
 * from. A world that stood still for longer than its log keeps records begins again that way.
 */
export async function isCutOff(log: Log, position: number): Promise<boolean> {
  if (log.last === undefined || (await log.last()) === position) return false;
  return (await log.read(position + 1)) === undefined;
}
