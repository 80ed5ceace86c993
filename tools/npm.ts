/** Runs npm as in a user's own shell, not as a child of the npm command that runs now. */
import { execFile } from 'node:child_process';

/** Options for installing beside other work: a registry that stops answering is retried soon. */
export const PATIENT: readonly string[] = ['--fetch-timeout=60000', '--fetch-retries=5'];

/** The last lines of a failed program's output that are kept: enough for the report of a failed test. */
const OUTPUT_LINES = 60;

/** Resolves with the output; if npm fails, rejects with its errors and the end of the output. */
export function npm(cwd: string, ...words: readonly string[]): Promise<string> {
  const environment = Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$/i.test(name));
  const options = {
    cwd,
    env: Object.fromEntries(environment),
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  };
  const quietly = ['--loglevel=error', '--no-audit', '--no-fund', '--prefer-offline'];
  return new Promise((resolve, reject) => {
    execFile('npm', [...quietly, ...words], options, (error, output, errors) => {
      if (error === null) resolve(output);
      else {
        const said = output.trimEnd().split('\n').slice(-OUTPUT_LINES).join('\n');
        reject(new Error(`npm ${words.join(' ')}: ${errors.trim() || error.message}\n${said}`.trimEnd()));
      }
    });
  });
}
