/**
 * Bundles an example's page with Vite when the example starts: no separate build step, and no files on disk.
 */
import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** A listener that serves the page of a folder, and its files. */
export async function bundlePage(folder: URL): Promise<RequestListener> {
  const { NODE_ENV } = process.env;
  const results = await build({
    configFile: false,
    logLevel: 'error',
    root: fileURLToPath(folder),
    resolve: { conditions: ['umwelt:source'] },
    build: { write: false, target: 'es2022', modulePreload: { polyfill: false } },
  });
  // Vite sets it to 'production', in which a gateway rejects pages from other ports.
  if (NODE_ENV === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = NODE_ENV;
  const [result] = Array.isArray(results) ? results : [results];
  if (result === undefined || !('output' in result)) throw new Error('Vite built nothing');
  const files = new Map(
    result.output.map((file) => [`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source]),
  );
  return ({ url = '/' }, response) => {
    const path = url.split('?', 1)[0] ?? '/';
    const name = path === '/' ? '/index.html' : path;
    const body = files.get(name);
    response.writeHead(body === undefined ? 404 : 200, {
      'Content-Type': TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    response.end(body ?? 'Not found.\n');
  };
}
