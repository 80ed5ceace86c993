/**
 * How a cluster stands, seen from outside: no member, no part in the world.
 *
 * One member is asked, and the log is watched for a while: who writes how much, and how regular the marks come. What it
 * costs the cluster is an answer of some hundred bytes a member, and one more reader of the log for that time.
 */
import { UmweltError } from 'umwelt';
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
  /** Records of its, marks included. */
  readonly records: number;
  /** Bytes of those. */
  readonly bytes: number;
}

/** How a world stands, and what its log was like while it was watched. */
export interface ClusterStatus extends Omit<WorldStanding, 'members'> {
  /** The longest there first. */
  readonly members: readonly MemberStatus[];
  /** For how long the log was watched, in milliseconds. */
  readonly watchedMs: number;
  /** Ticks that were marked meanwhile. */
  readonly marks: number;
  /** The longest time between two of them, the ends of the watch included; in milliseconds. */
  readonly longestGapMs: number;
  /** Of all records meanwhile. */
  readonly bytes: number;
}

/** For `clusterStatus`. */
export interface ClusterStatusOptions {
  /** How long the log is watched, in milliseconds. Default 2000. */
  readonly watchMs?: number;
}

const WATCH_MS = 2000;
const WATCH_MS_MAX = 3600_000;
/** 1,024 members with long names take a fifth of it. */
const ANSWER_BYTES_MAX = 2 ** 20;

/**
 * Asks any member, and watches the log. Resolves with `undefined` where no member answers: none is alive, or it is busy
 * joining. Rejects with `LOG_DOWN`; with `BAD_SNAPSHOT` where what answers is no member. Throws `BAD_OPTION`.
 */
export async function clusterStatus(
  log: Log,
  options: ClusterStatusOptions = {},
): Promise<ClusterStatus | undefined> {
  const { watchMs = WATCH_MS } = options;
  if (typeof watchMs !== 'number' || !(watchMs >= 1 && watchMs <= WATCH_MS_MAX)) {
    throw new UmweltError('BAD_OPTION', `watchMs: ${watchMs} was given, expected 1 to ${WATCH_MS_MAX}`, {
      field: 'watchMs',
      value: watchMs,
    });
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
    // Several members mark a tick; the first counts.
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
    if (length > ANSWER_BYTES_MAX) throw new UmweltError('BAD_SNAPSHOT', 'a member answered far too much');
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
