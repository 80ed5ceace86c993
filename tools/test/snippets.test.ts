/** The complete programs in the guides run, and print what the comments after their `console.log` calls say. */
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

/** The output that its comments announce, a line each. */
function foretold(code: string): string[] {
  return code
    .split('\n')
    .map((line) => /console\.log\(.*\); \/\/ (.+)$/.exec(line)?.[1] ?? /^\/\/ ([\d, ]+)$/.exec(line)?.[1])
    .filter((line) => line !== undefined);
}

describe.each(pages)('%s', (page) => {
  it.each(programs(page))('$heading', async ({ code, heading }) => {
    const file = path.join(folder, `${page.replace(/\W/g, '-')}-${heading.replace(/\W/g, '-')}.ts`);
    writeFileSync(file, code);
    const words = ['--conditions=umwelt:source', file];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root });
    const expected = foretold(code);
    expect(expected.length).toBeGreaterThan(0);
    expect(stdout.trim().split('\n')).toEqual(expected);
  });
});
