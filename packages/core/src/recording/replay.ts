/**
 * Replays a recording: repeats its calls on a separate world, tick by tick, and compares each tick's report with the
 * recorded hash. Seeking starts from the nearest snapshot before the tick, or from a checkpoint kept during the
 * replay.
 *
 *   const replay = new Replay(bytes, { detector: 'quadtree' });
 *   while (replay.step() !== undefined);                        to the end
 *   replay.difference                                           the first tick whose report differed, if there is one
 *
 * Memory: the recording, a world, and the checkpoints that are kept. Cost: that of the calls; to seek, restoring a
 * snapshot and the calls since.
 */
import { ByteReader } from '../bytes/byte-reader.ts';
import type { DetectorFactory, DetectorName } from '../detectors/detector.ts';
import type { EntityId } from '../entities/entity-ids.ts';
import { badOption, isRecord, rejectUnknownKeys, UmweltError } from '../errors.ts';
import type { WorldOptions } from '../options.ts';
import { RESTORE_OPTION_NAMES, type RestoreOptions } from '../snapshot/restore-options.ts';
import { Snapshot } from '../snapshot/snapshot.ts';
import { restoreAs, storeOf, World } from '../world.ts';
import { replayCall } from './call.ts';
import { type Chunk, readChunks } from './chunk.ts';
import { readNote } from './note.ts';
import { type StartPoint, StartPoints } from './start-points.ts';

/** A replayed tick. Hashes are those of `Changes.hash()`. */
export interface ReplayedTick {
  /** Its number in the recorded world. */
  readonly tick: number;
  /** Hash of the recorded report. */
  readonly recorded: string;
  /** Hash of this world's report. */
  readonly found: string;
}

/** Options of `Replay`. */
export interface ReplayOptions extends RestoreOptions {
  /** Maximum number of bytes of checkpoints; see `keep`. 0 (default): none are kept. */
  checkpointBytes?: number;
}

const OPTION_NAMES: ReadonlySet<string> = new Set([...RESTORE_OPTION_NAMES, 'checkpointBytes']);

/** Replays a recording: restores its world, repeats its calls tick by tick, and shows where hashes differ. */
export class Replay {
  /** Number of ticks that the world had done when the recording began. */
  readonly firstTick: number;
  /** Number of ticks that it had done when the recording ended. */
  readonly lastTick: number;
  /** Whether the recording has an end; if not, it was cut short, and is valid up to its last whole chunk. */
  readonly isComplete: boolean;
  /**
   * Options of the recorded world: dimensions, senses, range shape, groups, cells. Without interests and detector.
   */
  readonly worldOptions: WorldOptions;
  readonly #chunks: readonly Chunk[];
  readonly #starts: StartPoints;
  #options: RestoreOptions;
  #world: World;
  /** The current chunk, and the reader's position in it. */
  #chunk = 0;
  #reader: ByteReader | undefined;
  /** No tick has been replayed since a state was restored: there is no report. */
  #isRestored = true;
  /** Calls that were recorded after the last tick have been replayed. */
  #isPastTicks = false;
  /** What the last call threw. The world and the reader are then in the middle of it. */
  #failure: { readonly error: unknown } | undefined;
  #difference: ReplayedTick | undefined;

  /**
   * Replays the bytes of a recording, or the recording of another replay, whose checkpoints are then shared.
   * `interests` supplies the functions that were not recorded, by name (default: those of the other replay);
   * `detector` replaces the recorded ones. Throws `BAD_TRACE`, `BAD_SNAPSHOT`, `BAD_OPTION`, and as `World.restore`.
   */
  constructor(recording: Uint8Array | Replay, options: ReplayOptions = {}) {
    if (!isRecord(options)) throw badOption('options', options, 'an object of ReplayOptions');
    rejectUnknownKeys(options, OPTION_NAMES, 'ReplayOptions');
    const { checkpointBytes = 0, ...rest } = options;
    if (!Number.isSafeInteger(checkpointBytes) || checkpointBytes < 0) {
      throw badOption('checkpointBytes', checkpointBytes, 'a whole number from 0');
    }
    const other = recording instanceof Replay ? recording : undefined;
    this.#chunks = other === undefined ? readChunks(recording as Uint8Array) : other.#chunks;
    this.#starts = other === undefined ? new StartPoints(this.#chunks, checkpointBytes) : other.#starts;
    const interests = other === undefined ? undefined : other.#options.interests;
    this.#options = { ...(interests === undefined ? {} : { interests }), ...rest };
    const first = this.#chunks[0] as Chunk;
    this.firstTick = first.tick;
    const last = this.#chunks.at(-1) as Chunk;
    this.lastTick = last.tick;
    this.isComplete = last.tag === 'ENDS';
    const { detector: _, ...worldOptions } = new Snapshot(first.body).options;
    this.worldOptions = worldOptions;
    this.#world = this.#restore(this.#starts.before(this.firstTick));
  }

  /**
   * The world as far as it has been replayed. Seeking back creates another. Only read it: after a change it no longer
   * matches the recording.
   */
  get world(): World {
    return this.#world;
  }

  /** Number of ticks that the world has done. */
  get tick(): number {
    return this.#world.tickCount;
  }

  /** The first tick replayed so far whose report differs from the recorded one. */
  get difference(): ReplayedTick | undefined {
    return this.#difference;
  }

  /**
   * Number of ticks to replay in order to return here: those since the last snapshot or checkpoint before this tick.
   */
  get ticksToRedo(): number {
    return this.tick - this.#starts.before(this.tick).tick;
  }

  /** The notes recorded under that name, in order: windows on the recording. Throws `BAD_TRACE`. */
  notes(name: string): Uint8Array[] {
    const notes = this.#chunks.filter(({ tag }) => tag === 'NOTE').map(({ body }) => readNote(body));
    return notes.filter((note) => note.name === name).map(({ bytes }) => bytes);
  }

  /**
   * How far an entity perceives, in the order of the senses; world units, 0 for a sense that it does not have. Throws
   * `BAD_ID`, `STALE_ID`.
   */
  rangesOf(id: EntityId): number[] {
    const store = storeOf(this.#world);
    const slot = store.slotOf(id);
    return store.now.ownRanges.map((range) => range.at(slot));
  }

  /** Continues with another detector, in place of the recorded ones. Throws as `World.setDetector`. */
  setDetector(detector: DetectorName | DetectorFactory): void {
    this.#world.setDetector(detector);
    this.#options = { ...this.#options, detector };
  }

  /**
   * Replays to the end of the next tick; `undefined` if there is none: then the world is as it was at the end of the
   * recording, changes after the last tick included. Throws `BAD_TRACE`, and what a recorded call throws where functions
   * or interests are missing: `BAD_OPTION`, `BAD_RANGE`, `UNKNOWN_DETECTOR`, `UNKNOWN_INTEREST`. After an error it throws
   * the same one again, until a seek.
   */
  step(): ReplayedTick | undefined {
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      return this.#step();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  #step(): ReplayedTick | undefined {
    for (let reader = this.#nextReader(); reader !== undefined; reader = this.#nextReader()) {
      const { interests = {}, detector } = this.#options;
      const recorded = replayCall(reader, this.#world, { interests, detector });
      this.#isPastTicks = recorded === undefined;
      if (recorded === undefined) continue;
      this.#isRestored = false;
      const found = this.#world.lastChanges.hash();
      const played = { tick: this.#world.tickCount, recorded, found };
      if (recorded !== found) this.#difference ??= played;
      return played;
    }
    return undefined;
  }

  /**
   * Goes to the end of a tick, forward or back. Throws `BAD_OPTION` outside `firstTick` to `lastTick`, and as `step`
   * does. The tick itself is always replayed, so that `world.lastChanges` is its report; except for `firstTick`.
   */
  seek(tick: number): void {
    this.approach(tick);
    while (this.tick < tick && this.step() !== undefined);
  }

  /**
   * The part of `seek` that replays nothing: goes to the state from which `step` reaches that tick soonest, which may
   * be the current one. For callers that must not block, and call `step` in turns with other work. Throws as `seek`.
   */
  approach(tick: number): void {
    if (!Number.isInteger(tick) || tick < this.firstTick || tick > this.lastTick) {
      throw badOption('tick', tick, `a whole number from ${this.firstTick} to ${this.lastTick}`);
    }
    const isUsable = !this.#isRestored && !this.#isPastTicks && this.#failure === undefined;
    const isReached = this.tick === tick && tick > this.firstTick && isUsable;
    if (!isReached && !this.leadsTo(tick)) this.#world = this.#restore(this.#starts.before(tick));
  }

  /** Whether `seek` reaches that tick by continuing from the current one. */
  leadsTo(tick: number): boolean {
    if (this.#failure !== undefined) return false;
    return this.tick < tick && this.tick >= this.#starts.before(tick).tick;
  }

  /**
   * Keeps the tick just replayed as a checkpoint, from which seeking may start. If checkpoints exceed
   * `checkpointBytes`, some are dropped, first those that are close to others and far from `near`. Returns false if
   * this one is dropped, or if nothing was replayed since a state was restored. Cost: a snapshot.
   */
  keep(near: number = this.tick): boolean {
    if (this.#reader === undefined || this.#isRestored || this.#failure !== undefined) return false;
    if (this.#starts.has(this.tick)) return true;
    const point: StartPoint = {
      tick: this.tick,
      chunk: this.#chunk,
      position: this.#reader.position,
      snapshot: this.#world.snapshot(),
      isRecorded: false,
    };
    return this.#starts.keep(point, near);
  }

  #restore({ tick, chunk, position, snapshot }: StartPoint): World {
    const world = restoreAs(World, snapshot, this.#options, false);
    if (world.tickCount !== tick) throw wrongTick(chunk, tick, world.tickCount);
    const { tag, body } = this.#chunks[chunk] as Chunk;
    this.#chunk = chunk;
    this.#reader = tag === 'CALL' ? new ByteReader(body, 'BAD_TRACE') : undefined;
    this.#reader?.window(position);
    this.#isRestored = true;
    this.#isPastTicks = false;
    this.#failure = undefined;
    return world;
  }

  /** The reader of the current chunk, or of the next one with calls. */
  #nextReader(): ByteReader | undefined {
    while (this.#reader === undefined || this.#reader.left === 0) {
      const { tick: claimed } = this.#chunks[this.#chunk] as Chunk;
      if (this.tick < claimed) throw wrongTick(this.#chunk, claimed, this.tick);
      if (this.#chunk + 1 >= this.#chunks.length) return undefined;
      this.#chunk++;
      const { tag, body } = this.#chunks[this.#chunk] as Chunk;
      this.#reader = tag === 'CALL' ? new ByteReader(body, 'BAD_TRACE') : undefined;
    }
    return this.#reader;
  }
}

/** Only a forged recording has such a chunk: the ticks are under the checksums. */
function wrongTick(chunk: number, claimed: number, tick: number): UmweltError {
  return new UmweltError(
    'BAD_TRACE',
    `chunk ${chunk} of the recording leads to tick ${tick}, expected tick ${claimed}`,
    { field: 'tick', value: claimed },
  );
}
