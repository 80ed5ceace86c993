/** The examples of the reference run, and print what the comments after their `console.log` calls say. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { publishedPackages } from '../checks/package-list.ts';
import { openRepository } from '../checks/repository.ts';
import {
  exampleProblems,
  examplesFor,
  foretoldOutput,
  readExample,
} from '../reference/reference-examples.ts';
import { root } from '../run-command.ts';

const repository = openRepository(root);
const packages = publishedPackages(repository)
  .map(({ name, folder }) => ({ name, examples: examplesFor(repository, folder) }))
  .filter(({ examples }) => examples.length > 0);

/** What each example printed, by file. Those of a package run in one process, at its first test: a start takes most of an example's time. */
const printed = new Map<string, string[]>();

async function run(files: readonly string[]): Promise<void> {
  const words = ['--conditions=umwelt:source', 'tools/reference/run-examples.ts', ...files];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root });
  for (const text of stdout.split(/^# /m).slice(1)) {
    const [file = '', ...lines] = text.trimEnd().split('\n');
    printed.set(file, lines);
  }
}

describe.each(packages)('the examples of $name', ({ examples }) => {
  it.each(examples)('$file', async ({ file, code }) => {
    if (!printed.has(file)) await run(examples.map((each) => each.file));
    const expected = foretoldOutput(code);
    expect(expected.length).toBeGreaterThan(0);
    expect(printed.get(file)).toEqual(expected);
  });
});

it('an example that waits for what never comes fails, and the one after it does not run', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'umwelt-example-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const never = path.join(folder, 'never.mjs');
  writeFileSync(never, 'await new Promise(() => {});\n');
  await expect(run([never, never])).rejects.toThrow('a program waits for what never comes');
});

describe('an example', () => {
  const program =
    "// Example of: World, View\nimport { type View, World } from 'it';\n\nconst world = new World();\n";

  it('is of the names in its first line, and is shown without that line', () => {
    const { names, code } = readExample('a.ts', program);
    expect(names).toEqual(['World', 'View']);
    expect(code).toBe("import { type View, World } from 'it';\n\nconst world = new World();");
  });

  it('is a problem for a name that it does not use, that is not exported or that has another', () => {
    const examples = [
      readExample('a.ts', program),
      readExample('b.ts', '// Example of: World, Gone\nnew World();\n'),
      readExample('c.ts', '// Example of: Shape\n// A Shape.\nnew World();\n'),
      readExample('d.ts', 'new World();\n'),
    ];
    expect(exampleProblems(['World', 'View', 'Shape'], examples)).toEqual([
      { file: 'b.ts', message: 'World already has an example, a.ts' },
      { file: 'b.ts', message: 'Gone is not exported' },
      { file: 'c.ts', message: 'does not use Shape' },
      { file: 'd.ts', message: "does not begin with a line '// Example of: NAME, NAME'" },
    ]);
  });

  it('is missing where an exported name has none', () => {
    expect(exampleProblems(['World', 'View', 'tick'], [readExample('a.ts', program)])).toEqual([
      { message: 'tick has no example' },
    ]);
  });

  it('announces its output by comments', () => {
    const code = "console.log(1); // 1\nif (a) console.log('b', c); // b [ 1 ]\nconsole.log(2);\n// 3";
    expect(foretoldOutput(code)).toEqual(['1', 'b [ 1 ]']);
  });
});
