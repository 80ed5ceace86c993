/**
 * Scores pages of the built site by Lighthouse, as on a phone with a slow network: `npm run lighthouse`.
 *
 * Prints a line for each page, with its scores, the bytes of its first load and the audits below 90, and exits with 1 if
 * accessibility is below 100 or performance below 95. Performance is simulated from measured times, and a busy machine
 * measures long ones, so a page that is too slow gets up to three tries. Lighthouse is 180 MB that nothing else needs: npm
 * installs it into .cache/lighthouse at the first run. It takes ten seconds a page, so CI does not run it: there, the test
 * of the site's pages runs axe, which is most of what Lighthouse asks of accessibility.
 *
 * A server of its own sends the files compressed, as hosts of static files do.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { findChromium, HEADLESS_FLAGS } from './chromium.ts';
import { freePort } from './free-port.ts';
import { installApart } from './install-apart.ts';
import { root, showCommand } from './run-command.ts';

/** The first page, a guide, an index of the reference, and the page of a name: the largest of each kind. */
const PAGES = ['/', '/interest.html', '/api/umwelt.html', '/api/umwelt/World.html'];
/** The least score, of 100. */
const LEAST = { accessibility: 100, performance: 95 };
const TRIES = 3;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};
const dist = path.join(root, '.cache/site/dist');
const folder = path.join(root, '.cache/lighthouse');

/** The part of its result that is read here. Scores are 0 to 1. */
interface Scored {
  readonly categories: Readonly<
    Record<string, { score: number; auditRefs: { id: string; weight: number }[] }>
  >;
  readonly audits: Readonly<
    Record<string, { title: string; score: number | null; displayValue?: string; numericValue?: number }>
  >;
}
type Lighthouse = (address: string, options: object) => Promise<{ lhr: Scored }>;

const executablePath = findChromium();
if (executablePath === undefined) {
  process.stderr.write('umwelt: Lighthouse needs a Chromium: set UMWELT_CHROMIUM\n');
  process.exit(1);
}
const buildCode = showCommand('tools/docs.ts', '--build');
if (buildCode !== 0) process.exit(buildCode);
await installApart('tools/lighthouse/package.json', folder, 'Lighthouse (some 180 MB)');
const file = createRequire(path.join(folder, 'package.json')).resolve('lighthouse');
const { default: lighthouse } = (await import(pathToFileURL(file).href)) as { default: Lighthouse };

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const wanted = path.join(dist, pathname === '/' ? 'index.html' : decodeURIComponent(pathname));
  if (!wanted.startsWith(dist) || !existsSync(wanted)) return response.writeHead(404).end();
  const type = TYPES[path.extname(wanted)];
  const bytes = readFileSync(wanted);
  if (type === undefined) return response.end(bytes);
  return response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' }).end(gzipSync(bytes));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = `http://localhost:${(server.address() as AddressInfo).port}`;
const port = await freePort();
const browser = await chromium.launch({
  executablePath,
  args: [...HEADLESS_FLAGS, `--remote-debugging-port=${port}`],
});
let isGood = true;
for (const page of PAGES) {
  let lhr: Scored;
  let tries = 0;
  do {
    ({ lhr } = await lighthouse(address + page, { port, onlyCategories: Object.keys(LEAST) }));
    tries++;
  } while (tries < TRIES && scoreOf(lhr, 'performance') < LEAST.performance);
  isGood &&= Object.entries(LEAST).every(([category, least]) => scoreOf(lhr, category) >= least);
  report(page, lhr);
}
await browser.close();
server.close();
process.exitCode = isGood ? 0 : 1;

function scoreOf({ categories }: Scored, category: string): number {
  return Math.round((categories[category]?.score ?? 0) * 100);
}

function report(page: string, lhr: Scored): void {
  const { categories, audits } = lhr;
  const scores = Object.entries(LEAST).map(
    ([name, least]) => `${name} ${scoreOf(lhr, name)} (at least ${least})`,
  );
  const kilobytes = Math.round((audits['total-byte-weight']?.numericValue ?? 0) / 1000);
  process.stdout.write(`${page}: ${scores.join(', ')}; ${kilobytes} kB\n`);
  for (const { id, weight } of Object.values(categories).flatMap(({ auditRefs }) => auditRefs)) {
    const { title, score, displayValue = '' } = audits[id] ?? { title: id, score: null };
    if (weight > 0 && score !== null && score < 0.9)
      process.stdout.write(`  ${Math.round(score * 100)}: ${title} ${displayValue}\n`);
  }
}
