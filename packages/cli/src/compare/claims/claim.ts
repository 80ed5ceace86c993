/**
 * A claim about these algorithms, and whether it held where it was tested.
 *
 * Each claim is a function that reads the rows it needs from a comparison and decides by a rule that is stated with it. The
 * verdict holds for this machine, these implementations and these crowds; it names the rows it is based on, so that a reader
 * can check.
 */
import type { Crowd } from '../comparison.ts';
import type { Results } from '../results.ts';

export type Outcome = 'held' | 'held in part' | 'did not hold' | 'not measured';

export interface Verdict {
  /** The source of the claim. */
  readonly source: string;
  readonly claim: string;
  /** The condition for 'held'. */
  readonly rule: string;
  readonly outcome: Outcome;
  /** Sentences, with figures. */
  readonly evidence: readonly string[];
  /** Figures that are easier to read side by side. */
  readonly table?: ClaimTable;
  /** Ids of the crowds whose rows it is based on. */
  readonly crowds: readonly string[];
}

export interface ClaimTable {
  /** Header rows. */
  readonly heads: readonly (readonly string[])[];
  readonly rows: readonly (readonly string[])[];
}

/** The documents that make the claims, named by their subject. */
export const SOURCES = {
  observers: 'A grid with observer cells (2009)',
  hotPairs: 'An explanation of hot pairs (2016)',
  lists: 'Two articles on cross lists (2017)',
  nineGrid: 'A nine-grid tutorial',
  compared: 'Grids and cross lists compared (2020)',
  measured: 'AoiTesting, a published measurement (2021)',
} as const;

/** A claim with its test. */
export type Claim = (results: Results) => Verdict;

/** The fixed text of a claim; the rest depends on the rows. */
export type ClaimText = Pick<Verdict, 'source' | 'claim' | 'rule'>;

export function notMeasured(text: ClaimText): Verdict {
  return { ...text, outcome: 'not measured', evidence: [], crowds: [] };
}

export function verdict(
  text: ClaimText,
  outcome: Outcome,
  evidence: readonly string[],
  crowds: readonly Crowd[],
  table?: Verdict['table'],
): Verdict {
  const ids = crowds.map(({ id }) => id);
  return { ...text, outcome, evidence, crowds: ids, ...(table === undefined ? {} : { table }) };
}

/** 'held' if all parts hold, 'held in part' if some do, else 'did not hold'. */
export function outcomeOf(parts: readonly boolean[]): Outcome {
  if (parts.every((part) => part)) return 'held';
  return parts.some((part) => part) ? 'held in part' : 'did not hold';
}
