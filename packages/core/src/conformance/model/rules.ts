/**
 * Interests with every default filled in, and which one applies to which watcher.
 *
 * Interests have names, and a name may be given another interest, from the next tick on; so changes between two ticks
 * wait here. Cost: negligible.
 */
import type { Interest, ShownGroups, WorldOptions } from '../../index.ts';
import type { Figure } from '../perception.ts';

/** An `Interest` without gaps. The margin is float32. */
export interface Rules {
  readonly leaveMargin: number;
  readonly cap: number;
  readonly rank: NonNullable<Interest['rank']>;
  /** `undefined`: all. */
  readonly admit: Interest['admit'];
  readonly incumbentBonus: number;
  readonly minDwellTicks: number;
  readonly memoryTicks: number;
  readonly lingerTicks: number;
  /** Kinds of groups that are shown. */
  readonly shownKinds: readonly string[];
  /** The terms of showGroup, if it is an object. */
  readonly groupTerms: Omit<ShownGroups, 'kinds'> | undefined;
  readonly mutual: boolean;
  readonly enterBudget: number;
  readonly quotas: NonNullable<Interest['quotas']>;
  /** Empty: every change at once. */
  readonly updateRates: readonly (readonly [fraction: number, everyTicks: number])[];
}

/** All rules of a book at one moment. */
export type RuleBookState = readonly [
  current: ReadonlyMap<string, Rules>,
  pending: ReadonlyMap<string, Rules>,
];

/** Named rules, as of the last tick and as set since. */
export class RuleBook {
  readonly #kinds: readonly string[];
  // Maps are never written to (copy-on-write): a change replaces the map.
  #current: ReadonlyMap<string, Rules>;
  #pending: ReadonlyMap<string, Rules> = new Map();

  constructor({ interests = {}, groups = ['group'] }: WorldOptions) {
    this.#kinds = groups;
    const named = Object.entries({ default: {}, ...interests });
    this.#current = new Map(named.map(([name, interest]) => [name, this.#rulesOf(interest)]));
  }

  /** What `restore` brings back. */
  get state(): RuleBookState {
    return [this.#current, this.#pending];
  }

  restore(state: RuleBookState): void {
    [this.#current, this.#pending] = state;
  }

  /** Sets an interest from the next tick on. */
  set(name: string, interest: Interest): void {
    this.#pending = new Map([...this.#pending, [name, this.#rulesOf(interest)]]);
  }

  /** Applies what was set; returns the names. */
  takeUp(): ReadonlySet<string> {
    const names = new Set(this.#pending.keys());
    if (names.size === 0) return names;
    this.#current = new Map([...this.#current, ...this.#pending]);
    this.#pending = new Map();
    return names;
  }

  of(watcher: Figure): Rules {
    const rules = this.#current.get(watcher.interest);
    if (rules === undefined)
      throw new Error(`the script names the interest ${watcher.interest}, which nobody gave`);
    return rules;
  }

  #shownBy(showGroup: NonNullable<Interest['showGroup']>): Pick<Rules, 'shownKinds' | 'groupTerms'> {
    if (showGroup === false) return { shownKinds: [], groupTerms: undefined };
    if (showGroup === true) return { shownKinds: this.#kinds, groupTerms: undefined };
    if (!('length' in showGroup))
      return { shownKinds: showGroup.kinds ?? this.#kinds, groupTerms: showGroup };
    return { shownKinds: showGroup, groupTerms: undefined };
  }

  #rulesOf(interest: Interest): Rules {
    const { showGroup = false } = interest;
    return {
      leaveMargin: Math.fround(interest.leaveMargin ?? 0),
      cap: interest.cap ?? Number.POSITIVE_INFINITY,
      rank: interest.rank ?? 'nearest',
      admit: interest.admit,
      incumbentBonus: interest.incumbentBonus ?? 0.15,
      minDwellTicks: interest.minDwellTicks ?? 0,
      memoryTicks: interest.memoryTicks ?? 0,
      lingerTicks: interest.lingerTicks ?? 0,
      ...this.#shownBy(showGroup),
      mutual: interest.mutual ?? false,
      quotas: interest.quotas ?? [],
      enterBudget: interest.enterBudget ?? Number.POSITIVE_INFINITY,
      updateRates: interest.updateRates ?? [],
    };
  }
}

/** Maximum number of relations: its own cap, else its interest's. */
export function capOf(watcher: Figure, rules: Rules): number {
  return watcher.cap ?? rules.cap;
}
