/**
 * The gateway's part of `npm run fuzz -- canary`: seed after seed, until the count is up or something is found. What counts as a find is
 * said in canary/canary-model.ts. Its settings are JSON, from tools/canary.ts. Exit code 1 for a find.
 */
import { runCanary } from './canary/canary-run.ts';
import { wrongWatcher } from './canary/sabotage.ts';

const ROUND = 20_000;

const { count, seed: firstSeed, plant } = JSON.parse(process.argv[2] ?? '');
const sum: Record<string, number> & { frames: number } = { frames: 0 };
for (let seed = firstSeed; sum.frames < count; seed++) {
  try {
    const tally = await runCanary(
      seed,
      Math.min(ROUND, count - sum.frames),
      plant ? wrongWatcher : undefined,
    );
    for (const [name, value] of Object.entries(tally)) sum[name] = (sum[name] ?? 0) + value;
  } catch (error) {
    print((error as Error).stack ?? String(error));
    print(`again: npm run fuzz -- canary --where gateway --seed ${seed} --count ${ROUND}`);
    process.exitCode = 1;
    break;
  }
  process.send?.({ frames: sum.frames });
  print(
    `gateway: ${Object.entries(sum)
      .map(([name, value]) => `${value} ${name}`)
      .join(', ')}`,
  );
}
process.disconnect?.();

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
