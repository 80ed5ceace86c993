/**
 * Makes the tarballs of all packages, as a registry would get them: `npm run pack -- [FOLDER]`.
 *
 * They lie in packs/ of the repository where nothing else is said, older ones are taken away, and the line that installs
 * them elsewhere is printed. Packages depend on each other by version, so all go into one `npm i`.
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
