/**
 * Builds the playground into one file that a browser can open from anywhere, also from a disk: it fetches nothing and
 * needs no server.
 *
 *   npm run playground [-- FILE]     packages/inspector/dist/playground/index.html unless named
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { playgroundPage } from './playground-page.ts';
import { root } from './run-command.ts';

const [given, ...more] = process.argv.slice(2);
if (more.length > 0 || given?.startsWith('-') === true) {
  process.stderr.write(`playground: expected the name of a file; got '${[given, ...more].join(' ')}'\n`);
  process.exit(2);
}
const file = path.resolve(root, given ?? 'packages/inspector/dist/playground/index.html');
const html = await playgroundPage();
mkdirSync(path.dirname(file), { recursive: true });
writeFileSync(file, html);
const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1000)} kB`;
process.stdout.write(
  `playground: ${kilobytes(Buffer.byteLength(html))}, ${kilobytes(gzipSync(html).length)} gzipped. Open it in a browser:\n${pathToFileURL(file).href}\n`,
);
