/** The workflows of .github: their commands exist, and the run that CI compares with has what it compares. */
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
    for (const command of commands) expect(['ci', ...Object.keys(scripts)]).toContain(command);
    for (const [file] of text.matchAll(/(?:tools|bench)\/[\w./-]+\.(?:ts|json)/g))
      expect(() => read(file)).not.toThrow();
  });
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
