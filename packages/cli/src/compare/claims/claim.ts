/**
 * A claim about these algorithms, and whether it held where it was tried.
 *
 * Each claim has a file-mate that reads the rows it needs from a comparison and decides by a rule that is stated beside it.
 * The verdict holds for this machine, these implementations and these crowds; what it rests on is named, so that whoever
 * doubts it can look.
 */
import type { Crowd } from '../comparison.ts';
import type { Results } from '../results.ts';

export type Outcome = 'held' | 'held in part' | 'did not hold' | 'not measured';

export interface Verdict {
  /** Who says so. */
  readonly source: string;
  readonly claim: string;
  /** When it counts as held. */
  readonly rule: string;
  readonly outcome: Outcome;
  /** Sentences, with figures. */
  readonly evidence: readonly string[];
  /** Figures that are easier to read side by side. */
  readonly table?: ClaimTable;
  /** Ids of the crowds whose rows it rests on. */
  readonly crowds: readonly string[];
}

export interface ClaimTable {
  /** Rows that say what the columns are. */
  readonly heads: readonly (readonly string[])[];
  readonly rows: readonly (readonly string[])[];
}

/** Who says so: the documents these algorithms were learned from, by what they are about. */
export const SOURCES = {
  observers: 'A grid with observer cells (2009)',
  hotPairs: 'An explanation of hot pairs (2016)',
  lists: 'Two articles on cross lists (2017)',
  nineGrid: 'A nine-grid tutorial',
  compared: 'Grids and cross lists compared (2020)',
  measured: 'AoiTesting, a published measurement (2021)',
} as const;

/** A claim, tried. */
export type Claim = (results: Results) => Verdict;

/** What a claim's own text is; the rest depends on the rows. */
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

/** All, some or none of several parts. */
export function outcomeOf(parts: readonly boolean[]): Outcome {
  if (parts.every((part) => part)) return 'held';
  return parts.some((part) => part) ? 'held in part' : 'did not hold';
}
