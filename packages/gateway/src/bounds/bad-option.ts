/** The error for an invalid option or value. */
import { UmweltError } from 'umwelt';

const TOLD_LENGTH = 40;

export function badOption(field: string, value: unknown, expected: string): UmweltError {
  return new UmweltError('BAD_OPTION', `${field} is ${told(value)}; expected ${expected}`, { field, value });
}

/** Describes a value in a few words; not every value can be converted to text. */
export function told(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `'${value.slice(0, TOLD_LENGTH)}'`;
    case 'function':
      return 'a function';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? 'a list' : 'an object';
    default:
      return String(value);
  }
}
