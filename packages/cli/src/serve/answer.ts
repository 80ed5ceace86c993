/**
 * What the service says to a caller, whichever form it takes: a welcome, the views of each tick, refusals.
 */
import type { Key } from './key.ts';
import type { RefusedCommand } from './refusal.ts';
import type { ListName } from './serve-format.ts';

export interface Welcome {
  /** The one that the caller's hello named. */
  readonly version: number;
  readonly dimensions: 2 | 3;
  readonly senses: readonly string[];
  /** Ticks a second; 0: when a caller says so. */
  readonly rate: number;
  /** The last one that is over. */
  readonly tick: number;
  readonly messageBytesMax: number;
  readonly entitiesMax: number;
}

/** A watcher's list, or a part of it: who entered and who is sensed with the mask of senses that perceive them. */
export interface ViewRow {
  readonly watcher: Key;
  readonly list: ListName;
  readonly markers: readonly Key[];
  /** As many as markers, for `entered` and `sensed`; else none. */
  readonly senses: readonly number[];
  /** As many as markers, for `attached`: whom each hangs from, undefined where from nobody. Else absent. */
  readonly parents?: readonly (Key | undefined)[];
}

export interface ViewsHeader {
  readonly tick: number;
  /** Number of the caller's batch that was the last one taken in before the tick; the first is 1. */
  readonly taken: number;
  /** What the caller knows of relations is void: this tick tells all of them, as `entered`. */
  readonly resync: boolean;
}

export interface Views extends ViewsHeader {
  /** Another message for the same tick follows. */
  readonly more: boolean;
  readonly rows: readonly ViewRow[];
}

export interface Refused {
  /** Number of the batch. */
  readonly batch: number;
  /** How many of its commands were refused; the first of them follow. */
  readonly total: number;
  readonly commands: readonly RefusedCommand[];
}

export type Answer =
  | ({ readonly is: 'welcome' } & Welcome)
  | ({ readonly is: 'views' } & Views)
  | ({ readonly is: 'refused' } & Refused);
