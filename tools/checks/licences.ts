/**
 * Checks that every package names the same licence and contains its text.
 */
import { publishedPackages } from './package-list.ts';
import type { Check, Problem, Repository } from './repository.ts';

const licence = 'MIT';

export const licencesCheck: Check = {
  name: 'licences',
  check(repository: Repository): Problem[] {
    const problems: Problem[] = [];
    for (const file of repository.files.filter((name) => /(^|\/)package\.json$/.test(name))) {
      const manifest = JSON.parse(repository.read(file)) as { license?: string };
      if (manifest.license === licence) continue;
      problems.push({
        file,
        message: `license is ${JSON.stringify(manifest.license)}, expected '${licence}'`,
      });
    }
    if (!repository.files.includes('LICENSE') || !repository.read('LICENSE').startsWith('MIT License')) {
      problems.push({ file: 'LICENSE', message: 'does not hold the MIT licence' });
    }
    // npm packs files of the package's folder only.
    for (const { folder } of publishedPackages(repository)) {
      const file = `${folder}/LICENSE`;
      if (repository.files.includes(file) && repository.read(file) === repository.read('LICENSE')) continue;
      problems.push({ file, message: 'is not the same as LICENSE' });
    }
    return problems;
  },
};
