/**
 * Decides for each marker of one watcher whether it is forced, a candidate for a seat, or neither, in the
 * contract's order:
 *
 *   block: no.  pin, group, always: by force.  senses, with margin, or linger, then admit: a candidate.
 *
 * Cost: small, except for pairs that the margin may hold, and for a user's `admit`.
 */
import { VOLATILE } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { TOUCHED } from '../../entities/pending.ts';
import { badOption } from '../../errors.ts';
import type { Admissions } from '../table/admissions.ts';
import {
  ASKED,
  BLOCKED,
  CANDIDATE,
  EVERY_SENSE,
  FORCED,
  hasAnswer,
  REFUSED,
  RELATED,
  sensesOf,
} from '../table/pair-rows.ts';
import type { AdmitFunction, ResolvedInterest } from './interest.ts';
import type { Lingering } from './linger.ts';
import { withMargin } from './margin.ts';
import { squaredDistance } from './rank.ts';

/** Returns the state of a pair after the tick: senses, force, and whether it is a candidate. 0: the pair is dropped. */
export type RowJudge = (marker: number, before: number, exact: number, force: number) => number;

/** The judge of a watcher's row. `blocks`: ids; `lingering`: `undefined` if no marker lingers; `admissions`: calls already made. */
export function judgeOf(
  store: EntityStore,
  interest: ResolvedInterest,
  blocks: ReadonlySet<number> | undefined,
  watcher: number,
  lingering: Lingering | undefined = undefined,
  tick = 0,
  admissions: Admissions | undefined = undefined,
): RowJudge {
  const { now, settings, ids } = store;
  const { leaveMargin, admit } = interest;
  const isWatcherAskedAnew = isAskedAnew(store, watcher);
  return (marker, before, exact, force) => {
    if (!now.isPresent(marker)) return 0;
    let senses = exact;
    if (leaveMargin > 0 && (before & RELATED) !== 0) {
      // When a forced relation ends, the margin holds the pair in every sense.
      const hasEnded = force === 0 && (before & FORCED) !== 0;
      const held = hasEnded ? EVERY_SENSE : sensesOf(before);
      senses = withMargin(settings, now, watcher, marker, held, exact, leaveMargin);
    }
    const state = exact | (senses << 8);
    if (blocks?.has(ids.idOf[marker]) === true) return state === 0 ? 0 : state | BLOCKED;
    if (force !== 0) return state | force;
    const mayStay =
      senses !== 0 || lingering?.lingers(store, interest, watcher, marker, before, tick) === true;
    if (!mayStay) return 0;
    if (admit === undefined) return state | CANDIDATE;
    const mustAsk = isWatcherAskedAnew || isAskedAnew(store, marker);
    const isAdmitted =
      hasAnswer(before) && !mustAsk
        ? (before & REFUSED) === 0
        : (admissions?.find(watcher, marker) ?? isAdmittedNow(store, admit, watcher, marker));
    return state | ASKED | (isAdmitted ? CANDIDATE : REFUSED);
  };
}

/** Whether `admit` is asked again about all pairs of an entity (a slot), as a watcher or as a marker. */
export function isAskedAnew({ pending, now }: EntityStore, slot: number): boolean {
  return (pending[slot] & TOUCHED) !== 0 || (now.flags[slot] & VOLATILE) !== 0;
}

/**
 * What the interest's `admit` returns for a pair in the tick under way. Slots. Throws `BAD_OPTION` for an answer that is no
 * boolean: a promise, which is true to JavaScript, would refuse every pair.
 */
export function isAdmittedNow(
  { settings, now, ids }: EntityStore,
  admit: AdmitFunction,
  watcher: number,
  marker: number,
): boolean {
  const answer: unknown = admit(
    ids.idOf[watcher],
    ids.idOf[marker],
    squaredDistance(settings, now, watcher, marker),
  );
  if (typeof answer === 'boolean') return answer;
  throw badOption('admit', answer, 'true or false as its answer, at once');
}
