/** The error for an option or a value that was given and is none. */
import { UmweltError } from 'umwelt';

export function badOption(field: string, value: unknown, expected: string): UmweltError {
  const given = typeof value === 'string' ? `'${value.slice(0, 40)}'` : String(value);
  return new UmweltError('BAD_OPTION', `${field} is ${given}; expected ${expected}`, { field, value });
}
