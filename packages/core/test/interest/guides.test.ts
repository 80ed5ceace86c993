/**
 * Runs every example of the guides to interest, senses and attachments and of the recipes, as a reader would,
 * and compares its output with what the guide says.
 *
 * The examples of one guide run in one process, each in a block of its own. Their imports are all alike and
 * are written once.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const IMPORT = "import { World } from 'umwelt';\n";
/** An example may import types, too, which are gone before it runs. */
const IMPORTS = /^import \{ (?:type \w+, )*World \} from 'umwelt';\n/;
const EXAMPLE = /```ts\n(.*?)```\n\n```text\n(.*?)```/gs;
const RECIPES = readdirSync(path.join(root, 'docs/recipes')).filter((name) => name !== 'README.md');
const GUIDES = [
  'docs/attachments.md',
  'docs/interest.md',
  'docs/senses-and-stealth.md',
  ...RECIPES.map((name) => `docs/recipes/${name}`),
];

test.each(GUIDES)('every example of %s prints what it says', (file) => {
  const guide = readFileSync(path.join(root, file), 'utf8');
  const examples = [...guide.matchAll(EXAMPLE)].map(([, code = '', printed = '']) => ({ code, printed }));
  expect(examples.length).toBe(guide.split('```ts\n').length - 1);
  const blocks = examples.map(({ code }, i) => {
    expect(code).toMatch(IMPORTS);
    return `console.log('== ${i}');\n{\n${code.replace(IMPORTS, '')}}\n`;
  });
  const flags = ['--conditions=umwelt:source', '--input-type=module-typescript', '--eval'];
  const output = execFileSync(process.execPath, [...flags, IMPORT + blocks.join('')], {
    cwd: root,
    encoding: 'utf8',
  });
  const printed = output.split(/^== \d+\n/m).slice(1);
  expect(printed).toEqual(examples.map((example) => example.printed));
});

test.each([...GUIDES, 'docs/recipes/README.md'])('every picture and page that %s links to exists', (file) => {
  const guide = readFileSync(path.join(root, file), 'utf8');
  const links = [...guide.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
  // A recipe may have few links or none.
  if (!file.startsWith('docs/recipes/')) expect(links.length).toBeGreaterThan(1);
  for (const link of links) expect(existsSync(path.join(root, path.dirname(file), link)), link).toBe(true);
});
