/**
 * The interests of a world, by name and by number. Number 0 is 'default'.
 *
 * A changed interest takes effect with the next tick. Until then, queries about the last tick still need the
 * old one, so both are stored. A tick applies the changes when it begins, and undoes that when it fails.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import { badOption, isRecord, UmweltError } from '../../errors.ts';
import { MAX_INTERESTS, type WorldSettings } from '../../settings.ts';
import { mapBytes, setBytes } from '../table/collection-bytes.ts';
import { type Interest, isPlain, keepsRow, type ResolvedInterest, resolveInterest } from './interest.ts';
import {
  forgottenAdmit,
  forgottenRank,
  isSameInterest,
  loadInterest,
  saveInterest,
} from './stored-interest.ts';

/** Interests by name, as callers give them. */
export type InterestsByName = Readonly<Record<string, Interest>>;

/** State of a stored interest: not in force yet; in force; in force until the next tick replaces it. */
const NEW = 0;
const IN_FORCE = 1;
const REPLACED = 2;

/** Estimated bytes of an interest with its name, and of one of its rings. */
const INTEREST_BYTES = 144;
const RING_BYTES = 72;

export class InterestBook {
  readonly #settings: WorldSettings;
  readonly #names: Map<string, number>;
  readonly #next: ResolvedInterest[] = [];
  #current: readonly ResolvedInterest[] = [];
  /** As of the last tick, also during the next one. */
  #settled: readonly ResolvedInterest[] = [];
  /** Numbers of the interests that were set since the last tick. */
  readonly #changed = new Set<number>();
  /** Those of them of which only the margin changes. */
  #byMargin: ReadonlySet<number> = new Set();

  /** `names` is the map in the settings; it is filled here. Throws as `resolveInterest` does. */
  constructor(
    settings: WorldSettings,
    names: Map<string, number>,
    interests: Readonly<Record<string, Interest>>,
  ) {
    if (!isRecord(interests)) throw badOption('interests', interests, 'a record of Interest by name');
    this.#settings = settings;
    this.#names = names;
    const { default: rules = {} } = interests;
    this.set('default', rules);
    for (const name of Object.keys(interests)) {
      if (name !== 'default' && interests[name] !== undefined) this.set(name, interests[name]);
    }
    this.begin();
    this.commit();
  }

  /** Without the functions of the interests. */
  get memoryBytes(): number {
    const differing = this.#current.filter((current, number) => current !== this.#next[number]);
    const each = (sum: number, { updateRates }: ResolvedInterest) =>
      sum + INTEREST_BYTES + RING_BYTES * updateRates.length;
    return [...this.#next, ...differing].reduce(
      each,
      mapBytes(this.#names.size) + setBytes(this.#changed.size),
    );
  }

  /** By number, as of the tick under way or the last one. */
  get current(): readonly ResolvedInterest[] {
    return this.#current;
  }

  /** By number, as of the last tick, also during the next one: the stored relations follow from these. */
  get settled(): readonly ResolvedInterest[] {
    return this.#settled;
  }

  /** As `current`; an interest that is not in force yet as the next tick will have it. */
  known(number: number): ResolvedInterest {
    return this.#current[number] ?? this.#next[number];
  }

  /** The number of the interest with this name; `undefined` if there is none. */
  numberOf(name: string): number | undefined {
    return this.#names.get(name);
  }

  /** Defines an interest, or replaces the one with this name, from the next tick on. */
  set(name: string, interest: Interest): void {
    if (typeof name !== 'string' || name === '') throw badOption('name', name, 'a name that is not empty');
    const resolved = resolveInterest(this.#settings, name, interest);
    const known = this.#names.get(name);
    if (known === undefined && this.#next.length === MAX_INTERESTS) {
      throw badOption('name', name, `at most ${MAX_INTERESTS} interests`);
    }
    const number = known ?? this.#next.length;
    this.#next[number] = resolved;
    this.#names.set(name, number);
    this.#changed.add(number);
  }

  /** Numbers of the interests that were set since the last tick. */
  get changed(): ReadonlySet<number> {
    return this.#changed;
  }

  /** Of an interest that was set since the last tick: whether only its margin changes. */
  changesByMargin(number: number): boolean {
    return this.#byMargin.has(number);
  }

  /** Start of a tick: applies what was set since the last one. Followed by `commit` or `abort`. */
  begin(): void {
    if (this.#changed.size === 0) return;
    this.#current = [...this.#next];
    const differs = (number: number) => differsByMargin(this.#settled[number], this.#current[number]);
    this.#byMargin = new Set([...this.#changed].filter(differs));
  }

  /** The tick succeeded. */
  commit(): void {
    this.#settled = this.#current;
    this.#changed.clear();
  }

  /** The tick failed: the next one applies what was set. */
  abort(): void {
    this.#current = this.#settled;
  }

  save(writer: ByteWriter): void {
    writer.u16(this.#next.length);
    this.#next.forEach((next, number) => {
      const current = this.#current[number];
      writer.text(next.name);
      saveInterest(writer, next);
      writer.u8(current === undefined ? NEW : current === next ? IN_FORCE : REPLACED);
      if (current !== undefined && current !== next) saveInterest(writer, current);
    });
  }

  /**
   * Replaces all interests. Functions are taken from `supplied`, by name. With `takesSupplied`, a supplied
   * interest that differs from the stored one in anything else counts as set since the last tick. Throws
   * `UNKNOWN_INTEREST` if a function is missing, and as `resolveInterest` does.
   */
  load(reader: ByteReader, supplied: InterestsByName, takesSupplied: boolean): void {
    for (const name of Object.keys(supplied)) {
      if (supplied[name] !== undefined) resolveInterest(this.#settings, name, supplied[name]);
    }
    const count = reader.u16();
    reader.check(count >= 1 && count <= MAX_INTERESTS, `1 to ${MAX_INTERESTS} interests`);
    const current: ResolvedInterest[] = [];
    this.#names.clear();
    this.#next.length = 0;
    for (let number = 0; number < count; number++) {
      const name = reader.text();
      const isNew = name !== '' && !this.#names.has(name) && (number > 0 || name === 'default');
      reader.check(isNew, 'a name of its own');
      this.#names.set(name, number);
      this.#next.push(this.#loadOne(reader, name, supplied));
      const standing = reader.u8();
      const isKnown = standing <= REPLACED && (standing !== NEW || number > 0);
      reader.check(isKnown && (standing === NEW || current.length === number), 'how it stands');
      if (standing === IN_FORCE) current.push(this.#next[number]);
      else this.#changed.add(number);
      if (standing === REPLACED) current.push(this.#loadReplaced(reader, name));
    }
    this.#current = current;
    this.#settled = current;
    if (takesSupplied) for (const name of Object.keys(supplied)) this.#supply(name, supplied[name]);
  }

  #loadOne(reader: ByteReader, name: string, supplied: InterestsByName): ResolvedInterest {
    const { interest, hasRank, hasAdmit } = loadInterest(reader, this.#settings);
    const { rank, admit } = (Object.hasOwn(supplied, name) ? supplied[name] : undefined) ?? {};
    if ((hasRank && typeof rank !== 'function') || (hasAdmit && admit === undefined)) {
      throw new UmweltError(
        'UNKNOWN_INTEREST',
        `interest '${name}' had a function, which is not stored; expected it among the interests given`,
        { field: 'interests', value: name },
      );
    }
    return this.#accepted(reader, name, interest, hasRank ? rank : undefined, hasAdmit ? admit : undefined);
  }

  /**
   * Loads a replaced interest, which decides nothing any more. The functions supplied under its name may
   * belong to its replacement.
   */
  #loadReplaced(reader: ByteReader, name: string): ResolvedInterest {
    const { interest, hasRank, hasAdmit } = loadInterest(reader, this.#settings);
    const [rank, admit] = [hasRank ? forgottenRank : undefined, hasAdmit ? forgottenAdmit : undefined];
    return this.#accepted(reader, name, interest, rank, admit);
  }

  #accepted(
    reader: ByteReader,
    name: string,
    numbers: Interest,
    rank: Interest['rank'],
    admit: Interest['admit'],
  ): ResolvedInterest {
    const interest = { ...numbers, ...(rank && { rank }), ...(admit && { admit }) };
    return reader.accepted('an interest', () => resolveInterest(this.#settings, name, interest));
  }

  #supply(name: string, interest: Interest | undefined): void {
    if (interest === undefined) return;
    const number = this.#names.get(name);
    const resolved = resolveInterest(this.#settings, name, interest);
    if (number === undefined || !isSameInterest(this.#next[number], resolved)) this.set(name, interest);
  }
}

/**
 * Whether an interest takes the place of one that differs at most by its margin, and a watcher with it has rules, none of which looks back
 * farther than a tick.
 */
function differsByMargin(former: ResolvedInterest | undefined, interest: ResolvedInterest): boolean {
  if (former === undefined || isPlain(interest) || keepsRow(interest) || interest.admit !== undefined)
    return false;
  const { leaveMargin, rank, minDwellTicks, memoryTicks, updateRates } = interest;
  if (minDwellTicks + memoryTicks + updateRates.length > 0 || rank !== former.rank) return false;
  return isSameInterest({ ...former, leaveMargin }, interest);
}
