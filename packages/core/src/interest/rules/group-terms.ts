/**
 * The terms on which a watcher is shown its group: `showGroup` as an object.
 *
 *   within    'reach': as far as the watcher's ranges reach a marker of gain 1, in the senses in which its gain is not 0 or,
 *             through 'gain', in all. A number: world units. Infinity: anywhere
 *   through   'gain': also cloaked members. 'layers': also members on layers that the watcher does not see
 *
 * A member is cloaked to a watcher if the watcher's range is 0 in every sense in which the member's gain is
 * not 0. Channels and conditions separate the members of a group on any terms. Cost: see
 * derived/group-crossings.ts for the distance; nothing for the rest, while nothing changes.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import { badOption, isRecord, rejectUnknownKeys } from '../../errors.ts';
import { checkedWithin } from './pin-reasons.ts';

/** Which groups' members a watcher is shown, and within which limits. */
export interface ShownGroups {
  /** Default: all kinds. */
  kinds?: readonly string[];
  /**
   * World units, default Infinity: members at most this far away are shown. 'reach': members within the
   * distance that the watcher's ranges reach at gain 1, in the senses in which the member's gain is not 0; in
   * all senses with `through: ['gain']`.
   */
  within?: 'reach' | number;
  /**
   * What does not hide a member. Default nothing: a member that is cloaked, or on layers that the watcher
   * does not see, is not shown.
   */
  through?: readonly ('gain' | 'layers')[];
}

export interface GroupTerms {
  /** float32. */
  readonly within: 'reach' | number;
  readonly isThroughGain: boolean;
  readonly isThroughLayers: boolean;
}

const NAMES: ReadonlySet<string> = new Set(['kinds', 'within', 'through']);
const NO_TERMS = 0;
const HAS_TERMS = 1;
const TO_REACH = 2;
const THROUGH_GAIN = 4;
const THROUGH_LAYERS = 8;

/** Throws `BAD_OPTION`, `BAD_RANGE` for the distance. Does not check kinds. */
export function checkedTerms(field: string, given: ShownGroups): GroupTerms {
  rejectUnknownKeys(given, NAMES, field);
  const { within = Number.POSITIVE_INFINITY, through = [] } = given;
  if (!Array.isArray(through)) throw badOption(`${field}.through`, through, "a list of 'gain' and 'layers'");
  const wrong = through.findIndex((name) => name !== 'gain' && name !== 'layers');
  if (wrong >= 0) throw badOption(`${field}.through[${wrong}]`, through[wrong], "'gain' or 'layers'");
  return {
    within: within === 'reach' ? within : checkedWithin(`${field}.within`, within, "'reach', "),
    isThroughGain: through.includes('gain'),
    isThroughLayers: through.includes('layers'),
  };
}

/** Whether a `showGroup` is an object with terms. */
export function hasTerms(showGroup: unknown): showGroup is ShownGroups {
  return isRecord(showGroup);
}

export function saveTerms(writer: ByteWriter, terms: GroupTerms | undefined): void {
  if (terms === undefined) {
    writer.u8(NO_TERMS);
    return;
  }
  const { within, isThroughGain, isThroughLayers } = terms;
  writer.u8(
    HAS_TERMS |
      (within === 'reach' ? TO_REACH : 0) |
      (isThroughGain ? THROUGH_GAIN : 0) |
      (isThroughLayers ? THROUGH_LAYERS : 0),
  );
  writer.f32(within === 'reach' ? 0 : within);
}

/** The terms as users give them, without kinds; `undefined` if there are none. */
export function loadTerms(reader: ByteReader): Omit<ShownGroups, 'kinds'> | undefined {
  const bits = reader.u8();
  reader.check(
    bits === NO_TERMS || ((bits & HAS_TERMS) !== 0 && bits < 2 * THROUGH_LAYERS),
    'terms of a group',
  );
  if (bits === NO_TERMS) return undefined;
  const within = reader.f32();
  const through: ('gain' | 'layers')[] = [];
  if ((bits & THROUGH_GAIN) !== 0) through.push('gain');
  if ((bits & THROUGH_LAYERS) !== 0) through.push('layers');
  return { within: (bits & TO_REACH) !== 0 ? 'reach' : within, through };
}
