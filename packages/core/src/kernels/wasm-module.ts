/**
 * The WebAssembly side of the kernels: the compiled module, and memories and instances made from it.
 *
 * The bytes are embedded by the build (`wasm-bytes.ts`), so no file is fetched. The module is compiled once a
 * process, when the first world is made. Where WebAssembly or its SIMD is missing, or compiling on this thread is
 * refused, `createWasmMemory` answers `undefined` and the TypeScript kernels serve.
 *
 * Core has neither DOM nor Node types, so the few names used of `WebAssembly` are declared here.
 */
import { wasmBase64 } from './wasm-bytes.ts';

interface WebAssemblyNames {
  validate(bytes: Uint8Array): boolean;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { readonly exports: object };
  Memory: new (descriptor: { initial: number; maximum?: number }) => WasmMemory;
}

/** A WebAssembly memory of this module's instances. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

const PAGE_BYTES = 65_536;
const webAssembly = (globalThis as { WebAssembly?: WebAssemblyNames }).WebAssembly;

let compiled: object | null | undefined;

/** A zeroed memory of at least `bytes`, or `undefined` where the module cannot run or memory is short. */
export function createWasmMemory(bytes: number): WasmMemory | undefined {
  if (webAssembly === undefined || compiledModule() === null) return undefined;
  try {
    return new webAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
  } catch {
    return undefined;
  }
}

/** The exports of a fresh instance over `memory`. Cost: some tens of microseconds. */
export function instantiate(memory: WasmMemory): object {
  const module = compiledModule();
  if (webAssembly === undefined || module === null) throw new Error('umwelt: WebAssembly is missing');
  return new webAssembly.Instance(module, { env: { memory, abort } }).exports;
}

function compiledModule(): object | null {
  if (compiled === undefined) compiled = compile();
  return compiled;
}

function compile(): object | null {
  if (webAssembly === undefined) return null;
  try {
    const bytes = decodeBase64(wasmBase64);
    return webAssembly.validate(bytes) ? new webAssembly.Module(bytes) : null;
  } catch {
    return null;
  }
}

function abort(): never {
  throw new Error('umwelt: broken invariant: a kernel aborted');
}

/** Plain base64, since `atob` and `Buffer` are not everywhere. */
function decodeBase64(text: string): Uint8Array {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const sextetOf = new Uint8Array(128);
  for (let i = 0; i < alphabet.length; i++) sextetOf[alphabet.charCodeAt(i)] = i;
  const trimmed = text.replace(/=+$/, '');
  const bytes = new Uint8Array(Math.floor((trimmed.length * 3) / 4));
  let bits = 0;
  let bitCount = 0;
  let length = 0;
  for (let i = 0; i < trimmed.length; i++) {
    bits = (bits << 6) | sextetOf[trimmed.charCodeAt(i)];
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes[length++] = (bits >> bitCount) & 255;
  }
  return bytes;
}
