/**
 * One block of memory for a world's columns, so that kernels and TypeScript see the same bytes.
 *
 * Every column is a range of one buffer. When a column must grow and the buffer is full, the whole heap moves: a new, larger
 * buffer is allocated, columns that keep their contents are copied, and every `Column.array` is renewed. The old buffer is never
 * detached (`memory.grow` would detach it), so arrays that were handed to users stay readable as long as users hold them; the
 * garbage collector frees the buffer afterwards. Owners read `column.array` again in each call.
 *
 *   | reserved 64 bytes | column | slack, pad to 16 | column | slack, pad to 16 | ... | spare |
 *
 * After each column lie 16 bytes of slack. They are zeros that nothing writes: a kernel may read a vector that begins in the
 * column or right after it. What a kernel reads there must not affect a result (test/kernels/checked-kernels.test.ts).
 *
 * With threads the buffer is a `SharedArrayBuffer`, and every worker receives the new one when the heap moves.
 *
 * Cost: a move copies everything, so callers grow columns by doubling, and resize columns that belong together in one call. When
 * the heap moves to grow, it reserves an eighth of its size as spare. Columns that grow next are placed there; their old places
 * stay holes until the heap moves again. Spare bytes are never written, so they take address space but no memory.
 */
import { broken, shown, UmweltError } from '../errors.ts';
import { Crew } from '../threads/crew.ts';
import {
  bindPlainKernels,
  bindWasmKernels,
  havePlainKernels,
  type Kernels,
  plainKernelsSource,
  SHARED_KERNELS,
  type SharedKernel,
} from './kernels.ts';
import { compiledModule, createWasmMemory, PAGE_BYTES, type WasmMemory } from './wasm-module.ts';

const ALIGNMENT = 16;
/** Bytes of a vector. */
const SLACK_BYTES = 16;
/** Offset 0 stays unused, so that 0 can mean "no such column" in a kernel's job. */
const RESERVED_BYTES = 64;
/** First bytes of a heap: two pages of WebAssembly memory, which a world of some dozen entities does not fill. */
const FIRST_BYTES = 2 * PAGE_BYTES;
/** Memory is freed only if it is at least the heap divided by this. */
const WORTH_A_MOVE = 16;
/** A heap of at most this size moves in negligible time. */
const SMALL_BYTES = 2 ** 22;
/** A heap that moves reserves this share of its bytes as spare: a shift to the right. */
const SPARE_SHIFT = 3;
/** WebAssembly addresses have 32 bits. */
const MAX_BYTES = 0xffff_0000;

/** Element type of a column; each maps to one typed array. */
export type ElementKind = 'f64' | 'f32' | 'u32' | 'u16' | 'u8';

interface ArrayOf {
  f64: Float64Array;
  f32: Float32Array;
  u32: Uint32Array;
  u16: Uint16Array;
  u8: Uint8Array;
}

const CONSTRUCTORS = {
  f64: Float64Array,
  f32: Float32Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
} as const;

/** How many elements of a column must be copied when the heap moves. */
export type Keep = (column: Column) => number;

/** New lengths of columns. Columns that are not in the map keep their length. */
type Lengths = ReadonlyMap<Column, number>;

/** New lengths of columns, as `resize` takes them. */
export type Sizes = readonly (readonly [Column, number])[];

const NO_CHANGE: Lengths = new Map();

const lengthOf: Keep = (column) => column.length;

/** A typed array inside the heap. `array` is replaced when the heap moves: do not keep it across calls. */
export class Column<K extends ElementKind = ElementKind> {
  readonly kind: K;
  /** How many elements survive a move: all, none (scratch), or as many as are in use. */
  readonly keep: Keep;
  /** Byte offset in the heap, a multiple of 16. */
  offset = 0;
  /** Number of elements. */
  length = 0;
  array: ArrayOf[K];

  constructor(kind: K, keep: Keep = lengthOf) {
    this.kind = kind;
    this.keep = keep;
    this.array = new CONSTRUCTORS[kind](0) as ArrayOf[K];
  }

  get byteLength(): number {
    return this.length * CONSTRUCTORS[this.kind].BYTES_PER_ELEMENT;
  }
}

/** Which implementation of the kernels a heap uses. */
export type KernelChoice = 'auto' | 'typescript' | 'wasm';

export class Heap {
  /** The whole heap as doubles, floats, words and bytes: indexed by `offset >>> 3`, `>>> 2`, `>> 0`. */
  f64 = new Float64Array(0);
  f32 = new Float32Array(0);
  u32 = new Uint32Array(0);
  u8 = new Uint8Array(0);
  kernels: Kernels;
  /** Counts up whenever a column gets another place: offsets written into a job before that are no longer right. */
  layout = 0;
  /** True when the kernels in use are WebAssembly. */
  readonly wasm: boolean;
  readonly crew: Crew;
  /** Columns that are borrowed for one call. */
  readonly staging: Staging;
  #columns = new Set<Column>();
  /** Within `shrinkTogether`: what is still to be shortened. */
  #toShrink: Map<Column, number> | undefined;
  #end = RESERVED_BYTES;
  #memory: WasmMemory | undefined;
  #isShared = false;

  /** Uses `threads` threads, or as many as are available. Throws `UNSUPPORTED` if the chosen kernels are not available. */
  constructor(choice: KernelChoice = 'auto', threads = 1) {
    const isPlain = choice === 'typescript' || compiledModule(false) === null;
    if (isPlain) checkPlain(choice);
    const canShare = threads > 1 && (isPlain || compiledModule(true) !== null);
    this.crew = new Crew(canShare ? threads : 1, isPlain && canShare ? plainKernelsSource() : undefined);
    this.#isShared = this.crew.threadCount > 1;
    this.#memory = isPlain ? undefined : createWasmMemory(FIRST_BYTES, this.#isShared);
    // WebAssembly memory could not be allocated: each one takes gigabytes of address space.
    if (this.#memory === undefined) checkPlain(choice);
    this.wasm = this.#memory !== undefined;
    this.kernels = this.#adopt(this.#memory?.buffer ?? this.#newBuffer(FIRST_BYTES));
    this.staging = new Staging(this);
  }

  /** Bytes of the whole buffer without the spare part. */
  get byteLength(): number {
    return this.#end;
  }

  /**
   * Returns a new column of `length` zeros. `keep` returns how many of its elements must be copied when the heap moves; by
   * default, all.
   */
  column<K extends ElementKind>(kind: K, length: number, keep?: Keep): Column<K> {
    const column = new Column(kind, keep);
    this.#columns.add(column);
    if (length > 0) this.resize([[column, length]]);
    return column;
  }

  /** Releases a column. Its bytes are reclaimed by the next move. */
  release(column: Column): void {
    this.#columns.delete(column);
    column.length = 0;
    column.array = new CONSTRUCTORS[column.kind](0);
  }

  /**
   * Reserves `bytes` at the end for columns that will grow, which avoids many later moves. Does nothing if that exceeds the
   * limit.
   */
  makeRoom(bytes: number): void {
    if (this.#end + bytes > this.u8.byteLength && this.#bytesWith(NO_CHANGE) + bytes <= MAX_BYTES)
      this.#move(NO_CHANGE, () => bytes);
  }

  /**
   * Moves to a smaller buffer if columns need less than half of this one, because others were released or have moved to the end.
   */
  compact(): void {
    const { byteLength } = this.u8;
    if (byteLength > FIRST_BYTES && this.#bytesWith(NO_CHANGE) * 2 < byteLength) this.#move(NO_CHANGE);
  }

  /** `keep` of columns whose contents need not survive a move of the heap. */
  static readonly scratch = () => 0;

  /** Resizes each column to `length` elements. New elements are 0. Elements that `keep` does not include are lost. */
  resize(sizes: Sizes): void {
    // Usually, each column has the length that it should have.
    if (!sizes.some(([column, length]) => length !== column.length)) return;
    const wanted = new Map<Column, number>();
    let extra = 0;
    for (const [column, length] of sizes) {
      if (length === column.length) continue;
      wanted.set(column, length);
      extra += aligned(length * CONSTRUCTORS[column.kind].BYTES_PER_ELEMENT);
    }
    // Columns shrink to give memory back, and only a move does that.
    const isShrinking = sizes.every(([column, length]) => length <= column.length);
    if (!isShrinking && this.#end + extra <= this.u8.byteLength) this.#placeAtEnd(wanted);
    else this.#move(wanted, (bytes) => bytes >>> SPARE_SHIFT);
  }

  /**
   * Shortens columns that recent ticks did not use as a whole, but only if that frees a sixteenth of the heap, and a page: it moves the
   * heap, which copies everything. Within `shrinkTogether`, later.
   */
  shrink(sizes: Sizes): void {
    if (this.#toShrink !== undefined) {
      for (const [column, length] of sizes) if (length < column.length) this.#toShrink.set(column, length);
      return;
    }
    const saved = sizes.reduce((sum, [column, length]) => {
      return sum + (column.length - length) * CONSTRUCTORS[column.kind].BYTES_PER_ELEMENT;
    }, 0);
    if (saved < PAGE_BYTES) return;
    if (saved * WORTH_A_MOVE > this.#end || this.#end < SMALL_BYTES) this.resize(sizes);
  }

  /** Does all that `work` wants to shrink in one move of the heap, or together with another move that happens in it. */
  shrinkTogether(work: () => void): void {
    const toShrink = new Map<Column, number>();
    this.#toShrink = toShrink;
    try {
      work();
    } finally {
      this.#toShrink = undefined;
    }
    this.shrink([...toShrink].filter(([column, length]) => length < column.length));
  }

  /** As `resize`, with one length for all columns. */
  resizeAll(columns: readonly Column[], length: number): void {
    this.resize(columns.map((column) => [column, length]));
  }

  /**
   * Runs a kernel with the crew on the task that was begun (see threads/crew.ts). There is one job for each thread, `jobBytes`
   * apart. Returns false if a kernel had to stop: call again. Throws `WORKER_FAILED`.
   */
  workAtTask(kernel: SharedKernel, jobs: number, jobBytes: number, jobCount: number): boolean {
    try {
      return this.crew.work(SHARED_KERNELS.indexOf(kernel), this.kernels[kernel], jobs, jobBytes, jobCount);
    } catch (error) {
      // Workers that are still running must write to the old buffer, which is read no more.
      this.#move(NO_CHANGE);
      throw error;
    }
  }

  /** Throws if a kernel wrote past the end of a column: at least 16 bytes between two columns are never written. For tests. */
  validate(): void {
    const { u8, u32 } = this;
    for (const column of this.#columns) {
      const { offset, byteLength, kind, length } = column;
      const end = offset + byteLength;
      const next = Math.min(offset + aligned(byteLength), this.#end);
      // By words, where there are whole ones: scripts validate after each tick.
      for (let at = end; at < next; at++) {
        while (at % 4 === 0 && at < next && u32[at >>> 2] === 0) at += 4;
        if (at < next && u8[at] !== 0)
          broken(`nothing is written ${at - end} bytes past a column of ${length} ${kind}`);
      }
    }
  }

  #placeAtEnd(wanted: Map<Column, number>): void {
    for (const [column, length] of wanted) {
      const kept = column.array.subarray(0, Math.min(column.keep(column), length));
      column.offset = this.#end;
      column.length = length;
      this.#end += aligned(column.byteLength);
      this.#renew(column);
      column.array.set(kept);
    }
  }

  /** Bytes that a new buffer needs. */
  #bytesWith(wanted: Lengths): number {
    let end = RESERVED_BYTES;
    for (const column of this.#columns) {
      const length = wanted.get(column) ?? column.length;
      end += aligned(length * CONSTRUCTORS[column.kind].BYTES_PER_ELEMENT);
    }
    return end;
  }

  /**
   * Moves the heap to a new buffer. `spareFor`: how many spare bytes it should have if its columns need so many; it has as many of
   * them as the limit allows.
   */
  #move(changed: Lengths, spareFor: (needed: number) => number = () => 0): void {
    const wanted = this.#toShrink === undefined ? changed : new Map([...this.#toShrink, ...changed]);
    this.#toShrink?.clear();
    const needed = this.#bytesWith(wanted);
    if (needed > MAX_BYTES) throw outOfMemory(needed);
    const end = Math.min(needed + spareFor(needed), MAX_BYTES);
    let buffer: ArrayBuffer;
    if (this.wasm) {
      this.#isShared = this.crew.threadCount > 1;
      const memory = createWasmMemory(end, this.#isShared);
      if (memory === undefined) throw outOfMemory(end);
      this.#memory = memory;
      buffer = memory.buffer;
    } else {
      buffer = this.#newBuffer(end);
    }
    this.kernels = this.#adopt(buffer);
    this.#end = RESERVED_BYTES;
    for (const column of this.#columns) {
      const length = wanted.get(column) ?? column.length;
      const kept = column.array.subarray(0, Math.min(column.keep(column), length));
      column.length = length;
      column.offset = this.#end;
      this.#end += aligned(column.byteLength);
      this.#renew(column);
      column.array.set(kept);
    }
  }

  #renew(column: Column): void {
    this.layout++;
    column.array = new CONSTRUCTORS[column.kind](this.u8.buffer as ArrayBuffer, column.offset, column.length);
  }

  #adopt(buffer: ArrayBuffer): Kernels {
    const words = buffer.byteLength >>> 2;
    this.f64 = new Float64Array(buffer, 0, words >> 1);
    this.f32 = new Float32Array(buffer, 0, words);
    this.u32 = new Uint32Array(buffer, 0, words);
    this.u8 = new Uint8Array(buffer);
    const memory = this.#memory;
    if (this.#isShared) {
      const module = memory === undefined ? undefined : (compiledModule(true) ?? undefined);
      this.crew.share({ module, memory: memory ?? buffer, names: SHARED_KERNELS });
    }
    return memory === undefined ? bindPlainKernels(buffer) : bindWasmKernels(memory, this.#isShared);
  }

  /** A zeroed buffer for kernels without WebAssembly. Its length is a multiple of 8, because they read it as doubles. */
  #newBuffer(bytes: number): ArrayBuffer {
    this.#isShared = this.crew.threadCount > 1;
    const length = Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    try {
      return this.#isShared
        ? (new SharedArrayBuffer(length) as unknown as ArrayBuffer)
        : new ArrayBuffer(length);
    } catch {
      throw outOfMemory(bytes);
    }
  }
}

/**
 * Columns that a call borrows when it needs a word and a position for each element. `moveMany` stages its moves here before they
 * are written, and the sweep stores here where entries go while it sorts. Contents do not survive the call. Memory: 12 bytes an
 * element (16 in 3-D), for the most elements that any call needed.
 */
export class Staging {
  readonly words: Column<'u32'>;
  readonly x: Column<'f32'>;
  readonly y: Column<'f32'>;
  readonly z: Column<'f32'>;
  readonly #heap: Heap;

  constructor(heap: Heap) {
    this.#heap = heap;
    // Not scratch: the heap may move in the middle of a call.
    this.words = heap.column('u32', 0);
    this.x = heap.column('f32', 0);
    this.y = heap.column('f32', 0);
    this.z = heap.column('f32', 0);
  }

  /** Makes room for `count` words, and for `count` coordinates on each of `axes` axes. The heap may move. */
  makeRoom(count: number, axes: number): void {
    const wanted: Column[] = [this.words];
    for (const column of [this.x, this.y, this.z].slice(0, axes)) wanted.push(column);
    const sizes = wanted.filter(({ length }) => length < count);
    this.#heap.resize(sizes.map((column) => [column, count + (count >> 5)]));
  }
}

function aligned(bytes: number): number {
  return Math.ceil((bytes + SLACK_BYTES) / ALIGNMENT) * ALIGNMENT;
}

/** Throws `UNSUPPORTED` if JavaScript kernels are not what was chosen, or are not loaded. */
function checkPlain(choice: KernelChoice): void {
  const isLoaded = havePlainKernels();
  if (choice !== 'wasm' && isLoaded) return;
  const what =
    choice === 'typescript'
      ? 'JavaScript kernels are not in this bundle'
      : 'WebAssembly SIMD is missing here';
  const way = isLoaded ? "'auto' or 'typescript'" : "'umwelt/kernels/javascript' to be imported";
  throw new UmweltError('UNSUPPORTED', `kernels: ${shown(choice)} was given, and ${what}; expected ${way}`, {
    field: 'kernels',
    value: choice,
  });
}

function outOfMemory(bytes: number): UmweltError {
  return new UmweltError('CAPACITY', `the world needs ${bytes} bytes; at most ${MAX_BYTES} can be had here`, {
    value: bytes,
  });
}
