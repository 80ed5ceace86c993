/**
 * The gateway's part of `npm run fuzz -- canary`. What counts as a find is said in canary/canary-model.ts. Exit code 1 for a find.
 */
import { canarySettings, runRounds } from '../../../tools/canary-rounds.ts';
import { runCanary } from './canary/canary-run.ts';
import { wrongWatcher } from './canary/sabotage.ts';

const settings = canarySettings();
await runRounds(settings, (seed, frames) =>
  runCanary(seed, frames, settings.plant ? wrongWatcher : undefined),
);
