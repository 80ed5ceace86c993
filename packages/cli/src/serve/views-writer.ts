/**
 * Takes the rows of a tick's report for one caller, and makes messages of them.
 */
import type { EntityId } from 'umwelt';
import type { Key } from './key.ts';

export interface ViewsWriter<Message extends Buffer | string = Buffer | string> {
  /** Approximate length of all messages so far. */
  readonly byteLength: number;
  /** Adds `markers[from .. to)` to a list of the watcher's view. `list` is an index into `LISTS`. */
  row(list: number, watcher: EntityId, markers: Uint32Array, from: number, to: number): void;
  /** The present parents of these entities, which the watcher perceives. */
  attached(watcher: EntityId, children: readonly EntityId[]): void;
  /** What the watcher hears: keys of sounds. */
  heard(watcher: EntityId, sounds: readonly Key[]): void;
  /** The messages, at least one. */
  finish(): Message[];
}
