/** The engines by name: one line each. */
import { bruteForce } from './brute-force.ts';
import type { EngineKind } from './engine.ts';
import { kdbush, kdbushKept } from './kdbush.ts';
import { rbush } from './rbush.ts';
import {
  umwelt,
  umweltByViews,
  umweltDetectors,
  umweltThreeSenses,
  umweltThreeSensesTypeScript,
  umweltTypeScript,
} from './umwelt.ts';

export const engineList: readonly EngineKind[] = [
  umwelt,
  umweltTypeScript,
  umweltByViews,
  ...umweltDetectors,
  umweltThreeSenses,
  umweltThreeSensesTypeScript,
  kdbush,
  kdbushKept,
  rbush,
  bruteForce,
];
