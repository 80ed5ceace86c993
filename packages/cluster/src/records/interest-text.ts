/**
 * An interest as text in a record, without its functions: JSON, with Infinity as the text 'Infinity'.
 *
 * Interests are sent rarely and read by people, so a binary format is not worth it, and a new rule of the engine needs no
 * change here. The reader accepts any JSON object: the world that gets it decides whether it is an interest.
 */
import type { Interest } from 'umwelt';
import type { ByteReader, ByteWriter } from 'umwelt/bytes';

/** Maximum letters of an interest: 255 rings and 32 quotas take some 12,000. */
export const INTEREST_LENGTH_MAX = 32 * 1024;

/** The rules of an interest take three. */
const DEPTH_MAX = 16;

export function writeInterest(writer: ByteWriter, interest: Interest): void {
  writer.text(interestText(interest));
}

/** As it is written. */
export function interestText({ rank, admit, ...numbers }: Interest): string {
  return JSON.stringify(numbers, (_, value: unknown) =>
    value === Number.POSITIVE_INFINITY ? 'Infinity' : value,
  );
}

/** Throws with the reader's code for text that is not JSON, or has what `writeInterest` leaves out: a state would not keep it. */
export function readInterest(reader: ByteReader): Interest {
  const text = reader.text();
  reader.check(text.length <= INTEREST_LENGTH_MAX, `at most ${INTEREST_LENGTH_MAX} letters`);
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw reader.fault('an interest in JSON');
  }
  reader.check(typeof found === 'object' && found !== null && !Array.isArray(found), 'an object of JSON');
  reader.check(!('rank' in found || 'admit' in found), 'an interest without functions');
  reader.check(isRead(found, DEPTH_MAX), `an interest of at most ${DEPTH_MAX} levels`);
  return found as Interest;
}

/**
 * Puts Infinity in place of its text; false if there are more levels. Not a reviver of JSON.parse: at how many levels that runs
 * out of stack depends on the caller, so that one node would refuse a record that another one reads.
 */
function isRead(holder: object, levels: number): boolean {
  const values = holder as Record<string, unknown>;
  return Object.entries(values).every(([key, value]) => {
    if (value === 'Infinity') values[key] = Number.POSITIVE_INFINITY;
    return typeof value !== 'object' || value === null || (levels > 1 && isRead(value, levels - 1));
  });
}
