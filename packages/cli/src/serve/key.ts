/**
 * What a caller calls its entities: whole numbers of 0 to 2^53 - 1, or texts of 1 to 64 bytes. `5` and `'5'` differ.
 */
import { KEY_BYTES_MAX } from './serve-format.ts';

export type Key = number | string;

export function isKey(value: unknown): value is Key {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0;
  if (typeof value !== 'string' || value === '' || value.length > KEY_BYTES_MAX) return false;
  // Half a surrogate pair has no bytes of its own: two texts would be told as one.
  return value.isWellFormed() && Buffer.byteLength(value) <= KEY_BYTES_MAX;
}
