/**
 * Bundles a test's module as a page would load it: one script, made from the workspace's sources.
 *
 * Vite is imported only when a bundle is made, so that a suite that is skipped because there is no browser does not load
 * it.
 */
import { fileURLToPath } from 'node:url';

/** The script of a TypeScript module with all its imports; the exports are in a global object, `bundle`. */
export async function bundleTestPage(entry: URL): Promise<string> {
  const { build, defaultClientConditions } = await import('vite');
  const results = await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: ['umwelt:source', ...defaultClientConditions] },
    build: { write: false, lib: { entry: fileURLToPath(entry), formats: ['iife'], name: 'bundle' } },
  });
  const [result] = Array.isArray(results) ? results : [results];
  if (result === undefined || !('output' in result)) throw new Error('nothing was built');
  return result.output.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('');
}
