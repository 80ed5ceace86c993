/**
 * Plays a recording: makes its calls on a world of its own, tick by tick, and compares what each tick reports with what was
 * recorded. Seeking goes by the nearest snapshot before the tick.
 *
 *   const replay = new Replay(bytes, { detector: 'quadtree' });
 *   while (replay.step() !== undefined);                        to the end
 *   replay.difference                                           the first tick whose report differed, if there is one
 *
 * Memory: the recording, and a world. Cost: that of the calls; of seeking, a snapshot and the calls since.
 */
import { badOption } from '../errors.ts';
import { restoreAs, World } from '../world.ts';
import { ByteReader } from './bytes/byte-reader.ts';
import { replayCall } from './call.ts';
import { type Chunk, readChunks } from './chunk.ts';
import type { RestoreOptions } from './restore-options.ts';

/** A tick that was played. Hashes are those of `Changes.hash()`. */
export interface ReplayedTick {
  readonly tick: number;
  readonly recorded: string;
  readonly found: string;
}

export class Replay {
  /** Ticks that the world had done when the recording began. */
  readonly firstTick: number;
  /** Ticks that it had done when the recording ended. */
  readonly lastTick: number;
  /** Whether the recording has its end; else it was cut short, and is good up to its last whole chunk. */
  readonly isComplete: boolean;
  readonly #chunks: readonly Chunk[];
  readonly #options: RestoreOptions;
  #world: World;
  /** The chunk that is being played, and where in it. */
  #chunk = 0;
  #reader: ByteReader | undefined;
  #difference: ReplayedTick | undefined;

  /**
   * `interests` give the functions that were not recorded, by name; `detector` is used instead of those recorded. Throws
   * `BAD_TRACE`, `BAD_SNAPSHOT`, and as `World.restore` does.
   */
  constructor(bytes: Uint8Array, options: RestoreOptions = {}) {
    this.#chunks = readChunks(bytes);
    this.#options = options;
    this.firstTick = (this.#chunks[0] as Chunk).tick;
    const last = this.#chunks.at(-1) as Chunk;
    this.lastTick = last.tick;
    this.isComplete = last.tag === 'ENDS';
    this.#world = this.#restore(0);
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

  /** Plays on to the next tick's end; `undefined` when there is none. Throws `BAD_TRACE`, and as calls do for missing functions. */
  step(): ReplayedTick | undefined {
    for (let reader = this.#nextReader(); reader !== undefined; reader = this.#nextReader()) {
      const { interests = {}, detector } = this.#options;
      const recorded = replayCall(reader, this.#world, { interests, detector });
      if (recorded === undefined) continue;
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
    if (!Number.isInteger(tick) || tick < this.firstTick || tick > this.lastTick) {
      throw badOption('tick', tick, `a whole number from ${this.firstTick} to ${this.lastTick}`);
    }
    const nearest = this.#chunks.findLastIndex(
      (chunk, i) => chunk.tag === 'SNAP' && (chunk.tick < tick || i === 0),
    );
    const isBehind = this.tick > tick || (this.tick === tick && tick === this.firstTick);
    if (isBehind || (this.tick < tick && nearest > this.#chunk)) this.#world = this.#restore(nearest);
    while (this.tick < tick && this.step() !== undefined);
  }

  #restore(index: number): World {
    const chunk = this.#chunks[index] as Chunk;
    this.#chunk = index;
    this.#reader = undefined;
    return restoreAs(World, chunk.body, this.#options, false);
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
