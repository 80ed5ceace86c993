/** The error for a value that a caller gave and that is not what was expected. */
import { UmweltError, type UmweltErrorCode } from 'umwelt';

/** Says what was given and what was expected. */
export function badOption(
  field: string,
  value: unknown,
  expected: string,
  code: UmweltErrorCode = 'BAD_OPTION',
): UmweltError {
  return new UmweltError(code, `${field}: ${shown(value)} was given, expected ${expected}`, {
    field,
    value,
  });
}

/** Throws `BAD_OPTION` for a member that is not in `known`: otherwise a misspelt limit would silently have no effect. */
export function rejectUnknown(given: unknown, known: readonly string[]): asserts given is object {
  if (typeof given !== 'object' || given === null) throw badOption('options', given, 'an object');
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const message = `options: ${shown(unknown)} is no option, expected ${known.join(', ')}`;
  const value = (given as Readonly<Record<string, unknown>>)[unknown];
  throw new UmweltError('BAD_OPTION', message, { field: unknown.slice(0, 80), value });
}

/** A value of any kind in a message: `String()` alone throws for some objects. */
function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 80)}'`;
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return `an object (${classOf(value)})`;
  return String(value).slice(0, 80);
}

/** The value may come from anywhere and may have a `constructor` property of its own. */
function classOf(value: object): string {
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === 'string' ? name.slice(0, 40) : 'no class';
}
