/**
 * Publishes the packages that run everywhere, the engine and the client, to JSR: `node tools/publish-jsr.ts [--dry-run]`.
 *
 * JSR takes TypeScript sources and no dist. So each package is laid out in .cache/jsr: sources with the generated
 * kernels, README, licence, and a jsr.json made from its package.json. Deno's `publish` does the rest; on GitHub it
 * records the run that published. The workflow `release` calls this after npm; see docs/releasing.md.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './run-command.ts';
import { installedRuntimes } from './runtimes.ts';

/** Folder, name on JSR (every name there has a scope), and the type libraries that its sources need. */
const published = [
  { folder: 'packages/core', name: '@umwelt/core', lib: ['es2023'] },
  { folder: 'packages/client', name: '@umwelt/client', lib: ['es2024', 'dom', 'dom.iterable'] },
] as const;

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string | { readonly 'umwelt:source': string }>>;
}

const words = process.argv.slice(2);
if (words.some((word) => word !== '--dry-run')) {
  process.stderr.write('umwelt: expected nothing or --dry-run\n');
  process.exit(2);
}
const deno = (await installedRuntimes()).find(({ name }) => name === 'Deno');
if (deno === undefined) throw new Error('Deno was not installed');
for (const { folder, name, lib } of published) {
  const place = laidOut(folder, name, lib);
  process.stdout.write(`umwelt: ${name}\n`);
  const { status } = spawnSync(
    deno.command[0],
    ['publish', '--allow-dirty', '--allow-slow-types', ...words],
    { cwd: place, stdio: 'inherit' },
  );
  if (status !== 0) process.exit(status ?? 1);
}

/** Lays out a folder as JSR requires it. */
function laidOut(folder: string, name: string, lib: readonly string[]): string {
  const from = path.join(root, folder);
  const to = path.join(root, '.cache/jsr', path.basename(folder));
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  cpSync(path.join(from, 'src'), path.join(to, 'src'), {
    recursive: true,
    filter: (file) => !file.endsWith(path.join('kernels', 'wasm')),
  });
  for (const file of ['README.md', 'LICENSE']) cpSync(path.join(from, file), path.join(to, file));
  const { version, license, exports } = JSON.parse(
    readFileSync(path.join(from, 'package.json'), 'utf8'),
  ) as Manifest;
  const sources = Object.entries(exports).flatMap(([subpath, entry]) =>
    typeof entry === 'string' ? [] : [[subpath, entry['umwelt:source']]],
  );
  const manifest = {
    name,
    version,
    license,
    exports: Object.fromEntries(sources),
    // Files in .cache are ignored by git.
    publish: { include: ['src', 'README.md', 'LICENSE', 'jsr.json'], exclude: ['!src'] },
    compilerOptions: { lib, erasableSyntaxOnly: true },
  };
  writeFileSync(path.join(to, 'jsr.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return to;
}
