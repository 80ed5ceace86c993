/** The repository with files added or removed for a test, and what a check reports for it. */
import { type Check, describeProblem, openRepository, type Repository } from '../checks/repository.ts';
import { root } from '../run-command.ts';

const real = openRepository(root);

/** The repository with `texts` in addition to its files or in place of them; a text of `undefined` removes the file. */
export function planted(texts: Readonly<Record<string, string | undefined>>): Repository {
  const files = new Set(real.files);
  for (const [file, text] of Object.entries(texts)) {
    if (text === undefined) files.delete(file);
    else files.add(file);
  }
  return { root: real.root, files: [...files].sort(), read: (file) => texts[file] ?? real.read(file) };
}

/** The problems that `check` reports with these files planted, a line for each. */
export async function problemsWith(
  check: Check,
  texts: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  return (await check.check(planted(texts))).map(describeProblem);
}

/** One of the repository's files, with `text` in front. */
export function withPrefix(file: string, text: string): Record<string, string> {
  return { [file]: text + real.read(file) };
}
