/**
 * `npm run fuzz -- canary`: checks whether clients receive what they must not know, from a gateway and from a Colyseus
 * room in both its modes. They run one after the other, each with its own model and number of frames, and end with one
 * verdict.
 *
 * Each program runs in a process of its own, because the tests of one package know nothing of another's. It reports how
 * many frames it checked. There are no sockets: transports and rooms are in memory, because a socket adds no bytes. Exit
 * codes: 1 for a leak or for a program that ends with fewer frames, 2 for a wrong argument.
 */
import { fork } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const USAGE = `npm run fuzz -- canary

  --count N    how many frames in each place; default 100000
  --seed N     the first seed; a find names its own
  --where W    gateway, frames or view (a Colyseus room's modes); default all of them
  --plant      with a fault planted, that has to be found: a player who is shown what another watcher perceives
`;
const PLACES = ['gateway', 'frames', 'view'] as const;
const PROGRAMS = {
  gateway: '../packages/gateway/test/fuzz-canary.ts',
  frames: '../packages/colyseus/test/fuzz-canary.ts',
  view: '../packages/colyseus/test/fuzz-canary.ts',
} as const;

interface Plan {
  readonly help: boolean;
  readonly count: number;
  readonly seed: number;
  readonly places: readonly (typeof PLACES)[number][];
  readonly plant: boolean;
}

/** What a program checked; `ended`, its exit code, is 0 if it found nothing. */
interface Look {
  readonly frames: number;
  readonly ended: number | null;
}

function look(place: (typeof PLACES)[number], { count, seed, plant }: Plan): Promise<Look> {
  const program = fork(resolve(import.meta.dirname, PROGRAMS[place]), [
    JSON.stringify({ place, count, seed, plant }),
  ]);
  let frames = 0;
  program.on('message', (message: { readonly frames: number }) => {
    frames = message.frames;
  });
  return new Promise((done) => program.once('close', (ended) => done({ frames, ended })));
}

/** False if something was found, or too few frames were checked. */
async function run(plan: Plan): Promise<boolean> {
  let sum = 0;
  const failed: string[] = [];
  for (const place of plan.places) {
    const { frames, ended } = await look(place, plan);
    sum += frames;
    if (ended !== 0 || frames < plan.count) failed.push(`${place} after ${frames} frames`);
  }
  const verdict = failed.length === 0 ? 'nothing found' : `found: ${failed.join(', ')}`;
  process.stdout.write(`${sum} frames in ${plan.places.join(', ')}: ${verdict}\n`);
  return failed.length === 0;
}

/** `undefined` if the arguments are wrong. */
function planOf(args: string[]): Plan | undefined {
  const text = { type: 'string' } as const;
  const is = { type: 'boolean', default: false } as const;
  try {
    const options = { count: text, seed: text, where: text, plant: is, help: is } as const;
    const { values } = parseArgs({ args, options, strict: true });
    const count = Number(values.count ?? 100_000);
    const seed = Number(values.seed ?? Date.now() % 2 ** 31);
    const places = PLACES.filter((place) => values.where === undefined || values.where === place);
    const isSound = Number.isInteger(count) && count > 0 && Number.isInteger(seed) && seed >= 0;
    if (!isSound || places.length === 0) return undefined;
    return { help: values.help, count, seed, places, plant: values.plant };
  } catch {
    return undefined;
  }
}

const plan = planOf(process.argv.slice(2));
if (plan === undefined) {
  process.stderr.write(`fuzz: canary: expected\n${USAGE}`);
  process.exitCode = 2;
} else if (plan.help) process.stdout.write(USAGE);
else process.exitCode = (await run(plan)) ? 0 : 1;
