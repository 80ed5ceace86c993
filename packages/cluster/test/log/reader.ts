/**
 * Reads a log as a node does: follows, and when following is lost looks at its own position and follows again.
 */
import type { Log } from '../../src/log/log.ts';

const REST_MS = 50;

export class Reader {
  /** First bytes by position, beginning with position 1 at index 0. */
  readonly values: number[] = [];
  /** Positions that did not come when it was their turn. */
  readonly outOfOrder: number[] = [];
  losses = 0;
  /** What was found where its own last record should be, when it was another one. */
  foundElse: Uint8Array | 'nothing' | undefined;
  readonly #log: Log;
  #stop: (() => void) | undefined;
  #isOver = false;

  constructor(log: Log) {
    this.#log = log;
  }

  async begin(): Promise<this> {
    await this.#follow();
    return this;
  }

  end(): void {
    this.#isOver = true;
    this.#stop?.();
  }

  async #follow(): Promise<void> {
    this.#stop = await this.#log.follow(
      this.values.length + 1,
      (position, bytes) => {
        if (position !== this.values.length + 1) this.outOfOrder.push(position);
        this.values.push(bytes[0] ?? -1);
      },
      () => void this.#again(),
    );
  }

  /** Until the log answers. */
  async #again(): Promise<void> {
    this.losses++;
    while (!this.#isOver) {
      try {
        const own = this.values.length;
        const found = own === 0 ? undefined : await this.#log.read(own);
        if (own > 0 && found?.[0] !== this.values[own - 1]) {
          this.foundElse = found ?? 'nothing';
          return;
        }
        await this.#follow();
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, REST_MS));
      }
    }
  }
}

/** Appends a record as a node does: again and again, until its position is known. */
export async function appendSurely(log: Log, value: number): Promise<number> {
  for (;;) {
    try {
      return await log.append(new Uint8Array(8).fill(value));
    } catch {
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
    }
  }
}
