/**
 * Properties of the entities of a random script: how far they perceive, how loud they are, which watchers meet them.
 *
 * Problem: detectors have fast paths for worlds in which all entities are alike, and most of their bugs need entities
 * that differ. Method: in about a third of the scripts all have the same range and nothing else; in the others each
 * draws its own values, with those at which rules change (0, tiny, huge, no layer, every layer) among a few usual
 * ones. Cost: a few random numbers each.
 */
import type { Geography } from './geography.ts';
import type { InterestHabits } from './interest-habits.ts';
import type { CrowdTraits, Key, Operation } from './operations.ts';
import type { PlainCap, PlainPatch, PlainReaches } from './plain-interest.ts';
import type { Random } from './random.ts';

/** The share of worlds in which all entities are alike, at least to begin with. */
const PLAIN = 0.3;
/** With interests: how often a range is ample. */
const AMPLE = 0.7;

export class TraitHabits {
  readonly #random: Random;
  readonly #geography: Geography;
  readonly #senses: readonly string[];
  /** `undefined`: there are no rules. */
  readonly #rules: InterestHabits | undefined;
  /** In plain worlds: the range of all entities, which have no other properties of their own. */
  readonly #plainRange: number | undefined;
  readonly #layers: readonly number[];
  /** Whether markers have a maxReach. */
  readonly #areLimited: boolean;
  /** Whether markers have conditions. */
  readonly #haveConditions: boolean;

  constructor(
    random: Random,
    geography: Geography,
    senses: readonly string[],
    rules: InterestHabits | undefined,
    isTogether: boolean,
  ) {
    this.#random = random;
    this.#geography = geography;
    this.#senses = senses;
    this.#rules = rules;
    const plainRange = random.chance(PLAIN) ? this.range() : undefined;
    this.#plainRange = isTogether ? undefined : plainRange;
    this.#areLimited = random.chance(0.4) || isTogether;
    this.#haveConditions = random.chance(0.3) || isTogether;
    this.#layers = random.chance(0.5) ? [1] : [1, 2, 3, 0, -1, 0x80000000, 0xffffffff, 6];
  }

  /** Whether all are alike. */
  get isPlain(): boolean {
    return this.#plainRange !== undefined;
  }

  /** World units. */
  range(): number {
    const isAmple = this.#rules !== undefined && this.#random.chance(AMPLE);
    return isAmple ? this.#geography.ampleRange() : this.#geography.range();
  }

  /** A change of one property. */
  patch(kind: string): PlainPatch {
    const random = this.#random;
    switch (kind) {
      case 'range':
        return { range: this.#bySense(() => this.range()) };
      case 'gain':
        return { gain: this.#bySense(() => this.#gain()) };
      case 'minReach':
      case 'maxReach':
        return this.#areLimited
          ? { reaches: this.#reaches() }
          : { minReach: this.#bySense(() => this.range()) };
      case 'needs':
        return { needs: random.pick([0, 0, 1, 2, 3, -1, 0x80000000]) };
      case 'onlyGroup':
        // Without rules, an entity's group can change little else.
        return this.#rules === undefined && random.chance(0.5)
          ? { group: random.pick([0, 1, 1, 2]) }
          : { onlyGroup: this.#onlyGroup() };
      case 'layers':
        return { layers: random.pick(this.#layers) };
      case 'sees':
        return { sees: random.pick(this.#layers) };
      case 'channel':
        return { channel: random.pick([0, 1, 2, 65535]) };
      case 'marker':
        return { marker: random.chance(0.6) };
      case 'watches':
        return { watches: random.chance(0.6) };
      default:
        return { updates: random.chance(0.5) };
    }
  }

  /** A change of one property of many entities; sometimes one of them is named twice. */
  columnOf(several: readonly Key[]): Omit<Extract<Operation, { kind: 'updateMany' }>, 'kind'> {
    const random = this.#random;
    const keys = random.chance(0.3) ? [...several, several[0]] : [...several];
    return { keys, ...this.#column(keys.length) };
  }

  #column(count: number): Pick<Extract<Operation, { kind: 'updateMany' }>, 'member' | 'values' | 'name'> {
    const random = this.#random;
    const values = (value: () => number) => Array.from({ length: count }, value);
    const name = random.chance(0.4) ? { name: random.pick(this.#senses) } : {};
    switch (random.below(this.#rules === undefined ? 5 : 7)) {
      case 0:
        return { member: 'range', values: values(() => this.range()), ...name };
      case 1:
        return { member: 'gain', values: values(() => this.#gain()), ...name };
      case 2:
        return { member: 'layers', values: values(() => random.pick(this.#layers)) };
      case 3:
        return { member: 'sees', values: values(() => random.pick(this.#layers)) };
      case 4:
        return { member: 'channel', values: values(() => random.pick([0, 1, 2])) };
      case 5:
        return { member: 'weight', values: values(() => random.pick([0, 0.5, 1, 3])) };
      default:
        return { member: 'group', values: values(() => random.pick([0, 1, 1, 2])) };
    }
  }

  /** Properties of a new entity, or of a whole crowd. */
  draw(): CrowdTraits {
    const random = this.#random;
    const rules = this.#rules?.traits();
    if (this.#plainRange !== undefined) return { range: this.#plainRange, ...rules };
    const traits: CrowdTraits = { ...rules };
    if (random.chance(0.8)) traits.range = this.#bySense(() => this.range());
    if (random.chance(0.15)) traits.gain = this.#bySense(() => this.#gain());
    if (random.chance(this.#areLimited ? 0.3 : 0.15)) Object.assign(traits, this.patch('minReach'));
    if (random.chance(0.1)) traits.marker = false;
    if (random.chance(0.3)) traits.layers = random.pick(this.#layers);
    if (random.chance(0.2)) traits.sees = random.pick(this.#layers);
    if (random.chance(0.15)) traits.channel = random.pick([0, 1, 2]);
    if (random.chance(0.1)) traits.updates = false;
    if (random.chance(0.05)) traits.watches = false;
    if (!this.#haveConditions) return traits;
    if (random.chance(0.25)) Object.assign(traits, this.patch('needs'));
    if (random.chance(0.25)) traits.onlyGroup = this.#onlyGroup();
    if (this.#rules === undefined && random.chance(0.5)) traits.group = random.pick([1, 1, 2]);
    return traits;
  }

  /** Whether the next new entity, or crowd, is for one watcher only. */
  isForOne(): boolean {
    return this.#haveConditions && this.#random.chance(0.25);
  }

  #onlyGroup(): boolean | string[] {
    const kinds = this.#rules?.groups ?? ['group'];
    return this.#random.pick([true, true, false, kinds.slice(0, 1), kinds.slice(1)]);
  }

  /** Mostly only one of the two. */
  #reaches(): PlainReaches {
    const random = this.#random;
    const least = () => (random.chance(0.6) ? 0 : this.range());
    const most = (min: number): PlainCap => {
      if (random.chance(0.2)) return 'none';
      return Math.max(min, random.chance(0.1) ? 0 : this.range());
    };
    const min = this.#bySense(least);
    if (typeof min === 'number') return { least: min, most: most(min) };
    const maxima = Object.entries(min).map(([sense, each]) => [sense, most(each)]);
    return { least: min, most: Object.fromEntries(maxima) };
  }

  /** A number, or a record of some of the senses. */
  #bySense(value: () => number): number | Record<string, number> {
    if (this.#random.chance(0.5)) return value();
    const named = this.#senses.filter(() => this.#random.chance(0.5));
    return Object.fromEntries(named.map((sense) => [sense, value()]));
  }

  #gain(): number {
    return this.#random.pick([0, 1, 1, 2, 0.5, 1e-7, 3, 1e6]);
  }
}

/** The largest range that an init or patch names, world units; 0 for none. */
export function rangeOf({ range }: PlainPatch): number {
  return typeof range === 'number' ? range : Math.max(0, ...Object.values(range ?? {}));
}
