/**
 * Turns the kernels that were compiled without SIMD into one JavaScript function, which needs no WebAssembly at all.
 *
 *   node tools/plain-kernels.ts MODULE.wasm OUT.js
 *
 * Binaryen's wasm2js writes asm.js: each 32-bit operation is one of JavaScript's, and a 64-bit number is two words. Around its
 * functions it writes code for modules with a memory of their own. Our kernels work on the world's heap, so only the functions
 * are used: they are put into one function that takes the heap's buffer and returns the kernels. Then annotations that only
 * asm.js validators need are removed, and the rest is minified. All expectations about wasm2js's output are checked, so a version
 * with different output fails here and not in a world.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { minifySync } from 'rolldown/utils';
import { collectCommand } from './run-command.ts';

const [wasmFile, outFile] = process.argv.slice(2) as [string, string];
const rawFile = `${outFile}.raw`;
const result = collectCommand(
  'node_modules/binaryen/bin/wasm2js',
  ...[wasmFile, '-O3', '--enable-bulk-memory', '--disable-simd', '-o', rawFile],
);
if (result.exitCode !== 0) throw new Error(`wasm2js failed\n${result.output}`);
const { code, errors } = minifySync('kernels.js', plainText(readFileSync(rawFile, 'utf8')), {
  module: true,
  mangle: { toplevel: false },
});
if (errors.length > 0) throw new Error(`the kernels are no JavaScript: ${errors[0]?.message}`);
// One function a line, so that no line is too long for an editor.
writeFileSync(outFile, code.replaceAll('}function ', '}\nfunction '));

/** The function, from wasm2js's output. */
function plainText(text: string): string {
  const [head, body] = halves(text, '\n var HEAP8 = new Int8Array(buffer);\n');
  const [functions, tail] = halves(body, '\n return {\n');
  if (!head.includes('function asmFunc(imports)')) throw new Error('wasm2js wrote no asmFunc');
  const exported = [...tail.matchAll(/^ {2}"(\w+)": (\$\w+), ?$/gm)].map(([, name, value]) => `${name}: ${value}`);
  if (exported.length === 0) throw new Error('wasm2js exports nothing');
  return [
    'export function plainKernels(buffer) {',
    ' const HEAP8 = new Int8Array(buffer);',
    withLoops(functions)
      .replace(/^ function __wasm_memory_size\(\) \{\n.*?^ \}\n/ms, '')
      .replace(/^ function __wasm_memory_grow\(.*?^ \}\n/ms, '')
      .replace(/^ bufferView = HEAPU8;\n/m, '')
      .replace(/^ var (HEAP\w+|Math_\w+) = /gm, ' const $1 = ')
      // A heap may be larger than a signed number can address.
      .replace(/ >> ([123])\]/g, ' >>> $1]')
      .replace(/(HEAPU?8\[[^\]]*) \| 0\]/g, '$1 >>> 0]')
      // A value loaded as float32 needs no rounding to float32.
      .replace(/Math_fround\((HEAPF32\[[^[\]]*\])\)/g, '$1')
      .replace(/wasm2js_memory_copy\(/g, 'copyBytes(')
      .replace(/wasm2js_memory_fill\(/g, 'fillBytes(')
      .replace(/wasm2js_trap\(\)/g, 'fail()'),
    ' function copyBytes(to, from, size) {',
    '  HEAPU8.copyWithin(to >>> 0, from >>> 0, (from >>> 0) + (size >>> 0));',
    ' }',
    ' function fillBytes(at, value, size) {',
    '  HEAPU8.fill(value, at >>> 0, (at >>> 0) + (size >>> 0));',
    ' }',
    ' function fail() {',
    "  throw new Error('umwelt: broken invariant: a kernel aborted');",
    ' }',
    ` return { ${exported.join(', ')} };`,
    '}',
    '',
  ].join('\n');
}

function halves(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  if (at === -1) throw new Error(`wasm2js wrote no ${JSON.stringify(separator)}`);
  return [text.slice(0, at), text.slice(at + separator.length)];
}

/**
 * Moves the conditions of loops to where JavaScript has them.
 *
 *   while (1) {                      while (condition) {
 *    if (condition) {                 ...
 *     ...                            }
 *     continue;
 *    }
 *    break;
 *   }
 */
function withLoops(text: string): string {
  const lines = text.split('\n');
  const open: { indent: string; condition: string; at: number }[] = [];
  const dropped = new Set<number>();
  lines.forEach((line, i) => {
    const indent = /^ */.exec(line)?.[0] ?? '';
    const rest = line.slice(indent.length);
    const condition = /^ if \((.*)\) \{$/.exec(lines[i + 1]?.slice(indent.length) ?? '');
    if (/^(\w+ : )?while \(1\) \{$/.test(rest)) {
      open.push({ indent, condition: condition?.[1] ?? '', at: i });
      return;
    }
    const loop = open.at(-1);
    if (loop === undefined || indent !== loop.indent || !/^\};?$/.test(rest)) return;
    open.pop();
    const isWhole =
      loop.condition !== '' &&
      lines[i - 1] === `${indent} break;` &&
      lines[i - 2] === `${indent} }` &&
      lines[i - 3] === `${indent}  continue;`;
    if (!isWhole) return;
    // The condition must have no other branch.
    for (let k = loop.at + 2; k < i - 2; k++) if (lines[k]?.startsWith(`${indent} }`)) return;
    lines[loop.at] = (lines[loop.at] ?? '').replace('while (1)', `while (${loop.condition})`);
    for (const k of [loop.at + 1, i - 1, i - 2, i - 3]) dropped.add(k);
  });
  return lines.filter((_, i) => !dropped.has(i)).join('\n');
}
