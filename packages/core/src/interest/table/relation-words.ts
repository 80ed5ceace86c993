/**
 * The words of crossings of relation (detectors/crossings.ts), from the states of a pair before and after the
 * tick.
 */
import { SENSELESS_AFTER, SENSELESS_BEFORE } from '../../detectors/crossings.ts';
import { RELATED, sensesOf } from '../pair-rows.ts';

const SENSELESS = 256;

/**
 * The low word of a crossing of relation, from a pair's states before and after; 0 if there is nothing to
 * report.
 */
export function lowWordOf(marker: number, stateBefore: number, stateAfter: number): number {
  const [before, after] = [payloadOf(stateBefore), payloadOf(stateAfter)];
  if (before === after) return 0;
  const senseless =
    (before === SENSELESS ? SENSELESS_BEFORE : 0) | (after === SENSELESS ? SENSELESS_AFTER : 0);
  return ((marker << 20) | (before & 255) | ((after & 255) << 8) | senseless) >>> 0;
}

/** The senses of a related pair, `SENSELESS` if it relates by no sense; 0 for a pair that does not relate. */
function payloadOf(state: number): number {
  if ((state & RELATED) === 0) return 0;
  const senses = sensesOf(state);
  return senses === 0 ? SENSELESS : senses;
}
