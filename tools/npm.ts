/** Runs npm as somebody would in a shell of their own: not as a part of the npm command that runs now. */
import { execFile } from 'node:child_process';

/** For installing beside other work: a registry that answers no more is asked again soon. */
export const PATIENT: readonly string[] = ['--fetch-timeout=60000', '--fetch-retries=5'];

/** Of what a program printed before it failed: the report of a test that failed has its place. */
const OUTPUT_LINES = 60;

/** Resolves with what it printed; rejects with what npm said and the end of what was printed where it fails. */
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
