/**
 * The rules as the seat kernels read them: one record for each interest, the markers that watchers block, and those that `admit`
 * refused.
 *
 *   rules    | cap, factor, dwell, margin, linger, budget, first quota, quota count, has admit | next interest | ...
 *   quotas   | layers, cap | layers, cap | ...                      those of all interests, one after the other
 *   barred   | watcher, marker | watcher, marker | ...              ascending by watcher
 *   refused  | watcher, marker | watcher, marker | ...              ascending by watcher, then marker
 *
 * The layout is in kernels/layouts/seat-search.ts. Memory: 36 bytes an interest, 8 a quota, 8 a block or a refusal of a
 * watcher that is decided in the tick.
 */
import type { Column, Heap } from '../../kernels/heap.ts';
import * as job from '../../kernels/layouts/seat-search.ts';
import type { ResolvedInterest } from '../interest.ts';

export class RuleWords {
  readonly #rules: Column<'u32'>;
  readonly #quotas: Column<'u32'>;
  readonly #barred: Column<'u32'>;
  /** Slots, watcher and marker alternating. */
  readonly #barredSlots: number[] = [];
  readonly #refused: Column<'u32'>;
  readonly #refusedSlots: number[] = [];

  constructor(heap: Heap) {
    this.#rules = heap.column('u32', 0);
    this.#quotas = heap.column('u32', 0);
    // Not scratch: room for edits may move the heap while watchers are decided.
    this.#barred = heap.column('u32', 0, () => this.#barredSlots.length);
    this.#refused = heap.column('u32', 0, () => this.#refusedSlots.length);
  }

  /** Clears the blocks and refusals of the last tick. */
  begin(): void {
    this.#barredSlots.length = 0;
    this.#refusedSlots.length = 0;
  }

  /** Adds a block: slots. Call in ascending order of watchers. */
  bar(watcher: number, marker: number): void {
    this.#barredSlots.push(watcher, marker);
  }

  /** Adds a pair that `admit` refused: slots. Call in ascending order of watchers, then markers. */
  refuse(watcher: number, marker: number): void {
    this.#refusedSlots.push(watcher, marker);
  }

  /** The columns that are too small for these interests and the pairs so far, with the lengths that they need. */
  sizesFor(interests: readonly ResolvedInterest[]): [Column, number][] {
    const quotas = interests.reduce((sum, interest) => sum + interest.quotas.length, 0);
    const wanted: [Column<'u32'>, number][] = [
      [this.#rules, job.RULE_WORDS * interests.length],
      [this.#quotas, 2 * quotas],
      [this.#barred, this.#barredSlots.length],
      [this.#refused, this.#refusedSlots.length],
    ];
    return wanted
      .filter(([column, length]) => column.length < length)
      .map(([column, length]) => [column as Column, length + (length >> 1)]);
  }

  /** Writes the records. The columns must have room. */
  write(interests: readonly ResolvedInterest[]): void {
    const words = this.#rules.array;
    const quotas = this.#quotas.array;
    const floats = new Float32Array(words.buffer, words.byteOffset, words.length);
    let quotaCount = 0;
    interests.forEach((interest, i) => {
      const at = job.RULE_WORDS * i;
      words[at + job.RULE_CAP] = interest.cap;
      floats[at + job.RULE_FACTOR] = 1 - interest.incumbentBonus;
      words[at + job.RULE_DWELL] = interest.minDwellTicks;
      floats[at + job.RULE_MARGIN] = interest.leaveMargin;
      words[at + job.RULE_LINGER] = interest.lingerTicks;
      words[at + job.RULE_BUDGET] = interest.enterBudget;
      words[at + job.RULE_FIRST_QUOTA] = quotaCount;
      words[at + job.RULE_QUOTA_COUNT] = interest.quotas.length;
      words[at + job.RULE_HAS_ADMIT] = interest.admit === undefined ? 0 : 1;
      for (const { layers, cap } of interest.quotas) {
        quotas[2 * quotaCount] = layers;
        quotas[2 * quotaCount++ + 1] = cap;
      }
    });
    this.#barred.array.set(this.#barredSlots);
    this.#refused.array.set(this.#refusedSlots);
  }

  /** Writes the records' addresses into a kernel's job. */
  writeColumns(words: Uint32Array): void {
    words[job.RULES] = this.#rules.offset;
    words[job.QUOTAS] = this.#quotas.offset;
    words[job.BARRED] = this.#barred.offset;
    words[job.BARRED_COUNT] = this.#barredSlots.length / 2;
    words[job.REFUSED_PAIRS] = this.#refused.offset;
    words[job.REFUSED_COUNT] = this.#refusedSlots.length / 2;
  }
}
