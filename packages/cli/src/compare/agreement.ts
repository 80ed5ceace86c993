/**
 * Checks that all exact contenders reported the same.
 *
 * A row's hash covers every pair reported in a whole run; exact contenders have equal hashes or one of them is wrong. If brute
 * force, which is the definition, took part, its hash is right; otherwise the most frequent one.
 */
import type { Comparison, Row } from './comparison.ts';

/** A run whose exact contenders differ has failed, whatever its figures. */
export class Disagreement extends Error {
  override readonly name = 'Disagreement';

  constructor(sentences: readonly string[]) {
    super(sentences.join('\n'));
    // The message says everything; the stack would only add noise.
    this.stack = this.message;
  }
}

/** One sentence for each crowd in which the hashes of exact contenders differ. */
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
