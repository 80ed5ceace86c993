/** The engines by name, one line each. */
import { bruteForce } from './brute-force.ts';
import { d3Quadtree } from './d3-quadtree.ts';
import type { EngineKind } from './engine.ts';
import { kdbush, kdbushKept } from './kdbush.ts';
import { kdbushThings } from './kdbush-things.ts';
import { native, native128 } from './native.ts';
import { ownGrid } from './own-grid.ts';
import { pomeloAoi } from './pomelo-aoi.ts';
import { rbush } from './rbush.ts';
import {
  umwelt,
  umweltByViews,
  umweltDetectors,
  umweltThreeSenses,
  umweltThreeSensesTypeScript,
  umweltTwoThreads,
  umweltTypeScript,
} from './umwelt.ts';

export const engineList: readonly EngineKind[] = [
  umwelt,
  umweltTypeScript,
  umweltByViews,
  umweltTwoThreads,
  ...umweltDetectors,
  umweltThreeSenses,
  umweltThreeSensesTypeScript,
  kdbush,
  kdbushKept,
  kdbushThings,
  ownGrid,
  rbush,
  d3Quadtree,
  pomeloAoi,
  native,
  native128,
  bruteForce,
];
