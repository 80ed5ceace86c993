/** Writes a new project: the files of its template, and a package.json. */
import {
  accessSync,
  constants,
  cpSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { packageName, projectManifest } from './manifest.ts';
import { Mistake } from './mistake.ts';
import { folderOf, type Template } from './templates.ts';

/** npm does not pack files of this name. */
const NOT_PACKED = '.gitignore';

/**
 * Creates the project in `folder`, which must be empty or must not exist. `packages`: a folder of tarballs, used in place of the
 * registry. Throws a `Mistake` before anything is written.
 */
export function writeProject(folder: string, template: Template, packages: string | undefined): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === false)
    throw new Mistake(`'${folder}' is a file; expected a new or an empty folder`);
  if (found !== undefined && readdirSync(folder).some((name) => name !== '.git'))
    throw new Mistake(`'${folder}' is not empty; expected a new or an empty folder`);
  const manifest = projectManifest(packageName(path.basename(folder)), template, folder, packages);
  mkdirSync(folder, { recursive: true });
  // `cpSync` of Node 24 aborts the process where it may not write.
  accessSync(folder, constants.W_OK | constants.X_OK);
  cpSync(folderOf(template), folder, { recursive: true });
  renameSync(path.join(folder, `_${NOT_PACKED.slice(1)}`), path.join(folder, NOT_PACKED));
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
