/**
 * What a page downloads for a line of its program stays as small as it is said to be.
 *
 * The packages are bundled as a user's bundler does it for browsers: from dist, by the export condition `browser`, what is
 * not used shaken off, minified. Counted is the size after gzip, which is what a server sends. Each limit lies a little above
 * what was measured when it was last set, and docs/bundling.md tells the limits. Reads dist.
 */
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import type { Check, Problem, Repository } from './repository.ts';

/** A program, and the kilobytes (1,000 bytes) that it may have. */
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
    mostKilobytes: 125,
  },
  {
    what: 'umwelt with its default detector, and kernels for every runtime',
    program:
      "import { World } from 'umwelt'; import 'umwelt/kernels/javascript'; globalThis.world = new World();",
    mostKilobytes: 150,
  },
  {
    what: 'umwelt with every detector',
    program:
      "import { World } from 'umwelt'; import 'umwelt/detectors/by-name'; globalThis.world = new World();",
    mostKilobytes: 160,
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
      const kilobytes = gzipSync(await bundled(repository, program), { level: 9 }).length / 1000;
      if (kilobytes <= mostKilobytes) continue;
      const message = `${what} bundles to ${kilobytes.toFixed(1)} kB after gzip, more than ${mostKilobytes}`;
      problems.push({ file: 'tools/checks/bundle-size.ts', message });
    }
    return problems;
  },
};

/** The one script that a program becomes. */
async function bundled(repository: Repository, program: string): Promise<string> {
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
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return output[0].code;
}
