/**
 * Operations on a world, written down as plain data.
 *
 * Problem: a find is worth nothing unless it can be replayed, made smaller and pasted into a report. Method: an
 * operation names entities by a key of the script's own, given when it adds them, never by id; it survives
 * JSON, and a script stays legitimate whichever operations are struck out of it, because operations on keys that
 * are not present do nothing. Cost: a lookup per key.
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

/** The script's own name for an entity: counted up from 0 as they are added. */
export type Key = number;

/** What a whole crowd shares. */
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
  /** Of the keys that are present. Behind a `count`, as in moveMany, the columns have so many spare elements, which are to be left alone. */
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
  /** What is no chain is refused on both sides, and so are moves of those that are attached. */
  | { kind: 'attach'; child: Key; parent: Key; offset: Offset }
  | { kind: 'detach'; key: Key }
  | { kind: 'setInterest'; name: string; interest: PlainInterest }
  /** Who is banned is so no more, and the other way round; then it is touched. */
  | { kind: 'ban'; key: Key }
  | { kind: 'tick' }
  /** A tick in which the first call of a `rank` or `admit` after so many throws. With fewer calls it stands. */
  | { kind: 'failingTick'; calls: number }
  /**
   * So many entities come, are ticked once and go again. Only then are slots used again, and generations counted up:
   * a world keeps 1,024 slots free.
   */
  | { kind: 'churn'; count: number; step: number; traits: CrowdTraits }
  /** The world that is tried gives way to one restored from what it stores, which ticks. */
  | { kind: 'restore' }
  /** From now on the run is told who is watched, and who is no more. */
  | { kind: 'listen' }
  /** Both sides give way to what they would be with all at rest. */
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

/** A world to make and what to do to it. `seed` is where it came from. */
export interface Script {
  /** That it was drawn from. */
  readonly seed: number;
  /** Of the world that it is run on. */
  readonly options: PlainOptions;
  /** In their order. */
  readonly operations: readonly Operation[];
}

/** What both sides of a run take: a world as it is, the model with the ids that the world gave. */
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

/** Which entity goes by which key, while it is present; and what the script's own functions go by. */
export class Roster implements Circumstances {
  callsLeft = Number.POSITIVE_INFINITY;
  readonly #ids = new Map<Key, EntityId>();
  readonly #everyId = new Map<Key, EntityId>();
  readonly #banned = new Set<EntityId>();
  readonly #volatile = new Set<EntityId>();
  phase = 0;
  /** The id that a key had last, be it gone; 0 for one that never came. */
  readonly idOnce = (key: Key): EntityId => this.#everyId.get(key) ?? 0;

  /** Whom the script's own `admit` refuses; both sides of a run read it. */
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

  /** Bans the entity behind a key that is present, or bans it no more. */
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

  /** The id behind a key that is present. */
  idOf(key: Key): EntityId {
    return this.#ids.get(key) as EntityId;
  }

  get ids(): EntityId[] {
    return [...this.#ids.values()];
  }
}

/**
 * The operation less what concerns entities that are absent (or, for additions, already there); `undefined` when
 * nothing of it is left. Repeated keys stay where repetition means something, in moveMany.
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

/** Where the crowd of a churn stands: in rows of ten, a step apart, about the origin. */
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

/** As `applyTo`; answers the code with which the call was refused, `undefined` where it was not. */
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

/** Where spare elements would have somebody go, on each axis, and what they would give it: world units, a layer, a group. */
const ELSEWHERE = 12_345;
const ANOTHER = 5;

/** A column with so many elements more, all of one value. */
function withSpare(column: readonly number[], spare: number, value: number): number[] {
  return [...column, ...new Array<number>(spare).fill(value)];
}

/**
 * Columns of float32 and float64, one after the other, as callers have them; absent keys lie outside `at`. Spare elements name one
 * that is present, or, where `at` says who moves, those that it names first.
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
  // Of those that `at` names, the spare ones are the elements behind the keys.
  const at = operation.at && Uint32Array.from(withSpare(operation.at, spare, keys.length));
  const teleport = optionsOfMove(operation);
  const count = spare === 0 ? undefined : { count: among.length };
  recipient.moveMany(ids, x, y, z, at, count === undefined ? teleport : { ...count, ...teleport });
}

/** Makes the call that an operation on present entities stands for. Additions, ticks and questions are the run's. */
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
