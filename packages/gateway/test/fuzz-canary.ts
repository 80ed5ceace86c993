/**
 * `npm run fuzz -- canary`: the gateway's canary by the million frames, seed after seed, until the count is up or something is found.
 * What counts as a find is said in canary/canary-model.ts. Exit codes: 1 for a find, 2 for a wrong argument.
 */
import { parseArgs } from 'node:util';
import { runCanary } from './canary/canary-run.ts';

const USAGE = `npm run fuzz -- canary

  --count N   how many frames; default 100000
  --seed N    the first seed; a find names its own
`;
const ROUND = 20_000;

/** False when something was found. */
async function fuzzCanary(count: number, firstSeed: number): Promise<boolean> {
  const sum: Record<string, number> = { frames: 0 };
  for (let seed = firstSeed; sum.frames! < count; seed++) {
    try {
      const tally = await runCanary(seed, Math.min(ROUND, count - sum.frames!));
      for (const [name, value] of Object.entries(tally)) sum[name] = (sum[name] ?? 0) + value;
    } catch (error) {
      print((error as Error).stack ?? String(error));
      print(`again: npm run fuzz -- canary --seed ${seed} --count ${ROUND}`);
      return false;
    }
    print(
      Object.entries(sum)
        .map(([name, value]) => `${value} ${name}`)
        .join(', '),
    );
  }
  print('nothing found');
  return true;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** `undefined` for what is none. */
function numbersOf(words: readonly string[]): { help: boolean; count: number; seed: number } | undefined {
  const text = { type: 'string' } as const;
  const options = { count: text, seed: text, help: { type: 'boolean', default: false } } as const;
  try {
    const { values } = parseArgs({ args: [...words], options, strict: true });
    const count = Number(values.count ?? 100_000);
    const seed = Number(values.seed ?? Date.now() % 2 ** 31);
    const isSound = Number.isInteger(count) && count > 0 && Number.isInteger(seed) && seed >= 0;
    return isSound ? { help: values.help, count, seed } : undefined;
  } catch {
    return undefined;
  }
}

const numbers = numbersOf(process.argv.slice(2));
if (numbers === undefined) {
  process.stderr.write('fuzz: canary: expected --count N above 0 and --seed N, whole numbers\n');
  process.exitCode = 2;
} else if (numbers.help) process.stdout.write(USAGE);
else process.exitCode = (await fuzzCanary(numbers.count, numbers.seed)) ? 0 : 1;
