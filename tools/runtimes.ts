/**
 * The runtimes on which packed packages are tested beside the project's own Node: another Node, Bun and Deno; and users'
 * tools: another compiler and bundler.
 *
 * npm installs them, as tools/runtimes/package.json says, into .cache/runtimes: about 400 MB, so only when a test needs
 * them. They are kept until that file changes.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { installApart } from './install-apart.ts';
import { root } from './run-command.ts';

/** A runtime by its name, and the command that runs a script with it; the script's path follows. */
export interface Runtime {
  readonly name: string;
  readonly command: readonly [program: string, ...words: string[]];
}

const folder = path.join(root, '.cache/runtimes');
/** The node_modules folder of the runtimes, once they are installed. */
export const toolsFolder = path.join(folder, 'node_modules');

/** All runtimes, installed if needed; throws with npm's errors if that fails. */
export async function installedRuntimes(): Promise<readonly Runtime[]> {
  await installApart('tools/runtimes/package.json', folder, 'other runtimes (some 400 MB)');
  const runtimes = runtimesIn(toolsFolder);
  for (const { name, command } of runtimes) {
    // A runtime installed without its install script, or for another machine, fails here, not as an error of our packages.
    const version = execFileSync(command[0], ['--version'], { encoding: 'utf8' });
    if (!/\d+\.\d+/.test(version)) throw new Error(`${name} does not run: it says '${version}'`);
  }
  return runtimes;
}

function runtimesIn(modules: string): readonly Runtime[] {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return [
    { name: 'Node 22', command: [path.join(modules, 'node22', 'bin', `node${suffix}`)] },
    { name: 'Bun', command: [path.join(modules, 'bun', 'bin', 'bun.exe')] },
    { name: 'Deno', command: [path.join(modules, 'deno', `deno${suffix}`), 'run', '--allow-all'] },
  ];
}
