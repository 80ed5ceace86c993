/**
 * One block of memory for a world's columns, so that kernels and TypeScript see the same bytes.
 *
 * Every column is a stretch of one buffer. When a column must grow, the whole heap moves house: a new, larger
 * buffer is laid out, columns that keep their contents are copied, and every `Column.array` is renewed. The old
 * buffer is never detached (`memory.grow` would), so arrays handed to users stay readable for as long as they
 * hold them; the garbage collector frees it afterwards. Owners read `column.array` afresh in each call.
 *
 *   | reserved 64 bytes | column | slack, pad to 16 | column | slack, pad to 16 | ... | spare |
 *
 * Behind each column lie 16 bytes of slack, zeros that nobody writes: a kernel may read a vector that begins in the column or right
 * behind it. What it finds there must decide nothing (test/kernels/checked-kernels.test.ts).
 *
 * With threads the buffer is a shared one, and every worker is sent the new one when the heap moves.
 *
 * Cost: moving copies everything, so callers grow by doubling and resize what belongs together in one call. Where the heap moves to
 * grow, it takes an eighth to spare: the next columns that grow go there, and leave holes until it moves again. Nothing is written to what
 * is spare, so that it is addresses and no memory.
 */
import { assert, shown, UmweltError } from '../errors.ts';
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
import { compiledModule, createWasmMemory, type WasmMemory } from './wasm-module.ts';

const ALIGNMENT = 16;
/** A vector's. */
const SLACK_BYTES = 16;
/** Offset 0 stays unused, so that 0 can mean "no such column" in a kernel's job. */
const RESERVED_BYTES = 64;
/** A growing heap takes this share of its bytes to spare: shifts to the right. */
const SPARE_SHIFT = 3;
/** WebAssembly addresses 32 bits. */
const MAX_BYTES = 0xffff_0000;

/** What a column holds; each maps to one typed array. */
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

/** How many elements of a column are worth copying when the heap moves. */
export type Keep = (column: Column) => number;

/** The lengths that columns are to have; the others keep theirs. */
type Lengths = ReadonlyMap<Column, number>;

const NO_CHANGE: Lengths = new Map();

const lengthOf: Keep = (column) => column.length;

/** A typed array inside the heap. `array` is replaced when the heap moves: do not keep it across calls. */
export class Column<K extends ElementKind = ElementKind> {
  readonly kind: K;
  /** How many elements survive a move: all, none for scratch, or as many as are in use. */
  readonly keep: Keep;
  /** Byte offset in the heap, a multiple of 16. */
  offset = 0;
  /** Elements. */
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

/** Which implementation of the kernels a heap binds. */
export type KernelChoice = 'auto' | 'typescript' | 'wasm';

export class Heap {
  /** The whole heap as doubles, floats, words and bytes: indexed by `offset >>> 3`, `>>> 2`, `>> 0`. */
  f64 = new Float64Array(0);
  f32 = new Float32Array(0);
  u32 = new Uint32Array(0);
  u8 = new Uint8Array(0);
  kernels: Kernels;
  /** True when the kernels in use are WebAssembly. */
  readonly wasm: boolean;
  readonly crew: Crew;
  /** Columns to be lent for one call. */
  readonly staging: Staging;
  #columns = new Set<Column>();
  #end = RESERVED_BYTES;
  #memory: WasmMemory | undefined;
  #isShared = false;

  /** With `threads` threads, or as many of them as there can be. Throws `UNSUPPORTED` where there are no such kernels. */
  constructor(choice: KernelChoice = 'auto', threads = 1) {
    const isPlain = choice === 'typescript' || compiledModule(false) === null;
    if (isPlain) checkPlain(choice);
    const canShare = threads > 1 && (isPlain || compiledModule(true) !== null);
    this.crew = new Crew(canShare ? threads : 1, isPlain && canShare ? plainKernelsSource() : undefined);
    this.#isShared = this.crew.threadCount > 1;
    this.#memory = isPlain ? undefined : createWasmMemory(RESERVED_BYTES, this.#isShared);
    // Short of memory: each WebAssembly memory takes gigabytes of addresses.
    if (this.#memory === undefined) checkPlain(choice);
    this.wasm = this.#memory !== undefined;
    this.kernels = this.#adopt(this.#memory?.buffer ?? this.#newBuffer(RESERVED_BYTES));
    this.staging = new Staging(this);
  }

  /** Bytes of the whole buffer, but for what is spare. */
  get byteLength(): number {
    return this.#end;
  }

  /**
   * A new column of `length` zeros. `keep` says how many of its elements are worth copying when the heap moves; all of
   * them when it is absent.
   */
  column<K extends ElementKind>(kind: K, length: number, keep?: Keep): Column<K> {
    const column = new Column(kind, keep);
    this.#columns.add(column);
    this.resize([[column, length]]);
    return column;
  }

  /** Gives up a column; its bytes return with the next move. */
  release(column: Column): void {
    this.#columns.delete(column);
    column.length = 0;
    column.array = new CONSTRUCTORS[column.kind](0);
  }

  /** Makes room at the end for columns of so many bytes in all, which spares many a move later on. Nothing beyond the limit. */
  makeRoom(bytes: number): void {
    if (this.#end + bytes > this.u8.byteLength && this.#bytesWith(NO_CHANGE) + bytes <= MAX_BYTES)
      this.#move(NO_CHANGE, bytes);
  }

  /** Moves to a smaller buffer where columns need less than half of this one: others were released, or left behind. */
  compact(): void {
    if (this.#bytesWith(NO_CHANGE) * 2 < this.u8.byteLength) this.#move(NO_CHANGE);
  }

  /** For columns whose contents no one needs after the heap moved. */
  static readonly scratch = () => 0;

  /** Makes each column hold `length` elements. New elements are 0; those that `keep` does not name are lost. */
  resize(sizes: readonly (readonly [Column, number])[]): void {
    const wanted = new Map<Column, number>();
    let extra = 0;
    for (const [column, length] of sizes) {
      if (length === column.length) continue;
      wanted.set(column, length);
      extra += aligned(length * CONSTRUCTORS[column.kind].BYTES_PER_ELEMENT);
    }
    if (wanted.size === 0) return;
    // What shrinks is to give memory back, which only a move does.
    const isShrinking = sizes.every(([column, length]) => length <= column.length);
    if (isShrinking) this.#move(wanted);
    else if (this.#end + extra <= this.u8.byteLength) this.#placeAtEnd(wanted);
    else this.#move(wanted, this.#bytesWith(wanted) >>> SPARE_SHIFT);
  }

  /** The same for columns that are all to be of one length. */
  resizeAll(columns: readonly Column[], length: number): void {
    this.resize(columns.map((column) => [column, length]));
  }

  /**
   * Works with a kernel at the task that was begun (see threads/crew.ts); of the jobs, one a thread, each lies `jobBytes`
   * behind the one before. False when a kernel had to stop: call again. Throws `WORKER_FAILED`.
   */
  workAtTask(kernel: SharedKernel, jobs: number, jobBytes: number, jobCount: number): boolean {
    try {
      return this.crew.work(SHARED_KERNELS.indexOf(kernel), this.kernels[kernel], jobs, jobBytes, jobCount);
    } catch (error) {
      // Whoever is still at it shall write where nobody reads.
      this.#move(NO_CHANGE);
      throw error;
    }
  }

  /**
   * Throws when a kernel wrote past the end of a column: between one and the next lie at least 16 bytes that nobody writes.
   * For tests.
   */
  validate(): void {
    const { u8 } = this;
    for (const column of this.#columns) {
      const { offset, byteLength, kind, length } = column;
      const end = offset + byteLength;
      const next = Math.min(offset + aligned(byteLength), this.#end);
      for (let at = end; at < next; at++) {
        // The sentence is made only where it is wanted: scripts validate after each tick.
        if (u8[at] === 0) continue;
        assert(false, `nothing is written ${at - end} bytes past a column of ${length} ${kind}`);
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

  /** To a new buffer, with so many bytes to spare where there are as many. */
  #move(wanted: Lengths, spareBytes = 0): void {
    const needed = this.#bytesWith(wanted);
    if (needed > MAX_BYTES) throw outOfMemory(needed);
    const end = Math.min(needed + spareBytes, MAX_BYTES);
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

  /** A zeroed buffer for kernels that need no WebAssembly: of whole doubles, as they read it. */
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
 * Columns that are lent for the time of one call, to whoever needs a word and a position an element: many moves at once
 * lie here before they are written, and the sweep keeps here where entries go while it sorts. Nobody may expect to find
 * again what it left. Memory: 12 bytes an element (16 in 3-D), as many as anybody needed.
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

  /** Room for so many words, and with `axes` above 0 for as many coordinates. The heap may move. */
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

/** Throws `UNSUPPORTED` where JavaScript kernels are not what was asked for, or are not loaded. */
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
