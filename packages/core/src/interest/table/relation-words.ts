/**
 * The words of crossings of relation (detectors/crossings.ts), from how a pair relates before and after the tick.
 */
import { SENSELESS_AFTER, SENSELESS_BEFORE } from '../../detectors/crossings.ts';
import { RELATED, sensesOf } from './pair-rows.ts';

/** The pair relates, by a sense or without; the senses are in the bits below. */
export const RELATES = 1 << 8;

/**
 * The low word of a crossing of relation, from a pair's states before and after; 0 if there is nothing to
 * report.
 */
export function lowWordOf(marker: number, stateBefore: number, stateAfter: number): number {
  return lowWordBetween(marker, relationOf(stateBefore), relationOf(stateAfter));
}

/** As `lowWordOf`, from `RELATES` and senses; 0 for a pair that does not relate. */
export function lowWordBetween(marker: number, before: number, after: number): number {
  return before === after ? 0 : wordBetween(marker, before, after);
}

/** As `lowWordOf`, for an edit (seats/row-edits.ts): also if there is nothing to report. */
export function editWordOf(marker: number, stateBefore: number, stateAfter: number): number {
  return wordBetween(marker, relationOf(stateBefore), relationOf(stateAfter));
}

function wordBetween(marker: number, before: number, after: number): number {
  const senseless = (before === RELATES ? SENSELESS_BEFORE : 0) | (after === RELATES ? SENSELESS_AFTER : 0);
  return ((marker << 20) | (before & 255) | ((after & 255) << 8) | senseless) >>> 0;
}

function relationOf(state: number): number {
  return (state & RELATED) === 0 ? 0 : RELATES | sensesOf(state);
}
