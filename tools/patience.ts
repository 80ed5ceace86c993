/**
 * Run before each test file: waits last as long as a busy machine may need.
 *
 * A wait ends as soon as what it is for has come about, so its limit costs nothing where all is well, and is there for
 * what hangs. A limit that a quiet machine keeps easily fails on one where twenty processes run. `expect.poll` has its
 * own in vitest.config.ts.
 */
import { vi } from 'vitest';
import { PATIENCE_MS } from './patience-ms.ts';

const waitFor = vi.waitFor.bind(vi);

vi.waitFor = (callback, options = {}) =>
  waitFor(callback, {
    timeout: PATIENCE_MS,
    ...(typeof options === 'number' ? { timeout: options } : options),
  });
