/**
 * Where entities have come from, as fading tails: they turn a picture of dots into one of movement.
 *
 * Keeps the last `SAMPLES` positions of each entity, one every second tick, in the population's order. A change of population
 * makes a new table, in which earlier positions of a new entity are unknown. Only for worlds of up to `ENTITIES_MAX` entities;
 * at most `SEGMENTS_MAX` segments are drawn, of entities in view.
 */
import type { Camera } from '../camera.ts';
import type { Between, Crowd } from '../crowd.ts';
import type { Colour } from '../palette.ts';
import type { Marks } from './marks.ts';

const SAMPLES = 24;
const TICKS_A_SAMPLE = 2;
const ENTITIES_MAX = 8192;
const SEGMENTS_MAX = 24_000;

export class Trails {
  /** Newest sample first: x and y of all entities, then those of the sample before; NaN if unknown. */
  #samples: Float32Array[] = [];
  #ids = new Uint32Array(0);
  #lastTick = Number.NEGATIVE_INFINITY;
  readonly #place = new Float64Array(3);

  /** Call it after the crowd has taken a tick. */
  take(crowd: Crowd, tick: number): void {
    const isTooMany = crowd.count > ENTITIES_MAX || crowd.count === 0;
    if (isTooMany || tick < this.#lastTick) this.clear();
    if (isTooMany) return;
    if (crowd.ids !== this.#ids) this.#reorder(crowd);
    if (tick - this.#lastTick < TICKS_A_SAMPLE) return;
    this.#lastTick = tick;
    const { to } = crowd.between(tick);
    const sample =
      this.#samples.length === SAMPLES
        ? (this.#samples.pop() as Float32Array)
        : new Float32Array(crowd.count * 2);
    for (let i = 0; i < crowd.count; i++) {
      sample[i * 2] = to.positions[i * crowd.dimensions] as number;
      sample[i * 2 + 1] = to.positions[i * crowd.dimensions + 1] as number;
    }
    this.#samples.unshift(sample);
  }

  clear(): void {
    this.#samples.length = 0;
    this.#ids = new Uint32Array(0);
    this.#lastTick = Number.NEGATIVE_INFINITY;
  }

  draw(
    marks: Marks,
    crowd: Crowd,
    between: Between,
    camera: Camera,
    width: number,
    strength: number,
    colourOfIndex: (index: number) => Colour,
  ): void {
    const sampleCount = Math.min(this.#samples.length, Math.floor(SEGMENTS_MAX / Math.max(1, crowd.count)));
    if (sampleCount < 4 || crowd.ids !== this.#ids) return;
    for (let i = 0; i < crowd.count; i++) {
      crowd.placeInto(i, between, this.#place);
      let x = this.#place[0] as number;
      let y = this.#place[1] as number;
      const screenX = camera.screenX(x);
      const screenY = camera.screenY(y);
      if (screenX < -200 || screenY < -200 || screenX > camera.width + 200 || screenY > camera.height + 200)
        continue;
      const colour = colourOfIndex(i);
      // The newest sample may be ahead of the playhead; the tail begins with the one before it.
      for (let j = 1; j < sampleCount; j++) {
        const sample = this.#samples[j] as Float32Array;
        const nextX = sample[i * 2] as number;
        const nextY = sample[i * 2 + 1] as number;
        if (!(Math.abs(nextX - x) + Math.abs(nextY - y) <= crowd.jumpDistance)) break;
        const opacity = strength * (1 - j / sampleCount) ** 1.5;
        marks.addLine(
          camera.screenX(x),
          camera.screenY(y),
          camera.screenX(nextX),
          camera.screenY(nextY),
          width,
          colour,
          opacity,
        );
        x = nextX;
        y = nextY;
      }
    }
  }

  #reorder(crowd: Crowd): void {
    const indexBefore = new Map<number, number>();
    for (let i = 0; i < this.#ids.length; i++) indexBefore.set(this.#ids[i] as number, i);
    this.#samples = this.#samples.map((old) => {
      const sample = new Float32Array(crowd.count * 2).fill(Number.NaN);
      for (let i = 0; i < crowd.count; i++) {
        const before = indexBefore.get(crowd.ids[i] as number);
        if (before === undefined) continue;
        sample[i * 2] = old[before * 2] as number;
        sample[i * 2 + 1] = old[before * 2 + 1] as number;
      }
      return sample;
    });
    this.#ids = crowd.ids;
  }
}
