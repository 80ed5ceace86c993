/**
 * Finds unused files, exports and dependencies, and used packages that no package.json names; by knip with knip.json.
 */
import { collectCommand } from '../run-command.ts';
import type { Check, Problem } from './repository.ts';

/** For each file, a list for each kind of issue. */
type KnipIssue = { readonly file: string } & Readonly<
  Record<string, readonly { name: string; line?: number }[]>
>;

export const unusedCheck: Check = {
  name: 'unused code',
  check(): Problem[] {
    const result = collectCommand('node_modules/knip/bin/knip.js', '--no-config-hints', '--reporter', 'json');
    const report = result.output.split('\n').find((line) => line.startsWith('{"issues"'));
    if (report === undefined)
      return [{ message: `knip gave no report: ${result.output.trim().slice(0, 2000)}` }];
    const issues = (JSON.parse(report) as { issues: readonly KnipIssue[] }).issues;
    const problems = issues.flatMap((issue) =>
      Object.entries(issue).flatMap(([kind, items]) =>
        Array.isArray(items) ? items.map((item) => describe(issue.file, kind, item)) : [],
      ),
    );
    // A report in an unknown form must not count as no problems.
    if (problems.length === 0 && result.exitCode !== 0)
      return [{ message: `knip ended with ${result.exitCode}: ${result.output.trim().slice(0, 2000)}` }];
    return problems;
  },
};

function describe(file: string, kind: string, item: { name: string; line?: number }): Problem {
  const message = kind === 'files' ? 'nothing uses this file' : `${kind}: ${item.name}`;
  return item.line === undefined ? { file, message } : { file, line: item.line, message };
}
