/** What a job needs of the lock file: its workspaces' packages, all that these need, and no more. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { kernelsProblems } from '../checks/kernels.ts';
import { root } from '../run-command.ts';

/** Plain JavaScript, which has no types. */
const { neededPlaces } = (await import(new URL('../installed.mjs', import.meta.url).href)) as {
  neededPlaces(packages: object, workspaces: readonly string[]): string[];
};

/** A lock file in small. */
const packages = {
  '': { devDependencies: { compiler: '1' } },
  'node_modules/compiler': {},
  'node_modules/@own/engine': { link: true, resolved: 'packages/engine' },
  'packages/engine': { dependencies: { socket: '2' }, devDependencies: { tester: '1' } },
  'packages/shown': { dependencies: { '@own/engine': '1' }, devDependencies: { bundler: '1' } },
  'node_modules/tester': {},
  'node_modules/socket': { dependencies: { buffer: '1' } },
  'node_modules/socket/node_modules/buffer': {
    peerDependencies: { fast: '1', rare: '1' },
    peerDependenciesMeta: { rare: { optional: true } },
  },
  'node_modules/buffer': {},
  'node_modules/fast': {},
  'node_modules/rare': {},
  'node_modules/bundler': { dependencies: { loop: '1' } },
  'node_modules/loop': { dependencies: { bundler: '1' } },
};

describe('what workspaces need', () => {
  it('is what they and those whom they link to depend on, and for themselves what they are developed with', () => {
    expect(neededPlaces(packages, ['packages/shown']).sort()).toEqual([
      'node_modules/@own/engine',
      'node_modules/bundler',
      'node_modules/fast',
      'node_modules/loop',
      'node_modules/socket',
      'node_modules/socket/node_modules/buffer',
      'packages/engine',
      'packages/shown',
    ]);
  });

  it('is, for npm start, neither a compiler nor a browser driver, and less than a third of all', () => {
    const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
      packages: object;
    };
    const needed = neededPlaces(lock.packages, ['packages/cli', 'packages/inspector']);
    for (const name of ['vite', 'preact', 'uplot', 'ws']) expect(needed).toContain(`node_modules/${name}`);
    for (const name of ['binaryen', 'assemblyscript', 'typescript', 'vitest', 'playwright-core', 'node'])
      expect(needed).not.toContain(`node_modules/${name}`);
    expect(needed.length).toBeLessThan(Object.keys(lock.packages).length / 3);
  });
});

describe('the committed kernels', () => {
  it('are at fault where they are of other sources, or absent', () => {
    expect(kernelsProblems('some.ts', undefined)).toHaveLength(1);
    expect(kernelsProblems('some.ts', '// Fingerprint: 0123\n')).toHaveLength(1);
  });
});
