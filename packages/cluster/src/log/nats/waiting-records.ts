/**
 * Records that a follower received and has not handed on yet, because its reader is slow.
 *
 * The NATS client hands on all records of a piece of its socket at once, some hundred. If the reader needs longer for them than
 * they took to be written, its event loop never turns: no timer rings, nothing is sent, and the other nodes take it for dead. So
 * in one turn records are handed on for 10 ms, at least one, and the rest in the next turns. At most 4,096 records or 32 MiB wait:
 * `isFull` says that no more should come, and `drained` is called when they all were handed on.
 */

const TURN_MS = 10;
const COUNT_MAX = 4096;
const BYTES_MAX = 32 * 1024 * 1024;

interface WaitingRecord {
  readonly position: number;
  readonly bytes: Uint8Array;
}

export class WaitingRecords {
  readonly #take: (position: number, bytes: Uint8Array) => void;
  readonly #drained: () => void;
  #records: WaitingRecord[] = [];
  #bytes = 0;
  #turn: NodeJS.Immediate | undefined;
  /** When records were first handed on in this turn. */
  #turnMs = 0;

  constructor(take: (position: number, bytes: Uint8Array) => void, drained: () => void) {
    this.#take = take;
    this.#drained = drained;
  }

  get isEmpty(): boolean {
    return this.#records.length === 0;
  }

  get isFull(): boolean {
    return this.#records.length >= COUNT_MAX || this.#bytes >= BYTES_MAX;
  }

  /** Hands the record on, now or later. */
  add(position: number, bytes: Uint8Array): void {
    if (this.#turn === undefined) this.#begin();
    if (this.isEmpty && this.#hasTime) {
      this.#take(position, bytes);
      return;
    }
    this.#records.push({ position, bytes });
    this.#bytes += bytes.length;
  }

  /** Forgets them. */
  drop(): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    this.#records = [];
    this.#bytes = 0;
  }

  get #hasTime(): boolean {
    return performance.now() - this.#turnMs < TURN_MS;
  }

  #begin(): void {
    this.#turnMs = performance.now();
    this.#turn = setImmediate(() => this.#handOn());
  }

  #handOn(): void {
    this.#turn = undefined;
    if (this.isEmpty) return;
    this.#begin();
    do {
      const { position, bytes } = this.#records.shift() as WaitingRecord;
      this.#bytes -= bytes.length;
      this.#take(position, bytes);
    } while (!this.isEmpty && this.#hasTime);
    // Also if they were dropped meanwhile.
    if (this.isEmpty) this.#drained();
  }
}
