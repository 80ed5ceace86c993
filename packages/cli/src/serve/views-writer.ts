/**
 * What takes the rows of a tick's report for one caller, and makes messages of them.
 */
import type { EntityId } from 'umwelt';
import type { Key } from './key.ts';

export interface ViewsWriter<Message extends Buffer | string = Buffer | string> {
  /** Of all messages so far, about. */
  readonly byteLength: number;
  /** `markers[from .. to)` are told to be in that list of the watcher's view. `list` is an index of `LISTS`. */
  row(list: number, watcher: EntityId, markers: Uint32Array, from: number, to: number): void;
  /** Whom each of these entities that the watcher perceives hangs from now, if from anybody. */
  attached(watcher: EntityId, children: readonly EntityId[]): void;
  /** What the watcher hears from places: keys of sounds. */
  heard(watcher: EntityId, sounds: readonly Key[]): void;
  /** The messages, at least one. */
  finish(): Message[];
}
