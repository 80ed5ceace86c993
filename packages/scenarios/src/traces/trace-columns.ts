/**
 * A whole trace in memory, packed: only the data for playback.
 *
 * Samples are columns in the order of the file, and each has the index of the next sample of the same id. If the next one comes
 * more than the gap later, the sample is the last of an *appearance*. 20 bytes per sample, 24 in 3-D, and the starts of
 * appearances.
 *
 *   time   0.0   0.0   0.4   0.4   0.8  ...  30.0
 *   id      a     b     a     b     a         a
 *   next   2 ->  3 ->  4 ->   0     0         ...     starts: 0 (a), 1 (b), 30.0 (a)
 *
 * 0 can mean "no next", since sample 0 is never a next one. It is built once from a stream (`collectTrace`); the columns grow by
 * doubling, up to 100,000,000 samples, and are cut to size at the end.
 */
import { UmweltError } from 'umwelt';
import type { TraceBatch, TraceSample } from './trace-reader.ts';

export interface TraceColumns {
  readonly dimensions: 2 | 3;
  readonly sampleCount: number;
  /** Seconds, ascending, by sample. */
  readonly time: Float64Array;
  /** World units, by sample. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** Empty in 2-D. */
  readonly z: Float32Array;
  /** By sample: the next sample of the same appearance; 0: none. */
  readonly next: Uint32Array;
  /** The first samples of appearances, ascending, and the numbers of their ids. */
  readonly starts: Uint32Array;
  readonly startIds: Uint32Array;
  /** Ids in the order of first appearance; an id's number is its index. */
  readonly ids: readonly string[];
  /** Corners of the bounding box of all positions, exactly as stored. */
  readonly low: readonly [x: number, y: number, z: number];
  readonly high: readonly [x: number, y: number, z: number];
  /** World units per second, over all movement; 0 if no id has two samples. */
  readonly meanSpeed: number;
}

/** Maximum number of samples: 2.4 GB of columns. */
const MOST_SAMPLES = 100_000_000;
/** Twice the rounding error of the difference of two times, per second of their distance from 0. */
const TIME_ROUNDING = 4.5e-16;

/** Reads a stream of samples into columns. `gapSeconds`: an id without a sample for longer starts a new appearance. */
export async function collectTrace(
  batches: AsyncIterable<TraceBatch>,
  name: string,
  gapSeconds: number,
): Promise<TraceColumns> {
  const collector = new TraceCollector(name, gapSeconds);
  for await (const batch of batches) collector.add(batch);
  return collector.finish();
}

class TraceCollector {
  readonly #name: string;
  readonly #gapSeconds: number;
  #dimensions: 2 | 3 = 2;
  #count = 0;
  #time = new Float64Array(1024);
  #x = new Float32Array(1024);
  #y = new Float32Array(1024);
  #z = new Float32Array(0);
  #next = new Uint32Array(1024);
  readonly #starts: number[] = [];
  readonly #startIds: number[] = [];
  readonly #numberOf = new Map<string, number>();
  readonly #ids: string[] = [];
  /** By id number: its last sample so far. */
  readonly #last: number[] = [];
  readonly #low: [number, number, number] = [Infinity, Infinity, Infinity];
  readonly #high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  #distance = 0;
  #seconds = 0;

  constructor(name: string, gapSeconds: number) {
    this.#name = name;
    this.#gapSeconds = gapSeconds;
  }

  add(batch: TraceBatch): void {
    this.#dimensions = batch.dimensions;
    for (const sample of batch.samples) this.#addSample(sample);
  }

  finish(): TraceColumns {
    const count = this.#count;
    if (count === 0) {
      throw new UmweltError('BAD_TRACE', `${this.#name}, line 2: there is no sample`, { index: 2 });
    }
    return {
      dimensions: this.#dimensions,
      sampleCount: count,
      time: this.#time.slice(0, count),
      x: this.#x.slice(0, count),
      y: this.#y.slice(0, count),
      z: this.#z.slice(0, count),
      next: this.#next.slice(0, count),
      starts: Uint32Array.from(this.#starts),
      startIds: Uint32Array.from(this.#startIds),
      ids: this.#ids,
      low: this.#low,
      high: this.#high,
      meanSpeed: this.#seconds > 0 ? this.#distance / this.#seconds : 0,
    };
  }

  #addSample(sample: TraceSample): void {
    const index = this.#count;
    if (index === this.#time.length || index === 0) this.#makeRoom(sample.line);
    this.#count++;
    this.#time[index] = sample.t;
    this.#x[index] = sample.x;
    this.#y[index] = sample.y;
    if (this.#dimensions === 3) this.#z[index] = sample.z;
    this.#widen(0, this.#x[index]!);
    this.#widen(1, this.#y[index]!);
    this.#widen(2, this.#z[index] ?? 0);
    const id = this.#number(sample.id);
    const last = this.#last[id];
    if (last !== undefined && this.#goesOn(last, index)) {
      this.#next[last] = index;
      this.#measure(last, index);
    } else {
      this.#starts.push(index);
      this.#startIds.push(id);
    }
    this.#last[id] = index;
  }

  /** Whether the later sample is within the gap after the earlier, allowing for rounding of the times. */
  #goesOn(earlier: number, later: number): boolean {
    const time = this.#time[later]!;
    return time - this.#time[earlier]! <= this.#gapSeconds + Math.abs(time) * TIME_ROUNDING;
  }

  #measure(earlier: number, later: number): void {
    const dx = this.#x[later]! - this.#x[earlier]!;
    const dy = this.#y[later]! - this.#y[earlier]!;
    const dz = (this.#z[later] ?? 0) - (this.#z[earlier] ?? 0);
    this.#distance += Math.sqrt(dx * dx + dy * dy + dz * dz);
    this.#seconds += this.#time[later]! - this.#time[earlier]!;
  }

  #number(id: string): number {
    const known = this.#numberOf.get(id);
    if (known !== undefined) return known;
    const number = this.#ids.length;
    // A substring may keep the whole text in memory; this copy holds the id alone.
    const copy = JSON.parse(JSON.stringify(id)) as string;
    this.#ids.push(copy);
    this.#numberOf.set(copy, number);
    return number;
  }

  #widen(axis: 0 | 1 | 2, value: number): void {
    if (value < this.#low[axis]) this.#low[axis] = value;
    if (value > this.#high[axis]) this.#high[axis] = value;
  }

  #makeRoom(line: number): void {
    const length = Math.min(MOST_SAMPLES, 2 * this.#time.length);
    if (this.#count >= length) {
      const message = `${this.#name}, line ${line}: more than ${MOST_SAMPLES} samples`;
      throw new UmweltError('BAD_TRACE', message, { index: line });
    }
    this.#time = grown(this.#time, new Float64Array(length));
    this.#x = grown(this.#x, new Float32Array(length));
    this.#y = grown(this.#y, new Float32Array(length));
    this.#next = grown(this.#next, new Uint32Array(length));
    if (this.#dimensions === 3) this.#z = grown(this.#z, new Float32Array(length));
  }
}

function grown<Column extends Float32Array | Float64Array | Uint32Array>(old: Column, wider: Column): Column {
  wider.set(old);
  return wider;
}
