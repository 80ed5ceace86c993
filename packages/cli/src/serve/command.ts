/**
 * What callers may ask, whichever form it comes in: a hello, and batches of commands.
 *
 * Readers tell the commands of a batch one by one to a `CommandSink`, in order, and make no object of them: a put is most of what a
 * service hears.
 */
import type { EntityPatch, Place } from 'umwelt';
import type { Key } from './key.ts';

/** An entity's properties, with a key where the engine takes an id; null: it is for any watcher. */
export type Properties = Omit<EntityPatch, 'only'> & { readonly only?: Key | null };
/** What may come with a put: the entity's properties, and whether it is moved at one blow (false). */
export type PutProperties = Properties & { readonly teleport?: boolean };
/** How well a sound is perceived. */
export type SoundProperties = Omit<Place, 'x' | 'y' | 'z' | 'only'> & { readonly only?: Key | null };

export interface CommandSink {
  /**
   * Adds an entity, or moves the one of that key. World units; `z` is undefined in two dimensions, or where it was not given.
   * `properties` come from anyone: an object with any members.
   */
  put(key: Key, x: number, y: number, z: number | undefined, properties: PutProperties | undefined): void;
  update(key: Key, properties: Properties): void;
  touch(key: Key): void;
  remove(key: Key): void;
  /** Has it hang from the entity of key `to`, so far from it along each axis; undefined: none was given. */
  attach(key: Key, to: Key, x: number | undefined, y: number | undefined, z: number | undefined): void;
  detach(key: Key): void;
  /** Something at a place that is told to whoever would perceive it there; `key` is its own, and no entity's. */
  sound(key: Key, x: number, y: number, z: number | undefined, properties: SoundProperties | undefined): void;
  tick(): void;
  /** One that makes no sense, in a form in which the next one may. */
  nonsense(why: string): void;
  /** The batch goes beyond what one may hold: its reader stops here. */
  readonly hasEnough: boolean;
}

/** A command as one object: what writers take. */
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
