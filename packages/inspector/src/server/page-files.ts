/**
 * The built page, read into memory once when the inspector starts: a few files, under a megabyte.
 *
 * Requests are looked up by name among them, so no path from outside ever reaches the file system. Files under `assets/` have
 * a hash in their names and may be cached forever; the page itself is requested again each time.
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';

export interface PageFile {
  readonly body: Buffer;
  readonly contentType: string;
  readonly cacheControl: string;
}

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** Where the build puts the page, relative to this file's source and to its compiled form alike. */
const BUILT_PAGE = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/page/' : '../page/',
  import.meta.url,
);

/** The page's files by request path. Empty when the page has not been built. */
export async function readPageFiles(directory: URL = BUILT_PAGE): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  for (const name of names) {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType === undefined) continue;
    const path = `/${name.replaceAll('\\', '/')}`;
    const cacheControl = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
    files.set(path, { body: await readFile(new URL(name, directory)), contentType, cacheControl });
  }
  const page = files.get('/index.html');
  if (page !== undefined) files.set('/', page);
  return files;
}
