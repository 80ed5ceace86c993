/**
 * The status of a cluster, seen from outside, without being a member.
 *
 * It asks one member, and watches the log for a while: how much each member writes, and how regular the marks are. Cost for the
 * cluster: an answer of some hundred bytes per member, and one more reader of the log for that time.
 */
import { UmweltError } from 'umwelt';
import { badOption, rejectUnknown } from '../log/bad-option.ts';
import { checkLog } from '../log/checked-log.ts';
import type { Log } from '../log/log.ts';
import { type ClusterRecord, readRecord } from '../records/record.ts';
import {
  type MemberStanding,
  readStanding,
  STANDING_QUESTION,
  type WorldStanding,
} from './world-standing.ts';

/** A member, and what it wrote while the log was watched. */
export interface MemberStatus extends MemberStanding {
  /** Number of its records, marks included. */
  readonly records: number;
  /** Bytes of its records. */
  readonly bytes: number;
}

/** The status of a world, and of its log while it was watched. */
export interface ClusterStatus extends Omit<WorldStanding, 'members'> {
  /** Oldest member first. */
  readonly members: readonly MemberStatus[];
  /** How long the log was watched, in milliseconds. */
  readonly watchedMs: number;
  /** Ticks marked in that time. */
  readonly marks: number;
  /** Longest time between two marks, start and end of the watch included; in milliseconds. */
  readonly longestGapMs: number;
  /** Bytes of all records in that time. */
  readonly bytes: number;
}

/** Options of `clusterStatus`. */
export interface ClusterStatusOptions {
  /** How long to watch the log, in milliseconds, 1 to 3,600,000. Default 2000. */
  readonly watchMs?: number;
}

const WATCH_MS = 2000;
const WATCH_MS_MAX = 3600_000;
/** 1,024 members with long names take a fifth of it. */
const ANSWER_BYTES_MAX = 2 ** 20;

/**
 * Asks any member, and watches the log. Resolves with `undefined` if no member answers: none is alive, or all are busy
 * joining. Rejects with `LOG_DOWN`, and with `BAD_SNAPSHOT` if the answer is not that of a member. Throws `BAD_OPTION`.
 */
export async function clusterStatus(
  log: Log,
  options: ClusterStatusOptions = {},
): Promise<ClusterStatus | undefined> {
  checkLog(log);
  rejectUnknown(options, ['watchMs']);
  const { watchMs = WATCH_MS } = options;
  if (typeof watchMs !== 'number' || !(watchMs >= 1 && watchMs <= WATCH_MS_MAX)) {
    throw badOption('watchMs', watchMs, `1 to ${WATCH_MS_MAX}`);
  }
  const watch = new Watch();
  await watch.run(log, watchMs);
  const standing = await askStanding(log);
  if (standing === undefined) return undefined;
  const { marks, longestGapMs, bytes, byIncarnation } = watch;
  const members = standing.members.map((member) => ({
    ...member,
    ...(byIncarnation.get(member.incarnation) ?? { records: 0, bytes: 0 }),
  }));
  return { ...standing, members, watchedMs: watchMs, marks, longestGapMs: Math.round(longestGapMs), bytes };
}

class Watch {
  marks = 0;
  longestGapMs = 0;
  bytes = 0;
  readonly byIncarnation = new Map<number, { records: number; bytes: number }>();
  #markedMs = performance.now();
  #tick = 0;

  async run(log: Log, milliseconds: number): Promise<void> {
    const from = ((await log.last?.()) ?? 0) + 1;
    const over = Promise.withResolvers<void>();
    const stop = await log.follow(
      from,
      (_position, bytes) => this.#take(bytes),
      () => over.reject(new UmweltError('LOG_DOWN', 'the connection to the log broke while it was watched')),
    );
    this.#markedMs = performance.now();
    const timer = setTimeout(() => over.resolve(), milliseconds);
    try {
      await over.promise;
    } finally {
      clearTimeout(timer);
      stop();
    }
    this.#gap();
  }

  #take(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    const record = recordOf(bytes);
    if (record === undefined) return;
    const sum = this.byIncarnation.get(record.incarnation) ?? { records: 0, bytes: 0 };
    const { records } = sum;
    this.byIncarnation.set(record.incarnation, { records: records + 1, bytes: sum.bytes + bytes.length });
    // Several members may mark a tick; the first mark counts.
    if (record.kind !== 'mark' || record.tick <= this.#tick) return;
    this.#tick = record.tick;
    this.marks++;
    this.#gap();
  }

  #gap(): void {
    const nowMs = performance.now();
    this.longestGapMs = Math.max(this.longestGapMs, nowMs - this.#markedMs);
    this.#markedMs = nowMs;
  }
}

async function askStanding(log: Log): Promise<WorldStanding | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of await log.ask(STANDING_QUESTION)) {
    length += piece.length;
    if (length > ANSWER_BYTES_MAX)
      throw new UmweltError('BAD_SNAPSHOT', 'the answer is larger than any status');
    pieces.push(piece.slice());
  }
  return length === 0 ? undefined : readStanding(Buffer.concat(pieces));
}

function recordOf(bytes: Uint8Array): ClusterRecord | undefined {
  try {
    return readRecord(bytes);
  } catch {
    return undefined;
  }
}
