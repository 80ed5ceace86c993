/**
 * An interest with every default filled in, and which one applies to whom.
 *
 * Interests have names, and a name may be given another interest: that holds from the next tick on, so what is set
 * between two ticks waits here. Cost: nothing worth counting.
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
  /** Of showGroup, where it is an object. */
  readonly groupTerms: Omit<ShownGroups, 'kinds'> | undefined;
  readonly mutual: boolean;
  readonly enterBudget: number;
  readonly quotas: NonNullable<Interest['quotas']>;
  /** Empty: every change at once. */
  readonly updateRates: readonly (readonly [fraction: number, everyTicks: number])[];
}

/** Named rules, as of the last tick and as set since. */
export class RuleBook {
  readonly #kinds: readonly string[];
  readonly #current = new Map<string, Rules>();
  readonly #pending = new Map<string, Rules>();

  constructor({ interests = {}, groups = ['group'] }: WorldOptions) {
    this.#kinds = groups;
    this.#current.set('default', this.#rulesOf({}));
    for (const [name, interest] of Object.entries(interests)) {
      this.#current.set(name, this.#rulesOf(interest));
    }
  }

  /** What was taken up and set so far; what comes later is not in it. */
  copy(): RuleBook {
    const copy = new RuleBook({ groups: [...this.#kinds] });
    for (const [name, rules] of this.#current) copy.#current.set(name, rules);
    for (const [name, rules] of this.#pending) copy.#pending.set(name, rules);
    return copy;
  }

  /** From the next tick on. */
  set(name: string, interest: Interest): void {
    this.#pending.set(name, this.#rulesOf(interest));
  }

  /** Takes up what was set; answers the names. */
  takeUp(): ReadonlySet<string> {
    const names = new Set(this.#pending.keys());
    for (const [name, rules] of this.#pending) this.#current.set(name, rules);
    this.#pending.clear();
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

/** Most relations: its own cap, else its interest's. */
export function capOf(watcher: Figure, rules: Rules): number {
  return watcher.cap ?? rules.cap;
}
