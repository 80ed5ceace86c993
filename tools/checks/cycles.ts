/**
 * Checks that no file imports itself, directly or through other files.
 *
 * Within a row the arrows allow everything; this check keeps a folder readable from its leaves up. Each group of files
 * that all reach one another is reported once, by a shortest cycle in it.
 */
import { importsOf } from './imports.ts';
import { type Check, type Problem, type Repository, sourceFiles } from './repository.ts';

export const cyclesCheck: Check = {
  name: 'import cycles',
  check(repository: Repository): Problem[] {
    const files = sourceFiles(repository);
    const targets = new Map<string, string[]>();
    for (const file of files) {
      const found = importsOf(repository, file).map((item) => item.target);
      targets.set(
        file,
        found.filter((target) => target !== undefined),
      );
    }
    const problems: Problem[] = [];
    const reported = new Set<string>();
    for (const file of files) {
      if (reported.has(file)) continue;
      const way = wayBack(file, targets);
      if (way === undefined) continue;
      for (const step of way) reported.add(step);
      problems.push({ file, message: `imports itself: ${[...way, file].join(' -> ')}` });
    }
    return problems;
  },
};

/** The shortest chain of imports from `start` back to it, without the repeated end; by breadth-first search. */
function wayBack(start: string, targets: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const file of queue) {
    for (const target of targets.get(file) ?? []) {
      if (target === start) {
        const way = [file];
        for (let step = file; step !== start; ) {
          step = cameFrom.get(step) ?? start;
          way.unshift(step);
        }
        return way;
      }
      if (cameFrom.has(target)) continue;
      cameFrom.set(target, file);
      queue.push(target);
    }
  }
  return undefined;
}
