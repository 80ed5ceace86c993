/**
 * Compiles the packages' dist folders and removes outputs without a source: the compiler leaves the output of a source
 * that was renamed or deleted, and it would be published.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root, showCommand } from './run-command.ts';

/** Brings dist up to date; returns a line on what was removed, or `undefined` if nothing was. */
export function buildPackages(): string | undefined {
  const folders = readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}`);
  const projects = folders.filter((folder) => existsSync(path.join(root, folder, 'tsconfig.json')));
  // tsc keeps its own record of what is up to date.
  const exitCode = showCommand('node_modules/typescript/bin/tsc', '-b', ...projects);
  if (exitCode !== 0) throw new Error('the packages do not compile');
  const stale = projects.flatMap((folder) =>
    staleOutputs(path.join(root, folder)).map((file) => path.join(root, folder, file)),
  );
  for (const file of stale) rmSync(file);
  return stale.length === 0
    ? undefined
    : `packages: ${stale.length} files without a source removed from dist`;
}

/** Outputs in the dist folder of a package that have no source any more; relative to the package. */
export function staleOutputs(packageFolder: string): string[] {
  const outputs = readdirSync(path.join(packageFolder, 'dist'), { recursive: true, encoding: 'utf8' });
  return outputs
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => {
      const name = /^(.+?)(\.d\.ts|\.js)(\.map)?$/.exec(file)?.[1];
      // The page is built by Vite.
      if (name === undefined || file.startsWith('page/')) return false;
      return !['.ts', '.tsx'].some((ending) => existsSync(path.join(packageFolder, 'src', name + ending)));
    })
    .map((file) => `dist/${file}`)
    .sort();
}
