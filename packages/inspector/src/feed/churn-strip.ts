/**
 * How many pairs entered and left in each part of a recording, as far as its ticks have been played.
 *
 * Ticks become known in any order, and more than once; a bit per tick makes sure that each is counted once. The strip has
 * at most `CHURN_CELLS_MAX` cells; in a longer recording a cell covers several ticks and has the value of the busiest.
 *
 * Memory: a bit per tick, and 9 bytes per cell. The recording itself takes more than 9 bytes per tick.
 */
import { CHURN_CELLS_MAX, KNOWN_MAX, writeChurnFrame } from '../churn-frame.ts';
import type { RecordingSpan } from '../feed-message.ts';

export class ChurnStrip {
  /** Increases whenever a tick becomes known. */
  version = 0;
  readonly #firstTick: number;
  readonly #tickCount: number;
  readonly #ticksPerCell: number;
  readonly #isNoted: Uint8Array;
  readonly #pairs: Float32Array;
  readonly #knownTicks: Uint32Array;

  constructor({ firstTick, lastTick }: RecordingSpan) {
    this.#firstTick = firstTick;
    this.#tickCount = lastTick - firstTick;
    this.#ticksPerCell = Math.max(1, Math.ceil(this.#tickCount / CHURN_CELLS_MAX));
    const cellCount = Math.ceil(this.#tickCount / this.#ticksPerCell);
    this.#isNoted = new Uint8Array(Math.ceil(this.#tickCount / 8));
    this.#pairs = new Float32Array(cellCount);
    this.#knownTicks = new Uint32Array(cellCount);
  }

  /** Notes how many pairs entered and left in a tick. Ticks that the recording does not report are ignored. */
  note(tick: number, pairCount: number): void {
    const index = tick - this.#firstTick - 1;
    if (!(index >= 0 && index < this.#tickCount)) return;
    const byte = this.#isNoted[index >> 3] as number;
    if ((byte & (1 << (index & 7))) !== 0) return;
    this.#isNoted[index >> 3] = byte | (1 << (index & 7));
    const cell = Math.floor(index / this.#ticksPerCell);
    this.#pairs[cell] = Math.max(this.#pairs[cell] as number, pairCount);
    this.#knownTicks[cell] = (this.#knownTicks[cell] as number) + 1;
    this.version++;
  }

  frame(): Uint8Array<ArrayBuffer> {
    const known = Uint8Array.from(this.#knownTicks, (ticks, cell) => {
      const ticksOfCell = Math.min(this.#ticksPerCell, this.#tickCount - cell * this.#ticksPerCell);
      // One known tick shows as at least 1; one unknown tick keeps the cell from being full.
      return ticks === 0 ? 0 : Math.max(1, Math.floor((ticks * KNOWN_MAX) / ticksOfCell));
    });
    return writeChurnFrame({
      firstTick: this.#firstTick,
      ticksPerCell: this.#ticksPerCell,
      pairs: this.#pairs,
      known,
    });
  }
}
