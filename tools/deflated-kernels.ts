/**
 * Deflates the kernels' WebAssembly as small as can be, and writes it as base64.
 *
 *   node tools/deflated-kernels.ts MODULE.wasm OUT.txt
 *
 * Zopfli takes a second where zlib takes a millisecond, and its output is four percent smaller: every page that loads the engine
 * downloads it. Any inflater reads it. A script of its own, as plain-kernels.ts is: Zopfli answers later, and who builds waits.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { deflateAsync } from '@gfx/zopfli';

const [wasmFile, outFile] = process.argv.slice(2) as [string, string];
const deflated = await deflateAsync(readFileSync(wasmFile), { numiterations: 30 });
writeFileSync(outFile, Buffer.from(deflated).toString('base64'));
