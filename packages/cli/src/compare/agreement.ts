/**
 * Whether all exact contenders reported the same.
 *
 * A row's hash is that of every pair reported in a whole life; exact contenders have the same one or one of them is
 * wrong. Where brute force took part, which is the definition, it says who; elsewhere whoever most agree with.
 */
import type { Comparison, Row } from './comparison.ts';

/** A run whose exact contenders differ has failed, whatever its figures. */
export class Disagreement extends Error {
  override readonly name = 'Disagreement';

  constructor(sentences: readonly string[]) {
    super(sentences.join('\n'));
    // It says all there is to say; where in the comparing it was thrown does not matter.
    this.stack = this.message;
  }
}

/** One sentence for each crowd in which the exact contenders' hashes are not all the same. */
export function disagreements({ crowds, rows }: Pick<Comparison, 'crowds' | 'rows'>): string[] {
  return crowds.flatMap(({ id }) => {
    const exact = rows.filter((row) => row.crowd === id && row.isExact && row.hash !== undefined);
    const right = referenceHash(exact);
    const wrong = exact.filter((row) => row.hash !== right);
    if (wrong.length === 0) return [];
    const agreeing = exact.filter((row) => row.hash === right).map((row) => row.contender);
    const differing = wrong.map((row) => `${row.contender} (${row.hash})`);
    const verb = wrong.length === 1 ? 'differs' : 'differ';
    return [`crowd ${id}: ${differing.join(', ')} ${verb} from ${agreeing.join(', ')} (${right})`];
  });
}

function referenceHash(rows: readonly Row[]): string | undefined {
  const definition = rows.find((row) => row.contender === 'brute-force');
  if (definition !== undefined) return definition.hash;
  const counts = new Map<string | undefined, number>();
  for (const { hash } of rows) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}
