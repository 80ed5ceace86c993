/** What a store for checkpoints is, and how all of them find the newest whole checkpoint. */
import { UmweltError } from 'umwelt';

/**
 * A store for checkpoints: stored states of a world, used to restart the world after all its nodes have died. The newest
 * checkpoint plus the log records after it give the whole world.
 *
 * A checkpoint is the bytes that a node stores. The store is bounded: it keeps the newest few and removes the others.
 */
export interface Checkpoints {
  /** Saves a state. Resolves when the state would survive a crash. Rejects when there is no room; the newest that it had is kept. */
  save(state: Uint8Array): Promise<void>;
  /**
   * The newest undamaged checkpoint; `undefined` if nothing was saved. Damaged checkpoints are skipped. Rejects if all are damaged:
   * a world that begins again without them would soon replace them. A store may ignore the options: then the newest counts alone.
   */
  newest(options?: NewestOptions): Promise<Uint8Array | undefined>;
}

/** What a node asks of `Checkpoints.newest`. */
export interface NewestOptions {
  /**
   * Whether a checkpoint is a state that can be read, and was not tried already. One that is not is skipped as a damaged one. Default:
   * all are.
   */
  readonly isUsable?: (checkpoint: Uint8Array) => boolean;
  /** Called with how many newer checkpoints were skipped, if one was found after them. Default: nothing is called. */
  readonly skipped?: (count: number) => void;
}

/** Checkpoints on a NATS broker, over their own connection. */
export interface NatsCheckpoints extends Checkpoints {
  /** Closes the connection. */
  close(): Promise<void>;
}

/** Default number of checkpoints to keep: the newest, and one more in case the newest is damaged. */
export const KEEP = 2;

/** How often the store is looked through again if what it listed was replaced meanwhile. */
const LOOKS_MAX = 5;

/**
 * The newest whole one of the checkpoints that `list` lists, newest first. `read` resolves with 'gone' for one that another process
 * has replaced since. Rejects with `BAD_SNAPSHOT` if there are some and none is whole.
 */
export async function newestWhole<T>(
  where: string,
  list: () => Promise<readonly T[]>,
  read: (checkpoint: T) => Promise<Uint8Array | 'damaged' | 'gone'>,
  { isUsable = () => true, skipped }: NewestOptions = {},
): Promise<Uint8Array | undefined> {
  for (let look = 1; ; look++) {
    const listed = await list();
    if (listed.length === 0) return undefined;
    let isAnyGone = false;
    let skippedCount = 0;
    for (const checkpoint of listed) {
      const found = await read(checkpoint);
      if (typeof found !== 'string' && isUsable(found)) {
        if (skippedCount > 0) skipped?.(skippedCount);
        return found;
      }
      if (found === 'gone') isAnyGone = true;
      else skippedCount++;
    }
    if (isAnyGone && look < LOOKS_MAX) continue;
    throw new UmweltError(
      'BAD_SNAPSHOT',
      `${where} has ${listed.length} checkpoints, expected one that is whole: all were truncated, altered or no states. Remove them to begin without them`,
    );
  }
}
