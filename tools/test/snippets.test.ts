/**
 * The complete programs in the guides run, and print what the comments after their `console.log` calls say; the README's
 * first example runs, and does what its comments say. snippet-types.test.ts compiles all other blocks.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../run-command.ts';

const pages = ['docs/recipes.md', 'docs/migrating.md'];
/** A folder in the repository, so that the packages are found. */
const folder = path.join(root, '.cache', `snippets-${process.pid}`);

beforeAll(() => mkdirSync(folder, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Each complete program with the heading above it. */
function programs(page: string): { heading: string; code: string }[] {
  const text = readFileSync(path.join(root, page), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => ({
    heading:
      text
        .slice(0, match.index)
        .match(/^## .+$/gm)
        ?.at(-1)
        ?.slice(3) ?? '',
    code: match[1] ?? '',
  }));
}

async function printed(name: string, code: string): Promise<string> {
  const file = path.join(folder, name);
  writeFileSync(file, code);
  const words = ['--conditions=umwelt:source', file];
  return (await promisify(execFile)(process.execPath, words, { cwd: root })).stdout;
}

/** The output that its comments announce, a line each. */
function foretold(code: string): string[] {
  return code
    .split('\n')
    .map((line) => /console\.log\(.*\); \/\/ (.+)$/.exec(line)?.[1] ?? /^\/\/ ([\d, ]+)$/.exec(line)?.[1])
    .filter((line) => line !== undefined);
}

describe.each(pages)('%s', (page) => {
  it.each(programs(page))('$heading', async ({ code, heading }) => {
    const stdout = await printed(`${page.replace(/\W/g, '-')}-${heading.replace(/\W/g, '-')}.ts`, code);
    const expected = foretold(code);
    expect(expected.length).toBeGreaterThan(0);
    expect(stdout.trim().split('\n')).toEqual(expected);
  });
});

it("the README's first example: the player perceives the bell and not the rogue, and then the rogue", async () => {
  const [first] = programs('README.md');
  // The ids of what it adds, in order: player, rogue, bell.
  const [player, rogue, bell] = [1, 1025, 2049];
  expect(first?.code).toMatch(/const player = .*const rogue = .*const bell = /s);
  expect(await printed('readme.ts', first!.code)).toMatch(
    new RegExp(
      `^${player} now perceives ${bell}\n${player} now perceives ${rogue}\n\\{\\s+watcher: ${player},\\s+entered: .* \\[ ${rogue} \\]`,
    ),
  );
});
