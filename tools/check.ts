/**
 * The repository's rules as code: `npm run check`.
 *
 * Runs every check, also after one failed, and prints a line for each with its problems below it. The checks are in
 * tools/checks, one small file each. `--update` writes the public listings in docs/api instead of comparing them.
 * `--sizes` checks nothing: it prints what a page downloads, and the parts of the engine in that size. The exit code is 1
 * if any check finds a problem. The totals also go to .cache/check-results.json.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { architecturePageCheck } from './checks/architecture-page.ts';
import { arrowsCheck } from './checks/arrows.ts';
import { bundleSizeCheck, bundleSizes } from './checks/bundle-size.ts';
import { corePurityCheck } from './checks/core-purity.ts';
import { cyclesCheck } from './checks/cycles.ts';
import { fileNamesCheck, fileSizesCheck, openingCommentsCheck } from './checks/file-rules.ts';
import { formattingCheck } from './checks/formatting.ts';
import { kernelsCheck } from './checks/kernels.ts';
import { licencesCheck } from './checks/licences.ts';
import { machinePathsCheck } from './checks/machine-paths.ts';
import { manifestsCheck } from './checks/manifests.ts';
import { packagesCheck } from './checks/packages.ts';
import { publicApiCheck } from './checks/public-api.ts';
import {
  type Check,
  describeProblem,
  openRepository,
  type Problem,
  type Repository,
} from './checks/repository.ts';
import { typesCheck } from './checks/types.ts';
import { unusedCheck } from './checks/unused.ts';
import { root } from './run-command.ts';

/** The most problems of one check that are printed; the rest are counted. */
const maxShown = 50;

const given = process.argv.slice(2);
const unknown = given.find((argument) => argument !== '--update' && argument !== '--sizes');
if (unknown !== undefined) {
  process.stderr.write(`check: unknown option '${unknown}'; there are --update and --sizes\n`);
  process.exit(2);
}

/** The checks in order. The types come first, because they write dist, which later checks read. */
const checks: readonly Check[] = [
  arrowsCheck,
  architecturePageCheck,
  cyclesCheck,
  corePurityCheck,
  kernelsCheck,
  fileSizesCheck,
  fileNamesCheck,
  openingCommentsCheck,
  machinePathsCheck,
  licencesCheck,
  manifestsCheck,
  formattingCheck,
  typesCheck,
  unusedCheck,
  packagesCheck,
  bundleSizeCheck,
  publicApiCheck(given.includes('--update')),
];

/** A check that throws is a problem itself; the others still run. */
async function problemsOf(check: Check, repository: Repository): Promise<readonly Problem[]> {
  try {
    return await check.check(repository);
  } catch (error) {
    return [{ message: `the check broke: ${error instanceof Error ? error.message : String(error)}` }];
  }
}

const repository = openRepository(root);
if (given.includes('--sizes')) {
  // Compiling writes dist.
  await typesCheck.check(repository);
  process.stdout.write(`${(await bundleSizes(repository)).join('\n')}\n`);
  process.exit(0);
}
const failures: string[] = [];
for (const check of checks) {
  const startMs = performance.now();
  const problems = await problemsOf(check, repository);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const verdict = problems.length === 0 ? 'ok  ' : 'FAIL';
  const count =
    problems.length === 0 ? '' : `, ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
  process.stdout.write(`${verdict} ${check.name} (${seconds} s${count})\n`);
  const shown = problems.slice(0, maxShown).map((problem) => `       ${describeProblem(problem)}\n`);
  process.stdout.write(shown.join(''));
  if (problems.length > maxShown) process.stdout.write(`       and ${problems.length - maxShown} more\n`);
  if (problems.length > 0) failures.push(`${check.name}\n${shown.slice(0, 3).join('')}`);
}

const failed = failures.length;
const resultFile = path.join(root, '.cache', 'check-results.json');
mkdirSync(path.dirname(resultFile), { recursive: true });
writeFileSync(resultFile, JSON.stringify({ passed: checks.length - failed, failed, failures }));
process.stdout.write(`${checks.length - failed} of ${checks.length} checks hold\n`);
process.exitCode = failed === 0 ? 0 : 1;
