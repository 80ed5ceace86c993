/**
 * How the tests run: all packages' suites, the repository's own, the bench's and the examples', on their sources.
 *
 * `umwelt:source` is the export condition under which a workspace package answers with its TypeScript instead of
 * its build, so that no build can be stale; it is given to Vite and, for what the tests start themselves, to Node.
 * Tests run in processes of their own (the memory tests force a collection and measure the heap), three at a time: some
 * wait for a browser or a socket. The longest begin (tools/test-order.ts).
 * Limits of time are for what hangs: no test needs a quiet machine. With CI=true the results also go to a file for the closing line.
 *
 * UMWELT_TRACES names a folder of recordings; suites that need one skip without it. With UMWELT_CHECKED_COLUMNS=1 every
 * write to a typed array is checked (tools/checked-columns): slower by some times.
 */
import { defineConfig } from 'vitest/config';
import { isChecked, withCheckedWrites } from './tools/checked-columns/checked-source.ts';
import { compileCache } from './tools/compile-cache.ts';
import { PATIENCE_MS } from './tools/patience-ms.ts';
import { LongestFirst } from './tools/test-order.ts';

const sourceCondition = 'umwelt:source';

const checksColumns = process.env.UMWELT_CHECKED_COLUMNS === '1';
const checkedColumns = {
  name: 'checked columns',
  enforce: 'pre' as const,
  transform: (source: string, path: string) => (isChecked(path) ? withCheckedWrites(source) : undefined),
};

export default defineConfig({
  plugins: checksColumns ? [checkedColumns] : [],
  resolve: { conditions: [sourceCondition] },
  ssr: { resolve: { conditions: [sourceCondition], externalConditions: [sourceCondition] } },
  test: {
    include: [
      'packages/*/test/**/*.test.ts',
      'tools/test/**/*.test.ts',
      'bench/test/**/*.test.ts',
      'examples/**/*.test.ts',
    ],
    pool: 'forks',
    maxWorkers: 3,
    env: { NODE_COMPILE_CACHE: compileCache(import.meta.dirname) },
    execArgv: [`--conditions=${sourceCondition}`, '--expose-gc'],
    setupFiles: ['tools/patience.ts', ...(checksColumns ? ['tools/checked-columns/register.ts'] : [])],
    sequence: { sequencer: LongestFirst },
    testTimeout: 3 * PATIENCE_MS,
    hookTimeout: 3 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    reporters: process.env.CI === 'true' ? ['default', 'json'] : ['default'],
    outputFile: { json: '.cache/test-results.json' },
  },
});
