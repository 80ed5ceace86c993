/**
 * A Colyseus room's part of `npm run fuzz -- canary`, in one of its modes. What counts as a find is said in canary/canary-run.ts; here,
 * memory that grows is one too. Exit code 1 for a find.
 */
import { canarySettings, runRounds } from '../../../tools/canary-rounds.ts';
import { runCanary } from './canary/canary-run.ts';
import { collectGarbage } from './canary/collect-garbage.ts';

const GROWTH_BYTES = 8e6;

const settings = canarySettings();
const mode = settings.place as Parameters<typeof runCanary>[0];
let firstBytes = 0;
await runRounds(
  settings,
  (seed, frames) => runCanary(mode, seed, frames, settings.plant ? 'wrong watcher' : undefined),
  (seed) => {
    const bytes = heldBytes();
    // The first rounds are still compiling.
    if (seed <= settings.seed + 2) firstBytes = bytes;
    else if (bytes > firstBytes + GROWTH_BYTES) {
      process.stdout.write(`${mode}: the heap has grown from ${firstBytes} to ${bytes} bytes\n`);
      process.exitCode = 1;
    }
    return `heap ${(bytes / 1e6).toFixed(1)} MB, `;
  },
);

/** After collecting garbage, on demand. */
function heldBytes(): number {
  for (let i = 0; i < 4; i++) collectGarbage();
  return process.memoryUsage().heapUsed;
}
