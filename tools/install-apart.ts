/**
 * Installs a package that one command needs and nothing else, into a folder of its own within .cache: those are large, and
 * `npm ci` would bring them to everybody.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fingerprint } from './fingerprint.ts';
import { npm, PATIENT } from './npm.ts';
import { root } from './run-command.ts';

/** Installs what a package.json names into `folder`, unless that is there. `what` is for the message: a name and a size. */
export async function installApart(manifest: string, folder: string, what: string): Promise<void> {
  const stampFile = path.join(folder, 'installed');
  const wanted = fingerprint(root, [manifest], [process.platform, process.arch]);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return;
  process.stderr.write(`umwelt: installing ${what} into ${path.relative(root, folder)}\n`);
  mkdirSync(folder, { recursive: true });
  copyFileSync(path.join(root, manifest), path.join(folder, 'package.json'));
  await npm(folder, 'install', '--no-package-lock', ...PATIENT);
  writeFileSync(stampFile, wanted);
}
