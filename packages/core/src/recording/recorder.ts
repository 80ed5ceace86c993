/**
 * Records what is done to a world, so that a replay can repeat it: successful calls, in order, and each tick with its
 * hash.
 *
 * Calls are collected in a buffer. When the buffer is long enough and a tick is over, it goes to the sink as one
 * chunk. A snapshot follows when the calls since the last one have taken as many bytes as that snapshot, and at least
 * `snapshotBytes`. So snapshots never make up more than half of a recording, and a replay never has to repeat much to
 * reach a tick.
 *
 * Listeners may change the world during `tick()`. So a tick is recorded when the first call after it arrives, or when
 * `tick()` is over, whichever is first; snapshots are taken only when it is over.
 *
 * The sink may use the world, too: end the recording, dispose of the world, change it. So chunks are made first, and
 * wait in a queue while others go to the sink.
 *
 * Cost: 16 bytes a move, 12 in a `moveMany`, 9 a tick; a copy of the arguments.
 */
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { DetectorFactory, DetectorName } from '../detectors/detector.ts';
import { detectorFactory, detectorNameOf } from '../detectors/registry.ts';
import type { AttachmentOffset } from '../entities/attachments.ts';
import type { EntityId } from '../entities/entity-ids.ts';
import type { EntityInit, EntityPatch } from '../entities/entity-init.ts';
import { badOption, isRecord, rejectUnknownKeys, UmweltError } from '../errors.ts';
import { type Interest, resolveInterest } from '../interest/rules/interest.ts';
import { checkedPin, type PinOptions, savePinReason } from '../interest/rules/pin-reasons.ts';
import { saveInterest } from '../interest/rules/stored-interest.ts';
import type { WorldSettings } from '../settings.ts';
import { type EntitiesInit, storeOf, type World } from '../world.ts';
import { CALLS } from './call.ts';
import { type ChunkTag, chunkBytes, recordingHeader } from './chunk.ts';
import { noteBytes } from './note.ts';
import { savePatch } from './stored-patch.ts';

/**
 * Receives the bytes of a recording, piece by piece, in order; the sink owns each piece. An error that it throws is
 * thrown by the recorded call, and the piece is passed to it again later. When 64 MiB wait for it, or two snapshots if
 * that is more, the recording ends, and the call throws `CAPACITY`. It may call `stopRecording`, and use the world.
 */
export type RecordingSink = (bytes: Uint8Array) => void;

/** Options of `RecordedWorld.record`. */
export interface RecordOptions {
  /** Minimum number of bytes of calls between two snapshots: a whole number from 1, default 1 MiB. */
  readonly snapshotBytes?: number;
}

const OPTION_NAMES: ReadonlySet<string> = new Set(['snapshotBytes']);
const CHUNK_BYTES = 1 << 16;
const DEFAULT_SNAPSHOT_BYTES = 1 << 20;
/** Most bytes that wait for a sink that throws. */
const UNSENT_BYTES_MAX = 1 << 26;

export class Recorder {
  readonly #world: World;
  readonly #settings: WorldSettings;
  readonly #sink: RecordingSink;
  readonly #snapshotBytes: number;
  readonly #writer = new ByteWriter(2 * CHUNK_BYTES);
  /** Number of ticks recorded. */
  #tick: number;
  #bytesSinceSnapshot = 0;
  #lastSnapshotBytes = 0;
  /** Pieces that the sink has not taken yet. */
  readonly #unsent: Uint8Array[] = [];
  #unsentBytes = 0;
  readonly #gaveUp: () => void;
  #isSending = false;
  #isClosed = false;

  /**
   * Begins with a snapshot of the current world. The sink receives nothing before `send`. `gaveUp` is called when too
   * much waits for the sink. Throws `BAD_OPTION`, and as `World.snapshot`.
   */
  constructor(world: World, sink: RecordingSink, options: RecordOptions, gaveUp: () => void) {
    if (typeof sink !== 'function') throw badOption('sink', sink, 'a function that takes bytes');
    if (!isRecord(options)) throw badOption('options', options, 'an object of RecordOptions');
    rejectUnknownKeys(options, OPTION_NAMES, 'RecordOptions');
    const { snapshotBytes = DEFAULT_SNAPSHOT_BYTES } = options;
    if (!Number.isSafeInteger(snapshotBytes) || snapshotBytes < 1) {
      throw badOption('snapshotBytes', snapshotBytes, 'a whole number from 1');
    }
    this.#world = world;
    this.#settings = storeOf(world).settings;
    this.#sink = sink;
    this.#gaveUp = gaveUp;
    this.#snapshotBytes = snapshotBytes;
    this.#tick = world.tickCount;
    this.#wait(recordingHeader());
    this.#putSnapshot(world.snapshot());
  }

  add(id: EntityId, init: EntityInit): void {
    const writer = this.#call('add');
    writer.u32(id);
    this.#position(init.x, init.y, init.z);
    savePatch(writer, init);
  }

  addMany(ids: Uint32Array, init: EntitiesInit): void {
    const writer = this.#call('addMany');
    writer.column(ids);
    this.#positions(ids.length, init.x, init.y, init.z);
    savePatch(writer, init);
  }

  move(id: EntityId, x: number, y: number, z: number | undefined, isTeleport: boolean): void {
    this.#call(isTeleport ? 'teleport' : 'move').u32(id);
    this.#position(x, y, z);
  }

  moveMany(
    ids: Uint32Array,
    x: ArrayLike<number>,
    y: ArrayLike<number>,
    z: ArrayLike<number> | undefined,
    at: ArrayLike<number> | undefined,
    count: number | undefined,
    isTeleport: boolean,
  ): void {
    const writer = this.#call(isTeleport ? 'teleportMany' : 'moveMany');
    const length = count ?? (at ?? ids).length;
    if (at === undefined) {
      writer.column(ids.subarray(0, length));
      this.#positions(length, x, y, z);
    } else {
      writer.column(Uint32Array.from({ length }, (_, k) => ids[at[k]]));
      for (const column of this.#is3D ? [x, y, z as ArrayLike<number>] : [x, y]) {
        writer.elements(Float32Array.from({ length }, (_, k) => column[at[k]]));
      }
    }
  }

  update(id: EntityId, patch: EntityPatch): void {
    const writer = this.#call('update');
    writer.u32(id);
    savePatch(writer, patch);
  }

  /** Records a call that takes only an id. */
  single(kind: 'touch' | 'remove' | 'detach', id: EntityId): void {
    this.#call(kind).u32(id);
  }

  attach(child: EntityId, parent: EntityId, { x = 0, y = 0, z = 0 }: AttachmentOffset): void {
    const writer = this.#call('attach');
    writer.u32(child);
    writer.u32(parent);
    this.#position(x, y, z);
  }

  removeMany(ids: Uint32Array): void {
    this.#call('removeMany').column(ids);
  }

  pin(watcher: EntityId, marker: EntityId, reason: string, options: PinOptions): void {
    const writer = this.#call('pin');
    writer.u32(watcher);
    writer.u32(marker);
    savePinReason(writer, checkedPin(reason, options));
  }

  unpin(watcher: EntityId, marker: EntityId, reason: string): void {
    const writer = this.#call('unpin');
    writer.u32(watcher);
    writer.u32(marker);
    writer.text(reason);
  }

  block(kind: 'block' | 'unblock', watcher: EntityId, marker: EntityId): void {
    const writer = this.#call(kind);
    writer.u32(watcher);
    writer.u32(marker);
  }

  setInterest(name: string, interest: Interest): void {
    // Before the call is written: a getter of the rules may call the world.
    const resolved = resolveInterest(this.#settings, name, interest);
    const writer = this.#call('setInterest');
    writer.text(name);
    saveInterest(writer, resolved);
  }

  setDetector(detector: DetectorName | DetectorFactory): void {
    this.#call('setDetector').text(detectorNameOf(detectorFactory(detector)));
  }

  /** Stores data of the recording program. It does not affect the world. */
  note(name: string, bytes: Uint8Array): void {
    const body = noteBytes(name, bytes);
    this.#noteTick();
    this.#putCalls();
    this.#put('NOTE', body);
    this.send();
  }

  /** Call this when `tick()` is over, whether it threw or not. */
  afterTick(): void {
    this.#noteTick();
    if (this.#writer.length >= CHUNK_BYTES) this.#putCalls();
    // Also where chunks are short: a note ends one.
    if (this.#bytesSinceSnapshot >= Math.max(this.#snapshotBytes, this.#lastSnapshotBytes)) {
      this.#putCalls();
      this.#putSnapshot(this.#world.snapshot());
    }
    this.send();
  }

  /** Writes the remaining data, and the end. Call it again if the sink threw. */
  close(): void {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#noteTick();
      this.#putCalls();
      this.#put('ENDS', new Uint8Array(0));
    }
    this.send();
  }

  /** Passes what waits to the sink. What the sink itself adds meanwhile follows. Throws what the sink throws. */
  send(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (let piece = this.#unsent[0]; piece !== undefined; piece = this.#unsent[0]) {
        this.#sink(piece);
        this.#unsent.shift();
        this.#unsentBytes -= piece.length;
      }
    } catch (error) {
      const most = Math.max(UNSENT_BYTES_MAX, 2 * this.#lastSnapshotBytes);
      if (this.#unsentBytes <= most) throw error;
      this.#gaveUp();
      throw new UmweltError(
        'CAPACITY',
        `the recording has ended: ${this.#unsentBytes} bytes wait for its sink, expected at most ${most}; the sink threw: ${String(error)}`,
        { value: this.#unsentBytes },
      );
    } finally {
      this.#isSending = false;
    }
  }

  get #is3D(): boolean {
    return this.#settings.dimensions === 3;
  }

  #call(kind: keyof typeof CALLS): ByteWriter {
    this.#noteTick();
    this.#writer.u8(CALLS[kind]);
    return this.#writer;
  }

  #noteTick(): void {
    if (this.#world.tickCount === this.#tick) return;
    this.#tick = this.#world.tickCount;
    const hash = this.#world.lastChanges.hash();
    this.#writer.u8(CALLS.tick);
    this.#writer.u32(Number.parseInt(hash.slice(0, 8), 16));
    this.#writer.u32(Number.parseInt(hash.slice(8), 16));
  }

  #position(x: number, y: number, z: number | undefined): void {
    this.#writer.f32(x);
    this.#writer.f32(y);
    if (this.#is3D) this.#writer.f32(z as number);
  }

  /** The first `count` elements of each column, which may be longer. */
  #positions(
    count: number,
    x: ArrayLike<number>,
    y: ArrayLike<number>,
    z: ArrayLike<number> | undefined,
  ): void {
    for (const column of this.#is3D ? [x, y, z as ArrayLike<number>] : [x, y]) {
      const floats = column instanceof Float32Array ? column : Float32Array.from(column);
      this.#writer.elements(floats.subarray(0, count));
    }
  }

  #putCalls(): void {
    if (this.#writer.length === 0) return;
    this.#bytesSinceSnapshot += this.#writer.length;
    this.#put('CALL', this.#writer.bytes);
    this.#writer.clear();
  }

  #putSnapshot(snapshot: Uint8Array): void {
    this.#put('SNAP', snapshot);
    this.#bytesSinceSnapshot = 0;
    this.#lastSnapshotBytes = snapshot.length;
  }

  #put(tag: ChunkTag, body: Uint8Array): void {
    this.#wait(chunkBytes({ tag, tick: this.#tick, body }));
  }

  #wait(piece: Uint8Array): void {
    this.#unsent.push(piece);
    this.#unsentBytes += piece.length;
  }
}
