/**
 * The rounds of a program of `npm run fuzz -- canary` (canary.ts): seed after seed, until enough frames were checked or a
 * leak is found. Each package's program provides the round. It prints its counts and sends its parent the number of
 * frames.
 */

/** Frames checked with one seed. */
const ROUND = 20_000;

export interface CanarySettings {
  readonly place: string;
  readonly count: number;
  readonly seed: number;
  readonly plant: boolean;
}

/** The arguments from tools/canary.ts. */
export function canarySettings(): CanarySettings {
  return JSON.parse(process.argv[2] ?? '') as CanarySettings;
}

/**
 * Plays rounds. Each returns counts of what it checked; a round that throws has found a leak: exit code 1. `afterRound` returns
 * further text to print, and may set the exit code, too.
 */
export async function runRounds(
  { place, count, seed: firstSeed }: CanarySettings,
  round: (seed: number, frames: number) => Promise<{ readonly frames: number }>,
  afterRound: (seed: number) => string = () => '',
): Promise<void> {
  const sum: Record<string, number> & { frames: number } = { frames: 0 };
  for (let seed = firstSeed; sum.frames < count && process.exitCode !== 1; seed++) {
    try {
      const tally = await round(seed, Math.min(ROUND, count - sum.frames));
      for (const [name, value] of Object.entries<number>({ ...tally })) sum[name] = (sum[name] ?? 0) + value;
    } catch (error) {
      print((error as Error).stack ?? String(error));
      print(`again: npm run fuzz -- canary --where ${place} --seed ${seed} --count ${ROUND}`);
      process.exitCode = 1;
      break;
    }
    process.send?.({ frames: sum.frames });
    const besides = afterRound(seed);
    const seen = Object.entries(sum).map(([name, value]) => `${value} ${name}`);
    print(`${place}: ${besides}${seen.join(', ')}`);
  }
  process.disconnect?.();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
