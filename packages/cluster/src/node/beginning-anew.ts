/**
 * Recovery for a node that is ahead of its log: the log has lost records that the node applied. Also for a log that was
 * restarted from the state of another node that cannot be found.
 *
 * The node repeatedly asks for the state of a member that is not ahead. If no member answers for two seconds and the log shows
 * no activity, all nodes are ahead. (A node that was not a member may only have come too early; it waits much longer.) Then a
 * node appends an 'anew' record: the log continues from its state, and the others copy that state. The log decides which node
 * wins: the first such record counts. Each 'anew' record names the position up to which its writer had read, so a second one,
 * whose writer did not know of the first, does not count. Records that the log discarded unread count as such a one: nodes that
 * read them may go on from it. The further ahead a node is, the earlier it appends its record. A world
 * that was started meanwhile because the log was empty is dropped in favour of the older world.
 */
import { UmweltError } from 'umwelt';
import { checksumOf } from 'umwelt/bytes';
import type { Log } from '../log/log.ts';
import type { Formats } from '../records/formats.ts';
import {
  type Anew,
  type ClusterRecord,
  isSameWord,
  NOBODY,
  readRecord,
  unreadFormatOf,
  writeAnew,
  writeRecord,
} from '../records/record.ts';
import type { RecentRecord, Replica } from '../state/replica.ts';
import type { Environment } from './environment.ts';
import type { JoinSettings } from './join-options.ts';

/** How long a member whose state the log has lost waits for other nodes. */
const AHEAD_MS = 2000;
const ASK_MS = 300;
const GRACE_MS = 1000;
/** Records before the end of the log that are read when it is unknown where the log differs from this node's state. */
const MARGIN = 4096;
/** Ticks of so many marks are remembered. */
const MOST_MARKS = 1024;

export interface WayOn {
  /** How long nothing is answered and no tick is marked before all nodes are taken to be ahead. */
  readonly patienceMs: number;
  /** Copies the state of another member. 'none': no state; 'younger': the state is of a world that began later than this one. */
  copyFrom(): Promise<'taken' | 'none' | 'younger'>;
  /**
   * A member answers with a state that this node cannot read. `isFinal`: by the log the world went on without this node, in another
   * format. Otherwise that member may only not have noticed yet that the log has lost its world.
   */
  unread(error: UmweltError, isFinal: boolean): void;
  isOver(): boolean;
  /** This node's record won, or that of another node with the same state: the log continues from this state after that position. */
  won(position: number, bytes: Uint8Array): void;
}

/**
 * A node that is not a member waits longer: members with more state may only be slower to come back. But it waits at most half of
 * the time that it has to join: otherwise a world with long ticks, or a large `silenceTicks`, could never begin again.
 */
export function patienceAheadMs({ members }: Replica, settings: JoinSettings, isMember: boolean): number {
  if (isMember) return AHEAD_MS;
  const { tickMs, silenceTicks } = members.settings ?? settings;
  return Math.max(AHEAD_MS, Math.min(4 * silenceTicks * tickMs, settings.patienceMs / 2));
}

/** Goes on until the state of another member was copied, the log continues from this node's state, or `way.isOver()`. */
export function beginAnew(log: Log, environment: Environment, replica: Replica, way: WayOn): void {
  new Attempt(log, environment, replica, way).begin();
}

class Attempt {
  readonly #log: Log;
  readonly #environment: Environment;
  readonly #replica: Replica;
  readonly #way: WayOn;
  readonly #nonce;
  readonly #from: number;
  /** Position up to which the log was read. */
  #seen = 0;
  /** Position of the last 'anew' record that was read, or may have been missed. */
  #anewPosition = 0;
  /** The tick of the last mark, and the ticks of all marks. */
  #markedTick = 0;
  readonly #markedTicks = new Set<number>();
  /** Whether the newest record of a member is one that this node cannot read. */
  #isUnread = false;
  /** Time of the last activity of any node. */
  #busyAt: number;
  #saidAt: number | undefined;
  #isDone = false;
  #stop: (() => void) | undefined;

  constructor(log: Log, environment: Environment, replica: Replica, way: WayOn) {
    this.#log = log;
    this.#environment = environment;
    this.#replica = replica;
    this.#way = way;
    this.#nonce = environment.nonce();
    this.#from = environment.now();
    this.#busyAt = this.#from;
  }

  begin(): void {
    this.#step().then(
      () => this.#again(),
      (error: unknown) => {
        if (error instanceof UmweltError && error.code === 'UNSUPPORTED') this.#answeredUnread(error);
        this.#again();
      },
    );
  }

  #again(): void {
    if (this.#isOver()) return;
    this.#environment.after(ASK_MS, () => {
      if (!this.#isOver()) this.begin();
    });
  }

  #answeredUnread(error: UmweltError): void {
    if (this.#isOver()) return;
    // Of a world that lives, so this node's state must not replace it.
    this.#busyAt = this.#environment.now();
    this.#way.unread(error, this.#isUnread);
  }

  #isOver(): boolean {
    if (!this.#isDone && this.#way.isOver()) this.#end();
    return this.#isDone;
  }

  #end(): void {
    this.#isDone = true;
    this.#stop?.();
    this.#stop = undefined;
  }

  async #step(): Promise<void> {
    if (this.#stop === undefined) await this.#read();
    if (this.#isOver()) return;
    const copied = await this.#way.copyFrom();
    if (copied === 'taken') this.#end();
    if (this.#isOver()) return;
    const now = this.#environment.now();
    // The more records this node is ahead of the log, the shorter its grace period.
    const ahead = Math.max(0, this.#replica.position - this.#seen);
    const quietSince = copied === 'younger' ? this.#from : this.#busyAt;
    const isAlone = now - quietSince > this.#way.patienceMs + GRACE_MS / (1 + ahead);
    if (!isAlone) return;
    if (this.#saidAt !== undefined && now - this.#saidAt < GRACE_MS) return;
    this.#saidAt = now;
    const { position, chain } = this.#replica;
    const anew = { nonce: this.#nonce, position, chain, seen: this.#seen };
    await this.#log.append(writeRecord('anew', NOBODY, (writer) => writeAnew(writer, anew)));
  }

  /** Reads the log from where it differs from this node's state. */
  async #read(): Promise<void> {
    const { recent } = this.#replica;
    this.#seen = await commonPosition(this.#log, recent);
    // What was read earlier may be gone: the log may have lost its end again.
    this.#anewPosition = 0;
    this.#markedTick = 0;
    this.#markedTicks.clear();
    this.#isUnread = false;
    const stop = await this.#log.follow(
      this.#seen + 1,
      (position, bytes) => {
        if (!this.#isOver()) this.#take(position, bytes);
      },
      () => {
        this.#stop = undefined;
      },
    );
    // While it could not be read it may have been as busy as ever.
    this.#busyAt = this.#environment.now();
    if (this.#isDone) stop();
    else this.#stop = stop;
  }

  /**
   * Whether a mark is a sign of a world that goes on: one after the other, it marks ticks that none had. A node that is ahead and has not
   * noticed yet repeats its mark, and copies come late, in any order. A late copy of a high tick does not hide a world that goes on below it.
   */
  #isNextMark(tick: number): boolean {
    const isNext = tick > this.#markedTick && !this.#markedTicks.has(tick);
    this.#markedTick = tick;
    if (this.#markedTicks.size === MOST_MARKS) this.#markedTicks.clear();
    this.#markedTicks.add(tick);
    return isNext;
  }

  /** Whether the log continues from this very state: its writer may have died before anybody copied it, or saved a checkpoint. */
  #isOfOwnState({ position, chain }: Anew): boolean {
    return position === this.#replica.position && isSameWord(chain, this.#replica.chain);
  }

  #take(position: number, bytes: Uint8Array): void {
    if (position > this.#seen + 1) this.#anewPosition = position - 1;
    this.#seen = position;
    const record = recordOf(bytes, this.#replica.formats);
    // Members of another version may mark ticks that this node cannot read.
    const isUnread = record === undefined && unreadFormatOf(bytes, this.#replica.formats) !== undefined;
    if (record?.kind === 'mark' || isUnread) this.#isUnread = isUnread;
    if ((record?.kind === 'mark' && this.#isNextMark(record.tick)) || isUnread)
      this.#busyAt = this.#environment.now();
    if (record?.kind !== 'anew') return;
    const isOwn = isSameWord(record.anew.nonce, this.#nonce);
    const counts = record.anew.seen >= this.#anewPosition;
    // Also if it does not count here: for nodes that read what the log discarded since, it may.
    if (!isOwn || counts) this.#busyAt = this.#environment.now();
    if (!counts) return;
    this.#anewPosition = position;
    if (!isOwn && !this.#isOfOwnState(record.anew)) return;
    const copy = bytes.slice();
    this.#end();
    this.#way.won(position, copy);
  }
}

/**
 * Where to start reading: the newest recent position at which the log still has the same record. If none matches, the log
 * lost more than those records: start well before its end.
 */
async function commonPosition(log: Log, recent: readonly RecentRecord[]): Promise<number> {
  for (const { position, checksum } of [...recent].reverse()) {
    const bytes = await log.read(position);
    if (bytes !== undefined && isSameWord(checksumOf(bytes), checksum)) return position;
  }
  const oldest = Math.max(0, (recent[0]?.position ?? 1) - 1);
  const end = log.last === undefined ? await lastBefore(log, oldest) : Math.min(oldest, await log.last());
  return Math.max(0, end - MARGIN);
}

/** A position that the log has, or 0. Searches backwards in doubling steps, so it may not be the last position. */
async function lastBefore(log: Log, from: number): Promise<number> {
  for (let step = 1; from > 0; step *= 2) {
    if ((await log.read(from)) !== undefined) return from;
    from = Math.max(0, from - step);
  }
  return 0;
}

function recordOf(bytes: Uint8Array, formats: Formats): ClusterRecord | undefined {
  try {
    return readRecord(bytes, formats);
  } catch {
    return undefined;
  }
}

/** Whether a state is of another world that has fewer ticks than this one. */
export function isYounger({ members, tick }: Replica, own: Replica): boolean {
  const [theirs, ours] = [members.settings?.origin, own.members.settings?.origin];
  return theirs !== undefined && ours !== undefined && !isSameWord(theirs, ours) && tick < own.tick;
}
