/** The repository as it is, with files planted in it or taken out, and what a check says of that. */
import { type Check, describeProblem, openRepository, type Repository } from '../checks/repository.ts';
import { root } from '../run-command.ts';

const real = openRepository(root);

/** The repository with `texts` instead of, or beside, its own; a text of `undefined` takes the file out. */
export function planted(texts: Readonly<Record<string, string | undefined>>): Repository {
  const files = new Set(real.files);
  for (const [file, text] of Object.entries(texts)) {
    if (text === undefined) files.delete(file);
    else files.add(file);
  }
  return { root: real.root, files: [...files].sort(), read: (file) => texts[file] ?? real.read(file) };
}

/** What `check` objects to once these files are planted, a line for each problem. */
export async function problemsWith(
  check: Check,
  texts: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  return (await check.check(planted(texts))).map(describeProblem);
}

/** A file of the repository's own, with `text` in front. */
export function withPrefix(file: string, text: string): Record<string, string> {
  return { [file]: text + real.read(file) };
}
