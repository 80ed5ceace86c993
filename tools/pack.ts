/**
 * Makes the tarballs of all packages, as a registry would get them: `npm run pack -- [FOLDER]`.
 *
 * They go to packs/ of the repository unless a folder is given. Older tarballs are removed, and the command that installs
 * them elsewhere is printed. Packages depend on each other by version, so one `npm i` must install all of them.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { packAll } from './packing.ts';
import { root } from './run-command.ts';

const [given = 'packs', ...more] = process.argv.slice(2);
if (more.length > 0 || given.startsWith('-')) {
  process.stderr.write('umwelt: expected at most one folder: npm run pack -- [FOLDER]\n');
  process.exit(2);
}
const folder = path.resolve(root, given);
for (const file of existsSync(folder) ? readdirSync(folder) : []) {
  if (/^umwelt-.*\.tgz$/.test(file)) rmSync(path.join(folder, file));
}
for (const { package: found, file } of await packAll(folder)) {
  const kilobytes = Math.ceil(statSync(file).size / 1000);
  process.stdout.write(`${found.name}: ${path.basename(file)}, ${kilobytes} kB\n`);
}
process.stdout.write(`\nIn a folder of yours: npm i ${path.join(folder, '*.tgz')}\n`);
