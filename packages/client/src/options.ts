/**
 * Validates what a client is given: a misspelt or mistyped option must not silently fall back to its default, and a
 * listener of a misspelt event must not silently wait for ever.
 */

/** Kind of an option, in the words of the error. */
export type OptionKind = 'text or a function' | 'a function' | 'a number of at least 0' | 'an object';

/** Throws `TypeError`. An option that is `undefined` counts as absent. */
export function checkOptions(options: object, kinds: Readonly<Record<string, OptionKind>>): void {
  if (!isOf('an object', options)) throw invalid('options', options, 'an object with a url');
  for (const [name, value] of Object.entries({ url: undefined, ...options })) {
    checkName('option', name, Object.keys(kinds));
    if (value !== undefined || name === 'url') check(name, value, kinds[name] as OptionKind);
  }
}

/** Throws `TypeError` for a value of another kind. */
export function check(name: string, value: unknown, kind: OptionKind): void {
  if (!isOf(kind, value)) throw invalid(name, value, kind);
}

/** Throws `TypeError` for a name that is not one of `known`. */
export function checkName(what: string, name: string, known: readonly string[]): void {
  if (!known.includes(name))
    throw new TypeError(`'${name}' is no ${what} of UmweltClient; expected one of ${known.join(', ')}`);
}

/** The error for an invalid value. */
export function invalid(name: string, value: unknown, expected: string): TypeError {
  // Not every object can be converted to text, and the text of a function is its source.
  const told = Object(value) === value ? typeof value : String(value);
  return new TypeError(`${name} of UmweltClient is ${told}; expected ${expected}`);
}

function isOf(kind: OptionKind, value: unknown): boolean {
  if (kind === 'a number of at least 0') return typeof value === 'number' && value >= 0;
  if (kind === 'an object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === 'function' || (kind === 'text or a function' && typeof value === 'string');
}
