/**
 * Adds up the counts of a whole run, lists again what needed a second try and what failed, and ends with one line: `N
 * passed, N failed`.
 *
 * Failures are listed again because a run prints much after them, and a log may keep only its end.
 *
 *   node tools/tally.ts test-shared=EXITCODE test=EXITCODE check=EXITCODE bench=EXITCODE
 *
 * The reports of tests and check are read from .cache. Exit code 1 if anything failed or nothing ran.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './run-command.ts';
import { totalOf } from './totals.ts';

const totals = process.argv.slice(2).map((argument) => {
  const [step = '', exitCode = '1'] = argument.split('=');
  const file = path.join(root, '.cache', `${step}-results.json`);
  return totalOf(step, Number(exitCode), existsSync(file) ? readFileSync(file, 'utf8') : undefined);
});
const passed = totals.reduce((sum, total) => sum + total.passed, 0);
const failed = totals.reduce((sum, total) => sum + total.failed, 0);
for (const test of totals.flatMap((total) => total.unsteady)) process.stdout.write(`SECOND TRY ${test}\n`);
for (const failure of totals.flatMap((total) => total.failures)) process.stdout.write(`FAILED ${failure}\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
