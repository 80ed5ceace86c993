/**
 * Compiles the WebAssembly kernels and embeds them in a TypeScript file.
 *
 * The sources are AssemblyScript (packages/core/src/kernels/wasm). What comes out is
 * packages/core/src/kernels/wasm-bytes.ts: the module's bytes, deflated, as base64, so that bundlers and browsers need no file
 * beside the code. The second line of that file holds a fingerprint of everything the bytes depend on; while it
 * agrees nothing is compiled, which is a matter of milliseconds instead of seconds. The file is in the repository, so that
 * a fresh clone runs without the compiler; a check holds it to its sources.
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
export const generatedFile = 'packages/core/src/kernels/wasm-bytes.ts';
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

/** Kernels are stale, and only what running them needs is installed. */
export class CompilerMissing extends Error {
  constructor() {
    super("the kernels' sources were changed, and their compiler is not installed");
  }
}

/** Brings the generated file up to date and returns a line on what was done, or `undefined` when nothing was to do. */
export function buildWasm(): string | undefined {
  const wanted = wantedFingerprint();
  if (generatedFingerprint() === wanted) return undefined;
  if (!existsSync(path.join(root, compilerFolder))) throw new CompilerMissing();
  process.stdout.write('umwelt: compiling the kernels, for half a minute or so\n');
  const startMs = performance.now();
  const bytes = compile();
  // At once: another command that builds, too, or runs already, must not read half of it.
  const temporaryFile = path.join(root, '.cache', `wasm-bytes-${process.pid}.ts`);
  writeFileSync(temporaryFile, generatedText(bytes, wanted));
  renameSync(temporaryFile, path.join(root, generatedFile));
  return `kernels: ${bytes.length} bytes of WebAssembly in ${((performance.now() - startMs) / 1000).toFixed(1)} s`;
}

/** Of what the sources, the flags and the compiler that package-lock.json names come to. */
export function wantedFingerprint(): string {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string } | undefined>;
  };
  const compiler = lock.packages[compilerFolder]?.version ?? '';
  return fingerprint(root, [sourceFolder, layoutFolder], [...compilerFlags, compiler, form]);
}

/** The fingerprint that a text of the generated file has. */
export function fingerprintIn(text: string): string | undefined {
  return /^\/\/ Fingerprint: (\w+)$/m.exec(text)?.[1];
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
  return fingerprintIn(readFileSync(file, 'utf8'));
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
