/**
 * No committed file names a place that exists only on the machine where it was written.
 *
 * Absolute temporary and workspace folders slip in by pasted output, and package-lock.json can pick up the address of
 * whichever registry answered.
 */
import type { Check, Problem, Repository } from './repository.ts';

/** In pieces, so that this file does not object to itself. */
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
  // A path begins a word: 'frame/work/er' names no place.
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
