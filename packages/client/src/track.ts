/**
 * Where an entity was told to be at which ticks, and where that puts it between two of them.
 *
 * A picture is drawn some ticks in the past, so that the next position is usually known already. An entity that rests is
 * not told of, and neither is one that is told of at every fourth tick only: so it moves to a new position during the
 * delay before it, and rests before that, which looks right for both.
 */

/** More than are ever between the picture and the newest tick, unless frames are very late. */
const SAMPLES_MAX = 8;

export class Track {
  /** Oldest first: tick, x, y, z of each. */
  readonly #samples: number[] = [];

  clear(): void {
    this.#samples.length = 0;
  }

  add(tick: number, x: number, y: number, z: number): void {
    this.#samples.push(tick, x, y, z);
    if (this.#samples.length > SAMPLES_MAX * 4) this.#samples.splice(0, 4);
  }

  /** Puts x, y, z at `tick`, which may be broken, into `out`. `delayTicks` is how long a move takes at most. */
  at(tick: number, delayTicks: number, out: { x: number; y: number; z: number }): void {
    const samples = this.#samples;
    if (samples.length === 0) return;
    let i = samples.length - 4;
    while (i > 0 && (samples[i] as number) > tick) i -= 4;
    const from = i;
    const to = Math.min(i + 4, samples.length - 4);
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
