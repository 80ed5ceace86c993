/**
 * Pairs whose relation ended in a tick although the margin still held them, or they would linger: cut by the cap,
 * refused by `admit`, or without consent of the other side.
 *
 * Only related pairs are held by the margin or linger, so from the next tick on such a pair is simply out of reach,
 * and the rows no longer show what decided it. `explain` describes the last tick and needs this list.
 *
 *   three words a pair: watcher, marker, the pair's state (pair-rows.ts)
 *
 * A tick collects them and, if it succeeds, they replace those of the tick before. Memory: 30 bytes a pair.
 * Cost: only where a margin or lingering loses to another rule; a lookup reads the whole list.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { arrayBytes } from './collection-bytes.ts';
import { isHeldUnperceived, RELATED, unknownBitsOf } from './pair-rows.ts';

const WORDS = 3;

export class MarginCuts {
  /** The list as of the last tick. */
  #words: readonly number[] = [];
  /** The list of the tick under way. */
  #nextWords: number[] = [];

  get memoryBytes(): number {
    return arrayBytes(this.#words.length) + arrayBytes(this.#nextWords.length);
  }

  /** The tick begins to decide. */
  begin(): void {
    this.#nextWords = [];
  }

  /** Adds a pair if its relation ended although the margin holds it, or it would linger. States as in the rows. */
  note(watcher: number, marker: number, before: number, after: number): void {
    if (!isHeldUnperceived(after) || (before & RELATED) === 0 || (after & RELATED) !== 0) return;
    this.#nextWords.push(watcher, marker, after);
  }

  /** The tick succeeded. */
  commit(): void {
    this.#words = this.#nextWords;
    this.#nextWords = [];
  }

  /** Visits the listed pairs of a watcher, as of the last tick. Slots. */
  each(watcher: number, visit: (marker: number, state: number) => void): void {
    for (let i = 0; i < this.#words.length; i += WORDS) {
      if (this.#words[i] === watcher) visit(this.#words[i + 1], this.#words[i + 2]);
    }
  }

  /** The state of a pair, as of the last tick; 0 if it is not listed. */
  stateOf(watcher: number, marker: number): number {
    let found = 0;
    this.each(watcher, (each, state) => {
      if (each === marker) found = state;
    });
    return found;
  }

  /** Sorted by watcher, then marker: the order in which they were added differs from kernel to kernel. */
  save(writer: ByteWriter): void {
    const words = this.#words;
    const pairs = Array.from({ length: words.length / WORDS }, (_, i) => WORDS * i);
    pairs.sort((a, b) => words[a] - words[b] || words[a + 1] - words[b + 1]);
    writer.column(Uint32Array.from(pairs.flatMap((at) => words.slice(at, at + WORDS))));
  }

  /** Into a new instance; the population was loaded. */
  load(reader: ByteReader, { last, slotCount, settings }: EntityStore): void {
    const words = reader.column('u32');
    reader.check(words.length % WORDS === 0, 'pairs that a margin or lingering held');
    const unknownBits = unknownBitsOf(settings.senseCount) | RELATED;
    const isThere = (slot: number) => slot < slotCount && last.isPresent(slot);
    for (let i = 0; i < words.length; i += WORDS) {
      const [watcher, marker, state] = [words[i], words[i + 1], words[i + 2]];
      const isHeld = isHeldUnperceived(state) && (state & unknownBits) === 0;
      if (!isThere(watcher) || !isThere(marker) || !isHeld)
        throw reader.fault('a pair that a margin or lingering held');
    }
    this.#words = Array.from(words);
  }
}
