/**
 * Compiles the WebAssembly kernels and embeds them in a TypeScript file.
 *
 * The sources are AssemblyScript (packages/core/src/kernels/wasm). What comes out is
 * packages/core/src/kernels/wasm-bytes.ts: the module's bytes, deflated, as base64, so that bundlers and browsers need no file
 * beside the code. The second line of that file holds a fingerprint of everything the bytes depend on; while it
 * agrees nothing is compiled, which is a matter of milliseconds instead of seconds.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { fingerprint } from './fingerprint.ts';
import { collectCommand, root } from './run-command.ts';

const sourceFolder = 'packages/core/src/kernels/wasm';
/** Layouts that both sides read. */
const layoutFolder = 'packages/core/src/kernels/layouts';
const entryFile = `${sourceFolder}/index.ts`;
const generatedFile = 'packages/core/src/kernels/wasm-bytes.ts';
const compilerFolder = 'node_modules/assemblyscript';

/**
 * `stub` brings no allocator and no collector: kernels work on memory that is handed to them. The memory is imported,
 * so that columns and kernels share it.
 */
const compilerFlags = [
  '-O3',
  '--converge',
  '--noAssert',
  '--runtime',
  'stub',
  '--importMemory',
  '--enable',
  'simd',
];

/** Changes with the form of the generated file, so that one of the old form is written anew. */
const form = 'deflated';

/** Brings the generated file up to date and returns a line on what was done, or `undefined` when nothing was to do. */
export function buildWasm(): string | undefined {
  const compiler = JSON.parse(readFileSync(path.join(root, compilerFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  const wanted = fingerprint(root, [sourceFolder, layoutFolder], [...compilerFlags, compiler.version, form]);
  if (generatedFingerprint() === wanted) return undefined;
  const startMs = performance.now();
  const bytes = compile();
  // At once: another command that builds, too, or runs already, must not read half of it.
  const temporaryFile = path.join(root, '.cache', `wasm-bytes-${process.pid}.ts`);
  writeFileSync(temporaryFile, generatedText(bytes, wanted));
  renameSync(temporaryFile, path.join(root, generatedFile));
  return `kernels: ${bytes.length} bytes of WebAssembly in ${((performance.now() - startMs) / 1000).toFixed(1)} s`;
}

function compile(): Buffer {
  const wasmFile = path.join(root, '.cache', `kernels-${process.pid}.wasm`);
  mkdirSync(path.dirname(wasmFile), { recursive: true });
  const result = collectCommand(`${compilerFolder}/bin/asc.js`, entryFile, '-o', wasmFile, ...compilerFlags);
  if (result.exitCode !== 0) throw new Error(`the kernels do not compile\n${result.output}`);
  const bytes = readFileSync(wasmFile);
  rmSync(wasmFile);
  return bytes;
}

function generatedFingerprint(): string | undefined {
  const file = path.join(root, generatedFile);
  if (!existsSync(file)) return undefined;
  return /^\/\/ Fingerprint: (\w+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
}

function generatedText(bytes: Buffer, hash: string): string {
  return [
    '// The WebAssembly kernels, deflated, as base64. Written by tools/build-wasm.ts from wasm/: do not edit.',
    `// Fingerprint: ${hash}`,
    `export const wasmByteLength = ${bytes.length};`,
    `export const wasmBase64: string =\n  '${deflateRawSync(bytes, { level: 9 }).toString('base64')}';`,
    '',
  ].join('\n');
}
