/** Converts names of senses to a mask. */
import { badOption, shown, UmweltError } from '../errors.ts';
import type { WorldSettings } from '../settings.ts';

/** Bit i for `settings.senses[i]`. Throws `BAD_OPTION` if it is no list, `UNKNOWN_SENSE`. */
export function senseMask({ senses }: WorldSettings, names: readonly string[]): number {
  if (!Array.isArray(names)) throw badOption('senses', names, 'a list of senses');
  // A copy by spreading has `undefined` where the list has a hole, which `reduce` would pass over.
  return [...names].reduce((mask: number, name) => {
    const s = senses.indexOf(name);
    if (s >= 0) return mask | (1 << s);
    throw new UmweltError(
      'UNKNOWN_SENSE',
      `senses: ${shown(name)} was given, expected one of ${senses.join(', ')}`,
      { field: 'senses', value: name },
    );
  }, 0);
}
