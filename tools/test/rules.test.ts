/** The checks that read files one by one: each reports a planted fault and nothing else. */
import { describe, expect, it } from 'vitest';
import { corePurityCheck } from '../checks/core-purity.ts';
import { cyclesCheck } from '../checks/cycles.ts';
import { fileNamesCheck, fileSizesCheck, openingCommentsCheck } from '../checks/file-rules.ts';
import { licencesCheck } from '../checks/licences.ts';
import { machinePathsCheck } from '../checks/machine-paths.ts';
import { manifestsCheck } from '../checks/manifests.ts';
import { type Check, describeProblem, madeUpRepository } from '../checks/repository.ts';

async function problems(check: Check, texts: Record<string, string>): Promise<string[]> {
  return (await check.check(madeUpRepository(texts))).map(describeProblem);
}

function importing(...files: string[]): string {
  return files.map((file) => `import '${file}';\n`).join('');
}

describe('import cycles', () => {
  it('reports each cycle once, with the files on it', async () => {
    const found = await problems(cyclesCheck, {
      'bench/first.ts': importing('./second.ts'),
      'bench/second.ts': importing('./leaf.ts', './third.ts'),
      'bench/third.ts': importing('./first.ts'),
      'bench/leaf.ts': '',
    });
    expect(found).toEqual([
      'bench/first.ts: imports itself: bench/first.ts -> bench/second.ts -> bench/third.ts -> bench/first.ts',
    ]);
  });

  it('lets two files import a third', async () => {
    const texts = {
      'bench/first.ts': importing('./leaf.ts', './second.ts'),
      'bench/second.ts': importing('./leaf.ts'),
    };
    expect(await problems(cyclesCheck, { ...texts, 'bench/leaf.ts': '' })).toEqual([]);
  });
});

describe('core alone', () => {
  const manifest = '{ "name": "umwelt" }';

  it('objects to an import from Node or of a dependency', async () => {
    const text = "import { readFileSync } from 'node:fs';\nimport KDBush from 'kdbush';\n";
    const found = await problems(corePurityCheck, {
      'packages/core/package.json': manifest,
      'packages/core/src/world.ts': text,
      'packages/core/test/world.test.ts': text,
    });
    expect(found.map((line) => line.slice(0, 29))).toEqual([
      'packages/core/src/world.ts:1:',
      'packages/core/src/world.ts:2:',
    ]);
  });

  it('objects to a dependency in package.json', async () => {
    const withOne = '{ "name": "umwelt", "dependencies": { "kdbush": "1" } }';
    expect(await problems(corePurityCheck, { 'packages/core/package.json': withOne })).toHaveLength(1);
    expect(await problems(corePurityCheck, { 'packages/core/package.json': manifest })).toEqual([]);
  });
});

describe('files', () => {
  it('have at most 500 lines', async () => {
    const texts = { 'bench/long.ts': 'x;\n'.repeat(501), 'bench/just-short-enough.ts': 'x;\n'.repeat(500) };
    expect(await problems(fileSizesCheck, texts)).toEqual(['bench/long.ts: has 501 lines, more than 500']);
  });

  it('open with a comment, which a shebang may precede', async () => {
    const found = await problems(openingCommentsCheck, {
      'bench/bare.ts': 'export const one = 1;\n',
      'bench/told.ts': '/** What it is for. */\nexport const one = 1;\n',
      'packages/cli/src/main.ts': '#!/usr/bin/env node\n/** What it is for. */\n',
    });
    expect(found).toEqual(['bench/bare.ts:1: does not open with a comment']);
  });

  it('are named after something, in kebab-case', async () => {
    const found = await problems(fileNamesCheck, {
      'bench/utils.ts': '',
      'bench/helpers/one.ts': '',
      'bench/string-utils.ts': '',
      'bench/WorldState.ts': '',
      'bench/world-state.test.ts': '',
      'bench/utility-poles.ts': '',
    });
    expect(found.map((line) => line.split(':')[0])).toEqual([
      'bench/WorldState.ts',
      'bench/helpers/one.ts',
      'bench/string-utils.ts',
      'bench/utils.ts',
    ]);
  });

  it('contain no path of one machine', async () => {
    const place = ['', 'tmp', 'trace.csv'].join('/');
    const found = await problems(machinePathsCheck, {
      'README.md': `Fine.\nRun it on ${place}.\n`,
      'docs/guide.md': `A url: https://example.org${place}\n`,
      'docs/picture.png': place,
      'bench/native/sweep.c': `// ${['', 'home', 'somebody'].join('/')}\n`,
    });
    expect(found).toEqual([
      expect.stringMatching(/^README\.md:2: names/),
      expect.stringMatching(/^bench\/native\/sweep\.c:1: names/),
    ]);
  });
});

describe('licences', () => {
  it('are the same in every package.json, and the text exists', async () => {
    const found = await problems(licencesCheck, {
      'bench/package.json': '{ "license": "MIT" }',
      'package.json': '{ "license": "ISC" }',
    });
    expect(found).toHaveLength(2);
    expect(found[0]).toContain('package.json: license is "ISC"');
    expect(found[1]).toContain('LICENSE');
  });

  it('are in every published package, with the same text', async () => {
    const found = await problems(licencesCheck, {
      LICENSE: 'MIT License\n',
      'packages/core/package.json': '{ "license": "MIT" }',
      'packages/client/package.json': '{ "license": "MIT" }',
      'packages/client/LICENSE': 'MIT License\n',
      'packages/gateway/package.json': '{ "license": "MIT" }',
      'packages/gateway/LICENSE': 'MIT License, but\n',
    });
    expect(found.map((line) => line.split(':')[0])).toEqual([
      'packages/core/LICENSE',
      'packages/gateway/LICENSE',
    ]);
  });
});

describe('manifests', () => {
  const whole = {
    name: 'umwelt',
    version: '1.2.0',
    description: 'Who perceives whom',
    keywords: ['aoi', 'game', 'server'],
    repository: { url: 'git+https://host.example/umwelt.git', directory: 'packages/core' },
    homepage: 'https://host.example/umwelt/tree/main/packages/core#readme',
    bugs: 'https://host.example/umwelt/issues',
    engines: { node: '>=22' },
    exports: { './package.json': './package.json' },
  };
  const other = {
    ...whole,
    name: '@umwelt/gateway',
    repository: { ...whole.repository, directory: 'packages/gateway' },
    homepage: whole.homepage.replace('core', 'gateway'),
    dependencies: { umwelt: '1.2.0', ws: '^8' },
  };
  const found = (core: object, gateway: object, texts: Record<string, string> = {}) =>
    problems(manifestsCheck, {
      'package.json': JSON.stringify({ repository: { url: whole.repository.url } }),
      'packages/core/package.json': JSON.stringify(core),
      'packages/core/README.md': '# umwelt',
      'packages/gateway/package.json': JSON.stringify(gateway),
      ...texts,
    });

  it('accepts complete manifests', async () => {
    expect(await found(whole, other, { 'packages/gateway/README.md': '' })).toEqual([]);
  });

  it('reports missing fields, differences, and needed versions that differ', async () => {
    const { keywords: _, ...bare } = { ...whole, engines: {}, exports: {} };
    const torn = {
      ...other,
      version: '1.1.0',
      dependencies: { umwelt: '^1.2.0' },
      bugs: 'https://elsewhere.example',
    };
    expect(await found(bare, torn)).toEqual([
      "packages/core/package.json: engines.node is undefined, expected '>=22'",
      "packages/core/package.json: exports['./package.json'] is undefined, expected './package.json'",
      'packages/core/package.json: has fewer than three keywords',
      'packages/gateway/package.json: bugs is "https://elsewhere.example", expected \'https://host.example/umwelt/issues\'',
      'packages/gateway/package.json: version is 1.1.0, that of others 1.2.0',
      'packages/gateway/package.json: needs umwelt ^1.2.0, expected 1.2.0',
      'packages/gateway/package.json: there is no README.md beside it',
    ]);
  });
});
