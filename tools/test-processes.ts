/**
 * Which test files may run in one process, one after the other, and which need a process of their own.
 *
 * A process for each file costs most files more time than their tests: it starts, loads the engine and compiles it again.
 * Suites of pure computation share a process. A file that changes global state (a prototype, a global, the clock),
 * measures the heap, or starts threads, processes or servers has a process of its own, and so has any file that is not
 * listed as pure, by its folder or by itself.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Folders in which all files are pure, relative to the repository. */
const PURE_FOLDERS = [
  'packages/core/test',
  'packages/scenarios/test',
  'packages/inspector/test/page',
  'packages/inspector/test/playground',
  'bench/test',
];
/** Pure files in folders where others are not: names by folder. */
const PURE_FILES: Readonly<Record<string, string>> = {
  'packages/inspector/test':
    'feed-frame feed-message focus-frame population relations selection-log structure-frame structure-packing',
  'packages/gateway/test': 'frame-fuzz frame-pair hostile-frames options parentage views bounds/bounds',
  'packages/cluster/test':
    'state/hostile-member state/replica records/record figures/capacity-model log/memory-log log/piece',
  'packages/cli/test':
    'arguments compare-advice compare-claims compare-report compare-result compare-script faults percentiles playback rate-window recorded-scene running-world serve-format status-line',
  'packages/client/test': 'options',
  'packages/colyseus/test': 'guide hostile-options options',
  'tools/test': 'build-packages compile-cache fingerprint reference rules totals',
  'examples/own-detector': 'hexagon-grid',
};
/** The paths of these files. */
export const pureFiles = Object.entries(PURE_FILES).flatMap(([folder, names]) =>
  names.split(' ').map((name) => `${folder}/${name}.test.ts`),
);
/** Text in a file that shows that it needs a process of its own. */
const ALONE =
  /\bvi\.(spyOn|mock|stub|use)|\bgc\b|memoryUsage|node:(child_process|worker_threads|http|net)|threads/;

/** Whether a test file of this text may share a process with others. */
export function isForCompany(file: string, text: string): boolean {
  const isInPureFolder = PURE_FOLDERS.some((folder) => file.startsWith(`${folder}/`));
  return (isInPureFolder || pureFiles.includes(file)) && !ALONE.test(file) && !ALONE.test(text);
}

/** The test files under `root` that may share a process, relative to it, with slashes. */
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
