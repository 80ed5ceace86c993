/** Runs npm as in a user's own shell, not as a child of the npm command that runs now. */
import { execFile } from 'node:child_process';

/** Options for installing beside other work: a registry that stops answering is retried soon. */
export const PATIENT: readonly string[] = ['--fetch-timeout=60000', '--fetch-retries=5'];

/**
 * Now and then npm waits for ever, without an open connection. One that takes longer than this is killed and run again: the longest
 * install, of some 400 MB, takes a minute or two.
 */
const LONGEST_MS = 360_000;
const TRIES = 2;

/** The last lines of a failed program's output that are kept: enough for the report of a failed test. */
const OUTPUT_LINES = 60;

/** Resolves with the output; if npm fails, rejects with its errors and the end of the output. */
export function npm(cwd: string, ...words: readonly string[]): Promise<string> {
  return npmWithin(LONGEST_MS, TRIES, cwd, words);
}

/** As `npm`: each of so many tries is killed after so many milliseconds. */
export function npmWithin(
  longestMs: number,
  tries: number,
  cwd: string,
  words: readonly string[],
): Promise<string> {
  const environment = Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$/i.test(name));
  const options = {
    cwd,
    env: Object.fromEntries(environment),
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
    timeout: longestMs,
    killSignal: 'SIGKILL' as const,
  };
  const quietly = ['--loglevel=error', '--no-audit', '--no-fund', '--prefer-offline'];
  return new Promise((resolve, reject) => {
    execFile('npm', [...quietly, ...words], options, (error, output, errors) => {
      if (error === null) resolve(output);
      else if (error.killed === true && tries > 1) resolve(npmWithin(longestMs, tries - 1, cwd, words));
      else {
        const said = output.trimEnd().split('\n').slice(-OUTPUT_LINES).join('\n');
        reject(new Error(`npm ${words.join(' ')}: ${errors.trim() || error.message}\n${said}`.trimEnd()));
      }
    });
  });
}
