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
  #records: HeldRecord[] | undefined;

  constructor(environment: Environment, apply: (position: number, bytes: Uint8Array) => void) {
    this.#environment = environment;
    this.#apply = apply;
  }

  /** Holds what comes in this turn of the event loop. */
  hold(): void {
    const records: HeldRecord[] = [];
    this.#records = records;
    this.#environment.afterTurn(() => {
      if (this.#records !== records) return;
      this.#records = undefined;
      for (const { position, bytes } of records) this.#apply(position, bytes);
    });
  }

  /** Forgets them: they are read again. */
  drop(): void {
    this.#records = undefined;
  }

  /** Whether the record is held. */
  take(position: number, bytes: Uint8Array): boolean {
    this.#records?.push({ position, bytes });
    return this.#records !== undefined;
  }
}
