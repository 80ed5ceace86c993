/** The reference pages, on declarations as the compiler prints them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { publicDeclarations } from '../reference/declared-names.ts';
import { linksToNames, type ReferencePage, referencePage } from '../reference/reference-page.ts';
import { readReferenceText } from '../reference/reference-text.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'umwelt-declarations-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return path.join(folder, 'index.d.ts');
}

function page(files: Record<string, string>): ReferencePage {
  const others = new Map([['umwelt', new Map([['World', 'umwelt.md#world']])]]);
  return referencePage('@umwelt/it', [{ specifier: '@umwelt/it', file: write(files) }], others);
}

describe('public declarations', () => {
  it('follow re-exports, ascending by name, and leave out what is not exported by the entry point', () => {
    const found = publicDeclarations(
      write({
        'index.d.ts':
          "/** Public. */\nexport { World, type Shape } from './world.ts';\nexport * from './errors.ts';\n",
        'world.d.ts':
          "import type { Other } from './other.ts';\nexport type Shape = {\n    kind: 'circle';\n};\n" +
          '/** One space. */\nexport declare class World {\n    #private;\n    private secret;\n    /** Now. */\n' +
          '    readonly size: number;\n    /** @internal */\n    inner: Other;\n}\nexport declare function inner(): void;\n',
        'errors.d.ts': 'export declare const LIMIT = 7;\n//# sourceMappingURL=errors.d.ts.map',
      }),
    );
    expect(found.map(({ kind, signatures }) => [kind, ...signatures])).toEqual([
      ['constant', 'const LIMIT = 7;'],
      ['type', 'type Shape = { ... }'],
      ['class', 'class World'],
    ]);
    expect(found.map(({ doc }) => doc)).toEqual(['', '', 'One space.']);
    expect(found[2]?.members).toEqual([
      { name: 'size', signature: 'readonly size: number', doc: 'Now.', isConstructor: false },
    ]);
  });

  it('keep all overloads of a function, and the docstring of each', () => {
    const [read] = publicDeclarations(
      write({
        'index.d.ts':
          '/** From text. */\nexport declare function read(text: string): number;\n' +
          '/** From bytes. */\nexport declare function read(bytes: Uint8Array): number;\n',
      }),
    );
    expect(read?.signatures).toEqual([
      'function read(text: string): number;',
      'function read(bytes: Uint8Array): number;',
    ]);
    expect(read?.doc).toBe('From text.\n\nFrom bytes.');
  });

  it('are found where a file exports what it imported', () => {
    const found = publicDeclarations(
      write({
        'index.d.ts': "export { readTrace, type Sample } from './reader.ts';\n",
        'reader.d.ts':
          "import { type Sample } from './parser.ts';\nexport type { Sample };\n" +
          'declare function readTrace(): Sample;\nexport { readTrace };\n',
        'parser.d.ts': 'export interface Sample {\n    t: number;\n}\n',
      }),
    );
    expect(found.map(({ name, members }) => [name, members.length])).toEqual([
      ['Sample', 1],
      ['readTrace', 0],
    ]);
  });

  it('throw where a name is not declared', () => {
    const files = { 'index.d.ts': "export { Gone } from './world.ts';\n", 'world.d.ts': 'export {};\n' };
    expect(() => publicDeclarations(write(files))).toThrow("'Gone' is not declared");
  });
});

describe('a page of the reference', () => {
  const files = {
    'index.d.ts':
      "import type { World } from 'umwelt';\nimport type { Circle } from './circle.ts';\n" +
      "/** At 'http://localhost/*'. */\nexport declare const ADDRESS = 'http://localhost/*';\n" +
      '/** Where to look. */\nexport type Shape = Circle | 0;\n' +
      'export interface Box {\n    /** World units. */\n    x: number;\n    y: number;\n    label: string;\n}\n' +
      '/** A box that moves. */\nexport declare class Cart implements Box {\n    x: number;\n    y: number;\n    label: string;\n' +
      '    /** Cost: O(n), n < 9. */\n    push(world: World): void;\n    pull(world: World): void;\n}\n',
    'circle.d.ts':
      '/** Round. */\nexport interface Circle {\n    /** At least 0. */\n    radius: number;\n}\n',
  };

  it('shows signatures, docstrings, and types that are named but not exported', () => {
    const { markdown } = page(files);
    expect(markdown).toContain(
      "### ADDRESS\n\n```ts\nconst ADDRESS = 'http://localhost/*';\n```\n\nAt 'http://",
    );
    expect(markdown).toContain('- `push(world: World): void`  \n  Cost: O(n), n &lt; 9.');
    expect(markdown).toContain('Mentions [Box](#box), [World](umwelt.md#world).');
    expect(markdown).toMatch(
      /## Named, not exported\n[\s\S]*### Circle\n[\s\S]*- `radius: number` {2}\n {2}At least 0\./,
    );
  });

  it('gives a property the docstring of the one before it of the same type, or of the implemented interface', () => {
    const { markdown } = page(files);
    expect(markdown.match(/- `y: number` {2}\n {2}World units\./g)).toHaveLength(2);
  });

  it('shows an example at the first of its names, links to it from the others, and lists names without one', () => {
    const examples = [{ file: 'a.ts', names: ['Cart', 'Box'], code: 'new Cart(); // is a Box' }];
    const entries = [{ specifier: '@umwelt/it', file: write(files) }];
    const { markdown, exampleProblems } = referencePage('@umwelt/it', entries, new Map(), examples);
    expect(markdown).toContain('\n\nExample:\n\n```ts\nnew Cart(); // is a Box\n```\n\nMentions [Box](#box)');
    expect(markdown).toMatch(/### Box\n[\s\S]*\n\nExample: at \[Cart\]\(#cart\)\.\n\n### Cart/);
    expect(exampleProblems.map(({ message }) => message)).toEqual([
      'does not use Box',
      'ADDRESS has no example',
      'Shape has no example',
    ]);
  });

  it('lists names without a docstring', () => {
    expect(page(files).undocumented).toEqual(['Box', 'Box.label', 'Cart.label', 'Cart.pull']);
  });

  it('links to names that differ only by upper and lower case, or are named as the package, by the anchors of GitHub', () => {
    const file = write({
      'index.d.ts':
        '/** A log. */\nexport interface Log {\n    /** Its size in bytes. */\n    readonly size: number;\n}\n' +
        '/** Opens one. */\nexport declare function log(): Log;\n/** One. */\nexport declare function umweltIt(): Log;\n',
    });
    const entries = [{ specifier: '@umwelt/it', file }];
    expect(referencePage('@umwelt/it', entries).markdown).toContain(
      '[Log](#log) · [log](#log-1) · [umweltIt](#umweltit-2)',
    );
    expect([...linksToNames('@umwelt/it', entries, 'it.md').values()]).toEqual([
      'it.md#log',
      'it.md#log-1',
      'it.md#umweltit-2',
    ]);
  });

  it('is read back as it was written', () => {
    const code =
      "// The text of a heading:\nconsole.log('\\n### Box\\n');\n\n### not a heading\nnew Cart(); // a Box";
    const examples = [{ file: 'a.ts', names: ['Cart', 'Box'], code }];
    const entries = [{ specifier: '@umwelt/it', file: write(files) }];
    const { name, introduction, parts } = readReferenceText(
      referencePage('@umwelt/it', entries, new Map(), examples).markdown,
    );
    expect(name).toBe('@umwelt/it');
    expect(introduction).toContain('Distances are in world units');
    expect(parts.map(({ title, note, names }) => [title, note, names.map((each) => each.name)])).toEqual([
      ['@umwelt/it', '', ['ADDRESS', 'Box', 'Cart', 'Shape']],
      ['Named, not exported', expect.stringContaining('cannot be imported'), ['Circle']],
    ]);
    const [address, box, cart] = parts[0]?.names ?? [];
    expect(address).toEqual({
      name: 'ADDRESS',
      anchor: 'address',
      signatures: ["const ADDRESS = 'http://localhost/*';"],
      doc: "At 'http://localhost/*'.",
      members: [],
      example: '',
      mentions: '',
    });
    expect(box?.example).toBe(code);
    expect(cart).toEqual({
      name: 'Cart',
      anchor: 'cart',
      signatures: ['class Cart implements Box'],
      doc: 'A box that moves.',
      members: [
        { signature: 'x: number', doc: 'World units.' },
        { signature: 'y: number', doc: 'World units.' },
        { signature: 'label: string', doc: '' },
        { signature: 'push(world: World): void', doc: 'Cost: O(n), n &lt; 9.' },
        { signature: 'pull(world: World): void', doc: '' },
      ],
      example: code,
      mentions: '[Box](#box)',
    });
  });
});
