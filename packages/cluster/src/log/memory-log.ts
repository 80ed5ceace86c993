/**
 * A log in this process: for tests, for examples, and for a world that runs in one process today and in several later.
 *
 * Nodes that use the same log object are in one world. Records are delivered in separate turns of the event loop, as a broker
 * would deliver them. Memory: the newest `maxBytes` of records. Older records are dropped; a node that needs them copies the
 * state of another node.
 */
import { badOption, rejectUnknown } from './bad-option.ts';
import type { Log } from './log.ts';

/** Options of `memoryLog`. */
export interface MemoryLogOptions {
  /** Maximum bytes of records to keep; the newest record is always kept. Default 64 MiB. */
  readonly maxBytes?: number;
}

const DEFAULT_BYTES = 64 * 1024 * 1024;
/** Records delivered to a follower per turn of the event loop, and for how long: a slow reader must not keep it from turning. */
const BATCH = 256;
const TURN_MS = 10;

/** Creates a log within this process. Throws `BAD_OPTION`. */
export function memoryLog(options: MemoryLogOptions = {}): Log {
  rejectUnknown(options, ['maxBytes']);
  const { maxBytes = DEFAULT_BYTES } = options;
  if (typeof maxBytes !== 'number' || !(maxBytes >= 0)) {
    throw badOption('maxBytes', maxBytes, 'a number from 0');
  }
  return new MemoryLog(maxBytes);
}

type Take = (position: number, bytes: Uint8Array) => void;
type Answer = (bytes: Uint8Array) => AsyncIterable<Uint8Array>;

interface LogRecord {
  readonly position: number;
  readonly bytes: Uint8Array;
}

class MemoryLog implements Log {
  readonly #maxBytes: number;
  readonly #followers = new Set<Follower>();
  #answers: Answer[] = [];
  /** The record at position p is `#records[p - #base]`. Those before `#first` are dropped. */
  #records: (Uint8Array | undefined)[] = [];
  #base = 1;
  #first = 1;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  append(bytes: Uint8Array): Promise<number> {
    // Not slice(): a Node Buffer's slice does not copy.
    this.#records.push(new Uint8Array(bytes));
    this.#bytes += bytes.length;
    this.#forget();
    for (const follower of this.#followers) follower.wake();
    return Promise.resolve(this.#last);
  }

  follow(from: number, take: Take, _lost: () => void): Promise<() => void> {
    const follower = new Follower(from, take, (position) => this.#at(position));
    this.#followers.add(follower);
    follower.wake();
    return Promise.resolve(() => {
      follower.stop();
      this.#followers.delete(follower);
    });
  }

  read(position: number): Promise<Uint8Array | undefined> {
    return Promise.resolve(position < this.#first ? undefined : this.#at(position)?.bytes.slice());
  }

  last(): Promise<number> {
    return Promise.resolve(this.#last);
  }

  ask(bytes: Uint8Array): Promise<AsyncIterable<Uint8Array>> {
    const [answer, ...others] = this.#answers;
    if (answer === undefined) return Promise.resolve(silence());
    this.#answers = [...others, answer];
    return Promise.resolve(answer(new Uint8Array(bytes)));
  }

  answer(how: Answer): () => void {
    this.#answers.push(how);
    return () => {
      this.#answers = this.#answers.filter((each) => each !== how);
    };
  }

  get #last(): number {
    return this.#base + this.#records.length - 1;
  }

  /** The first kept record at or after a position. */
  #at(position: number): LogRecord | undefined {
    const kept = Math.max(position, this.#first);
    const bytes = this.#records[kept - this.#base];
    return bytes === undefined ? undefined : { position: kept, bytes };
  }

  #forget(): void {
    for (; this.#bytes > this.#maxBytes && this.#first < this.#last; this.#first++) {
      const at = this.#first - this.#base;
      this.#bytes -= this.#records[at]?.length ?? 0;
      this.#records[at] = undefined;
    }
    // Only once half of the places are empty: closing the gap costs as many steps as there are records.
    const empty = this.#first - this.#base;
    if (2 * empty < this.#records.length) return;
    this.#records.splice(0, empty);
    this.#base = this.#first;
  }
}

/** Delivers records to one reader, a batch per turn of the event loop. */
class Follower {
  readonly #take: Take;
  readonly #at: (position: number) => LogRecord | undefined;
  #next: number;
  #turn: NodeJS.Immediate | undefined;
  #isStopped = false;

  constructor(from: number, take: Take, at: (position: number) => LogRecord | undefined) {
    this.#next = from;
    this.#take = take;
    this.#at = at;
  }

  wake(): void {
    if (this.#isStopped) return;
    this.#turn ??= setImmediate(() => this.#deliver());
  }

  stop(): void {
    this.#isStopped = true;
    clearImmediate(this.#turn);
  }

  #deliver(): void {
    this.#turn = undefined;
    const startMs = performance.now();
    for (let count = 0; count < BATCH && !this.#isStopped; count++) {
      if (count > 0 && performance.now() - startMs > TURN_MS) break;
      const record = this.#at(this.#next);
      if (record === undefined) return;
      this.#next = record.position + 1;
      this.#take(record.position, record.bytes);
    }
    this.wake();
  }
}

async function* silence(): AsyncGenerator<Uint8Array> {}
