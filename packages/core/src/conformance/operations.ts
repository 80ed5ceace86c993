/**
 * Operations on a world as plain data.
 *
 * Problem: a failing script is useful only if it can be replayed, made smaller and pasted into a report. Method: an
 * operation names entities by the script's own key, given when it adds them, never by id. It survives JSON, and a
 * script stays valid whichever operations are removed from it, because operations on keys that are not present do
 * nothing. Cost: a look-up per key.
 */
import { type EntityId, type PinOptions, type Place, type Shape, UmweltError } from '../index.ts';
import {
  type Circumstances,
  inFull,
  interestOf,
  type PlainInit,
  type PlainInterest,
  type PlainOptions,
  type PlainPatch,
} from './plain-interest.ts';
import type { PlainQueryOptions } from './query-model.ts';
import type { CrowdInit, Offset, Subject } from './subject.ts';

/** The script's own name for an entity: counted from 0 as they are added. */
export type Key = number;

/** Properties shared by a whole crowd. */
export type CrowdTraits = PlainPatch;

/** One call of a script, with keys in place of ids. */
export type Operation =
  | { kind: 'add'; key: Key; init: PlainInit }
  | { kind: 'addMany'; keys: Key[]; x: number[]; y: number[]; z?: number[]; traits: CrowdTraits }
  | { kind: 'move'; key: Key; x: number; y: number; z?: number; teleport?: true }
  | {
      kind: 'moveMany';
      keys: Key[];
      x: number[];
      y: number[];
      z?: number[];
      at?: number[];
      teleport?: true;
      spare?: number;
    }
  | { kind: 'update'; key: Key; patch: PlainPatch }
  /**
   * For the keys that are present. With a `count`, as in moveMany, the columns have `spare` more elements, which must
   * be ignored.
   */
  | {
      kind: 'updateMany';
      keys: Key[];
      member: 'range' | 'gain' | 'layers' | 'sees' | 'channel' | 'weight' | 'group';
      values: number[];
      name?: string;
      spare?: number;
    }
  | { kind: 'touch'; key: Key }
  | { kind: 'remove'; key: Key }
  | { kind: 'removeMany'; keys: Key[] }
  | { kind: 'pin'; watcher: Key; marker: Key; reason?: string; limits?: PinOptions }
  | { kind: 'unpin'; watcher: Key; marker: Key; reason?: string }
  | { kind: 'block' | 'unblock'; watcher: Key; marker: Key }
  /** Both sides must reject an invalid chain, and moves of attached entities. */
  | { kind: 'attach'; child: Key; parent: Key; offset: Offset }
  | { kind: 'detach'; key: Key }
  | { kind: 'setInterest'; name: string; interest: PlainInterest }
  /** Bans an entity, or lifts its ban; then touches it. */
  | { kind: 'ban'; key: Key }
  /** With `reportOnly`, nothing but the tick's report is compared. */
  | { kind: 'tick'; reportOnly?: true }
  /** A tick in which a call of `rank` or `admit` throws after `calls` calls. With fewer calls the tick succeeds. */
  | { kind: 'failingTick'; calls: number }
  /**
   * Adds `count` entities, ticks once and removes them. Only then are slots reused, and generations increase, because
   * a world keeps 1,024 slots free.
   */
  | { kind: 'churn'; count: number; step: number; traits: CrowdTraits }
  /** Replaces the tested world by one restored from its snapshot, and ticks it. */
  | { kind: 'restore' }
  /** From now on the run listens for 'watched' and 'unwatched'. */
  | { kind: 'listen' }
  /** Replaces both sides by what they would be with all entities at rest (`watches: false`). */
  | { kind: 'restoreAtRest' }
  /** Compares the answers about relations and positions, between ticks. */
  | { kind: 'probe' }
  | { kind: 'query'; shape: Shape; options: PlainQueryOptions }
  | { kind: 'watchersAt'; place: Place }
  | { kind: 'targets'; key: Key; shape: Shape; options: PlainQueryOptions & { senses?: string[] } }
  | {
      kind: 'nearest';
      x: number;
      y: number;
      k: number;
      options: PlainQueryOptions & { z?: number; maxDistance?: number };
    };

/** A world to create and the operations on it. `seed` is where it came from. */
export interface Script {
  /** The seed that it was drawn from. */
  readonly seed: number;
  /** Options of the world that it runs on. */
  readonly options: PlainOptions;
  /** The operations, in order. */
  readonly operations: readonly Operation[];
}

/** What both sides of a run accept: a world as it is, and the model with the ids that the world returned. */
export type Recipient = Pick<
  Subject,
  | 'move'
  | 'moveMany'
  | 'update'
  | 'updateMany'
  | 'touch'
  | 'attach'
  | 'detach'
  | 'remove'
  | 'removeMany'
  | 'pin'
  | 'unpin'
  | 'block'
  | 'unblock'
  | 'setInterest'
>;

/** The entity of each present key; and the state that the script's own functions read. */
export class Roster implements Circumstances {
  callsLeft = Number.POSITIVE_INFINITY;
  readonly #ids = new Map<Key, EntityId>();
  readonly #everyId = new Map<Key, EntityId>();
  readonly #banned = new Set<EntityId>();
  readonly #volatile = new Set<EntityId>();
  phase = 0;
  /** The last id of a key, even if it was removed; 0 for a key that was never added. */
  readonly idOnce = (key: Key): EntityId => this.#everyId.get(key) ?? 0;

  /** The entities that the script's own `admit` rejects; both sides of a run read it. */
  get banned(): ReadonlySet<EntityId> {
    return this.#banned;
  }

  get volatile(): ReadonlySet<EntityId> {
    return this.#volatile;
  }

  setVolatile(key: Key, isSo: boolean): void {
    if (isSo) this.#volatile.add(this.idOf(key));
    else this.#volatile.delete(this.idOf(key));
  }

  /** Bans the entity of a present key, or lifts its ban. */
  toggleBan(key: Key): void {
    const id = this.idOf(key);
    if (!this.#banned.delete(id)) this.#banned.add(id);
  }

  enrol(key: Key, id: EntityId): void {
    this.#ids.set(key, id);
    this.#everyId.set(key, id);
  }

  strike(key: Key): void {
    this.#ids.delete(key);
  }

  has(key: Key): boolean {
    return this.#ids.has(key);
  }

  /** The id of a present key. */
  idOf(key: Key): EntityId {
    return this.#ids.get(key) as EntityId;
  }

  get ids(): EntityId[] {
    return [...this.#ids.values()];
  }
}

/**
 * The operation without the parts about entities that are absent (or, for additions, already present); `undefined` if
 * nothing is left. Repeated keys are kept where repetition matters, in moveMany.
 */
export function withoutAbsent(operation: Operation, roster: Roster): Operation | undefined {
  switch (operation.kind) {
    case 'add':
      return roster.has(operation.key) ? undefined : operation;
    case 'addMany':
      return operation.keys.some((key) => roster.has(key)) ? undefined : operation;
    case 'move':
    case 'update':
    case 'touch':
    case 'ban':
    case 'detach':
    case 'targets':
    case 'remove':
      return roster.has(operation.key) ? operation : undefined;
    case 'attach':
      return roster.has(operation.child) && roster.has(operation.parent) ? operation : undefined;
    case 'pin':
    case 'unpin':
    case 'block':
    case 'unblock':
      return roster.has(operation.watcher) && roster.has(operation.marker) ? operation : undefined;
    case 'moveMany': {
      const at = (operation.at ?? [...operation.keys.keys()]).filter((i) => roster.has(operation.keys[i]));
      if (at.length === 0) return undefined;
      const isWhole = operation.at === undefined && at.length === operation.keys.length;
      return isWhole ? operation : { ...operation, at };
    }
    case 'updateMany': {
      const there = operation.keys.flatMap((key, k) => (roster.has(key) ? [k] : []));
      if (there.length === 0) return undefined;
      const [keys, values] = [there.map((k) => operation.keys[k]), there.map((k) => operation.values[k])];
      return { ...operation, keys, values };
    }
    case 'removeMany': {
      const keys = [...new Set(operation.keys)].filter((key) => roster.has(key));
      return keys.length === 0 ? undefined : { ...operation, keys };
    }
    default:
      return operation;
  }
}

/** The argument of `addMany` for a crowd. */
export function crowdInit(operation: Extract<Operation, { kind: 'addMany' }>, roster: Roster): CrowdInit {
  const { x, y, z, traits } = operation;
  const crowd = { ...inFull(traits, roster.idOnce), x, y };
  return z === undefined ? crowd : { ...crowd, z };
}

/** Positions of the crowd of a churn: in rows of ten, a step apart, about the origin. */
export function churnPlaces(
  operation: Extract<Operation, { kind: 'churn' }>,
): Pick<CrowdInit, 'x' | 'y' | 'z'> {
  const { count, step } = operation;
  const column = (place: (i: number) => number) =>
    Float32Array.from({ length: count }, (_, i) => place(i) * step);
  return {
    x: column((i) => (i % 10) - 5),
    y: column((i) => Math.floor(i / 10) - 5),
    z: new Float32Array(count),
  };
}

/** As `applyTo`; returns the code of the error, `undefined` if the call succeeded. */
export function refusalOf(recipient: Recipient, operation: Operation, roster: Roster): string | undefined {
  try {
    applyTo(recipient, operation, roster);
  } catch (error) {
    if (error instanceof UmweltError) return error.code;
    throw error;
  }
  return undefined;
}

function optionsOfMove({ teleport }: { teleport?: true }): { teleport: true } | undefined {
  return teleport === undefined ? undefined : { teleport };
}

/**
 * Where spare elements would move an entity, on each axis, and the value that they would set: world units, a layer, a
 * group.
 */
const ELSEWHERE = 12_345;
const ANOTHER = 5;

/** A column with `spare` more elements of the same value. */
function withSpare(column: readonly number[], spare: number, value: number): number[] {
  return [...column, ...new Array<number>(spare).fill(value)];
}

/**
 * Columns of float32 and float64 in turns, as callers pass them; absent keys are outside `at`. Spare elements name a
 * present entity; with `at`, they name the first entity that `at` names.
 */
function moveMany(
  recipient: Recipient,
  operation: Extract<Operation, { kind: 'moveMany' }>,
  roster: Roster,
): void {
  const { keys, spare = 0 } = operation;
  const idOf = (key: Key) => (roster.has(key) ? roster.idOf(key) : 0);
  const among = operation.at ?? [...keys.keys()];
  const anybody = idOf(keys[among[0]]);
  const ids = Uint32Array.from(withSpare(keys.map(idOf), spare, anybody));
  const x = Float32Array.from(withSpare(operation.x, spare, ELSEWHERE));
  const y = withSpare(operation.y, spare, ELSEWHERE);
  const z = operation.z && Float64Array.from(withSpare(operation.z, spare, ELSEWHERE));
  // With `at`, the spare elements point behind the keys.
  const at = operation.at && Uint32Array.from(withSpare(operation.at, spare, keys.length));
  const teleport = optionsOfMove(operation);
  const count = spare === 0 ? undefined : { count: among.length };
  recipient.moveMany(ids, x, y, z, at, count === undefined ? teleport : { ...count, ...teleport });
}

/** Makes the call of an operation on present entities. The run handles additions, ticks and questions. */
function applyTo(recipient: Recipient, operation: Operation, roster: Roster): void {
  switch (operation.kind) {
    case 'move':
      recipient.move(
        roster.idOf(operation.key),
        operation.x,
        operation.y,
        operation.z,
        optionsOfMove(operation),
      );
      break;
    case 'moveMany':
      moveMany(recipient, operation, roster);
      break;
    case 'update':
      recipient.update(roster.idOf(operation.key), inFull(operation.patch, roster.idOnce));
      if (operation.patch.volatile === undefined) break;
      roster.setVolatile(operation.key, operation.patch.volatile);
      // From now on answers are kept until a touch.
      if (!operation.patch.volatile) recipient.touch(roster.idOf(operation.key));
      break;
    case 'updateMany': {
      const { member, name, spare = 0 } = operation;
      const present = operation.keys.map((key) => roster.idOf(key));
      const ids = Uint32Array.from(withSpare(present, spare, present[0]));
      const values = withSpare(operation.values, spare, ANOTHER);
      const columns = { [member]: name === undefined ? values : { [name]: values } };
      recipient.updateMany(ids, columns, spare === 0 ? undefined : { count: present.length });
      break;
    }
    case 'pin': {
      const { watcher, marker, reason, limits } = operation;
      recipient.pin(roster.idOf(watcher), roster.idOf(marker), reason, limits);
      break;
    }
    case 'unpin':
      recipient.unpin(roster.idOf(operation.watcher), roster.idOf(operation.marker), operation.reason);
      break;
    case 'block':
    case 'unblock':
      recipient[operation.kind](roster.idOf(operation.watcher), roster.idOf(operation.marker));
      break;
    case 'attach':
      recipient.attach(roster.idOf(operation.child), roster.idOf(operation.parent), operation.offset);
      break;
    case 'detach':
      recipient.detach(roster.idOf(operation.key));
      break;
    case 'setInterest':
      recipient.setInterest(operation.name, interestOf(operation.interest, roster));
      break;
    case 'ban':
    case 'touch':
      recipient.touch(roster.idOf(operation.key));
      break;
    case 'remove':
      recipient.remove(roster.idOf(operation.key));
      break;
    case 'removeMany':
      recipient.removeMany(Uint32Array.from(operation.keys, (key) => roster.idOf(key)));
      break;
  }
}
