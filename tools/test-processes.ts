/**
 * Which test files may run in one process, one after the other, and which need a process of their own.
 *
 * A process for each file costs most files more time than their tests: it starts, loads the engine and compiles it again. So
 * there are three kinds.
 *
 *   - Pure: only computes. By folder, or by name where a folder has others, too.
 *   - Tidy: opens sockets and pages, spies on prototypes, stops the clock or starts programs, and leaves the process as it found it.
 *     These share processes among themselves, not with the pure ones, which have no second try.
 *   - Alone: measures the heap, starts threads, or replaces modules or globals.
 *
 * No helper has a hook outside of any function: a shared process loads a helper once, so only the first file would get the hook.
 *
 * A new file is pure in a folder of pure ones, else tidy, unless its text shows more.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Folders in which all files are pure, relative to the repository. */
const PURE_FOLDERS = [
  'packages/core/test',
  'packages/cluster/test/simulation',
  'packages/scenarios/test',
  'packages/inspector/test/page',
  'packages/inspector/test/playground',
  'bench/test',
];
/** Pure files in folders where others are not: names by folder. */
const PURE_FILES: Readonly<Record<string, string>> = {
  'packages/inspector/test':
    'feed-frame feed-message focus-frame relations selection-log structure-frame structure-packing',
  'packages/gateway/test': 'frame-fuzz frame-pair hostile-frames options views bounds/bounds',
  'packages/cluster/test':
    'state/hostile-member state/replica records/record figures/capacity-model log/piece node/doubtful-record node/beginning-anew state/formats',
  'packages/cli/test':
    'arguments compare-advice compare-claims compare-report compare-result compare-script faults percentiles playback rate-window recorded-scene running-world serve-format status-line',
  'packages/client/test': 'options',
  'packages/colyseus/test': 'guide hostile-options options',
  'tools/test': 'build-packages compile-cache fingerprint reference rules site-reference totals',
  'examples/own-detector': 'hexagon-grid',
};
/** The paths of these files. */
export const pureFiles = Object.entries(PURE_FILES).flatMap(([folder, names]) =>
  names.split(' ').map((name) => `${folder}/${name}.test.ts`),
);
/** Text in a file that shows that it is not pure. */
const IMPURE =
  /\bvi\.(spyOn|mock|stub|use)|\bgc\b|memoryUsage|node:(child_process|worker_threads|http|net)|threads/;

/** Text or a path that shows that a file needs a process of its own. */
const ALONE = /\bvi\.(mock|stubGlobal)\b|\bgc\b|memoryUsage|node:worker_threads|threads/;

/** Whether a test file of this text may share a process with pure ones. */
export function isForCompany(file: string, text: string): boolean {
  const isInPureFolder = PURE_FOLDERS.some((folder) => file.startsWith(`${folder}/`));
  return (isInPureFolder || pureFiles.includes(file)) && !IMPURE.test(file) && !IMPURE.test(text);
}

/** Whether a test file of this text leaves its process as it found it, as far as the text shows. */
export function isTidy(file: string, text: string): boolean {
  return !ALONE.test(file) && !ALONE.test(text);
}

/** The test files of these globs, relative to `root`, that share processes with one another and with no pure one. */
export function tidyFiles(root: string, globs: readonly string[]): string[] {
  const pure = new Set(sharingFiles(root));
  return globSync(globs, { cwd: root, exclude: (name) => name === 'node_modules' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !pure.has(file) && isTidy(file, readFileSync(path.join(root, file), 'utf8')))
    .sort();
}

/** The pure test files under `root`, which share a process, relative to it, with slashes. */
export function sharingFiles(root: string): string[] {
  const inFolders = PURE_FOLDERS.flatMap((folder) => {
    const entries = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
    return entries
      .map((entry) => `${folder}/${entry.replaceAll('\\', '/')}`)
      .filter((file) => file.endsWith('.test.ts'));
  });
  return [...inFolders, ...pureFiles].filter((file) =>
    isForCompany(file, readFileSync(path.join(root, file), 'utf8')),
  );
}
