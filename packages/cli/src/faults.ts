/**
 * Error output of commands that cannot go on.
 *
 * A user's mistake, or a problem of the machine or files, is one line that says what was given and what was expected, without
 * a stack, with exit code 2. Anything else is a bug: it keeps its stack, for a bug report, and has exit code 1.
 */
import { readFileSync } from 'node:fs';
import { UmweltError } from 'umwelt';

/** The outcome of a command, as the shell sees it. */
export const EXIT_CODES = { done: 0, ownFault: 1, mistake: 2 } as const;

/** An error that the user can fix; the message is for the user. */
export class Mistake extends Error {
  override readonly name = 'Mistake';
}

/** The line to show for an error that is no bug; undefined for a bug. `portOption`: what chooses the port that it names. */
export function faultLine(error: unknown, portOption = '--port'): string | undefined {
  if (error instanceof Mistake || error instanceof UmweltError) return oneLine(error.message);
  if (!isSystemError(error)) return undefined;
  return oneLine(systemFault(error, portOption));
}

interface SystemError extends Error {
  readonly code: string;
  readonly syscall: string;
  readonly path?: string;
  readonly address?: string;
  readonly hostname?: string;
  readonly port?: number;
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error;
}

function systemFault(error: SystemError, portOption: string): string {
  const { code, path, port, hostname, address } = error;
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is in use; choose another with ${portOption}, or 0 for any that is free`;
    case 'EADDRNOTAVAIL':
      return `this machine has no address '${address}' to listen on; choose another with --host`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `no machine is known as '${hostname}'; choose another with --host`;
    case 'EACCES':
    case 'EPERM':
      if (port !== undefined)
        return `port ${port} needs rights that this user lacks; choose another with ${portOption}`;
      return `no right to read '${path}'`;
    case 'ENOENT':
      return `no such file: '${path}'`;
    case 'EISDIR':
      return `a file was expected, and this is a folder${path === undefined ? '' : `: '${path}'`}`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `there is no space left for '${path}'`;
    default:
      return error.message;
  }
}

/** The bytes of a file. */
export function bytesOf(file: string): Buffer {
  return naming(file, () => readFileSync(file));
}

/** Calls `action`. What it throws then names the file: Node's own errors do so where a file is opened, not read or written. */
export function naming<Result>(file: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw Object.assign(error as Error, { path: file });
  }
}

/** Text from a file or another process may contain anything: line ends and control characters must not reach the terminal. */
export function oneLine(message: string): string {
  return message
    .replace(/\s+/gu, ' ')
    .replace(/\p{Cc}/gu, '\ufffd')
    .trim();
}
