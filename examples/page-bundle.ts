/**
 * An example's page as a browser takes it, made by Vite when the example starts: no step to remember, and nothing on the disk.
 */
import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** What answers requests for the page of a folder, and its files. */
export async function bundlePage(folder: URL): Promise<RequestListener> {
  const { NODE_ENV } = process.env;
  const results = await build({
    configFile: false,
    logLevel: 'error',
    root: fileURLToPath(folder),
    resolve: { conditions: ['umwelt:source'] },
    build: { write: false, target: 'es2022', modulePreload: { polyfill: false } },
  });
  // Vite makes it 'production', in which a gateway lets in no pages of other ports.
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
    response.end(body ?? 'Nothing here.\n');
  };
}
