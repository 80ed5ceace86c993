/** The workflows of .github: their commands exist, their actions fit them, and the run that CI compares with has what it compares. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../run-command.ts';

const folder = path.join(root, '.github/workflows');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

interface Results {
  readonly cases: readonly {
    readonly suite: string;
    readonly name: string;
    readonly outcome: { readonly rows?: readonly { readonly engine: string }[] };
  }[];
}

describe.each(readdirSync(folder))('%s', (name) => {
  const text = read(`.github/workflows/${name}`).replace(/^\s*#.*$/gm, '');

  it('runs npm scripts and files that exist', () => {
    const commands = [...text.matchAll(/npm (?:run )?([a-z]+)/g)].map(([, script]) => script);
    expect(commands.length).toBeGreaterThan(1);
    for (const command of commands) expect(['ci', 'config', ...Object.keys(scripts)]).toContain(command);
    for (const [file] of text.matchAll(/(?:tools|bench)\/[\w./-]+\.(?:ts|json)/g))
      expect(() => read(file)).not.toThrow();
  });
});

it('the workflows use the newest major versions of their actions, which run on Node 24', () => {
  const texts = readdirSync(folder).map((name) => read(`.github/workflows/${name}`));
  const used = texts.flatMap((text) => [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action));
  expect([...new Set(used)].sort()).toEqual([
    'actions/checkout@v7',
    'actions/setup-node@v7',
    'changesets/action@v2',
  ]);
});

it('CI runs tests on the Node of the matrix: the npm package `node` gets no binary', () => {
  expect(read('.github/workflows/ci.yml')).toMatch(
    /node: \[22, 24\][\s\S]+- run: npm ci --ignore-scripts\n[\s\S]+- run: npm test\n/,
  );
});

it('a release uses the action that belongs to the command line: an older one finds nothing published', () => {
  for (const script of ['change', 'version', 'release'])
    expect(scripts[script]).toMatch(/^npx --yes @changesets\/cli@3\./);
  const [, step = ''] =
    /uses: changesets\/action@v2\n([\s\S]+?)\n {6}(?:#|-)/.exec(read('.github/workflows/release.yml')) ?? [];
  const inputs = [...step.matchAll(/^ {10}([a-z-]+): (.+)$/gm)].map(([, name, value]) => [name, value]);
  expect(inputs).toEqual([
    ['version-script', 'npm run version'],
    ['publish-script', 'npm run release'],
    ['pr-title', "'release: versions and changelogs'"],
    ['commit-message', "'release: versions and changelogs'"],
  ]);
  // The action does not log in to the registry: npm does, by its configuration.
  expect(step).toMatch(/NODE_AUTH_TOKEN: \$\{\{ secrets\.NPM_TOKEN \}\}/);
});

it('CI compares a case that the committed run has, with peers whose times tell what the machine changed', () => {
  const [, suite, name = '', file = ''] =
    /bench -- (\w+) --case '([^']+)' --compare (\S+) --fail-above/.exec(read('.github/workflows/ci.yml')) ??
    [];
  const found = (JSON.parse(read(file)) as Results).cases.filter(
    (each) => each.suite === suite && each.name.includes(name),
  );
  expect(found).toHaveLength(1);
  const engines = found[0]!.outcome.rows!.map(({ engine }) => engine);
  expect(engines).toContain('umwelt');
  expect(engines.filter((engine) => !engine.startsWith('umwelt')).length).toBeGreaterThan(1);
});
