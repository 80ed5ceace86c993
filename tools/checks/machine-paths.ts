/**
 * Checks that no committed file names a path that exists only on the machine where it was written.
 *
 * Absolute temporary and workspace folders get in by pasted output, and package-lock.json can contain the address of the
 * registry that answered.
 */
import type { Check, Problem, Repository } from './repository.ts';

/** Written in pieces, so that the check does not find this file. */
const places = [
  ['', 'work', ''],
  ['', 'tmp', ''],
  ['', 'root', ''],
  ['', 'home', ''],
  ['', 'Users', ''],
].map((parts) => parts.join('/'));
const hosts = [['registry', 'npmjs'].join('.')];
const textFile =
  /(\.([cm]?[jt]sx?|c|json|md|txt|html|css|svg|yml|yaml|csv)|\/run|\.npmrc|\.gitignore|LICENSE)$/;

export const machinePathsCheck: Check = {
  name: 'machine paths',
  check(repository: Repository): Problem[] {
    return repository.files
      .filter((file) => textFile.test(file))
      .flatMap((file) => problemsOf(repository, file));
  },
};

function problemsOf(repository: Repository, file: string): Problem[] {
  const text = repository.read(file);
  // A path begins at a word boundary: 'frame/work/er' is none.
  const found = [...places, ...hosts].filter((word) => text.includes(word));
  if (found.length === 0) return [];
  return text.split('\n').flatMap((content, index) => {
    const word = found.find((candidate) => new RegExp(`(^|[^\\w.@-])${escaped(candidate)}`).test(content));
    return word === undefined ? [] : [{ file, line: index + 1, message: `names '${word}'` }];
  });
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
