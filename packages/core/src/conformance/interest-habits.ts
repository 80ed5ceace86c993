/**
 * How a random script uses rules: interests, and the properties of entities that affect them.
 *
 * Problem: rules hide each other; if all of them apply at once, the effect of each is not visible. Method: each
 * script has about half of the rules, drawn at its start, with small numbers (caps of 0 to 5, some ticks of dwell and
 * memory, weights that tie), so that every edge case occurs within some ticks; scripts of larger crowds have a style
 * of their own. Cost: a few random numbers a call.
 */
import type { PinOptions, ShownGroups } from '../index.ts';
import type { Geography } from './geography.ts';
import type { PlainAdmit, PlainCap, PlainInterest, PlainPatch, PlainRank } from './plain-interest.ts';
import type { Random } from './random.ts';
import type { ScriptSize } from './script-size.ts';

/** Additional operations of scripts with interests. */
export const INTEREST_KINDS = [
  'interest',
  'cap',
  'weight',
  'group',
  'always',
  'volatile',
  'setInterest',
  'pin',
  'unpin',
  'block',
  'unblock',
  'ban',
  'targets',
  'excursion',
  'nap',
  'failingTick',
  'attempt',
] as const;
export type InterestKind = (typeof INTEREST_KINDS)[number];

/** Their frequency, relative to a move. */
export const INTEREST_SHARES: Readonly<Record<InterestKind, number>> = {
  interest: 0.3,
  cap: 0.4,
  weight: 0.4,
  group: 0.5,
  always: 0.2,
  volatile: 0.3,
  setInterest: 0.2,
  pin: 1,
  unpin: 1,
  block: 0.4,
  unblock: 0.4,
  ban: 0.3,
  targets: 0.3,
  excursion: 0.7,
  nap: 0.4,
  failingTick: 0.3,
  attempt: 0.4,
};

const RULES = [
  'leaveMargin',
  'cap',
  'rank',
  'admit',
  'incumbentBonus',
  'minDwellTicks',
  'memoryTicks',
  'showGroup',
  'mutual',
  'updateRates',
  'lingerTicks',
  'quotas',
  'enterBudget',
] as const;
type Rule = (typeof RULES)[number];

/** The share of scripts in which interests are empty. */
const LAWLESS = 0.1;
/** How many rules of its script an interest uses; if the script has all rules, few enough that watchers differ. */
const RULES_USED = 0.8;
const RULES_USED_TOGETHER = 0.4;

/** What differs from script to script: the numbers of seats that rules draw from, and which rules there are. */
export interface InterestStyle {
  readonly caps: readonly number[];
  /** Of single watchers. */
  readonly ownCaps: readonly number[];
  readonly quotaCaps: readonly number[];
  readonly budgets: readonly number[];
  /** The share of the rules that the script has, and those that it has in any case. */
  readonly share: number;
  readonly always: readonly Rule[];
}

const USUAL: InterestStyle = {
  caps: [0, 1, 1, 2, 2, 3, 5],
  ownCaps: [0, 1, 2, 2, 3, 5],
  quotaCaps: [0, 1, 1, 2, 3],
  budgets: [1, 1, 2, 3, 5],
  share: 0.5,
  always: [],
};

const RATES: readonly NonNullable<PlainInterest['updateRates']>[] = [
  [[1, 3]],
  [
    [0.25, 1],
    [0.5, 2],
    [1, 4],
  ],
  [
    [0.6, 1],
    [0.8, 7],
  ],
  [
    [0.1, 5],
    [0.3, 1],
    [0.5, 255],
  ],
];

export class InterestHabits {
  /** Names of interests; all are given from the start. */
  readonly names: readonly string[];
  readonly groups: readonly string[];
  readonly #random: Random;
  readonly #geography: Geography;
  readonly #rules: ReadonlySet<Rule>;
  readonly #rulesUsed: number;
  readonly #style: InterestStyle;
  /** No interest has a rule or a cap, and no marker is set to `always`: only pins and blocks. */
  readonly #isLawless: boolean;
  /** Whether rules are taken from interests and given back as they were. */
  readonly #mayPause: boolean;
  /** Whether pins may have limits. */
  readonly #arePinsLimited: boolean;
  /** Whether groups are mostly shown on terms. */
  readonly #areGroupsLimited: boolean;
  /** By name: the interest as it is now, and the rule that was taken away from it last. */
  readonly #current = new Map<string, PlainInterest>();
  readonly #without = new Map<string, PlainInterest>();
  /** World units; few values, so that the rims at reach and margin are hit. */
  readonly margins: readonly number[];

  /** Together: no rule is missing, except the margin by cells, which there is unsupported. */
  constructor(random: Random, geography: Geography, size: ScriptSize, style: InterestStyle = USUAL) {
    const { together: isTogether = false, cells } = size;
    this.#random = random;
    this.#style = style;
    this.#geography = geography;
    this.#mayPause = isTogether || style !== USUAL;
    this.names = ['default', 'second', 'third'].slice(0, random.below(3) + 1);
    this.groups = random.chance(0.5) ? ['group'] : ['party', 'raid'];
    this.#arePinsLimited = random.chance(0.5) || isTogether;
    this.#areGroupsLimited = random.chance(0.5) || isTogether;
    this.#rulesUsed = isTogether ? RULES_USED_TOGETHER : RULES_USED;
    this.#isLawless = random.chance(LAWLESS) && !isTogether && style === USUAL;
    if (this.#isLawless) {
      this.#rules = new Set();
      this.margins = [geography.step];
      return;
    }
    const rules = RULES.filter(
      (rule) => random.chance(style.share) || isTogether || style.always.includes(rule),
    );
    // Half of the rules affect only seated markers.
    if (random.chance(0.5) || rules.includes('memoryTicks')) rules.push('cap');
    this.#rules = new Set(rules.filter((rule) => rule !== 'leaveMargin' || !cells));
    this.margins = [geography.step, geography.step * random.pick([0.25, 0.1, 2, 1e3])];
  }

  /** Whether some interest may remember lost seats. */
  get hasMemory(): boolean {
    return this.#rules.has('memoryTicks');
  }

  /** The interests that the world begins with. */
  interests(): Record<string, PlainInterest> {
    for (const name of this.names) this.#current.set(name, this.#interest());
    return Object.fromEntries(this.#current);
  }

  /**
   * A change of an interest to another one; in scripts with many rules also to the same without one of its rules, or with that rule as it
   * was: what was stored for a rule may be out of date when it comes back.
   */
  change(): { kind: 'setInterest'; name: string; interest: PlainInterest } {
    const random = this.#random;
    const name = random.pick(this.names);
    const current = this.#current.get(name) ?? {};
    const without = this.#without.get(name);
    const rules = Object.keys(current) as (keyof PlainInterest)[];
    let changed: PlainInterest;
    if (!this.#mayPause || random.chance(0.5) || (without === undefined && rules.length === 0)) {
      changed = this.#interest();
      this.#without.delete(name);
    } else if (without === undefined) {
      const rule = random.pick(rules);
      this.#without.set(name, { [rule]: current[rule] });
      changed = { ...current };
      delete changed[rule];
    } else {
      changed = { ...current, ...without };
      this.#without.delete(name);
    }
    this.#current.set(name, changed);
    return { kind: 'setInterest', name, interest: changed };
  }

  #interest(): PlainInterest {
    const random = this.#random;
    const interest: PlainInterest = {};
    const has = (rule: Rule) => this.#rules.has(rule) && random.chance(this.#rulesUsed);
    if (has('leaveMargin')) interest.leaveMargin = random.pick([...this.margins, 0]);
    if (has('cap')) interest.cap = random.pick(this.#style.caps);
    if (has('rank')) interest.rank = random.chance(0.2) ? 'nearest' : this.#rank();
    if (has('admit')) interest.admit = this.#admit();
    if (has('incumbentBonus')) interest.incumbentBonus = random.pick([0, 0.15, 0.5, 0.5, 1]);
    if (has('minDwellTicks')) interest.minDwellTicks = random.pick([1, 2, 3, 8]);
    if (has('memoryTicks')) interest.memoryTicks = random.pick([1, 2, 3, 3, 20]);
    if (has('showGroup')) {
      interest.showGroup = random.pick([true, true, false, this.groups.slice(0, 1), this.groups.slice(1)]);
      if (this.#areGroupsLimited && random.chance(0.8)) interest.showGroup = this.#shownGroups();
    }
    if (has('quotas')) interest.quotas = this.#quotas();
    if (has('enterBudget')) interest.enterBudget = random.pick(this.#style.budgets);
    if (has('mutual')) interest.mutual = random.chance(0.7);
    if (has('updateRates')) interest.updateRates = random.pick(RATES);
    if (has('lingerTicks')) interest.lingerTicks = random.pick([1, 1, 2, 3, 8]);
    return interest;
  }

  /** Additional random properties of a new entity. */
  traits(): PlainPatch {
    const random = this.#random;
    let traits: PlainPatch = {};
    if (random.chance(0.6)) traits.interest = random.pick(this.names);
    for (const [kind, share] of [
      ['cap', 0.15],
      ['weight', 0.3],
      ['group', 0.3],
      ['always', 0.08],
      ['volatile', this.#rules.has('admit') ? 0.2 : 0.03],
    ] as const) {
      if (random.chance(share)) traits = { ...traits, ...this.patch(kind) };
    }
    return traits;
  }

  patch(kind: 'interest' | 'cap' | 'weight' | 'group' | 'always' | 'volatile'): PlainPatch {
    const random = this.#random;
    if (this.#isLawless && (kind === 'cap' || kind === 'always')) return {};
    switch (kind) {
      case 'interest':
        return { interest: random.pick(this.names) };
      case 'cap':
        return { cap: random.pick<PlainCap>([...this.#style.ownCaps, 'none']) };
      case 'weight':
        return { weight: random.pick([0, 0.5, 1, 2, 3]) };
      case 'volatile':
        return { volatile: random.chance(0.6) };
      case 'always':
        return { always: random.chance(0.5) };
      default:
        return { group: this.#group() };
    }
  }

  /** Number of function calls in a tick before one throws. */
  callsBeforeMishap(): number {
    return this.#random.pick([0, 0, 0, 1, 2, 3, 5, 8]);
  }

  /** A reason of a pin; sometimes none. */
  reason(): { reason?: string } {
    return this.#random.chance(0.4) ? {} : { reason: this.#random.pick(['quest', 'target']) };
  }

  /** A reason, sometimes with limits. */
  pin(): { reason?: string; limits?: PinOptions } {
    const random = this.#random;
    const reason = this.reason();
    if (!this.#arePinsLimited || random.chance(0.3)) return reason;
    const limits: PinOptions = {};
    if (random.chance(0.7)) limits.within = this.#limit();
    if (random.chance(0.4)) limits.everyTicks = random.pick([1, 2, 3, 5]);
    return { ...reason, limits };
  }

  /** World units: multiples of steps, so that walks end on both sides of the limit and on it. */
  #limit(): number {
    return this.#geography.step * this.#random.pick([1, 1, 1, 1, 2, 0]);
  }

  #shownGroups(): ShownGroups {
    const random = this.#random;
    const shown: ShownGroups = {};
    if (random.chance(0.4)) shown.kinds = random.pick([this.groups.slice(0, 1), this.groups.slice(1)]);
    if (random.chance(0.8)) shown.within = random.chance(0.4) ? 'reach' : this.#limit();
    const through = (['gain', 'layers'] as const).filter(() => random.chance(0.5));
    if (random.chance(0.8)) shown.through = through;
    return shown;
  }

  #group(): number | Record<string, number> {
    const number = () => this.#random.pick([0, 1, 1, 2, 0xffffffff]);
    if (this.#random.chance(0.5)) return number();
    const named = this.groups.filter(() => this.#random.chance(0.6));
    return Object.fromEntries(named.map((kind) => [kind, number()]));
  }

  #rank(): PlainRank {
    const random = this.#random;
    const unit = this.#geography.step;
    const rank: PlainRank = {
      distanceShare: random.pick([0, 1, 1, -1, 0.5]),
      mixShare: random.pick([0, 1, -1, 0.25]) * unit,
    };
    if (random.chance(0.7)) return rank;
    const hole = random.pick(['NaN', 'Infinity', '-Infinity'] as const);
    return { ...rank, hole, holeEvery: random.pick([1, 2, 3]) };
  }

  #quotas(): NonNullable<PlainInterest['quotas']> {
    const random = this.#random;
    return Array.from({ length: random.below(3) + 1 }, () => ({
      layers: random.pick([1, 2, 3, -1, 6, 0]),
      cap: random.pick(this.#style.quotaCaps),
    }));
  }

  #admit(): PlainAdmit {
    const refusesEvery = this.#random.pick([2, 3, 5, 12, 12]);
    return this.#random.chance(0.5) ? { refusesEvery } : { refusesEvery, within: this.#geography.step * 3 };
  }
}
