/**
 * Keys: a caller's names for its entities. Integers of 0 to 2^53 - 1, or strings of 1 to 64 bytes. `5` and `'5'` differ.
 */
import { KEY_BYTES_MAX } from './serve-format.ts';

export type Key = number | string;

export function isKey(value: unknown): value is Key {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0;
  if (typeof value !== 'string' || value === '' || value.length > KEY_BYTES_MAX) return false;
  // A lone surrogate has no UTF-8 bytes: two different strings would become equal.
  return value.isWellFormed() && Buffer.byteLength(value) <= KEY_BYTES_MAX;
}
