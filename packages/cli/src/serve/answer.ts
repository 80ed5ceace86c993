/**
 * The service's messages to a caller, independent of their encoding: a welcome, the views of each tick, refusals.
 */
import type { Key } from './key.ts';
import type { RefusedCommand } from './refusal.ts';
import type { ListName } from './serve-format.ts';

export interface Welcome {
  /** The version in the caller's hello. */
  readonly version: number;
  readonly dimensions: 2 | 3;
  readonly senses: readonly string[];
  /** Ticks per second; 0: on a caller's request. */
  readonly rate: number;
  /** The last completed tick. */
  readonly tick: number;
  readonly messageBytesMax: number;
  readonly entitiesMax: number;
}

/** A watcher's list, or a part of it; `entered` and `sensed` with the mask of senses that perceive each marker. */
export interface ViewRow {
  readonly watcher: Key;
  readonly list: ListName;
  readonly markers: readonly Key[];
  /** As many as markers, for `entered` and `sensed`; else empty. */
  readonly senses: readonly number[];
  /** As many as markers, for `attached`: each one's parent, undefined for none. Otherwise absent. */
  readonly parents?: readonly (Key | undefined)[];
}

export interface ViewsHeader {
  readonly tick: number;
  /** Number of the caller's last batch that was processed before the tick; the first is 1. */
  readonly taken: number;
  /** The caller must drop all relations: this tick lists all of them again, as `entered`. */
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
  /** Number of refused commands; the first of them follow. */
  readonly total: number;
  readonly commands: readonly RefusedCommand[];
}

export type Answer =
  | ({ readonly is: 'welcome' } & Welcome)
  | ({ readonly is: 'views' } & Views)
  | ({ readonly is: 'refused' } & Refused);
