/**
 * Type-checks everything: packages, page, tests, bench and tools, by the references in the root's tsconfig.json.
 *
 * This also compiles the packages' dist folders; the later checks read them.
 */
import { collectCommand } from '../run-command.ts';
import type { Check, Problem } from './repository.ts';

export const typesCheck: Check = {
  name: 'types',
  check(): Problem[] {
    const result = collectCommand('node_modules/typescript/bin/tsc', '-b', '--pretty', 'false');
    const problems: Problem[] = [];
    for (const text of result.output.split('\n')) {
      const parts = /^(.+?)\((\d+),\d+\): error (.+)$/.exec(text);
      if (parts !== null)
        problems.push({ file: parts[1] ?? '', line: Number(parts[2]), message: parts[3] ?? '' });
      else if (/\berror TS/.test(text)) problems.push({ message: text.trim() });
    }
    if (problems.length === 0 && result.exitCode !== 0) {
      return [{ message: `tsc ended with ${result.exitCode}: ${result.output.trim()}` }];
    }
    return problems;
  },
};
