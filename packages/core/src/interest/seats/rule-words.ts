/**
 * The rules as the seat kernels read them: one record for each interest, the markers that watchers block, and pairs for which
 * `admit` has a new answer, or that relate by other forces from now on.
 *
 *   rules    | cap, factor, dwell, margin, linger, budget, first quota, quota count, has admit, mutual, has rank | next interest | ...
 *   quotas   | layers, cap | layers, cap | ...                      those of all interests, one after the other
 *   barred   | watcher, marker | watcher, marker | ...              ascending by watcher
 *   turned   | watcher, marker and forces | ...                     ascending by watcher, then marker
 *
 * The layout is in kernels/layouts/seat-search.ts. Memory: 44 bytes an interest, 8 a quota, 8 a block or a turned pair of a watcher
 * that is decided in the tick.
 */
import type { Column, Heap } from '../../kernels/heap.ts';
import * as job from '../../kernels/layouts/seat-search.ts';
import type { ResolvedInterest } from '../rules/interest.ts';

/** Pairs of slots, watcher and marker, that a kernel reads as a column. */
class PairWords {
  readonly column: Column<'u32'>;
  readonly #slots: number[] = [];

  constructor(heap: Heap) {
    // Not scratch: room for edits may move the heap while watchers are decided.
    this.column = heap.column('u32', 0, () => this.length);
  }

  get length(): number {
    return this.#slots.length;
  }

  clear(): void {
    this.#slots.length = 0;
  }

  /** In the order that the kernel expects. */
  add(watcher: number, marker: number): void {
    this.#slots.push(watcher, marker);
  }

  /** The column must have room. */
  write(): void {
    this.column.array.set(this.#slots);
  }
}

export class RuleWords {
  /** Blocks: add them in ascending order of watchers. */
  readonly barred: PairWords;
  /** `TURNED_PAIRS`: add them in ascending order of watchers, then markers. */
  readonly turned: PairWords;
  readonly #rules: Column<'u32'>;
  readonly #quotas: Column<'u32'>;

  constructor(heap: Heap) {
    this.#rules = heap.column('u32', 0);
    this.#quotas = heap.column('u32', 0);
    this.barred = new PairWords(heap);
    this.turned = new PairWords(heap);
  }

  /** Clears the blocks and the turned pairs of the last tick. */
  begin(): void {
    this.barred.clear();
    this.turned.clear();
  }

  /** The columns that are too small for these interests and the pairs so far, with the lengths that they need. */
  sizesFor(interests: readonly ResolvedInterest[]): [Column, number][] {
    const quotas = interests.reduce((sum, interest) => sum + interest.quotas.length, 0);
    const wanted: [Column<'u32'>, number][] = [
      [this.#rules, job.RULE_WORDS * interests.length],
      [this.#quotas, 2 * quotas],
      [this.barred.column, this.barred.length],
      [this.turned.column, this.turned.length],
    ];
    return wanted
      .filter(([column, length]) => column.length < length)
      .map(([column, length]) => [column, length + (length >> 1)]);
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
      words[at + job.RULE_IS_MUTUAL] = interest.mutual ? 1 : 0;
      words[at + job.RULE_HAS_RANK] = interest.rank === undefined ? 0 : 1;
      for (const { layers, cap } of interest.quotas) {
        quotas[2 * quotaCount] = layers;
        quotas[2 * quotaCount++ + 1] = cap;
      }
    });
    this.barred.write();
    this.turned.write();
  }

  /** Writes the records' addresses into a kernel's job. */
  writeColumns(words: Uint32Array): void {
    words[job.RULES] = this.#rules.offset;
    words[job.QUOTAS] = this.#quotas.offset;
    words[job.BARRED] = this.barred.column.offset;
    words[job.BARRED_COUNT] = this.barred.length / 2;
    words[job.TURNED_PAIRS] = this.turned.column.offset;
    words[job.TURNED_COUNT] = this.turned.length / 2;
  }
}
