/**
 * How the tests run: all packages' suites, the repository's own, the bench's and the examples', on their sources.
 *
 * `umwelt:source` is the export condition under which a workspace package answers with its TypeScript instead of
 * its build, so that no build can be stale; it is given to Vite and, for what the tests start themselves, to Node.
 * Node itself loads them, as it does everywhere else: Vite's loader makes every use of an import a call, with which suites
 * of pure computation took a sixth longer. Those suites share processes (tools/test-processes.ts), one a core. Of all others, those
 * that need it have a process each (the memory tests force a collection and measure the heap), and the tidy ones share some; one
 * more at a time than there are cores: many wait for a browser or a socket. The pure ones come first, by themselves: Vitest ends
 * a shared process as soon as the next file in line is not for it, and the next one compiles the engine anew. The longest begin,
 * and the short tidy ones are last, in a row (tools/test-order.ts).
 * Limits of time are for what hangs: no test needs a quiet machine.
 *
 * With CI=true the results also go to a file for the closing lines, and a test that is not pure gets a second try:
 * most of them wait for a browser, a socket or a program. Who needed it is said there by name, with what the first try
 * said. What only computes gets none.
 *
 * UMWELT_TRACES names a folder of recordings; suites that need one skip without it. With UMWELT_CHECKED_COLUMNS=1 every
 * write to a typed array is checked (tools/checked-columns): slower by some times.
 */
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { isChecked, withCheckedWrites } from './tools/checked-columns/checked-source.ts';
import { compileCache } from './tools/compile-cache.ts';
import { PATIENCE_MS } from './tools/patience-ms.ts';
import { LongestFirst } from './tools/test-order.ts';
import { sharingFiles, tidyFiles } from './tools/test-processes.ts';

const sourceCondition = 'umwelt:source';
const isCI = process.env.CI === 'true';

const checksColumns = process.env.UMWELT_CHECKED_COLUMNS === '1';
const checkedColumns = {
  name: 'checked columns',
  enforce: 'pre' as const,
  transform: (source: string, path: string) => (isChecked(path) ? withCheckedWrites(source) : undefined),
};

const everyFile = [
  'packages/*/test/**/*.test.ts',
  'tools/test/**/*.test.ts',
  'bench/test/**/*.test.ts',
  'examples/**/*.test.ts',
];
const sharing = sharingFiles(import.meta.dirname);
const tidy = tidyFiles(import.meta.dirname, everyFile);
/**
 * Where files share processes: V8's last compiler, TurboFan, waits for ten times as many calls as usual. Thousands of functions are
 * somewhat hot there, and each file makes others so: a fifth of the processor time went into compiling them.
 */
const compileLate = '--invocation-count-for-turbofan=30000';
/** Of all that is not pure: one line of files, so that no process idles between one kind and the next. */
const others = {
  maxWorkers: availableParallelism() + 1,
  retry: isCI ? 1 : 0,
  sequence: { groupOrder: 1 },
};

export default defineConfig({
  plugins: checksColumns ? [checkedColumns] : [],
  resolve: { conditions: [sourceCondition] },
  ssr: { resolve: { conditions: [sourceCondition], externalConditions: [sourceCondition] } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: sharing,
          isolate: false,
          execArgv: [compileLate],
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: everyFile,
          exclude: [...configDefaults.exclude, ...sharing, ...tidy],
          ...others,
        },
      },
      {
        extends: true,
        test: { name: 'tidy', include: tidy, isolate: false, execArgv: [compileLate], ...others },
      },
    ],
    // Where writes are checked Vite's plugin above must have the sources.
    experimental: { viteModuleRunner: checksColumns },
    pool: 'forks',
    env: { NODE_COMPILE_CACHE: compileCache(import.meta.dirname) },
    execArgv: [`--conditions=${sourceCondition}`, '--expose-gc'],
    setupFiles: ['tools/patience.ts', ...(checksColumns ? ['tools/checked-columns/register.ts'] : [])],
    sequence: { sequencer: LongestFirst },
    testTimeout: 3 * PATIENCE_MS,
    hookTimeout: 3 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    reporters: isCI ? ['default', 'json'] : ['default'],
    outputFile: { json: '.cache/test-results.json' },
  },
});
