/**
 * What a node does that is ahead of its log: the log lost records that it applied. Or the log goes on from the state of
 * another, who is not to be found.
 *
 * It asks for the state of a member that is not ahead, again and again. Where nobody answers for two seconds, and the log
 * tells of nobody at work, all are ahead (one that was no member, and may only have come too early, waits much longer): then one of them says that the log goes on from its state, and the others copy
 * that. Which one the log decides: the first such record counts, and each names the position up to which its writer had
 * read, so that a second one that did not know of the first does not. The further ahead a node is, the sooner it speaks.
 * A world that somebody began meanwhile, since the log was empty, gives way.
 */
import { checksumOf } from 'umwelt/bytes';
import type { Log } from '../log/log.ts';
import {
  type ClusterRecord,
  isSameWord,
  NOBODY,
  readRecord,
  writeAnew,
  writeRecord,
} from '../records/record.ts';
import type { RecentRecord, Replica } from '../state/replica.ts';
import type { Environment } from './environment.ts';

const ASK_MS = 300;
const GRACE_MS = 1000;
/** Records before the end that are read, where nobody knows since when the log is another. */
const MARGIN = 4096;

export interface WayOn {
  /** For how long nobody answers, and nobody marks, before all are taken to be ahead. */
  readonly patienceMs: number;
  /** Takes the state of another: 'none' when there is none, 'younger' when it is of a world that began later than this. */
  copyFrom(): Promise<'taken' | 'none' | 'younger'>;
  isOver(): boolean;
  /** The log goes on from this node's state, behind that position. */
  won(position: number, bytes: Uint8Array): void;
}

export class BeginningAnew {
  readonly #log: Log;
  readonly #environment: Environment;

  constructor(log: Log, environment: Environment) {
    this.#log = log;
    this.#environment = environment;
  }

  start(replica: Replica, way: WayOn): void {
    const attempt = new Attempt(this.#log, this.#environment, replica, way);
    attempt.begin();
  }
}

class Attempt {
  readonly #log: Log;
  readonly #environment: Environment;
  readonly #replica: Replica;
  readonly #way: WayOn;
  readonly #nonce;
  readonly #from: number;
  /** The log was read up to there. */
  #seen = 0;
  /** The last record read that began it anew. */
  #anewPosition = 0;
  /** When somebody was last seen at work. */
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
      () => this.#again(),
    );
  }

  #again(): void {
    if (this.#isOver()) return;
    this.#environment.after(ASK_MS, () => {
      if (!this.#isOver()) this.begin();
    });
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
    // Half the grace for each record more that it is ahead of what was read.
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

  /** Reads the log from where it parts from this node's state. */
  async #read(): Promise<void> {
    const { recent } = this.#replica;
    this.#seen = await commonPosition(this.#log, recent);
    // Read before the log lost its end again, it may not be there any more.
    this.#anewPosition = 0;
    const stop = await this.#log.follow(
      this.#seen + 1,
      (position, bytes) => {
        if (!this.#isOver()) this.#take(position, bytes);
      },
      () => {
        this.#stop = undefined;
      },
    );
    if (this.#isDone) stop();
    else this.#stop = stop;
  }

  #take(position: number, bytes: Uint8Array): void {
    this.#seen = position;
    const record = recordOf(bytes);
    if (record?.kind === 'mark') this.#busyAt = this.#environment.now();
    if (record?.kind !== 'anew' || record.anew.seen < this.#anewPosition) return;
    this.#anewPosition = position;
    this.#busyAt = this.#environment.now();
    if (!isSameWord(record.anew.nonce, this.#nonce)) return;
    const copy = bytes.slice();
    this.#end();
    this.#way.won(position, copy);
  }
}

/**
 * Where to read from: the newest of the positions that the log still holds as they were. Where it holds none of them, it
 * lost more than those: from well before its end.
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

/** A position that the log reaches, or 0: by steps that double, so it is not the last one. */
async function lastBefore(log: Log, from: number): Promise<number> {
  for (let step = 1; from > 0; step *= 2) {
    if ((await log.read(from)) !== undefined) return from;
    from = Math.max(0, from - step);
  }
  return 0;
}

function recordOf(bytes: Uint8Array): ClusterRecord | undefined {
  try {
    return readRecord(bytes);
  } catch {
    return undefined;
  }
}
