/**
 * The common interface of all measured engines: ours, its variants, and what people write with a spatial index.
 *
 * An engine is bound to a simulation of its own and is ticked after each of the simulation's steps. A tick is the whole
 * work: take over what the step changed, find which markers entered, left and changed for every watcher, and read every
 * resulting list, as a server would to write its messages. Reading sums the ids, so that no compiler removes it. Outside
 * the timed part the report is hashed as `Changes.hash()` does it. Engines that did the same work have the same hash in
 * every tick, so a fast wrong answer is found.
 *
 * To add an engine, add a file here and a line in engine-list.ts.
 */
import type { Simulation } from '@umwelt/scenarios';

/** What a tick reported: pairs over all watchers. One object for each engine, overwritten by each tick. */
export interface TickCounts {
  entered: number;
  left: number;
  updated: number;
  /** The sum of all ids read, modulo 2^32. Not comparable between engines, because they name entities differently. */
  idSum: number;
}

/** What an engine reports besides entered and left. */
export interface EngineOptions {
  /** Whether every watcher also gets the list of the markers that stayed and moved. */
  readonly updates: boolean;
}

export interface Engine {
  /** The timed part. */
  tick(): TickCounts;
  /** The hash of the last tick's report; 16 hex digits. */
  hash(): string;
  /** The bytes that the engine says it holds, if it counts them. */
  readonly memoryBytes?: number;
  /** Milliseconds of the last tick by the engine's own clock; for an engine that runs in another process. */
  readonly tickMs?: number;
  /** The part of these milliseconds in which it waited for a core, if known. */
  readonly waitedMs?: number;
  dispose(): void;
}

/** The size of the work, to estimate a cost from. */
export interface Work {
  readonly entities: number;
  /** How many others each perceives on average. */
  readonly perceived: number;
}

export interface EngineKind {
  /** For command lines: kebab-case. */
  readonly name: string;
  /** For tables. */
  readonly title: string;
  /** How its reports differ from the others' by design; they are then not compared. Absent: they do not differ. */
  readonly ownRule?: string;
  /** Why it cannot run on this machine; undefined if it can. Absent: it runs everywhere. */
  absent?(): string | undefined;
  /** A rough estimate of the milliseconds of one tick, so that a run of hours is not started. */
  expectedTickMs(work: Work): number;
  /** Binds the engine to a simulation that has not been stepped yet. Throws if it cannot do what the simulation needs. */
  create(simulation: Simulation, options: EngineOptions): Engine;
}
