/**
 * Checks that the published packages are complete: every entry point exists, is found by the type checker and by Node,
 * and is among the published files. Uses publint; reads dist.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packedContents } from '../packing.ts';
import { publishedPackages } from './package-list.ts';
import type { Check, Problem, Repository } from './repository.ts';

export const packagesCheck: Check = {
  name: 'packages',
  async check(repository: Repository): Promise<Problem[]> {
    const problems: Problem[] = [];
    const packages = publishedPackages(repository);
    // Publint by itself starts npm for each package.
    const contents = await packedContents(packages);
    for (const [i, { folder }] of packages.entries()) {
      const file = `${folder}/package.json`;
      const files = contents[i]!.map((name) => ({
        name: `package/${name}`,
        data: readFileSync(path.join(repository.root, folder, name)),
      }));
      const { messages, pkg } = await publint({ pkgDir: 'package', pack: { files }, strict: true });
      for (const message of messages) {
        problems.push({ file, message: formatMessage(message, pkg, { color: false }) ?? message.code });
      }
    }
    return problems;
  },
};
