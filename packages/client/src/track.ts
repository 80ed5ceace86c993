/**
 * The recent positions of an entity by tick, and the interpolation between them.
 *
 * Entities are drawn some ticks in the past, so that the next position is usually known already. No update
 * arrives for a stationary entity, and for an entity with a low update rate one arrives, for example, only
 * every fourth tick. So an entity moves to a new position during the `delayTicks` before it, and stands still
 * before that, which looks right in both cases.
 */

/**
 * More than there ever are between the drawn tick and the newest one, unless frames are very late. A power of
 * two.
 */
const SAMPLES_MAX = 8;

export class Track {
  /** A ring buffer: tick, x, y, z of each sample. */
  readonly #samples: number[] = [];
  /** Number of samples added since it was cleared. */
  #count = 0;

  clear(): void {
    this.#count = 0;
  }

  add(tick: number, x: number, y: number, z: number): void {
    const samples = this.#samples;
    // The server continues from an older state, so what is here is of ticks that are no more.
    if (this.#count > 0 && (samples[startOf(this.#count - 1)] as number) >= tick) this.clear();
    const at = startOf(this.#count++);
    samples[at] = tick;
    samples[at + 1] = x;
    samples[at + 2] = y;
    samples[at + 3] = z;
  }

  /**
   * Stores x, y, z at `tick`, which may have a fraction, in `out`: the newest if it is NaN. `delayTicks` is the longest
   * duration of a move.
   */
  at(tick: number, delayTicks: number, out: { x: number; y: number; z: number }): void {
    const samples = this.#samples;
    const newest = this.#count - 1;
    if (newest < 0) return;
    const oldest = Math.max(0, this.#count - SAMPLES_MAX);
    let i = newest;
    while (i > oldest && (samples[startOf(i)] as number) > tick) i--;
    const from = startOf(i);
    const to = startOf(Math.min(i + 1, newest));
    const end = samples[to] as number;
    const begin = Math.max(samples[from] as number, end - delayTicks);
    const part = end > begin ? Math.min(1, Math.max(0, (tick - begin) / (end - begin))) : 1;
    const between = (axis: number): number => {
      const start = samples[from + axis] as number;
      return start + ((samples[to + axis] as number) - start) * part;
    };
    out.x = between(1);
    out.y = between(2);
    out.z = between(3);
  }
}

function startOf(sample: number): number {
  return (sample & (SAMPLES_MAX - 1)) * 4;
}
