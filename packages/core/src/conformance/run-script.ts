/**
 * Runs a script on a world, together with the model or with a world that has another detector, and compares all their
 * answers.
 *
 * Problem: a wrong pair must be caught at the tick that reports it, whichever call shows it. Method: both sides get
 * every operation. After each tick the whole reports are compared, and the world's columns and hash checked. Unless the script says
 * that a report is enough, `validate` is called, and answers about relations are compared: all of them in small worlds, a sample in
 * larger ones. With another world, hashes and ids must be equal too. Cost: with the model O(n^2) a tick.
 */
import {
  type Changes,
  type DetectorFactory,
  type DetectorName,
  type EntityId,
  type Explanation,
  type Interest,
  type RestoreOptions,
  UmweltError,
  type WatcherRows,
  World,
  type WorldOptions,
} from '../index.ts';
import type { PlainExplanation } from './model/explanation.ts';
import {
  churnPlaces,
  crowdInit,
  type Operation,
  Roster,
  refusalOf,
  type Script,
  withoutAbsent,
} from './operations.ts';
import { inFull, interestOf, Mishap, optionsOf } from './plain-interest.ts';
import { faultOfNearest, faultOfQuery } from './query-model.ts';
import {
  differenceOfLists,
  differenceOfOutranked,
  differenceOfReports,
  differenceOfWatched,
  faultOfChanges,
} from './report-comparison.ts';
import type { CrowdInit, Report } from './subject.ts';
import { PAIR_COUNTS, WorldModel } from './world-model.ts';

/** The setup that a script runs on. */
export interface Trial {
  /** The detector to test. */
  readonly detector: DetectorName | DetectorFactory;
  /** What it is compared with: 'model' for small worlds, a detector for large ones. Default 'model'. */
  readonly against?: 'model' | DetectorName | DetectorFactory;
  /** Overrides the script's own options. Default: none. */
  readonly options?: Omit<WorldOptions, 'detector'>;
  /** Creates the tested world. Default: `new World(options)`. */
  readonly create?: (options: WorldOptions) => World;
}

/** Where the two sides differ. */
export interface Mismatch {
  /** Index of the operation that showed it. */
  readonly at: number;
  /** The first difference, in words. */
  readonly what: string;
}

/** All pairs are checked up to this number of entities; in larger worlds, pairs in a moving window. */
const ASKED_AT_ONCE = 8;
/** More than any script has. */
const OUTRANKED_MAX = 1e6;
/** Number of lines shown of an error's stack, its message included. */
const FRAMES_SHOWN = 4;

/** Runs `script`; returns the first mismatch, or `undefined` if both sides agree throughout. Never throws. */
export function runScript(script: Script, trial: Trial): Mismatch | undefined {
  let at = -1;
  try {
    const run = new ScriptRun(script, trial);
    for (at = 0; at < script.operations.length; at++) {
      const what = run.step(script.operations[at]);
      if (what !== undefined) return { at, what };
    }
    return undefined;
  } catch (error) {
    return { at, what: `threw ${errorText(error)}` };
  }
}

/** The message and its origin; deeper frames belong to the run itself. */
function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error.stack ?? error.message).split('\n').slice(0, FRAMES_SHOWN).join('\n');
}

/** The names of an explanation's members except its wording. */
function namesOf(explanation: PlainExplanation): (keyof PlainExplanation)[] {
  const names = Object.keys(explanation) as (keyof Explanation)[];
  return names.filter((name) => name !== 'sentence');
}

/** Whether two explanations have the same members with the same values. */
function areAlike(one: PlainExplanation, other: PlainExplanation): boolean {
  const names = namesOf(one);
  if (names.length !== namesOf(other).length) return false;
  return names.every((name) => {
    const [value, right]: unknown[] = [one[name], other[name]];
    if (!Array.isArray(value) || !Array.isArray(right)) return Object.is(value, right) && name in other;
    return value.length === right.length && value.every((each, i) => each === right[i]);
  });
}

/** The members of an explanation in a fixed order; JSON would drop infinities. */
function membersOf(explanation: PlainExplanation): string {
  const members = namesOf(explanation).map((name) => `${name} ${explanation[name]}`);
  return members.sort().join(', ');
}

/** Asked of thousands of ids that have none: the frames of each refusal take more time than the tick. */
function hasSlot(world: World, id: EntityId): boolean {
  const errors: { prototype: Error; stackTraceLimit?: number | undefined } = Error;
  const usualLimit = errors.stackTraceLimit;
  errors.stackTraceLimit = 0;
  try {
    world.slotOf(id);
    return true;
  } catch (error) {
    if (error instanceof UmweltError) return false;
    throw error;
  } finally {
    errors.stackTraceLimit = usualLimit;
  }
}

function rowOf({ offsets, watchers }: WatcherRows, i: number): Uint32Array {
  return watchers.subarray(offsets[i], offsets[i + 1]);
}

class ScriptRun {
  #world: World;
  /** Options for restoring the tested world, with the current interests. `undefined` if `create` made the world. */
  readonly #restoring: (RestoreOptions & { interests: Record<string, Interest> }) | undefined;
  #other: World | WorldModel;
  /** The detector of the other side, if that is a world. */
  readonly #against: DetectorName | DetectorFactory;
  readonly #roster = new Roster();
  /**
   * Whether the run listens for 'watched' and 'unwatched', the events since the last tick, and how to remove the
   * listeners.
   */
  #isListening = false;
  #told: [event: 'watched' | 'unwatched', marker: EntityId][] = [];
  #unlisten: (() => void)[] = [];
  /** Ids that the last report names. */
  #named: ReadonlySet<EntityId> = new Set();
  #window = 0;
  #turn = 0;

  constructor({ options }: Script, { detector, against = 'model', options: over, create }: Trial) {
    const given = optionsOf(options, this.#roster);
    const tried = { ...given, ...over, detector };
    this.#world = create?.(tried) ?? new World(tried);
    const { interests, kernels = 'auto', threads = 1 } = tried;
    this.#restoring =
      create === undefined ? { interests: { ...interests }, detector, kernels, threads } : undefined;
    const isModel = against === 'model';
    // By cells, what is perceived depends on the detector.
    this.#other = isModel
      ? new WorldModel({ ...given, detector })
      : new World({ ...given, detector: against });
    this.#against = isModel ? detector : against;
  }

  /** Makes one operation on both sides; returns the difference. */
  step(given: Operation): string | undefined {
    const operation = withoutAbsent(given, this.#roster);
    if (operation === undefined) return undefined;
    switch (operation.kind) {
      case 'add':
        return this.#add(operation);
      case 'addMany':
        return this.#addMany(operation);
      case 'tick':
        return this.#tick(operation.reportOnly);
      case 'failingTick':
        return this.#failingTick(operation.calls);
      case 'churn':
        return this.#churn(operation);
      case 'restore':
        return this.#restore();
      case 'listen':
        this.#listen();
        return undefined;
      case 'restoreAtRest':
        return this.#restoreAtRest();
      case 'probe':
        return this.#differenceOfAnswers();
      case 'query':
      case 'nearest':
        return this.#differenceOfQuestion(operation);
      case 'targets':
        return this.#differenceOfTargets(operation);
      case 'watchersAt': {
        const { place } = operation;
        return differenceOfLists('watchersAt', this.#other.watchersAt(place), this.#world.watchersAt(place));
      }
      default:
        if (operation.kind === 'ban') this.#roster.toggleBan(operation.key);
        return this.#apply(operation);
    }
  }

  /** Makes a call on both sides, which must both succeed or both fail. */
  #apply(operation: Operation): string | undefined {
    const refused = refusalOf(this.#world, operation, this.#roster);
    const expected = refusalOf(this.#other, operation, this.#roster);
    if (refused !== expected)
      return `${operation.kind} was ${refused ?? 'done'}, expected ${expected ?? 'that'}`;
    if (operation.kind === 'setInterest' && this.#restoring !== undefined)
      this.#restoring.interests[operation.name] = interestOf(operation.interest, this.#roster);
    if (operation.kind === 'remove') this.#roster.strike(operation.key);
    if (operation.kind === 'removeMany') for (const key of operation.keys) this.#roster.strike(key);
    return undefined;
  }

  #add({ key, init: plain }: Extract<Operation, { kind: 'add' }>): string | undefined {
    const init = inFull(plain, this.#roster.idOnce);
    const id = this.#world.add(init);
    const otherId = this.#other instanceof WorldModel ? this.#other.add(init, id) : this.#other.add(init);
    this.#roster.enrol(key, id);
    if (plain.volatile !== undefined) this.#roster.setVolatile(key, plain.volatile);
    return id === otherId ? undefined : `add gave ${id}, on the other side ${otherId}`;
  }

  #addMany(operation: Extract<Operation, { kind: 'addMany' }>): string | undefined {
    const { ids, difference } = this.#addCrowd(crowdInit(operation, this.#roster));
    operation.keys.forEach((key, i) => {
      this.#roster.enrol(key, ids[i]);
      if (operation.traits.volatile !== undefined) this.#roster.setVolatile(key, operation.traits.volatile);
    });
    return difference;
  }

  /** Adds the crowd, ticks, removes it, and ticks until its slots may be reused. */
  #churn(operation: Extract<Operation, { kind: 'churn' }>): string | undefined {
    const { ids, difference } = this.#addCrowd({
      ...inFull(operation.traits, this.#roster.idOnce),
      ...churnPlaces(operation),
    });
    const whileHere = difference ?? this.#tick(true);
    this.#world.removeMany(ids);
    this.#other.removeMany(ids);
    return whileHere ?? this.#tick(true) ?? this.#tick();
  }

  #addCrowd(init: CrowdInit): { ids: Uint32Array; difference: string | undefined } {
    const { x } = init;
    const ids = this.#world.addMany(init);
    const otherIds =
      this.#other instanceof WorldModel ? this.#other.addMany(init, ids) : this.#other.addMany(init);
    if (ids.length !== x.length) return { ids, difference: `addMany gave ${ids.length} ids for ${x.length}` };
    return { ids, difference: differenceOfLists('what addMany gave', otherIds, ids) };
  }

  /** Until the next tick a restored world explains less, because functions are not stored. */
  #restore(): string | undefined {
    if (this.#restoring === undefined) return this.#tick();
    this.#world = World.restore(this.#world.snapshot(), this.#restoring);
    this.#unlisten = [];
    const difference = this.#differenceOfCounts() ?? this.#tick();
    if (this.#isListening) this.#listen();
    return difference;
  }

  #listen(): void {
    this.#isListening = true;
    for (const undo of this.#unlisten) undo();
    this.#unlisten = (['watched', 'unwatched'] as const).map((event) =>
      this.#world.on(event, (marker) => void this.#told.push([event, marker])),
    );
    // A world counts from the first listener on.
    if (this.#other instanceof World) this.#other.on('watched', () => {});
  }

  /** Until the next tick a restored world has no listeners, but it continues to count. */
  #differenceOfWatched(expected: Report, changes: Changes): string | undefined {
    const told = this.#told.splice(0);
    if (!this.#isListening) return undefined;
    const difference = differenceOfWatched(expected, changes);
    if (difference !== undefined || this.#unlisten.length === 0) return difference;
    const named = (event: string) => Uint32Array.from(told.flatMap(([e, id]) => (e === event ? [id] : [])));
    return (
      differenceOfLists('told as watched', expected.watched, named('watched')) ??
      differenceOfLists('told as unwatched', expected.unwatched, named('unwatched'))
    );
  }

  #restoreAtRest(): string | undefined {
    const [restoring, other] = [this.#restoring, this.#other];
    if (restoring === undefined) return undefined;
    this.#world = World.restore(this.#world.snapshot({ atRest: true }), restoring);
    if (other instanceof WorldModel) other.restAll();
    else {
      const options = { interests: restoring.interests, detector: this.#against };
      this.#other = World.restore(other.snapshot({ atRest: true }), options);
    }
    this.#unlisten = [];
    const difference = this.#differenceOfCounts() ?? this.#tick();
    if (this.#isListening) this.#listen();
    return difference;
  }

  #tick(isReportOnly = false): string | undefined {
    this.#roster.phase++;
    return this.#compareTick(this.#world.tick(), isReportOnly);
  }

  /** Ticks the other side as the world did, and compares. */
  #compareTick(changes: Changes, isReportOnly = false): string | undefined {
    const report: Report | Changes = this.#other.tick();
    const difference =
      differenceOfReports(report, changes) ??
      faultOfChanges(changes) ??
      this.#differenceOfWatched(report, changes);
    if (difference !== undefined) return difference;
    if ('hash' in report && report.hash() !== changes.hash()) {
      return `tick ${changes.tick}: hash is ${changes.hash()}, expected ${report.hash()}`;
    }
    const misplaced = this.#faultOfSlots(changes);
    if (misplaced !== undefined) return misplaced;
    // Where a tick reports nothing, only answers can show a fault of it.
    const isQuiet = changes.viewCount === 0;
    if (isReportOnly) return isQuiet ? this.#differenceOfOutranked(this.#roster.ids) : undefined;
    this.#world.validate();
    return this.#differenceOfAnswers(isQuiet);
  }

  /**
   * Every id that a tick names must have a slot until the next tick and no longer, and all slots must be below
   * `slotCount`.
   */
  #faultOfSlots(changes: Changes): string | undefined {
    const world = this.#world;
    const { slotCount } = world;
    const named = new Set<EntityId>(changes.removed);
    for (const { watcher, left } of changes) {
      named.add(watcher);
      for (const id of left) named.add(id);
    }
    for (const ids of [named, world.ids()]) {
      for (const id of ids) {
        const slot = world.slotOf(id);
        if (slot !== id >>> 10 || slot >= slotCount)
          return `slotOf(${id}) is ${slot}, slotCount ${slotCount}`;
      }
    }
    for (const was of this.#named) {
      if (named.has(was) || world.has(was) || !hasSlot(world, was)) continue;
      return `slotOf(${was}) is ${world.slotOf(was)}, though no report names it any more`;
    }
    this.#named = named;
    return undefined;
  }

  /** Only the tested world fails; the other side does nothing. */
  #failingTick(calls: number): string | undefined {
    const [world, roster] = [this.#world, this.#roster];
    const { tickCount } = world;
    const before = world.lastChanges.hash();
    roster.callsLeft = calls;
    let changes: Changes | undefined;
    try {
      changes = world.tick();
    } catch (error) {
      if (!(error instanceof Mishap)) throw error;
    }
    roster.callsLeft = Number.POSITIVE_INFINITY;
    if (changes !== undefined) return this.#compareTick(changes);
    if (world.tickCount !== tickCount) return `tickCount is ${world.tickCount} after a tick that failed`;
    if (world.lastChanges.hash() !== before) return 'lastChanges is another after a tick that failed';
    world.validate();
    return this.#differenceOfAnswers();
  }

  /**
   * Compares the answers of both sides about relations, as of the last tick, and about positions, now. `isQuiet`: the
   * tick reported nothing.
   */
  #differenceOfAnswers(isQuiet = false): string | undefined {
    const [world, other] = [this.#world, this.#other];
    const difference = differenceOfLists('ids()', other.ids(), world.ids());
    if (difference !== undefined) return difference;
    if (world.stateHash() !== other.stateHash())
      return `stateHash() is ${world.stateHash()}, expected ${other.stateHash()}`;
    if (world.size !== other.size) return `size is ${world.size}, expected ${other.size}`;
    const miscounted = this.#differenceOfCounts();
    if (miscounted !== undefined) return miscounted;
    const asked = this.#someIds();
    const rows = world.watchersOfMany(Uint32Array.from(asked));
    for (const [i, id] of asked.entries()) {
      const [place, expected] = [world.position(id), other.position(id)];
      if (!expected.every((value, axis) => value === place[axis])) {
        return `position(${id}) is [${place}], expected [${expected}]`;
      }
      const [parent, over] = [world.parentOf(id), other.parentOf(id)];
      if (parent !== over) return `parentOf(${id}) is ${parent}, expected ${over}`;
      const watchers = other.watchersOf(id);
      const lists =
        differenceOfLists(`visibleTo(${id})`, other.visibleTo(id), world.visibleTo(id)) ??
        differenceOfLists(`childrenOf(${id})`, other.childrenOf(id), world.childrenOf(id)) ??
        differenceOfLists(`watchersOf(${id})`, watchers, world.watchersOf(id)) ??
        differenceOfLists(`watchersOfMany, row ${i}`, watchers, rowOf(rows, i));
      if (lists !== undefined) return lists;
      const count = world.watcherCount(id);
      if (count !== watchers.length) return `watcherCount(${id}) is ${count}, expected ${watchers.length}`;
      for (const marker of asked) {
        const [mask, right] = [world.senses(id, marker), other.senses(id, marker)];
        if (mask !== right) return `senses(${id}, ${marker}) is ${mask}, expected ${right}`;
      }
      // Of one pair a watcher, in turns: explanations are expensive, and the lists have all relations.
      const marker = asked[this.#turn++ % asked.length];
      if (world.related(id, marker) !== other.related(id, marker)) {
        return `related(${id}, ${marker}) is ${world.related(id, marker)}`;
      }
      const unlike = this.#differenceOfExplanations(id, marker);
      if (unlike !== undefined) return unlike;
    }
    return this.#differenceOfOutranked(isQuiet ? this.#roster.ids : asked);
  }

  /** Compares the counts of both sides for relations as of the last tick. */
  #differenceOfCounts(): string | undefined {
    const [got, expected] = [this.#world.stats(), this.#other.stats()];
    const count = PAIR_COUNTS.find((name) => got[name] !== expected[name]);
    return count && `${count} is ${got[count]}, expected ${expected[count]}`;
  }

  /** Compares all of an explanation except its wording. */
  #differenceOfExplanations(watcher: EntityId, marker: EntityId): string | undefined {
    const answer = this.#world.explain(watcher, marker);
    const expected: PlainExplanation = this.#other.explain(watcher, marker);
    if (areAlike(answer, expected)) return undefined;
    const [got, right] = [membersOf(answer), membersOf(expected)];
    if (got === right) return undefined;
    return `explain(${watcher}, ${marker}) says '${answer.sentence}': ${got}, expected ${right}`;
  }

  /** Compares who got no seat of these watchers, how many seats there are, and how many are taken. */
  #differenceOfOutranked(watchers: readonly EntityId[]): string | undefined {
    const other = this.#other;
    for (const watcher of watchers) {
      const expected =
        other instanceof World ? other.outranked(watcher, OUTRANKED_MAX) : other.outranked(watcher);
      const got = expected && this.#world.outranked(watcher, OUTRANKED_MAX);
      const difference = got && differenceOfOutranked(watcher, expected, got);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }

  #differenceOfQuestion(question: Extract<Operation, { kind: 'query' | 'nearest' }>): string | undefined {
    const got = (side: World) =>
      question.kind === 'query'
        ? side.query(question.shape, question.options)
        : side.nearest(question.x, question.y, question.k, question.options);
    const answer = got(this.#world);
    if (!(this.#other instanceof WorldModel))
      return differenceOfLists(question.kind, got(this.#other), answer);
    const settled = question.options.now === true ? this.#other.present : this.#other.settled;
    const fault =
      question.kind === 'query'
        ? faultOfQuery(settled, question.shape, question.options, answer)
        : faultOfNearest(settled, question.x, question.y, question.k, question.options, answer);
    return fault && `${question.kind}: ${fault}`;
  }

  #differenceOfTargets({ key, shape, options }: Extract<Operation, { kind: 'targets' }>): string | undefined {
    const caster = this.#roster.idOf(key);
    const answer = this.#world.targets(caster, shape, options);
    if (!(this.#other instanceof WorldModel))
      return differenceOfLists('targets', this.#other.targets(caster, shape, options), answer);
    const other = this.#other;
    const { senses, ...rest } = options;
    const isSensed = (marker: EntityId) =>
      other.options.senses.some(
        (sense, i) => senses?.includes(sense) && (other.senses(caster, marker) & (1 << i)) !== 0,
      );
    const related = new Set(other.visibleTo(caster));
    const among = [...other.settled].filter(
      ([id]) => related.has(id) && (senses === undefined || isSensed(id)),
    );
    const fault = faultOfQuery(new Map(among), shape, rest, answer);
    return fault && `targets of ${caster}: ${fault}`;
  }

  #someIds(): EntityId[] {
    const ids = this.#roster.ids;
    if (ids.length <= ASKED_AT_ONCE) return ids;
    this.#window = (this.#window + 3) % ids.length;
    return [...ids, ...ids].slice(this.#window, this.#window + ASKED_AT_ONCE);
  }
}
