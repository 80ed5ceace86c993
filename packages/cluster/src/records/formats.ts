/**
 * Formats of records: which ones this version of the package reads and writes, and which records are of which.
 *
 * Members' own records (calls, marks, byes) are all of one format, that of the world: it is part of the replicated state, see
 * `Members.format`. It is the highest that all live members read, and it never falls. A later format means calls that an
 * earlier one cannot express, so a state that they changed cannot be given to a node of the earlier one.
 *
 * Records of nobody (hello, gone, anew) decide who is a member. Nodes of all versions must agree on that, so these records are of the
 * first format for ever: their layout never changes.
 *
 * Format 2 has steps, where format 1 has attachments only (records/steps.ts).
 *
 * To add a format: raise `FORMAT`. Where it differs from the former one, reader, writer and replica ask for the format. The
 * layout of a stored state goes with the format, too (state/stored-replica.ts), and so does what a digest covers. Raise
 * `OLDEST_FORMAT` when no world needs the oldest one any more.
 */

/** The oldest and the newest format that a node reads. It writes all of them. */
export type Formats = readonly [oldest: number, newest: number];

/** That of records of nobody, and of the first worlds. */
export const FIRST_FORMAT = 1;
const OLDEST_FORMAT = 1;
export const FORMAT = 2;
export const FORMATS: Formats = [OLDEST_FORMAT, FORMAT];

export function canRead([oldest, newest]: Formats, format: number): boolean {
  return format >= oldest && format <= newest;
}

/** '1', or '1 to 2'. */
export function formatsText([oldest, newest]: Formats): string {
  return oldest === newest ? String(oldest) : `${oldest} to ${newest}`;
}
