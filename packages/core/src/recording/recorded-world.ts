/**
 * A world that can be recorded. After each successful call that changes the world, the call is passed to the
 * recorder, if there is one. In all else it is a `World`.
 *
 *   const world = new RecordedWorld(options);
 *   world.record((bytes) => file.write(bytes));      at any time; it begins with a snapshot
 *   world.stopRecording();
 *
 * It is a separate class and not a hook in `World`, so that worlds without recording pay nothing. A test checks that
 * it covers every method of `World` that changes anything; read-only methods are in `WorldReader`.
 */
import type { Changes } from '../changes.ts';
import type { DetectorFactory, DetectorName } from '../detectors/detector.ts';
import type { AttachmentOffset } from '../entities/attachments.ts';
import type { EntityId } from '../entities/entity-ids.ts';
import { type EntityInit, type EntityPatch, PATCH_KEYS } from '../entities/entity-init.ts';
import type { MoveManyOptions, MoveOptions } from '../entities/move-options.ts';
import {
  COLUMN_NAMES,
  type CountOptions,
  isArrayLike,
  type UpdateColumns,
  type ValueColumns,
} from '../entities/update-columns.ts';
import { badOption, isRecord } from '../errors.ts';
import type { Interest } from '../interest/rules/interest.ts';
import { PIN_NAMES, type PinOptions } from '../interest/rules/pin-reasons.ts';
import type { RestoreOptions } from '../snapshot/restore-options.ts';
import { checkOpen, type EntitiesInit, restoreAs, World } from '../world.ts';
import { Recorder, type RecordingSink, type RecordOptions } from './recorder.ts';

const AXES = ['x', 'y', 'z'] as const;
const INIT_KEYS = [...AXES, ...PATCH_KEYS] as const;

/**
 * A world that records every call and the hash of every tick, for `Replay`. Behaves as `World`; see
 * docs/recording.md.
 */
export class RecordedWorld extends World {
  #recorder: Recorder | undefined;
  /** A recording that has ended; its sink has not taken all of it. */
  #ending: Recorder | undefined;

  static override restore(bytes: Uint8Array, options: RestoreOptions = {}): RecordedWorld {
    return restoreAs(RecordedWorld, bytes, options, true);
  }

  /**
   * Starts recording: first a snapshot, then each call and tick, until `stopRecording` or `dispose`. Throws
   * `BAD_OPTION`, also if the world is already being recorded.
   */
  record(sink: RecordingSink, options: RecordOptions = {}): void {
    if (this.#recorder !== undefined) throw badOption('sink', sink, 'none: the world is being recorded');
    const recorder = new Recorder(this, sink, options, () => {
      if (this.#recorder === recorder) this.#recorder = undefined;
    });
    this.#recorder = recorder;
    try {
      recorder.send();
    } catch (error) {
      if (this.#recorder === recorder) this.#recorder = undefined;
      throw error;
    }
  }

  /**
   * Writes the remaining data and the end of the recording. Without a recording it does nothing. Throws what the sink
   * throws: call it again to write the rest.
   */
  stopRecording(): void {
    // After `dispose` it may still write the rest, so the world need not be open then.
    if (this.#recorder !== undefined) checkOpen(this);
    this.#endRecording();
  }

  #endRecording(): void {
    const recorder = this.#recorder ?? this.#ending;
    this.#recorder = undefined;
    this.#ending = recorder;
    recorder?.close();
    this.#ending = undefined;
  }

  /**
   * Stores data of your own in the recording, which `Replay.notes` returns; without a recording it does nothing. A
   * name has at most 64 characters, a note 16 MiB. Throws `BAD_OPTION`.
   */
  note(name: string, bytes: Uint8Array): void {
    checkOpen(this);
    this.#recorder?.note(name, bytes);
  }

  override add(entity: EntityInit): EntityId {
    const given = this.#once(entity, INIT_KEYS);
    const id = super.add(given);
    this.#recorder?.add(id, given);
    return id;
  }

  override addMany(init: EntitiesInit, out?: Uint32Array): Uint32Array {
    const given = this.#once(init, INIT_KEYS);
    const ids = super.addMany(given, out);
    this.#recorder?.addMany(ids, given);
    return ids;
  }

  override move(id: EntityId, x: number, y: number, z?: number, options?: MoveOptions): void {
    super.move(id, x, y, z, options);
    this.#recorder?.move(id, x, y, z, options?.teleport === true);
  }

  override moveMany(
    ids: Uint32Array,
    x: ArrayLike<number>,
    y: ArrayLike<number>,
    z?: ArrayLike<number>,
    at?: ArrayLike<number>,
    options?: MoveManyOptions,
  ): void {
    super.moveMany(ids, x, y, z, at, options);
    const isTeleport = options?.teleport === true;
    this.#recorder?.moveMany(ids, x, y, z, at, options?.count, isTeleport);
  }

  override updateMany(ids: Uint32Array, columns: UpdateColumns, options: CountOptions = {}): void {
    const given = this.#once(columns, COLUMN_NAMES);
    super.updateMany(ids, given, options);
    const count = options.count ?? ids.length;
    for (let k = 0; k < count; k++) this.#recorder?.update(ids[k], patchAt(given, k));
  }

  override update(id: EntityId, patch: EntityPatch): void {
    const given = this.#once(patch, PATCH_KEYS);
    super.update(id, given);
    this.#recorder?.update(id, given);
  }

  override touch(id: EntityId): void {
    super.touch(id);
    this.#recorder?.single('touch', id);
  }

  override attach(child: EntityId, parent: EntityId, offset: AttachmentOffset = {}): void {
    const given = this.#once(offset, AXES);
    super.attach(child, parent, given);
    this.#recorder?.attach(child, parent, given);
  }

  override detach(child: EntityId): void {
    super.detach(child);
    this.#recorder?.single('detach', child);
  }

  override remove(id: EntityId): void {
    super.remove(id);
    this.#recorder?.single('remove', id);
  }

  override removeMany(ids: Uint32Array): void {
    super.removeMany(ids);
    this.#recorder?.removeMany(ids);
  }

  override tick(): Changes {
    try {
      return super.tick();
    } finally {
      this.#recorder?.afterTick();
    }
  }

  override pin(watcher: EntityId, marker: EntityId, reason = '', options: PinOptions = {}): void {
    const given = this.#once(options, PIN_NAMES);
    super.pin(watcher, marker, reason, given);
    this.#recorder?.pin(watcher, marker, reason, given);
  }

  override unpin(watcher: EntityId, marker: EntityId, reason = ''): void {
    super.unpin(watcher, marker, reason);
    this.#recorder?.unpin(watcher, marker, reason);
  }

  override block(watcher: EntityId, marker: EntityId): void {
    super.block(watcher, marker);
    this.#recorder?.block('block', watcher, marker);
  }

  override unblock(watcher: EntityId, marker: EntityId): void {
    super.unblock(watcher, marker);
    this.#recorder?.block('unblock', watcher, marker);
  }

  override setInterest(name: string, interest: Interest): void {
    super.setInterest(name, interest);
    this.#recorder?.setInterest(name, interest);
  }

  override setDetector(detector: DetectorName | DetectorFactory): void {
    super.setDetector(detector);
    this.#recorder?.setDetector(detector);
  }

  override dispose(): Promise<void> {
    // This comes first, because it throws while a tick computes, and then nothing may change.
    const disposed = super.dispose();
    this.#endRecording();
    return disposed;
  }

  /** What a call is given, to be read by the world and by the recorder. */
  #once<Given extends object>(given: Given, names: Iterable<string>): Given {
    return this.#recorder === undefined ? given : readOnce(given, names);
  }
}

/**
 * A copy whose members do not call the world, and are the same whenever they are read: getters, also inherited ones,
 * are called here. Unknown members stay, for the world to reject.
 */
function readOnce<Given extends object>(given: Given, names: Iterable<string>): Given {
  if (!isRecord(given)) return given;
  const members = { ...given } as Record<string, unknown>;
  for (const name of names) {
    if (!Object.hasOwn(members, name)) members[name] = (given as Record<string, unknown>)[name];
  }
  for (const name of PATCH_KEYS) {
    // Values by sense or kind. An object with elements is left as it is: they may be inherited.
    const value = members[name];
    if (isRecord(value) && !isArrayLike(value)) members[name] = { ...value };
  }
  return members as Given;
}

/** The patch for the k-th entity, from columns. */
function patchAt(columns: UpdateColumns, k: number): EntityPatch {
  const patch: Record<string, unknown> = {};
  for (const [member, given] of Object.entries(columns as Record<string, ValueColumns | undefined>)) {
    if (given === undefined) continue;
    const isColumn = Number.isInteger((given as ArrayLike<number>).length);
    patch[member] = isColumn
      ? (given as ArrayLike<number>)[k]
      : Object.fromEntries(
          Object.entries(given as Record<string, ArrayLike<number>>).flatMap(([name, column]) =>
            column === undefined ? [] : [[name, column[k]]],
          ),
        );
  }
  return patch as EntityPatch;
}
