/**
 * Writes the crossings of relation: those of watchers without rules as the detector found them, those of the others from
 * the stage, in the order of reports.
 *
 * The words are those of detectors/crossings.ts. Cost: a copy a crossing, a look at each pair on the stage.
 */
import { type Crossings, SENSELESS_AFTER, SENSELESS_BEFORE } from '../detectors/crossings.ts';
import type { LightRows } from './light-rows.ts';
import { RELATED, sensesOf } from './pair-rows.ts';
import { ScratchRoom, shortened } from './scratch-room.ts';
import type { Stage } from './stage.ts';

export class CrossingWriter {
  #words = new Uint32Array(512);
  #count = 0;
  readonly #room = new ScratchRoom(256);

  #light: LightRows | undefined;
  #nextLight = 0;

  get memoryBytes(): number {
    return this.#words.byteLength;
  }

  /** Gives back what recent ticks had no use for. */
  trim(): void {
    this.#words = shortened(this.#words, 2 * this.#room.look(this.#words.length >> 1));
  }

  /** Rewrites `crossings`. `isRuled`: by watcher, whether its crossings come from the stage or the light rows alone. */
  write(crossings: Crossings, stage: Stage, light: LightRows, isRuled: Uint8Array): void {
    this.#count = 0;
    this.#nextLight = 0;
    this.#light = light;
    this.#reserve(crossings.count + stage.count + light.wordCount);
    const { words, count } = crossings;
    let next = 0;
    for (let row = 0; row <= stage.rowCount; row++) {
      const watcher = row < stage.rowCount ? stage.watchers[row] : 0xffff_ffff;
      for (; next < count && words[2 * next + 1] >>> 10 <= watcher; next++) {
        if (isRuled[words[2 * next + 1] >>> 10] === 1) continue;
        this.#writeLightBefore(words[2 * next + 1] >>> 10);
        this.#words[2 * this.#count] = words[2 * next];
        this.#words[2 * this.#count++ + 1] = words[2 * next + 1];
      }
      if (row < stage.rowCount) this.#writeRow(stage, row);
    }
    this.#writeLightBefore(0xffff_ffff);
    this.#room.note(this.#count);
    crossings.replace(this.#words, this.#count);
  }

  /** Writes the words of light rows of watchers before this one. */
  #writeLightBefore(watcher: number): void {
    const { words, wordCount } = this.#light as LightRows;
    let i = this.#nextLight;
    while (i < wordCount && words[2 * i + 1] >>> 10 < watcher) i++;
    if (i === this.#nextLight) return;
    this.#words.set(words.subarray(2 * this.#nextLight, 2 * i), 2 * this.#count);
    this.#count += i - this.#nextLight;
    this.#nextLight = i;
  }

  #writeRow(stage: Stage, row: number): void {
    const watcher = stage.watchers[row];
    this.#writeLightBefore(watcher);
    for (let j = stage.begins[row]; j < stage.begins[row + 1]; j++) {
      const [before, after] = [payloadOf(stage.before[j]), payloadOf(stage.after[j])];
      if (before === after) continue;
      const marker = stage.marker[j];
      const senseless =
        (before === SENSELESS ? SENSELESS_BEFORE : 0) | (after === SENSELESS ? SENSELESS_AFTER : 0);
      this.#words[2 * this.#count] = (marker << 20) | (before & 255) | ((after & 255) << 8) | senseless;
      this.#words[2 * this.#count++ + 1] = (watcher << 10) | (marker >>> 12);
    }
  }

  #reserve(count: number): void {
    if (2 * count > this.#words.length) this.#words = new Uint32Array(3 * count);
  }
}

const SENSELESS = 256;

/** The senses of a pair that relates, `SENSELESS` for one that does without; 0 for one that does not relate. */
function payloadOf(state: number): number {
  if ((state & RELATED) === 0) return 0;
  const senses = sensesOf(state);
  return senses === 0 ? SENSELESS : senses;
}
