/**
 * Reads a log from its beginning and keeps all of it, with each of its branches: the log as it was before the broker lost
 * its end.
 */
import type { Log } from '../../src/log/log.ts';

const REST_MS = 50;

export class LogRecorder {
  records: Uint8Array[] = [];
  readonly branches: Uint8Array[][] = [];
  readonly #log: Log;
  readonly #heard: (position: number, bytes: Uint8Array) => void;
  readonly #forked: () => void;
  #stop: (() => void) | undefined;
  #isOver = false;

  /** `heard` is told of each record once; `forked`, when the log lost some of them. */
  constructor(log: Log, heard = (_position: number, _bytes: Uint8Array) => {}, forked = () => {}) {
    this.#log = log;
    this.#heard = heard;
    this.#forked = forked;
  }

  async begin(): Promise<void> {
    for (;;) {
      try {
        await this.#branch();
        this.#stop = await this.#log.follow(
          this.records.length + 1,
          (position, bytes) => {
            if (position !== this.records.length + 1)
              throw new Error(`the log does not keep ${this.records.length + 1}`);
            const record = bytes.slice();
            this.records.push(record);
            this.#heard(position, record);
          },
          () => {
            if (!this.#isOver) void this.begin();
          },
        );
        return;
      } catch (error) {
        if (this.#isOver) return;
        if (!(error instanceof Error) || (error as { code?: string }).code !== 'LOG_DOWN') throw error;
        await new Promise((resolve) => setTimeout(resolve, REST_MS));
      }
    }
  }

  end(): void {
    this.#isOver = true;
    this.#stop?.();
  }

  /** Keeps what the log does not have any more, and goes back to where it is the same. */
  async #branch(): Promise<void> {
    let common = this.records.length;
    while (common > 0) {
      const found = await this.#log.read(common);
      if (found !== undefined && Buffer.compare(found, this.records[common - 1]!) === 0) break;
      common--;
    }
    if (common === this.records.length) return;
    this.branches.push(this.records);
    this.#forked();
    this.records = this.records.slice(0, common);
  }
}
