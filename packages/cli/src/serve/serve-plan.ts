/**
 * The options of `umwelt serve`, and the plan that follows from them.
 *
 * Anyone who can reach the port can fill the world, so on any address but loopback a token is required, and short tokens are refused.
 */
import { isIP } from 'node:net';
import { detectorNames, type Interest, type WorldOptions } from 'umwelt';
import { type Given, parseOptions, readChoice, readList, readNumber, readWhole } from '../arguments.ts';
import { bytesOf, Mistake } from '../faults.ts';
import { TOKEN_BYTES_MAX } from './serve-format.ts';
import { SERVE_LIMITS } from './serve-limits.ts';

const TOKEN_BYTES_MIN = 16;
const ENTITIES_MOST = 4_000_000;
const THREADS_MOST = 16;
/** Ticks per second of a world that ticks by itself. */
const RATE_MIN = 0.1;

const TOKEN_VARIABLE = 'UMWELT_TOKEN';

export const SERVE_OPTIONS = {
  rate: { value: 'HERTZ', help: 'ticks per second; 0: when a caller requests one (20)' },
  senses: { value: 'NAMES', help: 'separated by commas, 1 to 8: sight,hearing (sight)' },
  dimensions: { value: '2|3', help: 'dimensions of the world (2)' },
  'range-shape': { value: 'SHAPE', help: 'circle, box, or in 3-D cylinder (circle)' },
  groups: { value: 'KINDS', help: 'separated by commas, 1 to 4: party,raid (group)' },
  interests: {
    value: 'FILE',
    help: 'JSON file of interests by name, such as {"default": {"cap": 50, "leaveMargin": 5}}',
  },
  detector: { value: 'NAME', help: `${detectorNames.join(', ')} (sweep)` },
  threads: { value: 'COUNT', help: 'threads of a tick, if memory can be shared, 1 to 16 (1)' },
  'entities-max': { value: 'COUNT', help: `maximum entities of all callers (${SERVE_LIMITS.entitiesMax})` },
  port: { value: 'NUMBER', help: 'port for callers; 0 for any free one (7650)' },
  host: {
    value: 'ADDRESS',
    help: 'address to listen on; on any but loopback a token is required (127.0.0.1)',
  },
  token: {
    value: 'TEXT',
    help: `what callers must send, ${TOKEN_BYTES_MIN} bytes or more; better in ${TOKEN_VARIABLE}, which ps does not show`,
  },
  'admin-port': {
    value: 'NUMBER',
    help: 'port for /healthz, /readyz and /metrics, on loopback; 0 for any free one (none)',
  },
  'public-health': { help: "serves /healthz and /readyz on the callers' port too, to everyone" },
  help: { short: 'h', help: 'this text' },
} as const;

export interface ServePlan {
  readonly world: WorldOptions;
  /** Ticks per second; 0: on a caller's request. */
  readonly rate: number;
  readonly entitiesMax: number;
  readonly port: number;
  readonly host: string;
  readonly adminPort: number | undefined;
  readonly publicHealth: boolean;
  readonly token: string | undefined;
}

/** @throws Mistake for invalid options. */
export function planOf(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ServePlan {
  const given = parseOptions(words, SERVE_OPTIONS);
  const host = given.host ?? '127.0.0.1';
  const token = tokenOf(given.token ?? environment[TOKEN_VARIABLE]);
  if (token === undefined && !isLoopback(host)) {
    throw new Mistake(`--host ${host} needs a token: --token, or the variable ${TOKEN_VARIABLE}`);
  }
  const port = readWhole('--port', given.port ?? '7650', 0, 65535);
  const admin = given['admin-port'];
  const adminPort = admin === undefined ? undefined : readWhole('--admin-port', admin, 0, 65535);
  if (adminPort === port && port !== 0) {
    throw new Mistake(`--admin-port: expected another port than --port, given '${adminPort}'`);
  }
  return {
    world: worldOptionsOf(given),
    rate: rateOf(given.rate ?? '20'),
    entitiesMax: readWhole(
      '--entities-max',
      given['entities-max'] ?? String(SERVE_LIMITS.entitiesMax),
      1,
      ENTITIES_MOST,
    ),
    port,
    host,
    adminPort,
    publicHealth: given['public-health'] !== undefined,
    token,
  };
}

function rateOf(text: string): number {
  const rate = readNumber('--rate', text, 0, 1000);
  if (rate === 0 || rate >= RATE_MIN) return rate;
  throw new Mistake(`--rate: expected 0, or a number from ${RATE_MIN} to 1000, given '${text}'`);
}

function worldOptionsOf(given: Given<typeof SERVE_OPTIONS>): WorldOptions {
  const shape = given['range-shape'];
  return {
    dimensions:
      given.dimensions === undefined ? 2 : readWhole('--dimensions', given.dimensions, 2, 3) === 2 ? 2 : 3,
    threads: readWhole('--threads', given.threads ?? '1', 1, THREADS_MOST),
    detector: readChoice('--detector', given.detector ?? 'sweep', detectorNames),
    ...(given.senses === undefined ? {} : { senses: readList(given.senses) }),
    ...(given.groups === undefined ? {} : { groups: readList(given.groups) }),
    ...(shape === undefined
      ? {}
      : { rangeShape: readChoice('--range-shape', shape, ['circle', 'box', 'cylinder']) }),
    ...(given.interests === undefined ? {} : { interests: interestsIn(given.interests) }),
  };
}

/** The contents of the file; the world checks the interests. */
function interestsIn(file: string): Record<string, Interest> {
  const text = bytesOf(file).toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Mistake(`${file}: not JSON: ${(error as Error).message}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, Interest>;
  throw new Mistake(`${file}: expected an object of interests by name, such as {"default": {"cap": 50}}`);
}

function tokenOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const bytes = Buffer.byteLength(text);
  if (bytes >= TOKEN_BYTES_MIN && bytes <= TOKEN_BYTES_MAX) return text;
  throw new Mistake(`the token has ${bytes} bytes; expected ${TOKEN_BYTES_MIN} to ${TOKEN_BYTES_MAX}`);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
