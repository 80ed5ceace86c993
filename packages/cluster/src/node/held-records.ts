/**
 * Records that come right after a node has joined, held until the code that waits for `joinWorld` has run.
 *
 * A log may deliver many records in one turn of the event loop. Without this, those that follow the node's hello would be told
 * before that code could add its first listener: messages would be lost, and the kept state of entities that it adopts.
 */
import type { Environment } from './environment.ts';

interface HeldRecord {
  readonly position: number;
  readonly bytes: Uint8Array;
}

export class HeldRecords {
  readonly #environment: Environment;
  readonly #apply: (position: number, bytes: Uint8Array) => void;
  /** Those that are held, or of which the rest is being applied. */
  #records: HeldRecord[] = [];
  #isHolding = false;

  constructor(environment: Environment, apply: (position: number, bytes: Uint8Array) => void) {
    this.#environment = environment;
    this.#apply = apply;
  }

  /** Holds what comes in this turn of the event loop. */
  hold(): void {
    const records: HeldRecord[] = [];
    this.#records = records;
    this.#isHolding = true;
    this.#environment.afterTurn(() => {
      if (this.#records !== records) return;
      this.#isHolding = false;
      // One of them may halt the node, or begin the world anew: then the list ends.
      for (let i = 0; i < records.length; i++) this.#apply(records[i].position, records[i].bytes);
    });
  }

  /** Forgets them: they are read again. */
  drop(): void {
    this.#isHolding = false;
    this.#records.length = 0;
    this.#records = [];
  }

  /** Whether the record is held. */
  take(position: number, bytes: Uint8Array): boolean {
    if (this.#isHolding) this.#records.push({ position, bytes });
    return this.#isHolding;
  }
}
