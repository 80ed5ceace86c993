/**
 * The interests of a world, by name and by number. Number 0 is 'default'.
 *
 * An interest that is set anew takes effect with the next tick: until then answers about the last one still need the
 * old one, so both are kept apart.
 */
import { badOption } from '../errors.ts';
import { MAX_INTERESTS, type WorldSettings } from '../settings.ts';
import { type Interest, type ResolvedInterest, resolveInterest } from './interest.ts';

export class InterestBook {
  readonly #settings: WorldSettings;
  readonly #names: Map<string, number>;
  readonly #next: ResolvedInterest[] = [];
  #current: readonly ResolvedInterest[] = [];
  /** Numbers of those that were set since the last tick. */
  readonly #changed = new Set<number>();

  /** `names` is the map that the settings show; it is filled here. Throws as `resolveInterest` does. */
  constructor(
    settings: WorldSettings,
    names: Map<string, number>,
    interests: Readonly<Record<string, Interest>>,
  ) {
    if (typeof interests !== 'object' || interests === null || Array.isArray(interests)) {
      throw badOption('interests', interests, 'a record of Interest by name');
    }
    this.#settings = settings;
    this.#names = names;
    this.set('default', interests.default ?? {});
    for (const name of Object.keys(interests)) {
      if (name !== 'default' && interests[name] !== undefined) this.set(name, interests[name]);
    }
    this.settle();
  }

  /** By number, as of the tick under way or the last one. */
  get current(): readonly ResolvedInterest[] {
    return this.#current;
  }

  /** The number of a name; `undefined` where there is none. */
  numberOf(name: string): number | undefined {
    return this.#names.get(name);
  }

  /** Gives a name to an interest, or another interest to a name, from the next tick on. */
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

  /** Takes up what was set since the last tick; answers the numbers of those that changed. */
  settle(): ReadonlySet<number> {
    if (this.#changed.size === 0) return this.#changed;
    const changed = new Set(this.#changed);
    this.#current = [...this.#next];
    this.#changed.clear();
    return changed;
  }
}
