/**
 * Checks that the published packages are complete: every entry point exists, is found by the type checker and by Node,
 * and is among the published files. Uses publint; reads dist.
 */
import path from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { publishedPackages } from './package-list.ts';
import type { Check, Problem, Repository } from './repository.ts';

export const packagesCheck: Check = {
  name: 'packages',
  async check(repository: Repository): Promise<Problem[]> {
    const problems: Problem[] = [];
    for (const { folder } of publishedPackages(repository)) {
      const file = `${folder}/package.json`;
      const { messages, pkg } = await publint({ pkgDir: path.join(repository.root, folder), strict: true });
      for (const message of messages) {
        problems.push({ file, message: formatMessage(message, pkg, { color: false }) ?? message.code });
      }
    }
    return problems;
  },
};
