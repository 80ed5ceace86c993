#!/usr/bin/env node
/**
 * `npm create umwelt`: writes a new project into a folder, and prints the next commands. It installs nothing itself.
 *
 * Exit codes: 0 if the project was written; 2, with one line on stderr, for an error that the user can fix.
 */
import path from 'node:path';
import { isOldNode, NODE_VERSION, ownVersion } from './manifest.ts';
import { Mistake } from './mistake.ts';
import { writeProject } from './project.ts';
import { decided } from './questions.ts';
import { HELP, readWishes } from './wishes.ts';

async function run(words: readonly string[]): Promise<void> {
  const wishes = readWishes(words);
  if (wishes.wants === 'help') return say(HELP);
  if (wishes.wants === 'version') return say(ownVersion());
  const { folder, template } = await decided(wishes, { input: process.stdin, output: process.stdout });
  const packages = wishes.packages === undefined ? undefined : path.resolve(wishes.packages);
  writeProject(path.resolve(folder), template, packages);
  say(`
${folder}: ${template.summary}

  cd ${asTyped(folder)}
  npm install
  npm test
  npm start     the game on http://localhost:5173, the inspector on http://localhost:7600
`);
  if (isOldNode(process.versions.node))
    say(`The game needs Node ${NODE_VERSION} or newer, and this is Node ${process.versions.node}.\n`);
}

/** In quotes that all shells understand, if one would take it for several words. */
function asTyped(folder: string): string {
  return /^[\p{L}\d._/\\:-]+$/u.test(folder) ? folder : `"${folder}"`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  // A call of the system that fails says what and where: a folder without rights, a full disk.
  if (!(error instanceof Mistake) && (error as NodeJS.ErrnoException).syscall === undefined) throw error;
  process.stderr.write(`create-umwelt: ${(error as Error).message}\n`);
  process.exitCode = 2;
}
