/** The report's plots as files: each a self-contained SVG, light or dark as the reader prefers. */
import { adviceFor } from '../advice.ts';
import type { Comparison } from '../comparison.ts';
import { Results } from '../results.ts';
import { panelRow } from './line-panels.ts';
import { allPlots } from './plots.ts';
import { standalone } from './theme.ts';

export interface Picture {
  readonly name: string;
  readonly svg: string;
}

export function pictures(comparison: Comparison): Picture[] {
  const results = new Results(comparison);
  return allPlots(results, adviceFor(results).pick).map(({ name, row }) => ({
    name,
    svg: standalone(panelRow(row)),
  }));
}
