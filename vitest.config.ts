/**
 * How the tests run: all packages' suites, the repository's own, the bench's and the examples', on their sources.
 *
 * `umwelt:source` is the export condition under which a workspace package answers with its TypeScript instead of
 * its build, so that no build can be stale; it is given to Vite and, for what the tests start themselves, to Node.
 * Tests run in processes of their own (the memory tests force a collection and measure the heap), three at a time: some
 * wait for a browser or a socket.
 * Fuzz suites set the pace: hence the long limit. With CI=true the results also go to a file for the closing line.
 *
 * UMWELT_TRACES names a folder of recordings; suites that need one skip without it.
 */
import { defineConfig } from 'vitest/config';

const sourceCondition = 'umwelt:source';

export default defineConfig({
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
    execArgv: [`--conditions=${sourceCondition}`, '--expose-gc'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    reporters: process.env.CI === 'true' ? ['default', 'json'] : ['default'],
    outputFile: { json: '.cache/test-results.json' },
  },
});
