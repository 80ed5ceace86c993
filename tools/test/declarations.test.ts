/** The listing of public names, on declarations as the compiler prints them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { publicDeclarations } from '../checks/declarations.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'umwelt-declarations-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function declarations(files: Record<string, string>): string[] {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return publicDeclarations(path.join(folder, 'index.d.ts'));
}

describe('public declarations', () => {
  it('follow re-exports, ascending by name, and leave out what is not exported by the entry point', () => {
    const found = declarations({
      'index.d.ts':
        "/** Public. */\nexport { World, type Shape } from './world.ts';\nexport * from './errors.ts';\n",
      'world.d.ts':
        "import type { Other } from './other.ts';\nexport type Shape = {\n    kind: 'circle';\n};\n" +
        'export declare class World {\n    #private;\n    private secret;\n    /** Now. */\n    readonly size: number;\n}\n' +
        'export declare function inner(): void;\n',
      'errors.d.ts': 'export declare const LIMIT = 7;\n//# sourceMappingURL=errors.d.ts.map',
    });
    expect(found).toEqual([
      'export declare const LIMIT = 7;',
      "export type Shape = {\n    kind: 'circle';\n};",
      'export declare class World {\n    readonly size: number;\n}',
    ]);
  });

  it('keep all overloads of a function', () => {
    const found = declarations({
      'index.d.ts':
        'export declare function read(text: string): number;\nexport declare function read(bytes: Uint8Array): number;\n',
    });
    expect(found).toEqual([
      'export declare function read(text: string): number;\nexport declare function read(bytes: Uint8Array): number;',
    ]);
  });

  it('are found where a file exports what it imported', () => {
    const found = declarations({
      'index.d.ts': "export { readTrace, type Sample } from './reader.ts';\n",
      'reader.d.ts':
        "import { type Sample } from './parser.ts';\nexport type { Sample };\n" +
        'declare function readTrace(): Sample;\nexport { readTrace };\n',
      'parser.d.ts': 'export interface Sample {\n    t: number;\n}\n',
    });
    expect(found).toEqual([
      'export interface Sample {\n    t: number;\n}',
      'declare function readTrace(): Sample;',
    ]);
  });

  it('keep text in quotes that looks like a comment', () => {
    const found = declarations({ 'index.d.ts': "export declare const ADDRESS = 'http://localhost/*';\n" });
    expect(found).toEqual(["export declare const ADDRESS = 'http://localhost/*';"]);
  });

  it('throw where a name is not declared', () => {
    const files = { 'index.d.ts': "export { Gone } from './world.ts';\n", 'world.d.ts': 'export {};\n' };
    expect(() => declarations(files)).toThrow("'Gone' is not declared");
  });
});
