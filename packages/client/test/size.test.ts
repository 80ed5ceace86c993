/** What a page has to load for it, bundled and compressed as a page would. */
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { expect, it } from 'vitest';

const MAX_BYTES = 6 * 1024;

it('weighs less than 6 KB, compressed', async () => {
  const results = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: true,
      target: 'es2022',
      lib: { entry: fileURLToPath(new URL('../src/index.ts', import.meta.url)), formats: ['es'] },
    },
  });
  const [result] = Array.isArray(results) ? results : [results];
  if (result === undefined || !('output' in result)) throw new Error('nothing was built');
  const code = result.output.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('');
  expect(code).toContain('WebSocket');
  const bytes = gzipSync(code).length;
  expect(bytes).toBeGreaterThan(1000);
  expect(bytes).toBeLessThan(MAX_BYTES);
});
