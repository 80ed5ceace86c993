/**
 * Compiles the kernels, and embeds them in two TypeScript files.
 *
 * The sources are AssemblyScript (packages/core/src/kernels/wasm). They are compiled twice:
 *
 *   with lanes/four.ts   to WebAssembly SIMD       wasm-bytes.ts      the module's bytes, deflated, as base64, so that bundlers and
 *                                                                     browsers need no file beside the code
 *   with lanes/one.ts    to plain WebAssembly,     plain-kernels.ts   for where there is no WebAssembly, or no SIMD
 *                        and that to JavaScript
 *
 * The second line of each generated file holds a fingerprint of all its inputs. While the fingerprint matches, nothing is
 * compiled, which takes milliseconds instead of seconds. The files are in the repository, so that a fresh clone runs
 * without the compiler; a check compares them with their sources.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fingerprint } from './fingerprint.ts';
import { collectCommand, root } from './run-command.ts';

const sourceFolder = 'packages/core/src/kernels/wasm';
/** Layouts that kernels and TypeScript read. */
const layoutFolder = 'packages/core/src/kernels/layouts';
const kernelFolder = 'packages/core/src/kernels';
const bytesFile = `${kernelFolder}/wasm-bytes.ts`;
const plainFile = `${kernelFolder}/plain-kernels.ts`;
/** The generated files. */
export const generatedFiles = [bytesFile, plainFile] as const;
/** The script that turns the kernels without SIMD into JavaScript. */
const plainScript = 'tools/plain-kernels.ts';
/** The script that deflates the kernels with SIMD. */
const deflatedScript = 'tools/deflated-kernels.ts';
const compilerFolder = 'node_modules/assemblyscript';

/**
 * With the runtime `stub` there is no allocator and no garbage collector: kernels work on memory that they are given. The memory is
 * imported, so that columns and kernels share it.
 */
const compilerFlags = ['--converge', '--noAssert', '--runtime', 'stub', '--importMemory'];
const simdFlags = ['-O3', '--enable', 'simd'];
/** Disables instructions that would need whole functions in JavaScript. */
const plainFlags = ['-O1', '--disable', 'nontrapping-f2i,sign-extension'];

/** Changed together with the form of the generated file, so that a file of the old form is written anew. */
const form = 'deflated by Zopfli, and plain';

/** The kernels are stale, but the compiler is not installed. */
export class CompilerMissing extends Error {
  constructor() {
    super("the kernels' sources were changed, and their compiler is not installed");
  }
}

/** Brings the generated files up to date; returns a line on what was done, or `undefined` if nothing was to do. */
export function buildWasm(): string | undefined {
  const wanted = wantedFingerprint();
  if (generatedFiles.every((file) => fingerprintOf(file) === wanted)) return undefined;
  if (!existsSync(path.join(root, compilerFolder))) throw new CompilerMissing();
  process.stdout.write('umwelt: compiling the kernels, for half a minute or so\n');
  const startMs = performance.now();
  const folder = path.join(root, '.cache', `kernels-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  try {
    const wasmFile = compile(folder, 'four', simdFlags);
    const bytes = readFileSync(wasmFile);
    const deflated = outputOf(deflatedScript, wasmFile, `${wasmFile}.deflated`);
    const plainWasm = compile(folder, 'one', plainFlags);
    const plain = outputOf(plainScript, plainWasm, `${plainWasm}.js`);
    // Atomically: another command that builds or runs must not read half of a file.
    for (const [file, text] of [
      [bytesFile, bytesText(bytes.length, deflated, wanted)],
      [plainFile, plainText(plain, wanted)],
    ] as const) {
      const temporaryFile = path.join(folder, path.basename(file));
      writeFileSync(temporaryFile, text);
      renameSync(temporaryFile, path.join(root, file));
    }
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    return `kernels: ${bytes.length} bytes of WebAssembly and ${plain.length} of JavaScript in ${seconds} s`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The fingerprint of the sources, the flags, and the compiler that package-lock.json names. */
export function wantedFingerprint(): string {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string } | undefined>;
  };
  const compiler = lock.packages[compilerFolder]?.version ?? '';
  return fingerprint(
    root,
    [sourceFolder, layoutFolder, plainScript, deflatedScript],
    [...compilerFlags, ...simdFlags, ...plainFlags, compiler, form],
  );
}

/** The fingerprint in the text of a generated file. */
export function fingerprintIn(text: string): string | undefined {
  return /^\/\/ Fingerprint: (\w+)$/m.exec(text)?.[1];
}

/** Compiles the module with this many lanes; returns its file. */
function compile(folder: string, lanes: 'four' | 'one', flags: readonly string[]): string {
  const copy = path.join(folder, lanes);
  cpSync(path.join(root, layoutFolder), path.join(copy, 'layouts'), { recursive: true });
  edit(path.join(copy, 'layouts'), (text) => text.replaceAll(/ from '(.*)\.ts';/g, " from '$1';"));
  cpSync(path.join(root, sourceFolder), path.join(copy, 'wasm'), { recursive: true });
  const lanesFile = path.join(copy, 'wasm', 'lanes.ts');
  writeFileSync(lanesFile, readFileSync(lanesFile, 'utf8').replaceAll('lanes/four', `lanes/${lanes}`));
  if (lanes === 'one') withoutInlining(path.join(copy, 'wasm'));
  const wasmFile = path.join(folder, `${lanes}.wasm`);
  const relative = path.relative(root, path.join(copy, 'wasm', 'index.ts'));
  const result = collectCommand(
    `${compilerFolder}/bin/asc.js`,
    ...[relative, '-o', wasmFile, ...compilerFlags, ...flags],
  );
  if (result.exitCode !== 0) throw new Error(`the kernels do not compile\n${result.output}`);
  return wasmFile;
}

/**
 * Removes inlining from the sources: JavaScript engines inline small functions by themselves, and each is then downloaded once.
 * Functions marked "in JavaScript, too" stay inlined, because for them it pays.
 */
function withoutInlining(folder: string): void {
  edit(folder, (text) => text.replaceAll('\n@inline\n', '\n'));
}

/** The files in a folder. */
function edit(folder: string, edited: (text: string) => string): void {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.ts')) continue;
    const file = path.join(folder, name);
    writeFileSync(file, edited(readFileSync(file, 'utf8')));
  }
}

/** Runs a script on a module; returns the text that it writes. */
function outputOf(script: string, wasmFile: string, outFile: string): string {
  const result = collectCommand(script, wasmFile, outFile);
  if (result.exitCode !== 0) throw new Error(`${script} failed\n${result.output}`);
  return readFileSync(outFile, 'utf8');
}

function fingerprintOf(generatedFile: string): string | undefined {
  const file = path.join(root, generatedFile);
  return existsSync(file) ? fingerprintIn(readFileSync(file, 'utf8')) : undefined;
}

function bytesText(byteLength: number, deflated: string, hash: string): string {
  return [
    '// The WebAssembly kernels, deflated, as base64. Written by tools/build-wasm.ts from wasm/: do not edit.',
    `// Fingerprint: ${hash}`,
    `export const wasmByteLength = ${byteLength};`,
    `export const wasmBase64: string =\n  '${deflated}';`,
    '',
  ].join('\n');
}

function plainText(code: string, hash: string): string {
  return [
    '// The kernels as JavaScript. Written by tools/build-wasm.ts from wasm/: do not edit.',
    `// Fingerprint: ${hash}`,
    '// @ts-nocheck',
    code,
    '',
  ].join('\n');
}
