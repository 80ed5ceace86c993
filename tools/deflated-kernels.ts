/**
 * Deflates the kernels' WebAssembly to the smallest size, and writes it as base64.
 *
 *   node tools/deflated-kernels.ts MODULE.wasm OUT.txt
 *
 * Zopfli takes a second where zlib takes a millisecond, and its output is four percent smaller: every page that loads the engine
 * downloads it. Any inflater reads it. This is a script of its own, like plain-kernels.ts: Zopfli is asynchronous, and the build
 * is synchronous.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { deflateAsync } from '@gfx/zopfli';

const [wasmFile, outFile] = process.argv.slice(2) as [string, string];
const deflated = await deflateAsync(readFileSync(wasmFile), { numiterations: 30 });
writeFileSync(outFile, Buffer.from(deflated).toString('base64'));
