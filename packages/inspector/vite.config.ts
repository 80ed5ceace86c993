/**
 * Builds the page into dist/page: one script, one style sheet, nothing from elsewhere.
 *
 * JSX becomes calls of Preact by the bundler's own transform, so no plugin is needed. Addresses in the page are
 * relative: it works wherever it is served.
 */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: { outDir: 'dist/page', emptyOutDir: true, target: 'es2022', modulePreload: { polyfill: false } },
});
