/**
 * The options that `play` and `replay` share: where the inspector's page is served, and who may open it.
 *
 * On any address but loopback the page's address has a token: a random one, or the one in the environment variable, which
 * stays the same after a restart.
 */
import { type Given, readList, readWhole } from './arguments.ts';
import { Mistake } from './faults.ts';
import type { Terminal } from './terminal.ts';

const TOKEN_VARIABLE = 'UMWELT_TOKEN';
/** As the inspector has it, whose error cannot name the variable. */
const TOKEN_LENGTH = { min: 16, max: 512 };

export const PAGE_OPTIONS = {
  port: { value: 'NUMBER', help: 'port of the page; 0 for any free one (7600)' },
  host: {
    value: 'ADDRESS',
    help: 'address to listen on; on any but loopback the page requires a token (127.0.0.1)',
  },
  'host-names': {
    value: 'NAMES',
    help: 'further host names to allow, separated by commas, such as those of a proxy (none)',
  },
} as const;

export const PAGE_OPTION_NAMES = ['port', 'host', 'host-names'] as const;

export interface PagePlan {
  readonly port: number;
  readonly host: string;
  readonly hostNames: readonly string[];
  /** Absent: the inspector chooses. */
  readonly token?: string;
}

/** @throws Mistake for an invalid port or token, or an empty host name. The inspector checks the rest. */
export function pagePlanOf(
  given: Given<typeof PAGE_OPTIONS>,
  environment: Terminal['environment'] = {},
): PagePlan {
  const token = environment[TOKEN_VARIABLE];
  // Without its value: it is a secret.
  if (token !== undefined && (token.length < TOKEN_LENGTH.min || token.length > TOKEN_LENGTH.max)) {
    const { min, max } = TOKEN_LENGTH;
    throw new Mistake(`${TOKEN_VARIABLE} has ${token.length} characters; expected ${min} to ${max}`);
  }
  return {
    port: readWhole('--port', given.port ?? '7600', 0, 65535),
    host: given.host ?? '127.0.0.1',
    hostNames: hostNamesOf(given['host-names']),
    ...(token === undefined ? {} : { token }),
  };
}

/** An empty one would be the inspector's mistake to find, which says nothing of commas. */
function hostNamesOf(given: string | undefined): string[] {
  const names = given === undefined ? [] : readList(given);
  if (!names.includes('')) return names;
  throw new Mistake(`--host-names has an empty name; expected names separated by commas, given '${given}'`);
}

/** A note for the help, below the options. */
export const TOKEN_NOTE = `Anyone who can open the page can pause the world. On any address but loopback the page requires a
token: a random one, or the one in the variable ${TOKEN_VARIABLE}, 16 characters or more.`;

/** A line for each of the page's addresses. */
export function addressLines([first, ...others]: readonly string[]): string[] {
  return [`${first} (Ctrl-C stops)`, ...others.map((url) => `from other machines: ${url}`)];
}
