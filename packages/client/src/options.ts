/**
 * Validates the options of a client, so that a misspelt or mistyped option does not silently fall back to its
 * default.
 */

/** Kind of an option: 'url' is a text or a function, and is required. */
export type OptionKind = 'url' | 'function' | 'number' | 'object';

const EXPECTED: Readonly<Record<OptionKind, string>> = {
  url: 'text or a function',
  function: 'a function',
  number: 'a number of at least 0',
  object: 'an object',
};

/** Throws `TypeError`. An option that is `undefined` counts as absent. */
export function checkOptions(options: object, kinds: Readonly<Record<string, OptionKind>>): void {
  if (!isOf('object', options))
    throw new TypeError('the options of UmweltClient are no object; expected one with a url');
  const given = new Map<string, unknown>([['url', undefined], ...Object.entries(options)]);
  for (const [name, value] of given) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined)
      throw new TypeError(`'${name}' is no option of UmweltClient; expected some of ${Object.keys(kinds)}`);
    if ((value === undefined && kind !== 'url') || isOf(kind, value)) continue;
    const told = typeof value === 'object' && value !== null ? 'an object' : String(value);
    throw new TypeError(`${name} of UmweltClient is ${told}; expected ${EXPECTED[kind]}`);
  }
}

function isOf(kind: OptionKind, value: unknown): boolean {
  if (kind === 'url') return typeof value === 'string' || typeof value === 'function';
  if (kind === 'number') return typeof value === 'number' && value >= 0;
  if (kind === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === 'function';
}
