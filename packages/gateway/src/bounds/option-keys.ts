/** Options that nobody reads are misspelt ones: they are an error, before a default stands in for them unseen. */
import { UmweltError } from 'umwelt';

/** Throws `BAD_OPTION` for a member of `given` that is not among `known`. `whose` names the object, as 'limits'. */
export function checkKeys(whose: string, given: object, known: readonly string[]): void {
  for (const [name, value] of Object.entries(given)) {
    if (known.includes(name)) continue;
    const message = `'${name}' is no option of ${whose}; expected some of ${known.join(', ')}`;
    throw new UmweltError('BAD_OPTION', message, { field: name, value });
  }
}
