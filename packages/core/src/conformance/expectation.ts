/**
 * Expectations for hand-written cases, one call each; no test runner needed.
 *
 * Every expectation is about a whole report: what is not listed must not be in it. A failed expectation throws an
 * Error whose message is the first difference.
 */
import type { EntityId, WorldOptions } from '../index.ts';
import { differenceOfLists, differenceOfReports, differenceOfWatched } from './report-comparison.ts';
import type { CreateSubject, Report, Subject } from './subject.ts';
import { ModelReport, WorldModel } from './world-model.ts';

/** A case that needs only a subject. Its name is the fact that it tests. */
export interface HandWrittenCase {
  readonly name: string;
  run(create: CreateSubject): void;
}

/** The expected report to one watcher. Lists in any order; absent lists are empty. */
export interface ExpectedView {
  readonly watcher: EntityId;
  readonly entered?: readonly EntityId[];
  readonly left?: readonly EntityId[];
  readonly updated?: readonly EntityId[];
  readonly sensed?: readonly EntityId[];
}

/** The whole report must be this, including the ids in `removed`. */
export function expectReport(
  got: Report,
  views: readonly ExpectedView[],
  removed: readonly EntityId[] = [],
): void {
  const ascending = (ids: readonly EntityId[] = []) => Uint32Array.from(ids).sort();
  const expected = views
    .map(({ watcher, entered, left, updated, sensed }) => ({
      watcher,
      entered: ascending(entered),
      left: ascending(left),
      updated: ascending(updated),
      sensed: ascending(sensed),
    }))
    .sort((one, other) => one.watcher - other.watcher);
  fail(differenceOfReports(new ModelReport(got.tick, expected, ascending(removed)), got));
}

/** The report must be empty. */
export function expectNothing(got: Report): void {
  expectReport(got, []);
}

/** The markers that become watched or unwatched in this tick. Lists in any order; absent lists are empty. */
export function expectWatched(
  got: Report,
  { watched = [], unwatched = [] }: { watched?: readonly EntityId[]; unwatched?: readonly EntityId[] },
): void {
  expectIds('watched', got.watched, watched);
  expectIds('unwatched', got.unwatched, unwatched);
}

/** The list must be these ids, ascending. */
export function expectIds(name: string, got: Uint32Array, expected: readonly EntityId[]): void {
  fail(differenceOfLists(name, Uint32Array.from(expected).sort(), got));
}

/** Two numbers, strings or booleans must be the same. */
export function expectSame<T extends number | string | boolean>(name: string, got: T, expected: T): void {
  if (!Object.is(got, expected)) fail(`${name} is ${got}, expected ${expected}`);
}

/** Makes the same calls on a subject and the model; ids are the subject's. Compares each tick's whole report. */
export class Pair {
  readonly subject: Subject;
  readonly model: WorldModel;

  constructor(create: CreateSubject, options: WorldOptions = {}) {
    this.subject = create(options);
    this.model = new WorldModel(options);
  }

  add(init: Parameters<Subject['add']>[0]): EntityId {
    return this.model.add(init, this.subject.add(init));
  }

  /** Makes any change on both, except additions and ticks. */
  both(change: (side: Subject) => void): void {
    change(this.subject);
    change(this.model);
  }

  tick(): Report {
    const got = this.subject.tick();
    const expected = this.model.tick();
    fail(differenceOfReports(expected, got) ?? differenceOfWatched(expected, got));
    return got;
  }
}

function fail(difference: string | undefined): void {
  if (difference !== undefined) throw new Error(difference);
}
