/**
 * Writes the crossings of relation in the order of reports: for watchers without rules as the detector found
 * them, for the others from the stage and the kernel's words.
 *
 * The words are those of detectors/crossings.ts. Cost: two copies of all, and a visit of each ruled watcher
 * and of each pair on the stage.
 */
import { cleared } from '../../columns.ts';
import { type Crossings, highWordOf, mergeWords } from '../../detectors/crossings.ts';
import { lowWordOf } from './relation-words.ts';
import { ScratchRoom } from './scratch-room.ts';
import type { Stage } from './stage.ts';

/** From this many crossings on, a call of `set` is faster than a loop. */
const LONG = 64;

export class CrossingWriter {
  #words = new Uint32Array(512);
  #count = 0;
  readonly #room = new ScratchRoom(256);

  get memoryBytes(): number {
    return this.#words.byteLength;
  }

  /** Frees memory that recent ticks did not use. */
  trim(): void {
    this.#words = cleared(this.#words, 2 * this.#room.look(this.#words.length >> 1));
  }

  /**
   * Rewrites `crossings`. `ruled`: the watchers, ascending, whose crossings come only from the stage or
   * `kernelWords`: words of some of them.
   */
  write(
    crossings: Crossings,
    stage: Stage,
    ruled: Uint32Array,
    flagsOf: Uint8Array,
    kernelWords: Uint32Array,
  ): void {
    this.#count = 0;
    let flags = crossings.watcherFlags;
    for (const watcher of ruled) flags |= flagsOf[watcher];
    if (crossings.count + stage.count === 0) {
      crossings.replace(kernelWords, kernelWords.length >> 1, flags);
      return;
    }
    const most = crossings.count + stage.count + (kernelWords.length >> 1);
    if (2 * most > this.#words.length) this.#words = new Uint32Array(3 * most);
    let row = 0;
    let next = 0;
    for (const watcher of ruled) {
      const own = crossings.firstFrom(watcher, next);
      this.#copy(crossings.words, next, own);
      next = crossings.firstFrom(watcher + 1, own);
      if (row < stage.rowCount && stage.watchers[row] === watcher) this.#writeRow(stage, row++);
    }
    this.#copy(crossings.words, next, crossings.count);
    mergeWords(this.#words, this.#count, kernelWords);
    this.#count += kernelWords.length >> 1;
    this.#room.note(this.#count);
    crossings.replace(this.#words, this.#count, flags);
  }

  #copy(words: Uint32Array, from: number, to: number): void {
    const out = this.#words;
    let at = 2 * this.#count;
    this.#count += to - from;
    if (to - from > LONG) {
      out.set(words.subarray(2 * from, 2 * to), at);
      return;
    }
    for (let i = 2 * from; i < 2 * to; i++) out[at++] = words[i];
  }

  #writeRow(stage: Stage, row: number): void {
    const watcher = stage.watchers[row];
    for (let j = stage.begins[row]; j < stage.begins[row + 1]; j++) {
      const marker = stage.marker[j];
      const low = lowWordOf(marker, stage.before[j], stage.after[j]);
      if (low === 0) continue;
      this.#words[2 * this.#count] = low;
      this.#words[2 * this.#count++ + 1] = highWordOf(watcher, marker);
    }
  }
}
