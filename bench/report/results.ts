/**
 * The results of bench runs as they are saved: results/<machine>.json, one committed file for each machine.
 *
 * A run of some suites replaces the cases of these suites and leaves the others. Each case has the day and the version of
 * Node of its measurement. Reading checks only the kind and version of the file, because the bench wrote it.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { GaugeOutcome } from '../measure/gauge.ts';
import type { RaceOutcome } from '../measure/race.ts';
import { Mistake } from '../mistake.ts';
import type { Machine } from './machine.ts';

export type CaseOutcome = ({ kind: 'race' } & RaceOutcome) | ({ kind: 'gauge' } & GaugeOutcome);

export interface CaseResult {
  readonly suite: string;
  readonly name: string;
  /** Day, as 2026-01-31. */
  readonly date: string;
  /** Version of Node. */
  readonly node: string;
  readonly outcome: CaseOutcome;
}

export interface Results {
  readonly version: 1;
  readonly machine: Machine;
  readonly cases: readonly CaseResult[];
}

/** The results in a file; undefined if there is no such file. Throws `Mistake` if the file holds something else. */
export function readResults(file: string): Results | undefined {
  if (!existsSync(file)) return undefined;
  const results = parsed(readFileSync(file, 'utf8'));
  if (results?.version !== 1 || !Array.isArray(results.cases)) {
    throw new Mistake(`'${file}' is not a file of bench results, version 1`);
  }
  return results;
}

function parsed(text: string): Results | undefined {
  try {
    return JSON.parse(text) as Results;
  } catch {
    return undefined;
  }
}

export function writeResults(file: string, results: Results): void {
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, rounded, 2)}\n`);
}

/** `earlier` with its cases replaced by those of `later`; new cases at the end. */
export function mergedResults(earlier: Results | undefined, later: Results): Results {
  if (earlier === undefined) return later;
  const isSame = (one: CaseResult, other: CaseResult): boolean =>
    one.suite === other.suite && one.name === other.name;
  const kept = earlier.cases.map((old) => later.cases.find((one) => isSame(one, old)) ?? old);
  const added = later.cases.filter((one) => !earlier.cases.some((old) => isSame(one, old)));
  return { ...later, cases: [...kept, ...added] };
}

/** Rounds to six digits, more than a measurement is accurate to. Counts stay whole. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
}
