/** The folders of the packages that are made to be published: all of packages/. */
import type { Repository } from './repository.ts';

export function packageFolders(repository: Repository): string[] {
  return repository.files
    .map((file) => /^(packages\/[^/]+)\/package\.json$/.exec(file)?.[1])
    .filter((folder) => folder !== undefined);
}
