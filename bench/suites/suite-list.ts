/** The suites by name, in the order in which they run, one line each. */
import { calls } from './calls.ts';
import { changes } from './changes.ts';
import { churn } from './churn.ts';
import { copies } from './copies.ts';
import { crowds } from './crowds.ts';
import { density } from './density.ts';
import { detectors } from './detectors.ts';
import { drawn } from './drawn.ts';
import { gateway } from './gateway.ts';
import { goals } from './goals.ts';
import { growth } from './growth.ts';
import { heap } from './heap.ts';
import { idle } from './idle.ts';
import { interest } from './interest.ts';
import { kernels } from './kernels.ts';
import { load } from './load.ts';
import { manyChanges } from './many-changes.ts';
import { memory } from './memory.ts';
import { mixed } from './mixed.ts';
import { mmo } from './mmo.ts';
import { moment } from './moment.ts';
import { oddRules } from './odd-rules.ts';
import { paces } from './paces.ts';
import { raid } from './raid.ts';
import { rates } from './rates.ts';
import { rooms } from './rooms.ts';
import { rules } from './rules.ts';
import { senses } from './senses.ts';
import { shapes } from './shapes.ts';
import { snapshot } from './snapshot.ts';
import { stateview } from './stateview.ts';
import type { Suite } from './suite.ts';
import { unequal } from './unequal.ts';
import { updates } from './updates.ts';
import { walkers } from './walkers.ts';

export const suiteList: readonly Suite[] = [
  walkers,
  density,
  unequal,
  idle,
  updates,
  senses,
  interest,
  rules,
  mixed,
  manyChanges,
  oddRules,
  shapes,
  drawn,
  paces,
  changes,
  churn,
  copies,
  rooms,
  mmo,
  moment,
  raid,
  rates,
  kernels,
  detectors,
  crowds,
  memory,
  heap,
  growth,
  snapshot,
  calls,
  gateway,
  load,
  stateview,
  goals,
];
