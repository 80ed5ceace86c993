/**
 * Checks that a page downloads no more for a line of its program than docs/bundling.md says.
 *
 * The packages are bundled as a user's bundler does it for browsers: from dist, with the export condition `browser`,
 * tree-shaken, minified. The size after gzip counts, because that is what a server sends. Each limit is slightly above
 * what was measured when it was last set, and docs/bundling.md lists the limits. Reads dist.
 *
 * `npm run check -- --sizes` prints the sizes, and the parts of the engine that the first size consists of.
 */
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type OutputChunk, rolldown } from 'rolldown';
import { minifySync } from 'rolldown/experimental';
import type { Check, Problem, Repository } from './repository.ts';

/** A program, and the kilobytes (1,000 bytes) that its bundle may have. */
interface Bundle {
  readonly what: string;
  readonly program: string;
  readonly mostKilobytes: number;
}

const page = 'docs/bundling.md';

const bundles: readonly Bundle[] = [
  {
    what: 'umwelt with its default detector',
    program: "import { World } from 'umwelt'; globalThis.world = new World();",
    mostKilobytes: 155,
  },
  {
    what: 'umwelt with its default detector, and kernels for every runtime',
    program:
      "import { World } from 'umwelt'; import 'umwelt/kernels/javascript'; globalThis.world = new World();",
    mostKilobytes: 192,
  },
  {
    what: 'umwelt with every detector',
    program:
      "import { World } from 'umwelt'; import 'umwelt/detectors/by-name'; globalThis.world = new World();",
    mostKilobytes: 187,
  },
  {
    what: '@umwelt/client',
    program: "import { UmweltClient } from '@umwelt/client'; globalThis.client = UmweltClient;",
    mostKilobytes: 6,
  },
];

export const bundleSizeCheck: Check = {
  name: 'bundle size',
  async check(repository: Repository): Promise<Problem[]> {
    const problems: Problem[] = [];
    for (const { what, program, mostKilobytes } of bundles) {
      const row = `| ${what} | ${mostKilobytes} kB |`;
      if (!repository.read(page).includes(row)) problems.push({ file: page, message: `has no row ${row}` });
      const kilobytes = gzipped((await bundled(repository, program)).code) / 1000;
      if (kilobytes <= mostKilobytes) continue;
      const message = `${what} bundles to ${kilobytes.toFixed(1)} kB after gzip, more than ${mostKilobytes}`;
      problems.push({ file: 'tools/checks/bundle-size.ts', message });
    }
    return problems;
  },
};

/** Lines to print: the size of each program's bundle, and the parts of the first. */
export async function bundleSizes(repository: Repository): Promise<string[]> {
  const lines: string[] = [];
  for (const { what, program } of bundles) {
    const { code } = await bundled(repository, program);
    const brotli = inKilobytes(brotliCompressSync(code).length);
    lines.push(
      `${what}: ${inKilobytes(gzipped(code))} kB after gzip, ${brotli} after brotli, ${inKilobytes(code.length)} before`,
    );
  }
  lines.push(
    '',
    'the first by parts, kB after gzip: each minified and compressed alone, so their sum is more',
  );
  const { modules } = await bundled(repository, bundles[0]?.program ?? '', false);
  const codes = new Map<string, string>();
  for (const [file, { code }] of Object.entries(modules)) {
    const part = partOf(file);
    codes.set(part, `${codes.get(part) ?? ''}${code ?? ''}\n`);
  }
  const parts = [...codes].map(([part, code]) => [gzipped(minified(code)), part] as const);
  for (const [bytes, part] of parts.sort(([one], [other]) => other - one)) {
    if (bytes > 100) lines.push(`${inKilobytes(bytes).padStart(6)}  ${part}`);
  }
  return lines;
}

/** The folder of the engine's sources that a module is in; its WebAssembly is a separate part. */
function partOf(file: string): string {
  if (file.endsWith('wasm-bytes.js')) return 'the WebAssembly kernels';
  const [, folder = ''] = /\/dist\/(\w+)\//.exec(file) ?? [];
  return folder === '' ? 'the world itself' : folder;
}

function minified(code: string): string {
  return minifySync('part.js', code, { module: true, compress: false, mangle: { toplevel: true } }).code;
}

function gzipped(code: string): number {
  return gzipSync(code, { level: 9 }).length;
}

function inKilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}

/** Bundles a program to one script. */
async function bundled(repository: Repository, program: string, minify = true): Promise<OutputChunk> {
  const entry = path.join(repository.root, 'program.js');
  const bundle = await rolldown({
    input: entry,
    platform: 'browser',
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? program : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify });
  await bundle.close();
  return output[0];
}
