/**
 * Formatting and lint, by Biome with biome.json. Warnings count: a rule is either worth following or worth turning off.
 * Infos do not count.
 */
import { collectCommand } from '../run-command.ts';
import type { Check, Problem } from './repository.ts';

interface BiomeReport {
  readonly diagnostics: readonly {
    readonly severity: string;
    readonly category: string;
    readonly message: string;
    readonly location?: { readonly path?: string; readonly start?: { readonly line: number } };
  }[];
}

export const formattingCheck: Check = {
  name: 'format and lint',
  check(): Problem[] {
    const result = collectCommand(
      'node_modules/@biomejs/biome/bin/biome',
      'check',
      '--reporter=json',
      '--max-diagnostics=none',
    );
    const report = result.output.split('\n').find((line) => line.startsWith('{"summary"'));
    if (report === undefined)
      return [{ message: `biome gave no report: ${result.output.trim().slice(0, 2000)}` }];
    const problems = (JSON.parse(report) as BiomeReport).diagnostics
      .filter((item) => item.severity === 'error' || item.severity === 'warning')
      .map((item) => ({
        ...(item.location?.path ? { file: item.location.path } : {}),
        ...(item.location?.start ? { line: item.location.start.line } : {}),
        message: `${item.category}: ${item.message.trim().split('\n')[0]}`,
      }));
    if (problems.length === 0 && result.exitCode !== 0)
      return [{ message: `biome ended with ${result.exitCode}` }];
    return problems;
  },
};
