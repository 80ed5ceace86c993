/**
 * An interest as text in a record, less its functions: JSON, where Infinity is the text 'Infinity'.
 *
 * Rules are said once and read by people, so their form is not worth a format of its own, and a rule that the engine learns
 * needs nothing here. What is read is any value: the world that it is given to decides if it is an interest.
 */
import type { Interest } from 'umwelt';
import type { ByteReader, ByteWriter } from 'umwelt/bytes';

/** Letters of an interest, at most: 255 rings and 32 quotas take some 12,000. */
export const INTEREST_LENGTH_MAX = 32 * 1024;

export function writeInterest(writer: ByteWriter, { rank, admit, ...numbers }: Interest): void {
  const text = JSON.stringify(numbers, (_, value: unknown) =>
    value === Number.POSITIVE_INFINITY ? 'Infinity' : value,
  );
  writer.text(text);
}

/** Throws the reader's code for what is no JSON. */
export function readInterest(reader: ByteReader): Interest {
  const text = reader.text();
  reader.check(text.length <= INTEREST_LENGTH_MAX, `at most ${INTEREST_LENGTH_MAX} letters`);
  let found: unknown;
  try {
    found = JSON.parse(text, (_, value: unknown) =>
      value === 'Infinity' ? Number.POSITIVE_INFINITY : value,
    );
  } catch {
    throw reader.fault('an interest in JSON');
  }
  reader.check(typeof found === 'object' && found !== null && !Array.isArray(found), 'an object of JSON');
  return found as Interest;
}
