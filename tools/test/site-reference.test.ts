/** The reference in the site: a page for each name, with all that the committed page says of it. */
import { describe, expect, it } from 'vitest';
import { openRepository } from '../checks/repository.ts';
import { readReferenceText } from '../reference/reference-text.ts';
import { root } from '../run-command.ts';
import { siteReference } from '../site-reference.ts';
import {
  fuzziness,
  searchBoost,
  searchedText,
  searchWords,
  WORD_WEIGHTS,
  wordWeight,
} from '../site-search.ts';

const TEXT = `# @umwelt/it

Made from the docstrings by \`npm run check -- --update\`. Distances are in world units.

## @umwelt/it

[Log](#log) · [log](#log-1)

### Log

\`\`\`ts
interface Log extends Box
\`\`\`

A log, see [World](umwelt.md#world). It grows. Calls throw \`BAD_OPTION\`.

- \`readonly size: number\`  
  Its size in bytes.
- \`get world(): World\`  
  Throws \`BAD_ID\`.
- \`set world(world: World)\`
- \`read(from: number): string\`  
  Throws \`BAD_ID\`, \`BAD_OPTION\`.
- \`read(from: string): string\`  
  By its key.
- \`readMany(from: number[]): string[]\`  
  Throws as \`read\` does.
- \`[Symbol.iterator](): Iterator<string>\`

Example:

\`\`\`ts
log().size;
\`\`\`

Mentions [Box](#box), [World](umwelt.md#world).

### log

\`\`\`ts
function log(): Log;
\`\`\`

Opens one. Throws \`BAD_OPTION\`.

Example: at [Log](#log).

Mentions [Log](#log).

## Named, not exported

Types that the names above mention. They cannot be imported by name.

### Box

\`\`\`ts
interface Box
\`\`\`

- \`x: number\`
`;
const CORE = `# umwelt

Made from the docstrings by \`npm run check -- --update\`. Distances are in world units.

## umwelt

[UmweltErrorCode](#umwelterrorcode) · [World](#world)

### UmweltErrorCode

\`\`\`ts
type UmweltErrorCode = 'BAD_OPTION' | 'BAD_ID';
\`\`\`

### World

\`\`\`ts
class World
\`\`\`
`;
const texts: Readonly<Record<string, string>> = {
  'docs/api/umwelt.md': CORE,
  'docs/api/umwelt-it.md': TEXT,
  'packages/it/package.json': '{ "name": "@umwelt/it" }',
  'packages/it/src/log.ts':
    'export interface Log {}\nexport function log(): void;\nexport function log() {}\n',
  'packages/it/src/box.ts': 'export interface Box {}\n',
  'packages/it/src/other/box.ts': 'export interface Box {}\n',
};
const made = siteReference(
  { files: Object.keys(texts), read: (file) => texts[file] ?? '' },
  'https://host.example',
);
const pages = made.packages.flatMap((each) => each.pages);
const pageAt = (place: string) => pages.find((page) => page.place === place);

describe('the reference of the site', () => {
  it('has an index for each package and a page for each name, none the same in lower case', () => {
    expect(pages.map(({ place }) => place)).toEqual([
      'api/umwelt.md',
      'api/umwelt/UmweltErrorCode.md',
      'api/umwelt/World.md',
      'api/umwelt-it.md',
      'api/umwelt-it/Log.md',
      'api/umwelt-it/log-function.md',
      'api/umwelt-it/Box.md',
    ]);
  });

  it('leads links to a name on the committed page to the page of the name', () => {
    expect(made.siteLink('docs/api/umwelt.md', '#world')).toBe('api/umwelt/World.md');
    expect(made.siteLink('docs/api/umwelt-it.md', '#log-1')).toBe('api/umwelt-it/log-function.md');
    expect(made.siteLink('docs/api/umwelt.md', '')).toBe('api/umwelt.md');
    expect(made.siteLink('docs/gone.ts', '')).toBeUndefined();
  });

  it('lists names with the first sentence of their docstrings, without links', () => {
    expect(pageAt('api/umwelt-it.md')?.markdown).toContain(
      '- [Log](./umwelt-it/Log.md) *interface*  \n  A log, see World.\n' +
        '- [log](./umwelt-it/log-function.md) *function*  \n  Opens one.\n',
    );
  });

  it('says on a page how the name is imported, its members, example, errors and mentions', () => {
    const { markdown = '', frontMatter } = pageAt('api/umwelt-it/Log.md') ?? {};
    expect(frontMatter?.breadcrumb).toEqual([['@umwelt/it', '/api/umwelt-it.html'], ['Log']]);
    expect(frontMatter?.description).toBe('A log, see World.');
    expect(markdown).toContain(
      "# Log {#Log}\n\nA log, see [World](../umwelt/World.md). It grows. Calls throw `BAD_OPTION`.\n\n```ts\nimport type { Log } from '@umwelt/it';\n\ninterface Log extends Box\n```",
    );
    expect(markdown).toContain('## Members {#members-}\n\nThese, and those of [Box](./Box.md).');
    expect(markdown).toContain(
      '### world {#world}\n\n```ts\nget world(): World\nset world(world: World)\n```\n\nThrows `BAD_ID`.\n\n### read',
    );
    expect(markdown).toContain(
      '```ts\nread(from: number): string\nread(from: string): string\n```\n\nThrows `BAD_ID`, `BAD_OPTION`.\n\nBy its key.',
    );
    expect(markdown).toContain('### \\[Symbol.iterator\\] {#Symbol.iterator}');
    expect(markdown).toContain(
      '- `BAD_OPTION`: as said above, [read](#read), [readMany](#readMany)\n- `BAD_ID`: [world](#world), [read](#read), [readMany](#readMany)\n',
    );
    expect(markdown).toContain('## Mentions {#mentions-}\n\n[Box](./Box.md), [World](../umwelt/World.md)');
    expect(markdown).toContain('*Distances are in world units.*');
  });

  it('knows the file to edit, unless two files declare the name', () => {
    expect(pageAt('api/umwelt-it/log-function.md')?.frontMatter).toMatchObject({
      editLink: true,
      source: 'packages/it/src/log.ts',
    });
    expect(pageAt('api/umwelt-it/Box.md')?.frontMatter.editLink).toBe(false);
    expect(pageAt('api/umwelt-it.md')?.frontMatter.editLink).toBe(false);
  });

  it('shows an example on the page of each of its names', () => {
    const { markdown } = pageAt('api/umwelt-it/log-function.md') ?? {};
    expect(markdown).toContain('## Example {#example-}\n\n```ts\nlog().size;\n```');
    expect(markdown).toContain('## Errors {#errors-}');
    expect(markdown).toContain('- `BAD_OPTION`\n');
  });

  it('says of a type that is not exported that it is not', () => {
    const { markdown } = pageAt('api/umwelt-it/Box.md') ?? {};
    expect(markdown).toContain('*Not exported');
    expect(markdown).not.toContain('import ');
  });
});

describe('the search of the site', () => {
  const found = (place: string) => searchedText(place, pageAt(place)?.markdown ?? '');

  it('has names, members and docstrings of the reference, and no code', () => {
    expect(found('api/umwelt-it/Log.md')).toMatch(/# Log [\s\S]*\n## read \{#read\}\n[\s\S]*By its key\./);
    expect(found('api/umwelt-it/Log.md')).not.toMatch(/log\(\)\.size|Mentions|Errors|interface Log/);
    expect(found('api/umwelt-it/Box.md')).not.toContain('#x');
    expect(found('api/umwelt-it.md')).not.toContain('log-function');
    expect(searchedText('tutorial.md', 'a\n```ts\nb\n```\n')).toContain('b');
  });

  it('puts the page of a name before all else', () => {
    const boost = (id: string, title: string, titles: string[] = []) =>
      searchBoost(id, 'log', { title, titles });
    const name = boost('/api/umwelt-it/Log.html', 'Log');
    const member = boost('/api/umwelt-it/Box.html#log', 'log', ['Box']);
    const part = boost('/api/umwelt-it/LogOptions.html', 'LogOptions');
    expect(name).toBeGreaterThan(member);
    expect(member).toBeGreaterThan(part);
    expect(boost('/gateway.html#log', 'Log', ['Gateway'])).toBe(1);
    // What begins with the word that was typed counts less than that word in a guide, also if it is a name.
    expect(name * WORD_WEIGHTS.prefix).toBeLessThan(1);
    expect(name * WORD_WEIGHTS.fuzzy).toBeLessThan(1);
  });

  it('finds 3-D by 3D', () => {
    expect(searchWords('in 3-D, or 2D')).toEqual(searchWords('in 3D, or 2-D'));
    expect(searchWords('3-D')).toEqual(['3D']);
  });

  it('finds the code of an error in one piece, first where all codes are', () => {
    expect(searchWords('UmweltError: BAD_RANGE (x)')).toEqual(['UmweltError', 'BAD_RANGE', 'x']);
    const boost = (id: string) => searchBoost(id, 'bad_range', { title: '', titles: [] });
    expect(boost('/api/umwelt/UmweltErrorCode.html#UmweltErrorCode')).toBeGreaterThan(
      boost('/interest.html'),
    );
    expect(boost('/interest.html')).toBeGreaterThan(boost('/api/umwelt/World.html#add'));
  });

  it('counts words of grammar little in a sentence', () => {
    expect(wordWeight('of', 1, ['fog', 'of', 'war'])).toBeLessThan(0.1);
    expect(wordWeight('fog', 0, ['fog', 'of', 'war'])).toBe(1);
    expect(wordWeight('on', 1, ['world', 'on'])).toBe(1);
    expect(fuzziness('fog')).toBe(0);
  });
});

it('every exported name of the packages has a page with an import, a docstring and an example', () => {
  const repository = openRepository(root);
  const { packages, siteLink } = siteReference(repository, 'https://host.example');
  const places = packages.flatMap((each) => each.pages.map(({ place }) => place));
  expect(new Set(places.map((place) => place.toLowerCase())).size).toBe(places.length);
  for (const file of repository.files.filter((each) => each.startsWith('docs/api/'))) {
    const { parts } = readReferenceText(repository.read(file));
    const exported = parts
      .filter(({ title }) => title !== 'Named, not exported')
      .flatMap(({ names }) => names);
    expect(exported.length).toBeGreaterThan(8);
    for (const { name, anchor, doc, example } of exported) {
      expect(doc, name).not.toBe('');
      expect(example, name).toContain(name);
      const page = packages
        .flatMap((each) => each.pages)
        .find(({ place }) => place === siteLink(file, `#${anchor}`));
      expect(page?.markdown, name).toContain(`{ ${name} } from '`);
      expect(page?.markdown, name).toContain(example);
    }
  }
});
