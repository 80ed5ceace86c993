/**
 * The relations of the model, from tick to tick: what the rules decide, and when it is reported.
 *
 * Problem: rules depend on the past, on earlier seats and reports. Method: the bonds of the last tick are kept, with
 * the entities as they were then, and each tick creates new ones. If a watcher's rules differ from those at the last
 * tick, its relations then count as seats taken and reported in that tick, and it remembers no marker. Cost: O(n^2) a
 * tick.
 */
import type { EntityId, Interest, WorldOptions } from '../../index.ts';
import { type Figure, type ModelOptions, squaredDistance } from '../perception.ts';
import type { ReportView } from '../subject.ts';
import { withAttached } from './attachments.ts';
import { type Bond, type Bonds, NO_BONDS, type Unseated } from './bond.ts';
import { type Answers, decide, type Waits } from './decision.ts';
import { type Aftermath, explained, type PlainExplanation } from './explanation.ts';
import { LostSeats } from './lost-seats.ts';
import { outranked, type PlainOutranked } from './outranked.ts';
import { RuleBook } from './rules.ts';
import { PlainTies } from './ties.ts';
import { everyTicksOf, isDue } from './update-rates.ts';

type Figures = ReadonlyMap<EntityId, Figure>;

export class PlainRelations {
  readonly ties = new PlainTies();
  readonly #options: ModelOptions;
  readonly #rules: RuleBook;
  #lostSeats = new LostSeats();
  /** The tick at which each entity last moved or was touched. */
  #changedAt = new Map<EntityId, number>();
  #last = new Map<EntityId, Figure>();
  #bonds: Bonds = new Map();
  /** What `watched` is for these bonds: each tick asks for it before and after. */
  #watched: { bonds: Bonds; markers: ReadonlySet<EntityId> } = { bonds: this.#bonds, markers: new Set() };
  #tickCount = 0;
  /** Watchers that get updates at rates. */
  #rated = new Set<EntityId>();
  /** As of the last tick, for explanations. */
  #unseated = new Map<EntityId, Map<EntityId, Unseated>>();
  #tiesThen = new PlainTies();
  /** Answers of `admit` at the last tick. */
  #answers: Answers = new Map();
  #waits: Waits = new Map();

  constructor(options: ModelOptions, given: WorldOptions) {
    this.#options = options;
    this.#rules = new RuleBook(given);
  }

  /** The entities as of the last tick. */
  get last(): Figures {
    return this.#last;
  }

  /** Sets another interest for a name, from the next tick on. */
  setInterest(name: string, interest: Interest): void {
    this.#rules.set(name, interest);
  }

  /** As if all entities had been at rest since before the last tick. */
  restAll(): void {
    this.#rated = new Set();
    for (const figure of this.#last.values()) figure.watches = false;
    this.#bonds = new Map();
    this.#waits = new Map();
    this.#unseated = new Map();
    this.#lostSeats = new LostSeats();
  }

  /** Drops all state of an entity except the last tick's results. */
  remove(id: EntityId): void {
    this.ties.remove(id);
    this.#lostSeats.remove(id);
    this.#changedAt.delete(id);
  }

  /**
   * Decides all relations again; returns the report of each watcher, in no order. If a rule throws, nothing has
   * changed.
   */
  tick(
    tick: number,
    figures: Figures,
    touched: ReadonlySet<EntityId>,
    teleported: ReadonlySet<EntityId>,
  ): ReportView[] {
    const [rules, lostSeats, changedAt] = [this.#rules.state, this.#lostSeats, this.#changedAt];
    const [unseated, tiesThen, rated] = [this.#unseated, this.#tiesThen, this.#rated];
    this.#lostSeats = lostSeats.copy();
    this.#changedAt = new Map(changedAt);
    try {
      return this.#decided(tick, figures, touched, teleported);
    } catch (error) {
      this.#rules.restore(rules);
      [this.#lostSeats, this.#changedAt] = [lostSeats, changedAt];
      [this.#unseated, this.#tiesThen, this.#rated] = [unseated, tiesThen, rated];
      throw error;
    }
  }

  #decided(
    tick: number,
    figures: Figures,
    touched: ReadonlySet<EntityId>,
    teleported: ReadonlySet<EntityId>,
  ): ReportView[] {
    for (const [id, figure] of figures) {
      if (touched.has(id) || hasMoved(this.#last.get(id), figure)) this.#changedAt.set(id, tick);
    }
    const renewed = new Set<EntityId>();
    const before = this.#takeUpRules(tick, figures, renewed);
    const answers = new Map<EntityId, Map<EntityId, boolean>>();
    const waiting = new Map<EntityId, Map<EntityId, number>>();
    this.#unseated = new Map();
    this.#tiesThen = this.ties.copy();
    const situation = {
      tick,
      options: this.#options,
      figures,
      rules: this.#rules,
      ties: this.ties,
      lostSeats: this.#lostSeats,
      before,
      unseated: this.#unseated,
      answersBefore: without(this.#answers, renewed),
      answers,
      touched,
      waitingBefore: without(this.#waits, renewed),
      waiting,
    };
    const after = withAttached(situation, decide(situation));
    this.#answers = answers;
    this.#waits = waiting;
    const bonds = new Map(after);
    const views: ReportView[] = [];
    for (const [watcher, decided] of after) {
      const old = before.get(watcher) ?? NO_BONDS;
      // Most of a crowd watch nothing.
      if (old.size === 0 && decided.size === 0) continue;
      const anew = teleported.size === 0 ? [] : teleportedOf(watcher, teleported, old, decided);
      const others = this.#updatedOf(tick, figures, watcher, old, decided);
      const updated = anew.length === 0 ? others : others.filter((marker) => !anew.includes(marker));
      views.push(viewOf(watcher, old, decided, updated, anew));
      const told = anew.length === 0 ? updated : [...updated, ...anew];
      if (told.length > 0) bonds.set(watcher, toldAt(decided, tick, new Set(told)));
    }
    this.#bonds = bonds;
    this.#tickCount = tick;
    this.#last = new Map();
    for (const [id, figure] of figures) this.#last.set(id, { ...figure });
    return views.filter(({ entered, left, updated, sensed }) => {
      return entered.length + left.length + updated.length + sensed.length > 0;
    });
  }

  /** As of the last tick: includes seats without consent, and entities removed since. */
  bondsOf(watcher: EntityId): ReadonlyMap<EntityId, Bond> {
    return this.#bonds.get(watcher) ?? NO_BONDS;
  }

  /** The markers that any watcher relates to as of the last tick; includes entities removed since, on both sides. */
  get watched(): ReadonlySet<EntityId> {
    const { bonds, markers } = this.#watched;
    if (bonds === this.#bonds) return markers;
    const watched = new Set<EntityId>();
    for (const bonds of this.#bonds.values()) {
      for (const [marker, bond] of bonds) if (bond.isRelated) watched.add(marker);
    }
    this.#watched = { bonds: this.#bonds, markers: watched };
    return watched;
  }

  /** Number of pairs related as of the last tick. */
  get count(): number {
    let count = 0;
    for (const bonds of this.#bonds.values()) for (const bond of bonds.values()) if (bond.isRelated) count++;
    return count;
  }

  /** How many of these no sense perceives and nothing forces: they linger. */
  get lingeringCount(): number {
    let count = 0;
    for (const bonds of this.#bonds.values()) {
      for (const { isRelated, isForced, isAttached, senses } of bonds.values())
        if (isRelated && !isForced && !isAttached && senses === 0) count++;
    }
    return count;
  }

  /** Number of pairs that waited to enter after the last tick. */
  get waitingCount(): number {
    let count = 0;
    for (const waits of this.#waits.values()) count += waits.size;
    return count;
  }

  /** The bond of a pair that was related at the last tick. */
  related(watcher: EntityId, marker: EntityId): Bond | undefined {
    const bond = this.#bonds.get(watcher)?.get(marker);
    return bond?.isRelated ? bond : undefined;
  }

  /** What decided on a pair at the last tick, and by which numbers. */
  explained(watcher: EntityId, marker: EntityId): PlainExplanation {
    return explained(this.#aftermath, watcher, marker);
  }

  /** Who got no seat of a watcher at the last tick; `undefined` if nothing limits its seats. */
  outranked(watcher: EntityId, isPresent: (id: EntityId) => boolean): PlainOutranked | undefined {
    return outranked(this.#aftermath, watcher, isPresent);
  }

  get #aftermath(): Aftermath {
    return {
      options: this.#options,
      rules: this.#rules,
      ties: this.#tiesThen,
      figures: this.#last,
      bonds: this.#bonds,
      tick: this.#tickCount,
      unseated: this.#unseated,
    };
  }

  /** The bonds of the last tick as they count now for watchers whose rules, or `updates`, changed since. */
  #takeUpRules(tick: number, figures: Figures, outRenewed: Set<EntityId>): Bonds {
    const renewed = this.#rules.takeUp();
    const before = new Map(this.#bonds);
    for (const [watcher, bonds] of this.#bonds) {
      const [last, now] = [this.#last.get(watcher) as Figure, figures.get(watcher)];
      if (now === undefined) continue;
      if (last.interest !== now.interest || renewed.has(now.interest)) {
        outRenewed.add(watcher);
        before.set(watcher, takenOver(bonds, tick - 1));
        this.#lostSeats.forget(watcher);
      } else if (now.updates && !last.updates) {
        before.set(watcher, toldAt(bonds, tick - 1, new Set(bonds.keys())));
      }
    }
    this.#takeUpRates(tick, figures, renewed, before);
    return before;
  }

  /**
   * Determines the watchers that get updates at rates, their interest's or a pin's. A watcher that has rates because
   * of a pin keeps them until its interest changes, it is at rest, or it gets no updates. For a watcher that starts
   * with rates, all markers count as reported in the last tick.
   */
  #takeUpRates(
    tick: number,
    figures: Figures,
    renewed: ReadonlySet<string>,
    before: Map<EntityId, ReadonlyMap<EntityId, Bond>>,
  ): void {
    const rated = new Set<EntityId>();
    for (const [id, now] of figures) {
      if (!now.watches || !now.updates) continue;
      const last = this.#last.get(id);
      const isRenewed = last !== undefined && (last.interest !== now.interest || renewed.has(now.interest));
      const hasRates = this.#rules.of(now).updateRates.some(([, everyTicks]) => everyTicks > 1);
      const wasRated = this.#rated.has(id);
      if (!hasRates && !this.ties.hasRates(id) && (!wasRated || isRenewed)) continue;
      rated.add(id);
      const bonds = before.get(id);
      if (!wasRated && !isRenewed && bonds !== undefined)
        before.set(id, toldAt(bonds, tick - 1, new Set(bonds.keys())));
    }
    this.#rated = rated;
  }

  #updatedOf(
    tick: number,
    figures: Figures,
    watcher: EntityId,
    before: ReadonlyMap<EntityId, Bond>,
    after: ReadonlyMap<EntityId, Bond>,
  ): EntityId[] {
    if (after.size === 0) return [];
    const seer = figures.get(watcher) as Figure;
    if (!seer.updates) return [];
    const rules = this.#rules.of(seer);
    return [...after.keys()].filter((marker) => {
      const [old, bond] = [before.get(marker), after.get(marker) as Bond];
      if (!old?.isRelated || !bond.isRelated) return false;
      if ((this.#changedAt.get(marker) ?? 0) <= bond.lastReported) return false;
      const seen = figures.get(marker) as Figure;
      const squared = squaredDistance(seer, seen, this.#options);
      const everyTicks =
        this.ties.rateAt(watcher, marker, squared) ?? everyTicksOf(seer, seen, rules, this.#options);
      return isDue(tick, bond.lastReported, marker >>> 10, everyTicks);
    });
  }
}

/** Data by watcher, without that of these watchers. */
function without<T>(
  kept: ReadonlyMap<EntityId, T>,
  watchers: ReadonlySet<EntityId>,
): ReadonlyMap<EntityId, T> {
  return watchers.size === 0 ? kept : new Map([...kept].filter(([watcher]) => !watchers.has(watcher)));
}

/** Relations as the seats of a watcher with new rules: taken, and reported, in that tick. */
function takenOver(bonds: ReadonlyMap<EntityId, Bond>, tick: number): Map<EntityId, Bond> {
  const related = [...bonds].filter(([, bond]) => bond.isRelated);
  return new Map(related.map(([marker, bond]) => [marker, { ...bond, since: tick, lastReported: tick }]));
}

/** The same bonds; those of `told` were last reported in that tick. */
function toldAt(
  bonds: ReadonlyMap<EntityId, Bond>,
  tick: number,
  told: ReadonlySet<EntityId>,
): Map<EntityId, Bond> {
  return new Map(
    [...bonds].map(([marker, bond]) => [marker, told.has(marker) ? { ...bond, lastReported: tick } : bond]),
  );
}

/** The markers that relate before and after, and are reported as left and entered. */
function teleportedOf(
  watcher: EntityId,
  teleported: ReadonlySet<EntityId>,
  before: ReadonlyMap<EntityId, Bond>,
  after: ReadonlyMap<EntityId, Bond>,
): EntityId[] {
  const isTeleported = (marker: EntityId) => teleported.has(watcher) || teleported.has(marker);
  return [...after.keys()].filter((marker) => {
    return isTeleported(marker) && before.get(marker)?.isRelated && after.get(marker)?.isRelated;
  });
}

function viewOf(
  watcher: EntityId,
  before: ReadonlyMap<EntityId, Bond>,
  after: ReadonlyMap<EntityId, Bond>,
  updated: EntityId[],
  /** Reported as left and entered, though they relate before and after. */
  anew: readonly EntityId[],
): ReportView {
  const entered: EntityId[] = [...anew];
  const left: EntityId[] = [...anew];
  const sensed: EntityId[] = [];
  for (const [marker, bond] of after) {
    if (!bond.isRelated) continue;
    const old = before.get(marker);
    if (!old?.isRelated) entered.push(marker);
    else if (old.senses !== bond.senses && !anew.includes(marker)) sensed.push(marker);
  }
  for (const [marker, old] of before) {
    if (old.isRelated && !after.get(marker)?.isRelated) left.push(marker);
  }
  return {
    watcher,
    entered: ascending(entered),
    left: ascending(left),
    updated: ascending(updated),
    sensed: ascending(sensed),
  };
}

const NOBODY = new Uint32Array(0);

function ascending(ids: readonly EntityId[]): Uint32Array {
  return ids.length === 0 ? NOBODY : Uint32Array.from(ids).sort();
}

function hasMoved(last: Figure | undefined, now: Figure): boolean {
  return last === undefined || now.x !== last.x || now.y !== last.y || now.z !== last.z;
}
