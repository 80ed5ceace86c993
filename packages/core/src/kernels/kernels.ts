/**
 * The hot loops. Their sources are AssemblyScript, in `wasm/`. The build compiles them to WebAssembly with SIMD, and to
 * JavaScript for platforms without it; both write the same bytes. Arguments are numbers and byte offsets in a heap; layouts/ says
 * what lies there.
 */
import { instantiate, type WasmMemory } from './wasm-module.ts';

/**
 * Kernels that threads can share. Each works on the elements `from` to `to` and writes nothing that another range reads. It
 * returns the element to continue from if it had to stop, else `to`. Workers identify a kernel by its index here.
 */
export const SHARED_KERNELS = [
  'checkMoves',
  'writeMoves',
  'settlePending',
  'endMoves',
  'countEntries',
  'placeEntries',
  'fillProfiles',
  'scanPairs',
  'scanMovers',
  'scanChanged',
  'countCrossings',
  'placeCrossings',
  'resolveCrossings',
  'searchSeats',
  'countReport',
  'fillReport',
] as const;
export type SharedKernel = (typeof SHARED_KERNELS)[number];

export interface Kernels {
  /** Which rows are due, and their seats: see layouts/seat-search.ts. */
  listDue(job: number): number;
  searchSeats(job: number, from: number, to: number): number;
  findOthers(job: number, slot: number, wanted: number, worst: number, known: number): number;
  openRanked(job: number): void;
  readRanked(job: number, slot: number): number;
  seatRanked(job: number): void;
  reportSeats(job: number): number;
  commitSeats(job: number): void;
  sortMarkers(job: number): void;
  countCrossings(job: number, from: number, to: number): number;
  placeCrossings(job: number, from: number, to: number): number;
  resolveCrossings(job: number, from: number, to: number): number;
  editRows(job: number): number;
  listRows(job: number): number;
  listChanged(job: number): number;
  findNear(job: number): number;
  passHolds(job: number): void;
  countEntries(job: number, from: number, to: number): number;
  startCells(job: number): number;
  placeEntries(job: number, from: number, to: number): number;
  countReport(job: number, from: number, to: number): number;
  fillReport(job: number, from: number, to: number): number;
  listWatchers(job: number): number;
  putMovers(job: number): number;
  restMovers(job: number): void;
  sortWords(list: number, scratch: number, count: number, largest: number): void;
  refreshEntries(job: number): void;
  checkMoves(job: number, from: number, to: number): number;
  writeMoves(job: number, from: number, to: number): number;
  settlePending(job: number, from: number, to: number): number;
  endMoves(job: number, from: number, to: number): number;
  fillProfiles(job: number, from: number, to: number): number;
  scanPairs(job: number, from: number, to: number): number;
  scanMovers(job: number, from: number, to: number): number;
  scanChanged(job: number, from: number, to: number): number;
}

/** Makes the JavaScript kernels over a buffer. */
export type PlainKernels = (buffer: ArrayBufferLike) => object;

let plainKernels: PlainKernels | undefined;

/** Registers the JavaScript kernels; worlds can use them from now on. See javascript.ts. */
export function loadPlainKernels(made: PlainKernels): void {
  plainKernels = made;
}

/** Whether the JavaScript kernels are loaded. A bundle for browsers contains them only if its program imports them. */
export function havePlainKernels(): boolean {
  return plainKernels !== undefined;
}

/** The JavaScript kernels over a heap's present buffer: bind again when the heap moves. Requires that they are loaded. */
export function bindPlainKernels(buffer: ArrayBufferLike): Kernels {
  return (plainKernels as PlainKernels)(buffer) as Kernels;
}

/** The source text of a function that makes the JavaScript kernels, for workers, which import nothing. */
export function plainKernelsSource(): string {
  return String(plainKernels);
}

/** The WebAssembly kernels over a memory. */
export function bindWasmKernels(memory: WasmMemory, isShared: boolean): Kernels {
  return { ...instantiate(memory, isShared) } as Kernels;
}
