/**
 * Where an entity was told to be at which ticks, and where that puts it between two of them.
 *
 * A picture is drawn some ticks in the past, so that the next position is usually known already. An entity that rests is
 * not told of, and neither is one that is told of at every fourth tick only: so it moves to a new position during the
 * delay before it, and rests before that, which looks right for both.
 */

/** More than are ever between the picture and the newest tick, unless frames are very late. A power of two. */
const SAMPLES_MAX = 8;

export class Track {
  /** A ring: tick, x, y, z of each. */
  readonly #samples: number[] = [];
  /** Of all that were ever added since it was empty. */
  #count = 0;

  clear(): void {
    this.#count = 0;
  }

  add(tick: number, x: number, y: number, z: number): void {
    const samples = this.#samples;
    const at = startOf(this.#count++);
    samples[at] = tick;
    samples[at + 1] = x;
    samples[at + 2] = y;
    samples[at + 3] = z;
  }

  /** Puts x, y, z at `tick`, which may be broken, into `out`. `delayTicks` is how long a move takes at most. */
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
