/**
 * A test's own module as a page would have it: one script, made from the workspace's sources.
 *
 * Vite is imported only when asked for: a suite that is skipped for want of a browser does not wait for it.
 */
import { fileURLToPath } from 'node:url';

/** The script of a TypeScript module and all that it imports; what it exports is a global object, `bundle`. */
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
