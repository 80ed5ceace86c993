/** The packages of the lock file that a job needs: those of its workspaces, their dependencies, and no more. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { kernelsProblems } from '../checks/kernels.ts';
import { root } from '../run-command.ts';

/** A module in plain JavaScript, which has no types. */
const { neededPlaces } = (await import(new URL('../installed.mjs', import.meta.url).href)) as {
  neededPlaces(packages: object, workspaces: readonly string[]): string[];
};

/** A small lock file. */
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
  it('is their dependencies and those of linked workspaces, and their own development dependencies', () => {
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
  it('are a problem if they are stale or missing', () => {
    expect(kernelsProblems('some.ts', undefined)).toHaveLength(1);
    expect(kernelsProblems('some.ts', '// Fingerprint: 0123\n')).toHaveLength(1);
  });
});
