/** A build removes exactly the outputs in dist that have no source. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { staleOutputs } from '../build-packages.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'umwelt-stale-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function place(...files: string[]): void {
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), '');
  }
}

it('outputs of a source that was renamed or deleted are stale', () => {
  place('src/world.ts', 'src/inner/seat.tsx', 'dist/tsconfig.tsbuildinfo', 'dist/page/main.js');
  for (const name of ['world', 'inner/seat', 'gone', 'inner/world']) {
    place(`dist/${name}.js`, `dist/${name}.js.map`, `dist/${name}.d.ts`, `dist/${name}.d.ts.map`);
  }
  const endings = ['.d.ts', '.d.ts.map', '.js', '.js.map'];
  expect(staleOutputs(folder)).toEqual([
    ...endings.map((ending) => `dist/gone${ending}`),
    ...endings.map((ending) => `dist/inner/world${ending}`),
  ]);
});
