/**
 * Resolves crossings with the kernels of kernels/layouts/resolve-crossings.ts, on all threads: in groups of watchers,
 * each small enough for a first-level cache.
 *
 * Memory: 32 KB a thread, and 2 KB a part, from the first crossing on. Without attachments two of a world's three stay unused, and
 * a small world with all three would not fit into the heap that it begins with.
 */
import type { EntityStore } from '../entities/entity-store.ts';
import { type Column, Heap } from '../kernels/heap.ts';
import { GROUP_WORDS, RESOLVE_JOB_WORDS } from '../kernels/layouts/resolve-crossings.ts';

/**
 * Approximate number of crossings in a group: with a copy for sorting, they take a quarter of a first-level cache.
 */
const GROUP_SIZE = 16_384;
/** Minimum number of groups for each thread, because some groups take longer than others. */
const GROUPS_PER_THREAD = 8;
/** There are as many buckets as values of this many upper bits of a slot. */
const BUCKET_BITS = 9;

/** Counts over all crossings; of unverified ones only their number. */
export interface Resolved {
  kept: number;
  lost: number;
  unverified: number;
  /** Flags of the watchers, combined by OR. */
  flags: number;
}

export class CrossingGroups {
  readonly #heap: Heap;
  readonly #job: Column<'u32'>;
  readonly #counts: Column<'u32'>;
  readonly #groups: Column<'u32'>;
  readonly #resolved: Resolved = { kept: 0, lost: 0, unverified: 0, flags: 0 };

  constructor(heap: Heap) {
    this.#heap = heap;
    this.#job = heap.column('u32', 0, Heap.scratch);
    this.#counts = heap.column('u32', 0, Heap.scratch);
    this.#groups = heap.column('u32', 0, Heap.scratch);
  }

  /**
   * Resolves the first `count` of `words`, in place; `scratch` has the same length. The result is valid until the
   * next call.
   */
  resolve(words: Column<'u32'>, scratch: Column<'u32'>, count: number, store: EntityStore): Resolved {
    const { crew } = this.#heap;
    const { slotCount } = store;
    const parts = crew.partsOf(count);
    const groupSize =
      parts === 1 ? GROUP_SIZE : Math.min(GROUP_SIZE, Math.ceil(count / (parts * GROUPS_PER_THREAD)));
    const isOne = count <= groupSize;
    const slotBits = bitsOf(slotCount - 1);
    const shift = Math.max(0, slotBits - BUCKET_BITS);
    const buckets = ((slotCount - 1) >>> shift) + 1;
    const partSize = Math.ceil(count / parts);
    const partCount = Math.ceil(count / partSize);
    this.#makeRoom(isOne ? 0 : partCount * buckets, isOne ? 1 : Math.ceil(count / groupSize) + 1);
    const source = isOne ? words : scratch;
    // Above the watcher's slot the word has no bits; below it are ten bits of the marker's slot.
    const head = [
      words.offset,
      scratch.offset,
      source.offset,
      slotCount,
      partSize,
      shift + 10,
      buckets,
      this.#counts.offset,
      this.#groups.offset,
      store.now.offsets.flags,
    ];
    const job = this.#job.array;
    for (let k = 0; k < crew.jobCount; k++) job.set(head, k * RESOLVE_JOB_WORDS);
    let groups = 1;
    if (isOne) {
      this.#groups.array.set([0, count, 0, slotBits]);
    } else {
      this.#work('countCrossings', count, partSize);
      groups = this.#divide(partCount, buckets, shift, groupSize, count);
      this.#work('placeCrossings', count, partSize);
    }
    this.#work('resolveCrossings', groups, 1);
    return this.#close(words.array, groups);
  }

  /** Turns the counts into start offsets, and the buckets into groups; returns the number of groups. */
  #divide(parts: number, buckets: number, shift: number, groupSize: number, count: number): number {
    const counts = this.#counts.array;
    const groups = this.#groups.array;
    let group = 0;
    let begin = 0;
    let firstBucket = 0;
    let end = 0;
    for (let bucket = 0; bucket < buckets; bucket++) {
      for (let part = 0; part < parts; part++) {
        const size = counts[part * buckets + bucket];
        counts[part * buckets + bucket] = end;
        end += size;
      }
      if (end - begin < groupSize && end < count) continue;
      if (end === begin) break;
      const watcherBits = bitsOf(((bucket - firstBucket + 1) << shift) - 1);
      groups.set([begin, end, firstBucket << shift, watcherBits], group * GROUP_WORDS);
      group++;
      begin = end;
      firstBucket = bucket + 1;
    }
    return group;
  }

  /** Closes the gaps between groups, and adds up their counts. */
  #close(words: Uint32Array, groupCount: number): Resolved {
    const groups = this.#groups.array;
    const resolved = this.#resolved;
    resolved.kept = resolved.lost = resolved.unverified = resolved.flags = 0;
    for (let at = 0; at < groupCount * GROUP_WORDS; at += GROUP_WORDS) {
      const begin = groups[at];
      const kept = groups[at + 4];
      if (begin > resolved.kept) words.copyWithin(2 * resolved.kept, 2 * begin, 2 * (begin + kept));
      resolved.kept += kept;
      resolved.lost += groups[at + 5];
      resolved.unverified += groups[at + 6];
      resolved.flags |= groups[at + 7];
    }
    return resolved;
  }

  #work(kernel: 'countCrossings' | 'placeCrossings' | 'resolveCrossings', total: number, size: number): void {
    const { crew } = this.#heap;
    crew.begin(total, size);
    this.#heap.workAtTask(kernel, this.#job.offset, RESOLVE_JOB_WORDS * 4, crew.taskJobs);
  }

  #makeRoom(counts: number, groups: number): void {
    const sizes: [Column, number][] = [];
    const jobWords = RESOLVE_JOB_WORDS * this.#heap.crew.jobCount;
    if (jobWords > this.#job.length) sizes.push([this.#job, jobWords]);
    if (counts > this.#counts.length) sizes.push([this.#counts, counts]);
    const words = groups * GROUP_WORDS;
    if (words > this.#groups.length) sizes.push([this.#groups, words + (words >> 1)]);
    this.#heap.resize(sizes);
  }
}

/** Number of bits of a number below 2^32. */
function bitsOf(value: number): number {
  return 32 - Math.clz32(value);
}
