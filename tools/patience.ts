/**
 * Run before each test file: gives waits as long as a busy machine may need.
 *
 * A wait ends as soon as its event happens, so a long limit costs nothing in a passing run; it only catches hangs. A
 * limit that a quiet machine keeps easily fails on one where twenty processes run. `expect.poll` has its own limit in
 * vitest.config.ts.
 */
import { vi } from 'vitest';
import { PATIENCE_MS } from './patience-ms.ts';

const waitFor = vi.waitFor.bind(vi);

vi.waitFor = (callback, options = {}) =>
  waitFor(callback, {
    timeout: PATIENCE_MS,
    ...(typeof options === 'number' ? { timeout: options } : options),
  });
