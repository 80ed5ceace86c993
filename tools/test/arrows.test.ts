/**
 * The import arrows: a wrong import planted anywhere in the repository is found at its line, and a correct one is
 * accepted.
 */
import { describe, expect, it } from 'vitest';
import { architecturePageCheck } from '../checks/architecture-page.ts';
import { arrowsCheck } from '../checks/arrows.ts';
import { cyclesCheck } from '../checks/cycles.ts';
import { planted, problemsWith, withPrefix } from './planted.ts';

function problems(texts: Record<string, string | undefined>): Promise<string[]> {
  return problemsWith(arrowsCheck, texts);
}

/** A file that breaks the arrows, and its text. */
const wrong: readonly [file: string, statement: string][] = [
  ['packages/core/src/kernels/planted.ts', "import { sweep } from '../detectors/sweep/sweep.ts';"],
  ['packages/core/src/entities/planted.ts', "import type { World } from '../world.ts';"],
  ['packages/core/src/planted.ts', "import type { Crowd } from '@umwelt/scenarios';"],
  ['packages/client/src/planted.ts', "import { Gateway } from '@umwelt/gateway';"],
  ['packages/client/src/planted.ts', "import type { Gateway } from '@umwelt/gateway';"],
  ['packages/client/src/planted.ts', "import { World } from 'umwelt';"],
  ['packages/gateway/src/planted.ts', "import { UmweltClient } from '@umwelt/client';"],
  ['packages/gateway/src/wire/planted.ts', "import type { UmweltClient } from '@umwelt/client';"],
  ['packages/gateway/src/sessions/planted.ts', "export { UmweltRoom } from '@umwelt/colyseus';"],
  ['packages/gateway/test/planted.ts', "import { UmweltRoom } from '@umwelt/colyseus';"],
  ['packages/colyseus/src/planted.ts', "import { UmweltClient } from '@umwelt/client';"],
  ['packages/colyseus/src/planted.ts', "import { startInspector } from '@umwelt/inspector';"],
  ['packages/scenarios/src/planted.ts', "import { startInspector } from '@umwelt/inspector';"],
  ['packages/scenarios/src/generators/planted.ts', "import '../traces/reader.ts';"],
  ['packages/inspector/src/page/planted.tsx', "import { startFeed } from '../feed/feed.ts';"],
  ['packages/inspector/src/page/view/planted.ts', "import { startFeed } from '../../feed/feed.ts';"],
  ['packages/inspector/src/page/components/planted.tsx', "import type { Gateway } from '@umwelt/gateway';"],
  ['packages/inspector/src/server/planted.ts', "import { palette } from '../page/palette.ts';"],
  ['packages/cli/src/compare/planted.ts', "import { serve } from '../commands/serve.ts';"],
  ['bench/engines/planted.ts', "import { Gateway } from '@umwelt/gateway';"],
  ['bench/measure/planted.ts', "import '../suites/suite-list.ts';"],
  ['bench/suites/planted.ts', "import { startInspector } from '@umwelt/inspector';"],
  ['examples/01-hello/planted.ts', "import '../own-detector/hexagon-grid.ts';"],
  ['tools/planted.ts', "import { Gateway } from '@umwelt/gateway';"],
];

describe('import arrows', () => {
  it('hold in the repository as it is', async () => {
    expect(await problems({})).toEqual([]);
  });

  it.each(wrong)('catch in %s: %s', async (file, statement) => {
    // The import's target must exist, or the import would be a problem for another reason.
    const target = /'\.([^']+)'/.exec(statement)?.[1];
    const path =
      target === undefined ? undefined : new URL(`.${target}`, `file:///${file}`).pathname.slice(1);
    const texts: Record<string, string> = { [file]: `/** Planted. */\n${statement}\n` };
    if (path !== undefined && !planted({}).files.includes(path)) texts[path] = '';
    const found = await problems(texts);
    expect(found).toHaveLength(1);
    expect(found[0]?.startsWith(`${file}:2: imports '`), found[0]).toBe(true);
    expect(found[0]).toMatch(/ may import only /);
  });

  it('let an upper layer of core import a lower one', async () => {
    const text =
      "import { UmweltError } from '../errors.ts';\nimport type { Heap } from '../kernels/heap.ts';\n";
    expect(await problems({ 'packages/core/src/detectors/planted.ts': text })).toEqual([]);
  });

  it('catch every form of import, with its line', async () => {
    const up = '../interest/seating.ts';
    const forms = [
      `import {\n  first,\n  type Second,\n} from\n'${up}';\n`,
      `\n\n\n\nexport { first } from '${up}';\n`,
      `\n\n\n\nexport * from "${up}";\n`,
      `\n\n\n\nimport '${up}';\n`,
      `\n\n\n\nexport type {} from '${up}';\n`,
      `\n\n\n\nconst a = 1; import b from '${up}';\n`,
      `export const late = () =>\n  import(\n\n\n    '${up}'\n  );\n`,
      `\n\n\n\nexport const late = () => import(\`${up}\`);\n`,
      `\n\n\n\nexport type Late = import('${up}').Seating;\n`,
      `\n\n\n\nexport let late: typeof import('${up}');\n`,
      `\n\n\n\nimport late = require('${up}');\n`,
      `\n\n\n\nimport type late = require('${up}');\n`,
      `\n\n\n\nexport const late = require('${up}');\n`,
      `\n\n\n\nexport const late = import.meta.resolve('${up}');\n`,
      `export const worker = new URL(\n  // here\n\n\n  '${up}',\n  import.meta.url,\n);\n`,
      `export const text = \`\n/** \n\`;\n/* */\nimport '${up}';\n`,
    ];
    for (const text of forms) {
      const found = await problems({ 'packages/core/src/detectors/planted.ts': text });
      expect(found, text).toHaveLength(1);
      expect(found[0], text).toContain(`packages/core/src/detectors/planted.ts:5: imports '${up}'`);
    }
  });

  it('do not take an example in a comment or a string for an import', async () => {
    const text =
      "/**\n * For example:\nimport { World } from '../world.ts';\n */\n" +
      "export const one = `\nimport '../world.ts';\n`; // import('../world.ts')\n";
    expect(await problems({ 'packages/core/src/entities/planted.ts': text })).toEqual([]);
  });

  it("catch a relative import into another package's sources", async () => {
    const text = "import { World } from '../../core/src/world.ts';\n";
    const found = await problems({ 'packages/scenarios/src/planted.ts': text });
    expect(found).toEqual([expect.stringContaining('import it by name')]);
  });

  it('catch a package that package.json does not name', async () => {
    const manifest = JSON.parse(planted({}).read('packages/inspector/package.json'));
    delete manifest.dependencies.umwelt;
    const found = await problems({ 'packages/inspector/package.json': JSON.stringify(manifest) });
    expect(found.length).toBeGreaterThan(1);
    for (const line of found) {
      expect(line).toMatch(/^packages\/inspector\/(src|playground)\/.*package\.json does not name umwelt$/);
    }
    const bench = JSON.parse(planted({}).read('bench/package.json'));
    delete bench.dependencies['@umwelt/client'];
    const others = await problems({ 'bench/package.json': JSON.stringify(bench) });
    expect(others).toContainEqual(
      expect.stringMatching(/bench\/package\.json does not name @umwelt\/client/),
    );
  });

  it.each([
    "import '../no-such-file.ts';",
    "import 'umwelt/no-such-entry';",
    "import '@umwelt/no-such-package';",
    "import '@umwelt/cli';",
    "import type { A } from '../dist/index.js';",
  ])('catch an import that leads nowhere: %s', async (statement) => {
    const found = await problems({ 'packages/cli/src/commands/planted.ts': statement });
    expect(found).toEqual([expect.stringMatching(/:1: imports .*(there is no|exports no)/)]);
  });

  it.each([
    'packages/novelty/src/index.ts',
    'packages/core/src/novelty/planted.ts',
    'packages/client/src/novelty/planted.ts',
    'packages/client/novelty/planted.ts',
    'packages/inspector/src/novelty/planted.tsx',
    'packages/cli/src/novelty/planted.js',
    'bench/novelty/planted.ts',
    'tools/novelty/planted.mjs',
    'novelty/planted.cts',
    'novelty.ts',
  ])('ask for a row where there is none: %s', async (file) => {
    expect(await problems({ [file]: '' })).toEqual([
      `${file}: lies in no row of tools/checks/arrow-table.ts`,
    ]);
  });

  it('find a new package by its package.json', async () => {
    const manifest = '{ "name": "novelty", "exports": { ".": { "umwelt:source": "./src/index.ts" } } }';
    const found = await problems({
      'packages/novelty/package.json': manifest,
      'packages/novelty/src/index.ts': '',
      'packages/client/src/planted.ts': "import 'novelty';",
    });
    expect(found).toHaveLength(2);
    expect(found[0]).toBe(
      "packages/client/src/planted.ts:1: imports 'novelty': it lies in no row of tools/checks/arrow-table.ts",
    );
  });

  it('accept a new example without a row', async () => {
    const text = "import { World } from 'umwelt';\nimport { runExample } from '../example-process.ts';\n";
    expect(await problems({ 'examples/05-novelty/main.ts': text })).toEqual([]);
  });

  it('object to a row without a folder', async () => {
    const files = planted({}).files.filter((file) => file.startsWith('packages/gateway/src/telemetry/'));
    const found = await problems(Object.fromEntries(files.map((file) => [file, undefined])));
    expect(found).toContainEqual(expect.stringContaining('a row for packages/gateway/src/telemetry, where'));
  });

  it('object to a file that does not parse', async () => {
    const found = await problems({ 'packages/client/src/planted.ts': 'import {' });
    expect(found).toEqual([expect.stringMatching(/^packages\/client\/src\/planted\.ts: does not parse: /)]);
  });
});

describe('import cycles', () => {
  it('are none in the repository as it is', async () => {
    expect(await problemsWith(cyclesCheck, {})).toEqual([]);
  });

  it.each([
    ['core', 'packages/core/src/detectors/', './'],
    ['gateway', 'packages/gateway/src/views/', './'],
    ['client', 'packages/client/src/', './'],
    ['client by its name', 'packages/client/src/', '@umwelt/client'],
    ['gateway by its name', 'packages/gateway/src/', '@umwelt/gateway'],
    ['colyseus by its name', 'packages/colyseus/src/', '@umwelt/colyseus'],
    ['colyseus', 'packages/colyseus/src/', './'],
    ['scenarios', 'packages/scenarios/src/generators/', './'],
    ['inspector', 'packages/inspector/src/server/', './'],
    ['the page', 'packages/inspector/src/page/components/', './'],
    ['cli', 'packages/cli/src/serve/', './'],
    ['bench', 'bench/suites/', './'],
    ['an example', 'examples/01-hello/', './'],
    ['tools', 'tools/checks/', './'],
  ])('are seen in %s, by types alone, too', async (_, folder, by) => {
    const way = by === './' ? './planted-there.ts' : by;
    const entry = `${folder}index.ts`;
    const found = await problemsWith(cyclesCheck, {
      ...(by === './' ? {} : withPrefix(entry, "export type { Planted } from './planted-here.ts';\n")),
      [`${folder}planted-here.ts`]: `import type { There } from '${way}';\n`,
      [`${folder}planted-there.ts`]: "export * from './planted-here.ts';\n",
    });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`${folder}planted-here.ts`);
    expect(found[0]).toContain('imports itself: ');
  });

  it('are found between packages', async () => {
    const found = await problemsWith(cyclesCheck, {
      ...withPrefix('packages/client/src/index.ts', "import type {} from '@umwelt/gateway';\n"),
      ...withPrefix('packages/gateway/src/index.ts', "import type {} from '@umwelt/client';\n"),
    });
    expect(found).toEqual([
      'packages/client/src/index.ts: imports itself: packages/client/src/index.ts -> ' +
        'packages/gateway/src/index.ts -> packages/client/src/index.ts',
    ]);
  });
});

describe('the architecture page', () => {
  const page = planted({}).read('ARCHITECTURE.md');

  it('agrees with the table', async () => {
    expect(await problemsWith(architecturePageCheck, {})).toEqual([]);
  });

  it('must not allow more, allow less, omit a package or reverse layers', async () => {
    const faults = [
      page.replace('| `bench` | `core`,', '| `bench` | `core`, `cli`,'),
      page.replace('| `bench` | `core`,', '| `bench` |'),
      page.replace('| `core`, `client` | nothing', '| `core` | nothing'),
      page.replace('threads <- kernels', 'kernels <- threads'),
      page.replace('\n  client/ ', '\n  clients/ '),
      page.replace('## Arrows', '## Rules'),
    ];
    for (const text of faults) {
      expect(text).not.toBe(page);
      expect(await problemsWith(architecturePageCheck, { 'ARCHITECTURE.md': text })).not.toEqual([]);
    }
  });
});
