/**
 * Which test files may run in one process, one after the other, and which need one of their own.
 *
 * A process for each file costs most files more than their tests: it starts, loads the engine and compiles it anew. Suites of
 * pure computation share one. A file that changes what others see (a prototype, a global, the clock), measures the heap,
 * or starts threads, processes or servers has its own; so has any outside the folders that are known to be pure.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Relative to the repository. */
const PURE_FOLDERS = [
  'packages/core/test',
  'packages/scenarios/test',
  'packages/inspector/test/page',
  'packages/inspector/test/playground',
  'bench/test',
];
/** What a file says that is not for company. */
const ALONE =
  /\bvi\.(spyOn|mock|stub|use)|\bgc\b|memoryUsage|node:(child_process|worker_threads|http|net)|threads/;

/** Whether a test file of this text may share a process with others. */
export function isForCompany(file: string, text: string): boolean {
  const isInPureFolder = PURE_FOLDERS.some((folder) => file.startsWith(`${folder}/`));
  return isInPureFolder && !ALONE.test(file) && !ALONE.test(text);
}

/** Those under `root` that may share a process, relative to it, with slashes. */
export function sharingFiles(root: string): string[] {
  return PURE_FOLDERS.flatMap((folder) => {
    const entries = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
    return entries
      .map((entry) => `${folder}/${entry.replaceAll('\\', '/')}`)
      .filter((file) => file.endsWith('.test.ts'))
      .filter((file) => isForCompany(file, readFileSync(path.join(root, file), 'utf8')));
  });
}
