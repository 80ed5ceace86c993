/**
 * Plays a recording: makes its calls on a world of its own, tick by tick, and compares what each tick reports with what was
 * recorded. Seeking goes by the nearest snapshot before the tick, or by a checkpoint that was kept on the way.
 *
 *   const replay = new Replay(bytes, { detector: 'quadtree' });
 *   while (replay.step() !== undefined);                        to the end
 *   replay.difference                                           the first tick whose report differed, if there is one
 *
 * Memory: the recording, a world, and checkpoints where they are wanted. Cost: that of the calls; of seeking, a snapshot
 * and the calls since.
 */

import type { DetectorFactory, DetectorName } from '../detectors/detector.ts';
import type { EntityId } from '../entities/entity-ids.ts';
import { badOption, isRecord, rejectUnknownKeys } from '../errors.ts';
import type { WorldOptions } from '../options.ts';
import { restoreAs, storeOf, World } from '../world.ts';
import { ByteReader } from './bytes/byte-reader.ts';
import { replayCall } from './call.ts';
import { type Chunk, readChunks } from './chunk.ts';
import { readNote } from './note.ts';
import { RESTORE_OPTION_NAMES, type RestoreOptions } from './restore-options.ts';
import { Snapshot } from './snapshot.ts';
import { type StartPoint, StartPoints } from './start-points.ts';

/** A tick that was played. Hashes are those of `Changes.hash()`. */
export interface ReplayedTick {
  /** Its number in the recorded world. */
  readonly tick: number;
  /** What the recorded world reported. */
  readonly recorded: string;
  /** What this one reports. */
  readonly found: string;
}

/** Options of `Replay`. */
export interface ReplayOptions extends RestoreOptions {
  /** Most bytes of checkpoints; see `keep`. 0: none are kept. */
  checkpointBytes?: number;
}

const OPTION_NAMES: ReadonlySet<string> = new Set([...RESTORE_OPTION_NAMES, 'checkpointBytes']);

/** Plays a recording: makes its world, does its calls again tick by tick, and says where hashes differ. */
export class Replay {
  /** Ticks that the world had done when the recording began. */
  readonly firstTick: number;
  /** Ticks that it had done when the recording ended. */
  readonly lastTick: number;
  /** Whether the recording has its end; else it was cut short, and is good up to its last whole chunk. */
  readonly isComplete: boolean;
  /** What kind of world it is: its dimensions, senses, ranges' shape, groups, cells. Without interests and detector. */
  readonly worldOptions: WorldOptions;
  readonly #chunks: readonly Chunk[];
  readonly #starts: StartPoints;
  #options: RestoreOptions;
  #world: World;
  /** The chunk that is being played, and where in it. */
  #chunk = 0;
  #reader: ByteReader | undefined;
  /** No tick has been played since a state was restored: there is no report. */
  #isRestored = true;
  #difference: ReplayedTick | undefined;

  /**
   * Of a recording's bytes; or of what another replay plays, whose checkpoints are then shared. `interests` give the
   * functions that were not recorded, by name; `detector` is used instead of those recorded. Throws `BAD_TRACE`,
   * `BAD_SNAPSHOT`, `BAD_OPTION`, and as `World.restore` does.
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
    this.#options = rest;
    const first = this.#chunks[0] as Chunk;
    this.firstTick = first.tick;
    const last = this.#chunks.at(-1) as Chunk;
    this.lastTick = last.tick;
    this.isComplete = last.tag === 'ENDS';
    const { detector: _, ...worldOptions } = new Snapshot(first.body).options;
    this.worldOptions = worldOptions;
    this.#world = this.#restore(this.#starts.before(this.firstTick));
  }

  /** The world as far as it has been played. Seeking back makes another. It is for looking at: what changes it, ends the likeness. */
  get world(): World {
    return this.#world;
  }

  /** Ticks that the world has done. */
  get tick(): number {
    return this.#world.tickCount;
  }

  /** The first tick played so far whose report was not the recorded one. */
  get difference(): ReplayedTick | undefined {
    return this.#difference;
  }

  /** Ticks to play again to come back here: those since the last snapshot or checkpoint before this tick. */
  get ticksToRedo(): number {
    return this.tick - this.#starts.before(this.tick).tick;
  }

  /** The bytes noted under that name while it was recorded, in their order: windows on the recording. */
  notes(name: string): Uint8Array[] {
    const notes = this.#chunks.filter(({ tag }) => tag === 'NOTE').map(({ body }) => readNote(body));
    return notes.filter((note) => note.name === name).map(({ bytes }) => bytes);
  }

  /** How far an entity perceives, by the order of the senses; world units, 0 for not at all. Throws `BAD_ID`, `STALE_ID`. */
  rangesOf(id: EntityId): number[] {
    const store = storeOf(this.#world);
    const slot = store.slotOf(id);
    return store.now.ownRanges.map((range) => range.at(slot));
  }

  /** Plays on with another detector, in place of those recorded. Throws as `World.setDetector`. */
  setDetector(detector: DetectorName | DetectorFactory): void {
    this.#world.setDetector(detector);
    this.#options = { ...this.#options, detector };
  }

  /** Plays on to the next tick's end; `undefined` when there is none. Throws `BAD_TRACE`, and as calls do for missing functions. */
  step(): ReplayedTick | undefined {
    for (let reader = this.#nextReader(); reader !== undefined; reader = this.#nextReader()) {
      const { interests = {}, detector } = this.#options;
      const recorded = replayCall(reader, this.#world, { interests, detector });
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
   * Goes to the end of a tick, forward or back. Throws `BAD_OPTION` outside `firstTick` to `lastTick`. The tick itself is
   * always played, so that `world.lastChanges` are its own; but for the first.
   */
  seek(tick: number): void {
    this.approach(tick);
    while (this.tick < tick && this.step() !== undefined);
  }

  /**
   * The part of `seek` that plays nothing: goes where `step` leads to that tick soonest, which may be where it is. For those
   * who must not wait, and step on in turns with something else. Throws as `seek` does.
   */
  approach(tick: number): void {
    if (!Number.isInteger(tick) || tick < this.firstTick || tick > this.lastTick) {
      throw badOption('tick', tick, `a whole number from ${this.firstTick} to ${this.lastTick}`);
    }
    const isReached = this.tick === tick && tick > this.firstTick && !this.#isRestored;
    if (!isReached && !this.leadsTo(tick)) this.#world = this.#restore(this.#starts.before(tick));
  }

  /** Whether `seek` goes to that tick by playing on from the present one. */
  leadsTo(tick: number): boolean {
    return this.tick < tick && this.tick >= this.#starts.before(tick).tick;
  }

  /**
   * Keeps the tick that was just played as a checkpoint: seeking may go on from there. When there would be more than
   * `checkpointBytes`, some go, first where others are close by and `near` is far. False when it is the one that goes, or
   * nothing was played since a state was restored. Cost: a snapshot.
   */
  keep(near: number = this.tick): boolean {
    if (this.#reader === undefined || this.#isRestored) return false;
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

  #restore({ chunk, position, snapshot }: StartPoint): World {
    const world = restoreAs(World, snapshot, this.#options, false);
    const { tag, body } = this.#chunks[chunk] as Chunk;
    this.#chunk = chunk;
    this.#reader = tag === 'CALL' ? new ByteReader(body, 'BAD_TRACE') : undefined;
    this.#reader?.window(position);
    this.#isRestored = true;
    return world;
  }

  /** Reads on in the chunk at hand, or in the next one that has calls. */
  #nextReader(): ByteReader | undefined {
    while (this.#reader === undefined || this.#reader.left === 0) {
      if (this.#chunk + 1 >= this.#chunks.length) return undefined;
      this.#chunk++;
      const { tag, body } = this.#chunks[this.#chunk] as Chunk;
      this.#reader = tag === 'CALL' ? new ByteReader(body, 'BAD_TRACE') : undefined;
    }
    return this.#reader;
  }
}
