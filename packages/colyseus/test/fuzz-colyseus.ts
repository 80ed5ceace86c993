/**
 * `npm run fuzz -- colyseus`: the canary by the million frames, in both modes, seed after seed, until the count is up or something
 * is found. What counts as a find is said in canary/canary-run.ts; here, memory that grows is one too. Exit codes: 1 for a find, 2 for a wrong argument.
 */
import { parseArgs } from 'node:util';
import { type CanaryTally, runCanary } from './canary/canary-run.ts';
import { collectGarbage } from './canary/collect-garbage.ts';

const USAGE = `npm run fuzz -- colyseus

  --count N   how many frames in each mode; default 100000
  --seed N    the first seed; a find names its own
  --mode M    frames or view; default both
`;
const ROUND = 20_000;
const GROWTH_BYTES = 8e6;
const MODES = ['frames', 'view'] as const;
type Mode = (typeof MODES)[number];

interface Plan {
  readonly help: boolean;
  readonly count: number;
  readonly seed: number;
  readonly modes: readonly Mode[];
}

/** False when something was found. */
async function fuzzColyseus({ modes, count, seed: firstSeed }: Plan): Promise<boolean> {
  for (const mode of modes) {
    const sum: Record<string, number> = {};
    let firstBytes = 0;
    for (let seed = firstSeed; (sum.frames ?? 0) < count; seed++) {
      let tally: CanaryTally;
      try {
        tally = await runCanary(mode, seed, Math.min(ROUND, count - (sum.frames ?? 0)));
      } catch (error) {
        print((error as Error).stack ?? String(error));
        print(`again: npm run fuzz -- colyseus --mode ${mode} --seed ${seed} --count ${ROUND}`);
        return false;
      }
      for (const [name, value] of Object.entries(tally)) sum[name] = (sum[name] ?? 0) + value;
      const bytes = heldBytes();
      // The first rounds are still compiling.
      if (seed <= firstSeed + 2) firstBytes = bytes;
      else if (bytes > firstBytes + GROWTH_BYTES) {
        print(`${mode}: the heap has grown from ${firstBytes} to ${bytes} bytes`);
        return false;
      }
      print(
        `${mode}: heap ${(bytes / 1e6).toFixed(1)} MB, ${Object.entries(sum)
          .map((entry) => entry.join(' '))
          .join(', ')}`,
      );
    }
  }
  print('nothing found');
  return true;
}

/** After collecting garbage, on demand. */
function heldBytes(): number {
  for (let i = 0; i < 4; i++) collectGarbage();
  return process.memoryUsage().heapUsed;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** `undefined` for what is none. */
function planOf(words: readonly string[]): Plan | undefined {
  const text = { type: 'string' } as const;
  const options = { count: text, seed: text, mode: text, help: { type: 'boolean', default: false } } as const;
  try {
    const { values } = parseArgs({ args: [...words], options, strict: true });
    const count = Number(values.count ?? 100_000);
    const seed = Number(values.seed ?? Date.now() % 2 ** 31);
    const modes = MODES.filter((mode) => values.mode === undefined || values.mode === mode);
    const isSound = Number.isInteger(count) && count > 0 && Number.isInteger(seed) && modes.length > 0;
    return isSound ? { help: values.help, count, seed, modes } : undefined;
  } catch {
    return undefined;
  }
}

const plan = planOf(process.argv.slice(2));
if (plan === undefined) {
  process.stderr.write(
    'fuzz: colyseus: expected --count N and --seed N, whole numbers, and --mode frames or view\n',
  );
  process.exitCode = 2;
} else if (plan.help) process.stdout.write(USAGE);
else process.exitCode = (await fuzzColyseus(plan)) ? 0 : 1;
