/**
 * The short way for crowded watchers whose seats are all taken: a kernel looks at those seated and at who stands near, leaf by
 * leaf of a tree of all markers, and says whose seats change hands.
 *
 *   standing by slot   0 | ASKED -> TOLD, DECIDED or LEFT      edits   | of w4 | of w9 | of w2 | ...
 *
 * Whatever is not so simple (a seat that falls free, pins, blocks, groups, mutual consent, someone remembered who is back)
 * is left to crowds.ts, and so are worlds in which reach is not range or not everybody meets. Nothing is changed until
 * `commit`. Memory: 60 bytes a slot, 24 a pair that changes in the tick in which most do. Cost: see kernels/seat-blocks.ts for
 * those whose rows are held as bits, kernels/seat-crowd.ts for the others.
 */
import { RELATED_AFTER, RELATED_BEFORE } from '../../detectors/crossings.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import * as crowd from '../../kernels/crowd-job.ts';
import { type Column, Heap } from '../../kernels/heap.ts';
import type { ResolvedInterest } from '../interest.ts';
import type { LightRows } from '../light-rows.ts';
import type { PairRows } from '../pair-rows.ts';
import { BitRows } from './bit-rows.ts';

/** What the kernel knows of ranks holds up to this weight. */
const GREATEST_WEIGHT = 2 ** 40;

export class CrowdSeats {
  readonly #store: EntityStore;
  readonly #pairs: PairRows;
  readonly #job: Column<'u32'>;
  readonly #rules: Column<'u32'>;
  /** By slot. */
  readonly #standing: Column<'u8'>;
  readonly #borders: Column<'f32'>;
  readonly #bySlot: readonly (readonly [word: number, column: Column])[];
  readonly #tree: readonly (readonly [word: number, column: Column])[];
  readonly #nodes: readonly (readonly [word: number, column: Column])[];
  readonly #boxes: Column<'f32'>;
  readonly #near: readonly (readonly [word: number, column: Column])[];
  readonly #window: Column<'u32'>;
  readonly #edits: Column<'u32'>;
  readonly #bitRows: BitRows;
  readonly #told: Column<'u32'>;
  #toldCount = 0;
  #editCount = 0;
  /** The tick in which the tree was planted last. */
  #plantedAt = -1;
  #isAnyDecided = false;

  constructor(store: EntityStore, pairs: PairRows) {
    const { heap } = store;
    this.#store = store;
    this.#pairs = pairs;
    this.#job = heap.column('u32', crowd.JOB_WORDS);
    this.#job.array.set(packingWords(), crowd.PACKING);
    this.#rules = heap.column('u32', crowd.RULE_WORDS);
    this.#standing = heap.column('u8', 0);
    this.#borders = heap.column('f32', 0);
    const scratch = (kind: 'u32' | 'f32') => heap.column(kind, 0, Heap.scratch) as Column;
    const kept = (kind: 'u32' | 'f32') => heap.column(kind, 0) as Column;
    this.#bySlot = [
      [crowd.STANDING, this.#standing as Column],
      [crowd.BORDERS, this.#borders as Column],
      [crowd.PLACES, scratch('u32')],
      [crowd.FIRST_EDIT, kept('u32')],
      [crowd.EDIT_END, kept('u32')],
      [crowd.EDITED, kept('u32')],
    ];
    this.#tree = [
      [crowd.TREE_SLOT, kept('u32')],
      [crowd.TREE_X, kept('f32')],
      [crowd.TREE_Y, kept('f32')],
      [crowd.TREE_Z, kept('f32')],
    ];
    this.#boxes = heap.column('f32', 0);
    this.#nodes = [
      [crowd.NODE_BEGIN, kept('u32')],
      [crowd.NODE_END, kept('u32')],
      [crowd.NODE_LEFT, kept('u32')],
      [crowd.NODE_ASKED, kept('u32')],
      [crowd.NODE_STACK, scratch('u32')],
      [crowd.LEAVES, kept('u32')],
    ];
    this.#near = [
      [crowd.NEAR_SLOT, scratch('u32')],
      [crowd.NEAR_X, scratch('f32')],
      [crowd.NEAR_Y, scratch('f32')],
      [crowd.NEAR_Z, scratch('f32')],
      [crowd.NEAR_WEIGHT, scratch('f32')],
      [crowd.NEAR_FACTOR, scratch('f32')],
      [crowd.NEAR_RANK, scratch('f32')],
    ];
    this.#window = heap.column('u32', 0, Heap.scratch);
    this.#edits = heap.column('u32', 0, () => crowd.EDIT_WORDS * this.#editCount);
    this.#told = heap.column('u32', 0, Heap.scratch);
    this.#bitRows = new BitRows(heap, pairs, this.#tree[0][1] as Column<'u32'>);
  }

  /** Whether reach is range, and everyone meets: else the kernel cannot say who is perceived. */
  get mayServe(): boolean {
    const { settings, now, hasFilters } = this.#store;
    return (
      !hasFilters &&
      settings.rangeShape === 'circle' &&
      now.gains.every(({ column }) => column === undefined) &&
      now.minReaches.every(({ column }) => column === undefined)
    );
  }

  /** Forgets what was decided. Answers the column by slot in which watchers are to be marked `ASKED`. */
  begin(): void {
    if (this.#isAnyDecided) this.#standing.array.fill(0);
    this.#isAnyDecided = false;
    this.#editCount = 0;
    this.#toldCount = 0;
  }

  /** By slot: to be set to `ASKED` for those that `decide` is to decide. */
  standing(): Uint8Array {
    const { capacity, heap } = this.#store;
    if (this.#standing.length < capacity) {
      heap.resize(this.#bySlot.map(([, column]) => [column, capacity + 1] as const));
    }
    this.#isAnyDecided = true;
    return this.#standing.array;
  }

  /** Whether the watcher was decided here, in this tick. */
  isDecided(watcher: number): boolean {
    if (!this.#isAnyDecided) return false;
    const standing = this.#standing.array[watcher];
    return standing === crowd.DECIDED || standing === crowd.TOLD;
  }

  /** Decides those asked, whom it can. `asked`: how many. `longest`: of their rows. `greatestWeight`: of all markers. `mayForce`: by interest. */
  decide(
    interests: readonly ResolvedInterest[],
    asked: number,
    longest: number,
    greatestWeight: number,
    mayForce: boolean,
    tick: number,
  ): void {
    if (greatestWeight > GREATEST_WEIGHT) return;
    const { heap, counts } = this.#store;
    this.#reserve(longest, interests.length);
    this.#writeRules(interests, mayForce);
    const mayHaveBits = this.#mayHaveBits(interests, mayForce);
    if (mayHaveBits) this.#bitRows.reserve(this.#store.capacity, asked);
    this.#writeJob(greatestWeight, tick);
    const leafLimit = mayHaveBits ? crowd.BLOCK_SIZE : crowd.LEAF_SIZE;
    const isAsBefore =
      this.#plantedAt === tick - 1 &&
      counts.added + counts.removed + counts.changed === 0 &&
      leafLimit === this.#job.array[crowd.LEAF_LIMIT];
    this.#job.array[crowd.LEAF_LIMIT] = leafLimit;
    const leafCount = heap.kernels.plantCrowd(this.#job.offset, isAsBefore ? 1 : 0);
    this.#plantedAt = tick;
    const seat = (kernel: 'seatBlocks' | 'seatCrowd') => {
      for (let leaf = 0; ; ) {
        leaf = heap.kernels[kernel](this.#job.offset, leaf);
        this.#editCount = this.#job.array[crowd.EDIT_COUNT];
        if (leaf === leafCount) break;
        const more = Math.max(2 * longest, crowd.EDITS_IN_GROUP);
        const capacity = Math.max(2 * this.#edits.length, crowd.EDIT_WORDS * (this.#editCount + more));
        heap.resize([[this.#edits as Column, capacity]]);
        this.#writeJob(greatestWeight, tick);
      }
    };
    this.#job.array[crowd.BIT_EDIT_COUNT] = 0;
    this.#job.array[crowd.ASKED_COUNT] = asked;
    if (mayHaveBits) seat('seatBlocks');
    if (this.#job.array[crowd.ASKED_COUNT] > 0) {
      this.#takeRows();
      seat('seatCrowd');
    }
    this.#tellBits();
  }

  /** Words of the crossings of all who are `isTold`, by watcher, then marker: low at 2i, high at 2i + 1. */
  get toldWords(): Uint32Array {
    return this.#told.array.subarray(0, 2 * this.#toldCount);
  }

  /** By slot: `TOLD` for whose crossings are in `toldWords`; `undefined`: nobody's. */
  get standings(): Uint8Array | undefined {
    return this.#isAnyDecided ? this.#standing.array : undefined;
  }

  #tellBits(): void {
    const { heap } = this.#store;
    const bitEdits = this.#job.array[crowd.BIT_EDIT_COUNT];
    if (bitEdits === 0) return;
    if (2 * bitEdits > this.#told.length) {
      heap.resize([[this.#told as Column, 3 * bitEdits]]);
      this.#writeColumns();
    }
    this.#toldCount = heap.kernels.tellBits(this.#job.offset);
  }

  /** Whether rows may be held as bits: nothing but distance decides anywhere. */
  #mayHaveBits(interests: readonly ResolvedInterest[], mayForce: boolean): boolean {
    const { heap, settings, now } = this.#store;
    if (!heap.wasm || mayForce || settings.senseCount > 1 || now.weights.column !== undefined) return false;
    return interests.some(({ leaveMargin, minDwellTicks }) => leaveMargin === 0 && minDwellTicks === 0);
  }

  /** Has the rows of those that are still asked in their places. */
  #takeRows(): void {
    const standing = this.#standing.array;
    for (let slot = 0; slot < this.#store.slotCount; slot++) {
      if (standing[slot] === crowd.ASKED) this.#pairs.take(slot);
    }
  }

  /** Appends the words of a watcher that was decided to those of light rows. Watchers must come ascending. */
  tell(watcher: number, light: LightRows): void {
    const edits = this.#edits.array;
    const from = crowd.EDIT_WORDS * this.#firstEdit[watcher];
    const to = crowd.EDIT_WORDS * this.#editEnd[watcher];
    light.reserveWords((to - from) / crowd.EDIT_WORDS);
    const { words } = light;
    let at = 2 * light.wordCount;
    for (let i = from; i < to; i += crowd.EDIT_WORDS) {
      const low = edits[i];
      words[at] = low;
      words[at + 1] = edits[i + 1];
      // Where only the senses without margin change, nobody is told.
      const before = low & RELATED_BEFORE;
      const after = low & RELATED_AFTER;
      if ((before & 255) !== (after >>> 8) % 256 || before >>> 16 !== after >>> 17) at += 2;
    }
    light.wordCount = at >>> 1;
  }

  /** Visits the markers that lose their seat with a watcher that was decided. */
  eachLost(watcher: number, visit: (marker: number) => void): void {
    const edits = this.#edits.array;
    for (let e = this.#firstEdit[watcher]; e < this.#editEnd[watcher]; e++) {
      const at = crowd.EDIT_WORDS * e;
      if ((edits[at] & RELATED_AFTER) === 0) visit(((edits[at + 1] & 1023) << 12) | (edits[at] >>> 20));
    }
  }

  /** Makes what was decided so. */
  commit(): void {
    if (this.#editCount === 0) return;
    // Rows may have moved with the heap since.
    this.#writeColumns();
    const { kernels } = this.#store.heap;
    kernels.turnBits(this.#job.offset);
    kernels.seatEdits(this.#job.offset);
  }

  get #firstEdit(): Uint32Array {
    return this.#bySlot[3][1].array as Uint32Array;
  }

  get #editEnd(): Uint32Array {
    return this.#bySlot[4][1].array as Uint32Array;
  }

  #reserve(longest: number, interests: number): void {
    const { heap, slotCount, capacity } = this.#store;
    const sizes: [Column, number][] = [];
    const need = (column: Column, least: number, length: number) => {
      if (column.length < least) sizes.push([column, length]);
    };
    // Nodes are halves of halves: a leaf has more than half of what it may have.
    const nodes = (2 * slotCount) / (crowd.LEAF_SIZE >> 1) + 64;
    const nodeRoom = Math.ceil((2 * capacity) / (crowd.LEAF_SIZE >> 1) + 64);
    for (const [, column] of this.#tree)
      need(column, slotCount + crowd.BLOCK_SIZE, capacity + crowd.BLOCK_SIZE);
    for (const [, column] of this.#nodes) need(column, nodes, nodeRoom);
    need(this.#boxes as Column, crowd.BOX_WORDS * nodes, crowd.BOX_WORDS * nodeRoom);
    // Some more, so that vectors may reach over the end.
    const near = Math.max(slotCount + longest + 40, crowd.LEAST_WINDOW);
    for (const [, column] of this.#near) need(column, near, capacity + 2 * longest + 40);
    need(this.#window as Column, 2 * near, 2 * (capacity + 2 * longest + 40));
    need(this.#rules as Column, crowd.RULE_WORDS * interests, crowd.RULE_WORDS * interests);
    need(
      this.#edits as Column,
      crowd.EDIT_WORDS * crowd.EDITS_IN_GROUP,
      crowd.EDIT_WORDS * crowd.EDITS_IN_GROUP,
    );
    heap.resize(sizes);
  }

  #writeRules(interests: readonly ResolvedInterest[], mayForce: boolean): void {
    const words = this.#rules.array;
    const floats = new Float32Array(words.buffer, words.byteOffset, words.length);
    interests.forEach((interest, i) => {
      const at = crowd.RULE_WORDS * i;
      const isRated = interest.updateRates.some(([, everyTicks]) => everyTicks > 1);
      words[at + crowd.RULE_CAP] = interest.cap;
      floats[at + crowd.RULE_FACTOR] = 1 - interest.incumbentBonus;
      words[at + crowd.RULE_DWELL] = interest.minDwellTicks;
      words[at + crowd.RULE_BITS] =
        (isRated ? crowd.KEEPS_REPORTED : 0) |
        (mayForce ? crowd.MAY_FORCE : 0) |
        (interest.memoryTicks > 0 ? crowd.REMEMBERS : 0);
      floats[at + crowd.RULE_MARGIN] = interest.leaveMargin;
    });
  }

  #writeJob(greatestWeight: number, tick: number): void {
    const { settings, slotCount } = this.#store;
    this.#writeColumns();
    const job = this.#job.array;
    job[crowd.SLOT_COUNT] = slotCount;
    job[crowd.DIMENSIONS] = settings.dimensions;
    job[crowd.SENSE_COUNT] = settings.senseCount;
    job[crowd.TICK] = tick;
    job[crowd.EDIT_COUNT] = this.#editCount;
    job[crowd.EDIT_CAPACITY] = Math.floor(this.#edits.length / crowd.EDIT_WORDS);
    if (this.#editCount === 0) job[crowd.EDITED_COUNT] = 0;
    new Float32Array(job.buffer, job.byteOffset, job.length)[crowd.GREATEST_WEIGHT] = greatestWeight;
  }

  #writeColumns(): void {
    const { now } = this.#store;
    const pairs = this.#pairs;
    const job = this.#job.array;
    job[crowd.X] = now.offsets.x;
    job[crowd.Y] = now.offsets.y;
    job[crowd.Z] = now.offsets.z;
    job[crowd.FLAGS] = now.offsets.flags;
    job[crowd.WEIGHTS] = now.weights.column?.offset ?? 0;
    job[crowd.INTERESTS] = now.interests.column?.offset ?? 0;
    job[crowd.CAPS] = now.caps.column?.offset ?? 0;
    job[crowd.RULES] = this.#rules.offset;
    job[crowd.PAIR_START] = pairs.startColumn.offset;
    job[crowd.PAIR_SIZE] = pairs.sizeColumn.offset;
    job[crowd.PAIR_MARKER] = pairs.markerColumn.offset;
    job[crowd.PAIR_STATE] = pairs.stateColumn.offset;
    job[crowd.PAIR_SINCE] = pairs.sinceColumn.offset;
    job[crowd.PAIR_REPORTED] = pairs.reportedColumn.offset;
    for (const columns of [this.#bySlot, this.#tree, this.#nodes, this.#near]) {
      for (const [word, column] of columns) job[word] = column.offset;
    }
    job[crowd.NODE_BOX] = this.#boxes.offset;
    job[crowd.WINDOW] = this.#window.offset;
    job[crowd.EDITS] = this.#edits.offset;
    job[crowd.TOLD_WORDS] = this.#told.offset;
    this.#bitRows.writeColumns(job);
    now.ownRanges.forEach(({ column }, s) => {
      job[crowd.RANGES + s] = column?.offset ?? 0;
    });
  }
}

/** How to bring lanes to the front of a vector, by four bits that name them: see `PACKING`. */
function packingWords(): Uint32Array {
  const words = new Uint32Array(64);
  for (let bits = 0; bits < 16; bits++) {
    let to = 4 * bits;
    for (let lane = 0; lane < 4; lane++) {
      // Byte numbers 4 * lane to 4 * lane + 3, the first of them lowest.
      if ((bits & (1 << lane)) !== 0) words[to++] = 0x0302_0100 + 4 * lane * 0x0101_0101;
    }
  }
  return words;
}
