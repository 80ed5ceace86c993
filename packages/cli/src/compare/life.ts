/**
 * One run of one contender through one script, from the first add to the last remove: the source of all compared times.
 *
 * A time covers the whole operation of a game server: the calls on the world, its tick, and reading every list of its report.
 * Watchers take no `updated` lists: distributing those costs the same with every detector and would hide the rest. Recording
 * the script, choosing the movers, and hashing are not part of the times.
 *
 * Between the parts the world does empty ticks until its buffers have shrunk to what the last part needed, so that
 * `memoryBytes` is that of a world in steady use, not of one that has just been filled.
 */
import { type Changes, type EntityId, World } from 'umwelt';
import type { Clock } from '../clock.ts';
import type { Contender } from './contender.ts';
import type { Arrival, CrowdScript, ScriptStep } from './crowd-script.ts';
import { type FigureName, figureNames } from './figure.ts';

/** Warm-up steps at the beginning that are not in the figures; their hashes are included. */
const WARM_STEPS = 2;
/** Number of ticks after which a world frees the memory of a large tick. */
const TRIM_TICKS = 64;

export interface Life {
  /** Milliseconds. A figure may have no samples if no entity was there to give one. */
  readonly samples: Readonly<Record<FigureName, readonly number[]>>;
  /** Of the whole world, while all entities are in it and move. */
  readonly memoryBytes: number;
  /** Sum of all ticks' hashes modulo 2^64, 16 hexadecimal digits; absent if not requested. */
  readonly hash: string | undefined;
  /** Pairs in the first report. */
  readonly firstPairs: number;
  /** Sum of all ids that were read, so that no read can be optimised away. */
  readonly checksum: number;
  /** The world of the run, empty now. The caller must dispose of it. */
  readonly world: World;
}

export interface LifeOptions {
  readonly clock: Clock;
  readonly hashed: boolean;
  /** When to stop, by the clock; absent: never. */
  readonly deadlineMs?: number;
}

/** The run was stopped at its deadline. */
export class Overdue extends Error {
  override readonly name = 'Overdue';
}

/** The world for a contender and a script. */
export function worldFor(contender: Contender, script: CrowdScript): World {
  const { detector, cellsByRange } = contender;
  const cells =
    cellsByRange === undefined ? {} : { granularity: 'cell' as const, cellSize: script.range * cellsByRange };
  return new World({ ...script.worldOptions, detector, ...cells });
}

/**
 * Runs the whole script. The clock is checked after each operation, so a run exceeds its deadline by at most one operation.
 * @throws Overdue
 */
export function live(contender: Contender, script: CrowdScript, options: LifeOptions): Life {
  const recorder = new Recorder(contender, script, options);
  try {
    return lived(recorder, script);
  } catch (error) {
    void recorder.world.dispose();
    throw error;
  }
}

function lived(recorder: Recorder, script: CrowdScript): Life {
  recorder.add();
  recorder.idle(TRIM_TICKS);
  script.steps.forEach((step, i) => {
    recorder.step(step, i < WARM_STEPS ? undefined : 'allMoving');
  });
  for (const step of script.fewSteps) recorder.step(step, 'fewMoving');
  recorder.comeAndGo();
  recorder.idle(2 * TRIM_TICKS);
  const { memoryBytes } = recorder.world.stats();
  recorder.removeAll();
  return recorder.end(memoryBytes);
}

class Recorder {
  readonly world: World;
  readonly #script: CrowdScript;
  readonly #clock: Clock;
  readonly #hashed: boolean;
  readonly #deadlineMs: number;
  /** By actor; 0 while it is not in the world. */
  readonly #ids: Uint32Array;
  readonly #samples = Object.fromEntries(figureNames.map((name) => [name, []])) as unknown as Record<
    FigureName,
    number[]
  >;
  #hashSum = 0n;
  #firstPairs = 0;
  #checksum = 0;

  constructor(
    contender: Contender,
    script: CrowdScript,
    { clock, hashed, deadlineMs = Number.POSITIVE_INFINITY }: LifeOptions,
  ) {
    this.#deadlineMs = deadlineMs;
    this.#script = script;
    this.#clock = clock;
    this.#hashed = hashed;
    this.#ids = new Uint32Array(script.actorCount);
    this.world = worldFor(contender, script);
  }

  add(): void {
    this.#firstPairs = this.#time('add', () => this.#arrive(this.#script.arrivals)).enteredCount;
  }

  step({ removed, arrivals, moved, x, y, z }: ScriptStep, figure: FigureName | undefined): void {
    this.#time(figure, () => {
      if (removed.length > 0) this.#depart(removed);
      if (arrivals.length > 0) this.#arrive(arrivals);
      this.world.moveMany(this.#ids, x, y, z, moved);
    });
  }

  /** Adds all later entities, one per tick, and then removes them in the same order. */
  comeAndGo(): void {
    const ids: EntityId[] = [];
    for (const { init } of this.#script.comers) {
      this.#time('comes', () => ids.push(this.world.add(init)));
    }
    for (const id of ids) this.#time('goes', () => this.world.remove(id));
  }

  removeAll(): void {
    const ids = this.world.ids();
    this.#time('remove', () => this.world.removeMany(ids));
  }

  /** Ticks until the world has done that many ticks in total. */
  idle(ticks: number): void {
    while (this.world.tickCount < ticks) this.world.tick();
  }

  end(memoryBytes: number): Life {
    return {
      samples: this.#samples,
      memoryBytes,
      hash: this.#hashed ? this.#hashSum.toString(16).padStart(16, '0') : undefined,
      firstPairs: this.#firstPairs,
      checksum: this.#checksum,
      world: this.world,
    };
  }

  #time(figure: FigureName | undefined, change: () => void): Changes {
    const startedMs = this.#clock.now();
    change();
    const changes = this.world.tick();
    this.#checksum = (this.#checksum + sumOfIds(changes)) % 2 ** 32;
    const endedMs = this.#clock.now();
    if (endedMs > this.#deadlineMs) throw new Overdue();
    const tookMs = endedMs - startedMs;
    if (figure !== undefined) this.#samples[figure].push(tookMs);
    if (this.#hashed) this.#hashSum = BigInt.asUintN(64, this.#hashSum + BigInt(`0x${changes.hash()}`));
    return changes;
  }

  #arrive(arrivals: readonly Arrival[]): void {
    for (const { init, actors, x, y, z } of arrivals) {
      const ids = this.world.addMany({ ...init, x, y, z });
      for (let i = 0; i < actors.length; i++) this.#ids[actors[i] as number] = ids[i] as number;
    }
  }

  #depart(actors: Uint32Array): void {
    this.world.removeMany(actors.map((actor) => this.#ids[actor] as number));
    for (const actor of actors) this.#ids[actor] = 0;
  }
}

/** Reads every list of the report. */
function sumOfIds(changes: Changes): number {
  let sum = 0;
  for (const kind of ['entered', 'left', 'updated', 'sensed'] as const) {
    const { count, offsets, markers } = changes.columns(kind);
    const end = count === 0 ? 0 : (offsets[count] as number);
    for (let i = 0; i < end; i++) sum = (sum + (markers[i] as number)) | 0;
  }
  return sum >>> 0;
}
