/**
 * What every object of options is checked for, before a default stands in unseen for what was misspelt or is of another kind.
 *
 * What is `undefined` counts as absent everywhere, and nothing else does.
 */
import { UmweltError } from 'umwelt';
import { badOption } from './bad-option.ts';

/** Throws `BAD_OPTION` for what is no object, and for a member that is not among `known`. `whose` names it, as 'limits', `prefix` goes before the member's name, as 'limits.'. */
export function checkKeys(whose: string, given: object, known: readonly string[], prefix = ''): void {
  checkObject(whose, given, known);
  for (const [name, value] of Object.entries(given)) {
    if (known.includes(name)) continue;
    const message = `'${name}' is no option of ${whose}; expected some of ${known.join(', ')}`;
    throw new UmweltError('BAD_OPTION', message, { field: prefix + name, value });
  }
}

/** Throws `BAD_OPTION` for what is no object. */
export function checkObject(whose: string, given: unknown, members: readonly string[]): void {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return;
  throw badOption(whose, given, `an object of ${members.join(', ')}`);
}

/** Throws `BAD_OPTION` unless those members that are given, and `needed` ones always, are functions. */
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

/** Whether it is a number between these, both included; NaN is none. */
export function isNumberWithin(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && value >= least && value <= most;
}
