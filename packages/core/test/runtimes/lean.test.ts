/** What a bundle for browsers has of kernels: WebAssembly's, and those in JavaScript only when they are imported. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const source = path.resolve(import.meta.dirname, '../../src');

/** What a program prints that has `make(options)`: the kernels of a world, or the error. */
async function printed(program: string): Promise<string> {
  const begin = `
    const { World } = await import(${JSON.stringify(`${source}/lean.ts`)});
    const javascript = () => import(${JSON.stringify(`${source}/kernels/javascript.ts`)});
    const make = (options) => {
      try {
        return console.log(new World(options).stats().kernels);
      } catch (error) {
        return console.log(error.code, error.message, JSON.stringify(error.details));
      }
    };`;
  const { stdout } = await run(process.execPath, [
    '--input-type=module',
    '--eval',
    `${program.split('---')[0]}${begin}${program.split('---')[1]}`,
  ]);
  return stdout;
}

test('a lean program has the kernels in JavaScript once it imports them', async () => {
  const told = await printed(`---
    make({});
    make({ kernels: 'typescript' });
    await javascript();
    make({ kernels: 'typescript' });
    make({});`);
  expect(told.split('\n')).toEqual([
    'wasm',
    `UNSUPPORTED kernels: 'typescript' was given, and JavaScript kernels are not in this bundle; expected 'umwelt/kernels/javascript' to be imported {"field":"kernels","value":"typescript"}`,
    'typescript',
    'wasm',
    '',
  ]);
});

test('where WebAssembly is missing a lean program is told what to import', async () => {
  const told = await printed(`delete globalThis.WebAssembly;---
    make({});
    make({ threads: 2 });
    await javascript();
    make({});
    make({ kernels: 'wasm' });`);
  const missing = `UNSUPPORTED kernels: 'auto' was given, and WebAssembly SIMD is missing here; expected 'umwelt/kernels/javascript' to be imported {"field":"kernels","value":"auto"}`;
  expect(told.split('\n')).toEqual([
    missing,
    missing,
    'typescript',
    `UNSUPPORTED kernels: 'wasm' was given, and WebAssembly SIMD is missing here; expected 'auto' or 'typescript' {"field":"kernels","value":"wasm"}`,
    '',
  ]);
});
