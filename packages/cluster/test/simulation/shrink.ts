/** Cuts a plan that fails down to what of it matters: fewer faults, a shorter run, fewer nodes and entities. */
import type { Plan } from './plan.ts';

/** `fails`: whether a plan still goes wrong. At most `attempts` are tried. */
export async function shrinkPlan(
  plan: Plan,
  fails: (plan: Plan) => Promise<boolean>,
  attempts = 60,
): Promise<Plan> {
  let left = attempts;
  let best = plan;
  const take = async (candidate: Plan): Promise<boolean> => {
    if (left-- <= 0 || !(await fails(candidate))) return false;
    best = candidate;
    return true;
  };
  // Halves first, then quarters, down to one at a time.
  for (
    let size = Math.ceil(best.faults.length / 2);
    size >= 1 && left > 0;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < best.faults.length && left > 0; ) {
      const faults = best.faults.toSpliced(from, size);
      if (!(await take({ ...best, faults }))) from += size;
    }
  }
  for (const share of [0.5, 0.75]) {
    const durationMs = Math.round(best.durationMs * share);
    await take({ ...best, durationMs, faults: best.faults.filter(({ atMs }) => atMs < durationMs) });
  }
  for (const entities of [2, 5, 10]) if (entities < best.entities) await take({ ...best, entities });
  if (best.hasRules) await take({ ...best, hasRules: false });
  while (best.nodes > 2 && (await take(withoutLastNode(best)))) {}
  return best;
}

function withoutLastNode(plan: Plan): Plan {
  const nodes = plan.nodes - 1;
  return { ...plan, nodes, faults: plan.faults.filter(({ node }) => node < nodes) };
}

/** As text that a test can hold. */
export function planText({ faults, ...rest }: Plan): string {
  return `${JSON.stringify(rest)}\n${faults.map((fault) => `  ${JSON.stringify(fault)}`).join('\n')}`;
}
