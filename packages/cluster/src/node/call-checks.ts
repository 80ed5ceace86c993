/** Immediate checks of a call, before it waits for the log. A probe world that never ticks and plain limits do the checking. */
import {
  type CountOptions,
  type EntityId,
  type EntityPatch,
  type Interest,
  type MoveManyOptions,
  type MoveOptions,
  UmweltError,
  type UpdateColumns,
  World,
  type WorldOptions,
  type WorldReader,
} from 'umwelt';
import { badOption } from '../log/bad-option.ts';
import { KEEP_BYTES_MAX, KEY_LENGTH_MAX } from '../records/calls.ts';
import { INTEREST_LENGTH_MAX, interestText } from '../records/interest-text.ts';
import { type ReplicaState, wholeInterest } from '../state/replica-state.ts';

/** The columns of `World.moveMany`. */
interface MoveColumns {
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  readonly z: ArrayLike<number> | undefined;
  readonly at: ArrayLike<number> | undefined;
}

/** Of an entity to which no limit of reach was given. */
const ANY_REACH: EntityPatch = { minReach: 0, maxReach: Number.POSITIVE_INFINITY };

export class CallChecks {
  readonly #probe: World;
  /** Two entities of the probe, for checking ties. */
  readonly #probed: EntityId;
  readonly #other: EntityId;
  readonly #options: WorldOptions;
  readonly #views: 'own' | 'all';
  /** The probe's entity, many times. */
  #many = new Uint32Array(0);
  /** Interests set by the log that the probe already has. */
  readonly #told = new Map<string, unknown>();

  /** Throws what `new World` throws. */
  constructor(options: WorldOptions, views: 'own' | 'all') {
    this.#options = options;
    this.#views = views;
    this.#probe = new World({ ...options, capacity: 0, threads: 1 });
    this.#probed = this.#probe.add({ x: 0, y: 0, z: 0 });
    this.#other = this.#probe.add({ x: 0, y: 0, z: 0 });
  }

  get dimensions(): 2 | 3 {
    return this.#probe.dimensions;
  }

  /** Throws `BAD_POSITION`, `BAD_OPTION`. */
  position(x: number, y: number, z: number | undefined, options?: MoveOptions): void {
    this.#probe.move(this.#probed, x, y, z, options);
  }

  /** Throws what `World.update` throws. */
  patch(patch: EntityPatch, { world, interests }: ReplicaState): void {
    if (patch?.watches !== undefined) {
      throw badOption('watches', patch.watches, 'show() and hide(), which say who perceives in a cluster');
    }
    if (typeof patch?.interest === 'string') this.#learn(interests);
    const { only, ...rest } = patch ?? {};
    if (only !== undefined && only !== 0) checkEverAdded(only, world);
    this.#probe.update(this.#probed, patch === null || typeof patch !== 'object' ? patch : rest);
    // Only these depend on what the entity has: what one entity got must not count against the next one.
    if (rest.minReach !== undefined || rest.maxReach !== undefined)
      this.#probe.update(this.#probed, ANY_REACH);
  }

  /** Throws what `World.updateMany` throws, except for bad ids; returns how many ids are used. */
  columns(ids: Uint32Array, columns: UpdateColumns, options: CountOptions): number {
    this.#probe.updateMany(this.#probedMany(ids), columns, options);
    return options.count ?? ids.length;
  }

  /** Throws what `World.moveMany` throws, except for bad ids; returns how many moves there are. */
  moves(ids: Uint32Array, { x, y, z, at }: MoveColumns, options: MoveManyOptions | undefined): number {
    this.#probe.moveMany(this.#probedMany(ids), x, y, z, at, options);
    return options?.count ?? at?.length ?? ids.length;
  }

  /** As many ids, all of the probe's entity. */
  #probedMany(ids: Uint32Array): Uint32Array {
    checkIds(ids);
    if (ids.length > this.#many.length) {
      this.#many = new Uint32Array(Math.max(ids.length, 2 * this.#many.length)).fill(this.#probed);
    }
    return this.#many.subarray(0, ids.length);
  }

  /** Throws `BAD_OPTION`, `BAD_RANGE`. Returns the limits in the form of a call. */
  pin(
    reason: string,
    options: { within?: number; everyTicks?: number },
  ): { within: number; everyTicks: number } {
    this.#probe.pin(this.#probed, this.#other, reason, options);
    this.#probe.unpin(this.#probed, this.#other, reason);
    const { within = Number.POSITIVE_INFINITY, everyTicks = 0 } = options;
    return { within, everyTicks };
  }

  /** Throws `BAD_POSITION`, `BAD_OPTION`. */
  offset(offset: { x?: number; y?: number; z?: number }): void {
    this.#probe.attach(this.#probed, this.#other, offset);
    this.#probe.detach(this.#probed);
  }

  /** Throws what `World.setInterest` throws, and if functions are not those that the node was given when it joined. */
  interest(name: string, interest: Interest): void {
    const given = this.#options.interests?.[name] ?? {};
    for (const member of ['rank', 'admit'] as const) {
      const value = interest?.[member];
      if (typeof value !== 'function' || value === given[member]) continue;
      throw badOption(
        `interests.${name}.${member}`,
        value,
        'the function that all nodes were given by that name when they joined',
      );
    }
    if (interest?.mutual === true && this.#views === 'own') throw refusedMutual(name);
    this.#probe.setInterest(name, interest);
    // As it is written, which takes more letters for Infinity: no node would read a record with a longer one.
    const length = name.length + interestText(interest).length;
    if (length > INTEREST_LENGTH_MAX)
      throw badOption('interest', length, `at most ${INTEREST_LENGTH_MAX} letters as JSON`);
  }

  /** Copies interests that the log has set, by any node, to the probe. */
  #learn(interests: ReplicaState['interests']): void {
    for (const [name, call] of interests) {
      if (this.#told.get(name) === call) continue;
      this.#told.set(name, call);
      const whole = wholeInterest(call, this.#options.interests);
      if (whole !== undefined) this.#probe.setInterest(name, whole);
    }
  }
}

/**
 * Throws `BAD_ID`, `STALE_ID`. Stricter than `slotOf`, which answers for what the last tick's report names, too. `index`: where it is
 * among many.
 */
export function checkPresent(id: EntityId, world: WorldReader, index?: number): void {
  if (world.has(id)) return;
  try {
    world.position(id);
  } catch (error) {
    if (index === undefined || !(error instanceof UmweltError)) throw error;
    throw new UmweltError(error.code, `${error.message}, at index ${index}`, { ...error.details, index });
  }
}

export function refusedMutual(name: string): UmweltError {
  return new UmweltError('UNSUPPORTED', `interest '${name}' is mutual, expected views 'all' for that`, {
    field: 'views',
  });
}

/** The id of a removed entity is allowed, as in `World`. Throws `BAD_ID`. */
export function checkEverAdded(id: EntityId, world: WorldReader): void {
  try {
    world.slotOf(id);
  } catch (error) {
    if (error instanceof UmweltError && error.code === 'STALE_ID') return;
    throw error;
  }
}

export function withoutChannels(): UmweltError {
  return new UmweltError(
    'UNSUPPORTED',
    'the world has no channels, expected `channels` among the options of joinWorld',
  );
}

export function checkKey(key: unknown): void {
  if (typeof key === 'string' && key.length <= KEY_LENGTH_MAX) return;
  throw badOption('key', key, `a text of at most ${KEY_LENGTH_MAX} letters`);
}

export function checkState(state: unknown): void {
  checkBytes('state', state);
  const { length } = state as Uint8Array;
  if (length > KEEP_BYTES_MAX) throw badOption('state', length, `at most ${KEEP_BYTES_MAX} bytes`);
}

export function checkIds(ids: unknown): void {
  if (!(ids instanceof Uint32Array)) throw badOption('ids', ids, 'a Uint32Array');
}

/** Their values are checked where they are written. */
export function checkFields(fields: unknown): void {
  checkObject('fields', fields, 'an object of fields');
  if (Array.isArray(fields) || ArrayBuffer.isView(fields))
    throw badOption('fields', fields, 'an object of fields');
}

/**
 * The member `world` of options: not a world that exists already, since each process makes its own from the same options. A copy, since
 * it does so again whenever it copies a state, and its caller may change the object until then.
 */
export function checkedWorldOptions(world: unknown): WorldOptions {
  checkObject('world', world, 'an object with WorldOptions');
  if (Array.isArray(world) || typeof (world as { stats?: unknown }).stats === 'function')
    throw badOption('world', world, 'an object with WorldOptions, of which each process makes its own world');
  return copyOf(world) as WorldOptions;
}

/** A copy of lists and plain objects; all else as it is. */
export function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  const isPlain =
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyOf(each)]));
}

/** Before members are read from what a caller gave. */
export function checkObject(field: string, value: unknown, expected: string): void {
  if (typeof value !== 'object' || value === null) throw badOption(field, value, expected);
}

export function checkBytes(field: string, bytes: unknown): void {
  if (!(bytes instanceof Uint8Array)) throw badOption(field, bytes, 'a Uint8Array');
}
