/**
 * The rounds of a program of `npm run fuzz -- canary` (canary.ts): seed after seed, until so many frames were looked at or something is
 * found. Each package's program brings the round; it prints what was seen and tells its parent how many frames that were.
 */

/** Frames of one seed. */
const ROUND = 20_000;

export interface CanarySettings {
  readonly place: string;
  readonly count: number;
  readonly seed: number;
  readonly plant: boolean;
}

/** What tools/canary.ts has given this program. */
export function canarySettings(): CanarySettings {
  return JSON.parse(process.argv[2] ?? '') as CanarySettings;
}

/**
 * Plays rounds, each of which answers how much of what it looked at; one that throws has found something: exit code 1. `afterRound` answers what is to be said of it besides, and may set
 * the exit code, too.
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
