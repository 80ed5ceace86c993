/**
 * A Colyseus room's part of `npm run fuzz -- canary`, in one of its modes: seed after seed, until the count is up or something is found.
 * What counts as a find is said in canary/canary-run.ts; here, memory that grows is one too. Its settings are JSON, from tools/canary.ts.
 * Exit code 1 for a find.
 */
import { runCanary } from './canary/canary-run.ts';
import { collectGarbage } from './canary/collect-garbage.ts';

const ROUND = 20_000;
const GROWTH_BYTES = 8e6;

const { place: mode, count, seed: firstSeed, plant } = JSON.parse(process.argv[2] ?? '');
const sum: Record<string, number> & { frames: number } = { frames: 0 };
let firstBytes = 0;
for (let seed = firstSeed; sum.frames < count && process.exitCode !== 1; seed++) {
  try {
    const tally = await runCanary(
      mode,
      seed,
      Math.min(ROUND, count - sum.frames),
      plant ? 'wrong watcher' : undefined,
    );
    for (const [name, value] of Object.entries(tally)) sum[name] = (sum[name] ?? 0) + value;
  } catch (error) {
    print((error as Error).stack ?? String(error));
    print(`again: npm run fuzz -- canary --where ${mode} --seed ${seed} --count ${ROUND}`);
    process.exitCode = 1;
    break;
  }
  process.send?.({ frames: sum.frames });
  const bytes = heldBytes();
  // The first rounds are still compiling.
  if (seed <= firstSeed + 2) firstBytes = bytes;
  else if (bytes > firstBytes + GROWTH_BYTES) {
    print(`${mode}: the heap has grown from ${firstBytes} to ${bytes} bytes`);
    process.exitCode = 1;
  }
  print(
    `${mode}: heap ${(bytes / 1e6).toFixed(1)} MB, ${Object.entries(sum)
      .map(([name, value]) => `${value} ${name}`)
      .join(', ')}`,
  );
}
process.disconnect?.();

/** After collecting garbage, on demand. */
function heldBytes(): number {
  for (let i = 0; i < 4; i++) collectGarbage();
  return process.memoryUsage().heapUsed;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
