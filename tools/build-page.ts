/**
 * Builds the inspector's page with Vite into packages/inspector/dist/page.
 *
 * The page is built again when a file of the inspector, its configuration or the lock file changed. The fingerprint of
 * the last build is kept inside the build, so that deleting the build deletes the fingerprint, too.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fingerprint } from './fingerprint.ts';
import { collectCommand, root } from './run-command.ts';

const inspectorFolder = 'packages/inspector';
const configFile = `${inspectorFolder}/vite.config.ts`;
const fingerprintFile = path.join(root, inspectorFolder, 'dist/page/.fingerprint');
const inputs = [
  `${inspectorFolder}/src/page`,
  // Sources that page and server share.
  ...sharedFiles(),
  `${inspectorFolder}/index.html`,
  `${inspectorFolder}/package.json`,
  configFile,
  'package-lock.json',
];

function sharedFiles(): string[] {
  const names = readdirSync(path.join(root, inspectorFolder, 'src')).sort();
  return names.filter((name) => name.endsWith('.ts')).map((name) => `${inspectorFolder}/src/${name}`);
}

/** Brings the page up to date; returns a line on what was done, or `undefined` if nothing was to do. */
export function buildPage(): string | undefined {
  const wanted = fingerprint(root, inputs, []);
  if (existsSync(fingerprintFile) && readFileSync(fingerprintFile, 'utf8') === wanted) return undefined;
  process.stdout.write('umwelt: building the page\n');
  const startMs = performance.now();
  const result = collectCommand(
    'node_modules/vite/bin/vite.js',
    'build',
    inspectorFolder,
    '--config',
    configFile,
  );
  if (result.exitCode !== 0) throw new Error(`the page does not build\n${result.output}`);
  writeFileSync(fingerprintFile, wanted);
  return `page: built in ${((performance.now() - startMs) / 1000).toFixed(1)} s`;
}
