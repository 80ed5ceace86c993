/**
 * Installs packages that one command or a few tests need and nothing else, into a folder of their own within .cache: those are
 * large, and `npm ci` would bring them to everybody. They are kept until the package.json that names them changes.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fingerprint } from './fingerprint.ts';
import { npm, PATIENT } from './npm.ts';
import { doneOnce } from './process-lock.ts';
import { root } from './run-command.ts';

/**
 * Installs what a package.json names into `folder`, unless that is there; one process at a time. `what` is for the message: a
 * name and a size. Throws with npm's errors.
 */
export async function installApart(manifest: string, folder: string, what: string): Promise<void> {
  const stampFile = path.join(folder, 'installed');
  const wanted = fingerprint(root, [manifest], [process.platform, process.arch]);
  mkdirSync(folder, { recursive: true });
  await doneOnce(
    path.join(folder, 'installing'),
    () => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted,
    async () => {
      process.stderr.write(`umwelt: installing ${what} into ${path.relative(root, folder)}\n`);
      rmSync(path.join(folder, 'node_modules'), { recursive: true, force: true });
      copyFileSync(path.join(root, manifest), path.join(folder, 'package.json'));
      await npm(folder, 'install', '--no-package-lock', ...PATIENT);
      writeFileSync(stampFile, wanted);
    },
  );
}
