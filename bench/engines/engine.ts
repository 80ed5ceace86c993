/**
 * The one shape in which every engine runs here: ours, its variants, and what people write today with a spatial index.
 *
 * An engine is bound to a simulation of its own and is ticked after each of the simulation's steps. A tick is the
 * whole work: take over what the step changed, find who entered, who left and who changed for every watcher, and read
 * every list that came of it, as a server would to write its messages. Reading is summing the ids, so that no
 * compiler leaves it out. Outside the timed part the report is hashed the way `Changes.hash()` does it: engines that
 * did the same work agree in every tick, and a fast wrong answer is seen.
 *
 * Adding one is a file here and a line in engine-list.ts.
 */
import type { Simulation } from '@umwelt/scenarios';

/** What a tick reported: pairs over all watchers. One object an engine, written anew by each tick. */
export interface TickCounts {
  entered: number;
  left: number;
  updated: number;
  /** Of all ids read, modulo 2^32. Engines name entities differently: not to be compared. */
  idSum: number;
}

/** What is asked of an engine besides who entered and who left. */
export interface EngineOptions {
  /** Whether every watcher also gets the list of those who stayed and moved. */
  readonly updates: boolean;
}

export interface Engine {
  /** The timed part. */
  tick(): TickCounts;
  /** Of the last tick's report; 16 hex digits. */
  hash(): string;
  /** What it says it holds, where it can say. */
  readonly memoryBytes?: number;
  /** Milliseconds of the last tick by its own clock; for one that runs elsewhere, and to which data must be brought. */
  readonly tickMs?: number;
  /** Of these, what it waited for a core, where it can say. */
  readonly waitedMs?: number;
  dispose(): void;
}

/** The size of the work, from which a cost can be guessed. */
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
  /** How its reports differ from everybody's by design; they are not held against others'. Absent: they do not. */
  readonly ownRule?: string;
  /** Why it cannot run on this machine; undefined when it can. Absent: it can everywhere. */
  absent?(): string | undefined;
  /** A rough guess at the milliseconds of one tick, for not even beginning what would take hours. */
  expectedTickMs(work: Work): number;
  /** Bound to a simulation that has not been stepped yet. Throws when it cannot do what the simulation needs. */
  create(simulation: Simulation, options: EngineOptions): Engine;
}
