/**
 * Runs a tool from node_modules with the Node that is running now, and waits for it.
 *
 * Tools are started by their script rather than through a shell or `npx`: this is the same on every system, a third of a
 * second faster each, and never runs a different version from the PATH.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

/** The repository's folder. */
export const root: string = path.resolve(import.meta.dirname, '..');

/** How a command ended. `output` is empty when it was shown instead of collected. */
export interface CommandResult {
  readonly exitCode: number;
  readonly output: string;
}

/** Runs `script` (relative to the repository) and returns its output, errors included. */
export function collectCommand(script: string, ...args: readonly string[]): CommandResult {
  const result = spawnSync(process.execPath, [path.join(root, script), ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A process that could not be started, or was ended for too much output, has no status.
  const reason = result.error === undefined ? '' : `${result.error.message}\n`;
  return { exitCode: result.status ?? 1, output: `${result.stdout ?? ''}${result.stderr ?? ''}${reason}` };
}

/** Runs `script` with its output shown, and returns its exit code. */
export function showCommand(script: string, ...args: readonly string[]): number {
  const result = spawnSync(process.execPath, [path.join(root, script), ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  return result.status ?? 1;
}
