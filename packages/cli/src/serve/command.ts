/**
 * The messages of callers, independent of their encoding: a hello, and batches of commands.
 *
 * Readers call a `CommandSink` for each command of a batch, in order, and create no objects for them: most commands are puts.
 */
import type { EntityPatch, Place } from 'umwelt';
import type { Key } from './key.ts';

/** An entity's properties, with a key where the engine takes an id; null: for any watcher. */
export type Properties = Omit<EntityPatch, 'only'> & { readonly only?: Key | null };
/** Properties in a put: the entity's, and whether it teleports (default false). */
export type PutProperties = Properties & { readonly teleport?: boolean };
/** How well a sound is perceived. */
export type SoundProperties = Omit<Place, 'x' | 'y' | 'z' | 'only'> & { readonly only?: Key | null };

export interface CommandSink {
  /**
   * Adds an entity, or moves the one with that key. World units; `z` is undefined in two dimensions, or if it was not given.
   * `properties` are untrusted: an object with any members.
   */
  put(key: Key, x: number, y: number, z: number | undefined, properties: PutProperties | undefined): void;
  update(key: Key, properties: Properties): void;
  touch(key: Key): void;
  remove(key: Key): void;
  /** Attaches it to the entity with key `to`, at an offset along each axis; undefined: not given. */
  attach(key: Key, to: Key, x: number | undefined, y: number | undefined, z: number | undefined): void;
  detach(key: Key): void;
  /** A one-time event at a place, reported to all watchers that would perceive a marker there; `key` is its own, not an entity's. */
  sound(key: Key, x: number, y: number, z: number | undefined, properties: SoundProperties | undefined): void;
  tick(): void;
  /** A malformed command in an encoding in which the next command can still be read. */
  nonsense(why: string): void;
  /** The batch exceeds its limits: the reader stops here. */
  readonly hasEnough: boolean;
}

/** A command as one object, for writers. */
export type Command =
  | {
      readonly do: 'put';
      readonly key: Key;
      readonly x: number;
      readonly y: number;
      readonly z?: number;
      readonly properties?: PutProperties;
    }
  | {
      readonly do: 'sound';
      readonly key: Key;
      readonly x: number;
      readonly y: number;
      readonly z?: number;
      readonly properties?: SoundProperties;
    }
  | { readonly do: 'update'; readonly key: Key; readonly properties: Properties }
  | { readonly do: 'touch' | 'remove' | 'detach'; readonly key: Key }
  | {
      readonly do: 'attach';
      readonly key: Key;
      readonly to: Key;
      readonly x?: number;
      readonly y?: number;
      readonly z?: number;
    }
  | { readonly do: 'tick' };

/** The first message of a caller. */
export type Hello =
  | { readonly kind: 'hello'; readonly version: number; readonly token: string }
  | { readonly kind: 'other version' }
  | undefined;
