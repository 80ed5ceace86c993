/**
 * Checks for every options object, so that a misspelt or mistyped option does not silently fall back to its
 * default.
 *
 * A member that is `undefined` counts as absent everywhere; no other value does.
 */
import { UmweltError } from 'umwelt';
import { badOption, told } from './bad-option.ts';

/**
 * Throws `BAD_OPTION` if `given` is not an object or has a member that is not in `known`. `whose` names the
 * object, such as 'limits'; `prefix` precedes the name of the member, such as 'limits.'.
 */
export function checkKeys(whose: string, given: object, known: readonly string[], prefix = ''): void {
  if (!isObject(given)) {
    const message = `the options of ${whose} are ${told(given)}; expected an object of ${known.join(', ')}`;
    throw new UmweltError('BAD_OPTION', message, { field: whose, value: given });
  }
  for (const [name, value] of Object.entries(given)) {
    if (known.includes(name)) continue;
    const message = `'${name}' is no option of ${whose}; expected some of ${known.join(', ')}`;
    throw new UmweltError('BAD_OPTION', message, { field: prefix + name, value });
  }
}

/** Throws `BAD_OPTION` if `given` is not an object. */
export function checkObject(whose: string, given: unknown, members: readonly string[]): void {
  if (!isObject(given)) throw badOption(whose, given, `an object of ${members.join(', ')}`);
}

function isObject(given: unknown): given is object {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

/** Throws `BAD_OPTION` unless every given member is a function, and every member in `needed` is given. */
export function checkFunctions<Options extends object>(
  given: Options,
  names: readonly (keyof Options & string)[],
  needed: readonly (keyof Options & string)[] = [],
  prefix = '',
): void {
  for (const name of names) {
    const value = given[name];
    if (typeof value === 'function' || (value === undefined && !needed.includes(name))) continue;
    throw badOption(prefix + name, value, 'a function');
  }
}

/** Whether `value` is a number from `least` to `most`, both included. NaN is not. */
export function isNumberWithin(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && value >= least && value <= most;
}
