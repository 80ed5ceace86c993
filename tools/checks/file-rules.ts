/**
 * Rules for every source file.
 *
 * - At most 500 lines: a longer file contains two ideas.
 * - It opens with a comment that says what it is for.
 * - It is named after the thing that it defines, in kebab-case; a file with a name that fits anything collects anything.
 */
import { type Check, type Problem, type Repository, sourceFiles } from './repository.ts';

const maxLines = 500;
const emptyNames = /(^|[/-])(utils?|helpers?|common|misc)([-./]|$)/;
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.(config|test|bench|d))*\.(ts|tsx|mjs)$/;

export const fileSizesCheck: Check = {
  name: 'file sizes',
  check(repository: Repository): Problem[] {
    return sourceFiles(repository).flatMap((file) => {
      const lines = repository.read(file).trimEnd().split('\n').length;
      return lines > maxLines ? [{ file, message: `has ${lines} lines, more than ${maxLines}` }] : [];
    });
  },
};

export const openingCommentsCheck: Check = {
  name: 'opening comments',
  check(repository: Repository): Problem[] {
    return sourceFiles(repository).flatMap((file) => {
      const text = repository.read(file).replace(/^#!.*\n/, '');
      return /^(\/\*\*?\s|\/\/ \w)/.test(text)
        ? []
        : [{ file, line: 1, message: 'does not open with a comment' }];
    });
  },
};

export const fileNamesCheck: Check = {
  name: 'file names',
  check(repository: Repository): Problem[] {
    return sourceFiles(repository).flatMap((file) => {
      const problems: Problem[] = [];
      const name = file.slice(file.lastIndexOf('/') + 1);
      if (emptyNames.test(file)) problems.push({ file, message: 'is named after nothing in particular' });
      if (!kebabCase.test(name)) problems.push({ file, message: 'is not named in kebab-case' });
      return problems;
    });
  },
};
