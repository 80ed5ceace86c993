/**
 * The hot loops, in two implementations with the same names and the same bytes out: TypeScript here, WebAssembly in
 * `wasm/`. Arguments are numbers and byte offsets in a heap; each kernel's file says what it reads and writes.
 */
import { countRelations, findReached } from './count-relations.ts';
import { editPairs } from './edit-pairs.ts';
import { editRows } from './edit-rows.ts';
import { countReport, fillReport } from './fill-report.ts';
import type { HeapViews } from './heap-views.ts';
import { listChanged, listRows } from './list-rows.ts';
import { checkMoves, writeMoves } from './moves.ts';
import { passHolds } from './pass-holds.ts';
import { endMoves, settlePending } from './pending-slots.ts';
import { putMovers, restMovers } from './resident-entries.ts';
import { countCrossings, placeCrossings, resolveCrossings } from './resolve-crossings.ts';
import { countEntries, placeEntries, startCells } from './sweep-entries.ts';
import { scanMovers } from './sweep-movers.ts';
import { scanPairs } from './sweep-pairs.ts';
import { scanEntries } from './sweep-scan.ts';
import { tellRated } from './tell-rated.ts';
import { instantiate, type WasmMemory } from './wasm-module.ts';

/**
 * Kernels that threads can share: each works on the elements `from` to `to`, writes nothing that another range reads, and
 * answers the element to go on from when it had to stop, else `to`. In the order in which workers know them.
 */
export const SHARED_KERNELS = [
  'checkMoves',
  'writeMoves',
  'settlePending',
  'endMoves',
  'countEntries',
  'placeEntries',
  'scanEntries',
  'scanPairs',
  'scanMovers',
  'countCrossings',
  'placeCrossings',
  'resolveCrossings',
  'countReport',
  'fillReport',
] as const;
export type SharedKernel = (typeof SHARED_KERNELS)[number];

/** For searched watchers: see layouts/seat-search.ts. Without WebAssembly they go the long way. */
export interface SeatKernels {
  searchSeats(job: number, from: number): number;
  tellSeats(job: number): number;
  commitSeats(job: number): void;
}

export interface Kernels extends Partial<SeatKernels> {
  countCrossings(job: number, from: number, to: number): number;
  placeCrossings(job: number, from: number, to: number): number;
  resolveCrossings(job: number, from: number, to: number): number;
  editRows(job: number): number;
  listRows(job: number): number;
  listChanged(job: number): number;
  passHolds(job: number): void;
  editPairs(job: number): void;
  tellRated(job: number): number;
  findReached(job: number, from: number): number;
  countRelations(job: number, from: number): number;
  countEntries(job: number, from: number, to: number): number;
  startCells(job: number): number;
  placeEntries(job: number, from: number, to: number): number;
  countReport(job: number, from: number, to: number): number;
  fillReport(job: number, from: number, to: number): number;
  putMovers(job: number): number;
  restMovers(job: number): void;
  checkMoves(job: number, from: number, to: number): number;
  writeMoves(job: number, from: number, to: number): number;
  settlePending(job: number, from: number, to: number): number;
  endMoves(job: number, from: number, to: number): number;
  scanEntries(job: number, from: number, to: number): number;
  scanPairs(job: number, from: number, to: number): number;
  scanMovers(job: number, from: number, to: number): number;
}

/** The TypeScript kernels over a heap's views as they are now: bind again when the heap moves. */
export function bindTypeScriptKernels(heap: HeapViews): Kernels {
  return {
    countCrossings: (job, from, to) => countCrossings(heap, job, from, to),
    placeCrossings: (job, from, to) => placeCrossings(heap, job, from, to),
    resolveCrossings: (job, from, to) => resolveCrossings(heap, job, from, to),
    editRows: (job) => editRows(heap, job),
    listRows: (job) => listRows(heap, job),
    listChanged: (job) => listChanged(heap, job),
    passHolds: (job) => passHolds(heap, job),
    editPairs: (job) => editPairs(heap, job),
    tellRated: (job) => tellRated(heap, job),
    findReached: (job, from) => findReached(heap, job, from),
    countRelations: (job, from) => countRelations(heap, job, from),
    countEntries: (job, from, to) => countEntries(heap, job, from, to),
    startCells: (job) => startCells(heap, job),
    placeEntries: (job, from, to) => placeEntries(heap, job, from, to),
    countReport: (job, from, to) => countReport(heap, job, from, to),
    fillReport: (job, from, to) => fillReport(heap, job, from, to),
    putMovers: (job) => putMovers(heap, job),
    restMovers: (job) => restMovers(heap, job),
    checkMoves: (job, from, to) => checkMoves(heap, job, from, to),
    writeMoves: (job, from, to) => writeMoves(heap, job, from, to),
    settlePending: (job, from, to) => settlePending(heap, job, from, to),
    endMoves: (job, from, to) => endMoves(heap, job, from, to),
    scanEntries: (job, from, to) => scanEntries(heap, job, from, to),
    scanPairs: (job, from, to) => scanPairs(heap, job, from, to),
    scanMovers: (job, from, to) => scanMovers(heap, job, from, to),
  };
}

/** The WebAssembly kernels over a memory. */
export function bindWasmKernels(memory: WasmMemory, isShared: boolean): Kernels {
  return instantiate(memory, isShared) as Kernels;
}
