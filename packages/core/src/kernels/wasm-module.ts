/**
 * The WebAssembly side of the kernels: the compiled module, and the memories and instances made from it.
 *
 * The build embeds the bytes, deflated (`wasm-bytes.ts`), so no file is fetched. The module is compiled once a process, when the
 * first world is made. If WebAssembly or its SIMD is missing, or the platform refuses to compile on this thread,
 * `createWasmMemory` returns `undefined`, and the JavaScript kernels are used.
 *
 * A module declares whether the memory that it imports is shared between threads; nothing else in it depends on that. So for
 * worlds with threads the same bytes are compiled with that one declaration changed (`withSharedMemory`).
 *
 * Core uses neither DOM nor Node types, so the few names of `WebAssembly` that it uses are declared here.
 */
import { inflate } from './inflate.ts';
import { wasmBase64, wasmByteLength } from './wasm-bytes.ts';

interface WebAssemblyNames {
  validate(bytes: Uint8Array): boolean;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { readonly exports: object };
  Memory: new (descriptor: { initial: number; maximum?: number; shared?: boolean }) => WasmMemory;
}

/** A WebAssembly memory for instances of this module. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

/** Of WebAssembly memory. */
export const PAGE_BYTES = 65_536;
/** WebAssembly addresses have 32 bits. */
const MAX_PAGES = 65_536;
const webAssembly = (globalThis as { WebAssembly?: WebAssemblyNames }).WebAssembly;

/** The module for unshared memory, and the one for shared memory; `null` if it cannot be compiled. */
const compiled: [plain: object | null | undefined, shared: object | null | undefined] = [
  undefined,
  undefined,
];

/** A zeroed memory of at least `bytes`, or `undefined` if the module cannot run or memory is short. */
export function createWasmMemory(bytes: number, isShared: boolean): WasmMemory | undefined {
  if (webAssembly === undefined || compiledModule(isShared) === null) return undefined;
  const pages = Math.ceil(bytes / PAGE_BYTES);
  try {
    return new webAssembly.Memory(
      isShared ? { initial: pages, maximum: pages, shared: true } : { initial: pages },
    );
  } catch {
    return undefined;
  }
}

/** The exports of a new instance over `memory`. Cost: some tens of microseconds. */
export function instantiate(memory: WasmMemory, isShared: boolean): object {
  const module = compiledModule(isShared);
  if (webAssembly === undefined || module === null) throw new Error('umwelt: WebAssembly is missing');
  return new webAssembly.Instance(module, { env: { memory, abort } }).exports;
}

/** The compiled module, from which a worker makes an instance; `null` if it cannot run. */
export function compiledModule(isShared: boolean): object | null {
  const index = isShared ? 1 : 0;
  compiled[index] ??= compile(isShared);
  return compiled[index];
}

function compile(isShared: boolean): object | null {
  if (webAssembly === undefined) return null;
  try {
    const plain = inflate(decodeBase64(wasmBase64), wasmByteLength);
    const bytes = isShared ? withSharedMemory(plain) : plain;
    return webAssembly.validate(bytes) ? new webAssembly.Module(bytes) : null;
  } catch {
    return null;
  }
}

/**
 * The module with its imported memory declared as shared, with the largest maximum that 32 bits can address.
 *
 *   ... | 2 | bytes of the section | imports ... 'env' 'memory' | 2 | 0 | least pages | ...       before
 *   ... | 2 | bytes of the section | imports ... 'env' 'memory' | 2 | 3 | least pages | most pages | ...
 */
function withSharedMemory(bytes: Uint8Array): Uint8Array {
  const name = [...'env', ...'memory'].map((letter) => letter.charCodeAt(0));
  const pattern = [3, ...name.slice(0, 3), 6, ...name.slice(3), 2, 0];
  const section = sectionOf(bytes, 2);
  let limits = section.begin;
  while (!pattern.every((byte, i) => bytes[limits + i] === byte)) {
    if (++limits === section.end) throw new Error('umwelt: broken invariant: the kernels import a memory');
  }
  limits += pattern.length - 1;
  const least = readNumber(bytes, limits + 1);
  return Uint8Array.from([
    ...bytes.subarray(0, section.begin - section.sizeBytes),
    ...numberBytes(section.end - section.begin + numberBytes(MAX_PAGES).length),
    ...bytes.subarray(section.begin, limits),
    3,
    ...bytes.subarray(limits + 1, least.end),
    ...numberBytes(MAX_PAGES),
    ...bytes.subarray(least.end),
  ]);
}

/** Where the contents of a section lie, and how many bytes its length field has. */
function sectionOf(bytes: Uint8Array, id: number): { begin: number; end: number; sizeBytes: number } {
  for (let at = 8; at < bytes.length; ) {
    const size = readNumber(bytes, at + 1);
    const end = size.end + size.value;
    if (bytes[at] === id) return { begin: size.end, end, sizeBytes: size.end - at - 1 };
    at = end;
  }
  throw new Error(`umwelt: broken invariant: the kernels have a section ${id}`);
}

/** An unsigned LEB128 number, and where it ends. */
function readNumber(bytes: Uint8Array, at: number): { value: number; end: number } {
  let value = 0;
  for (let shift = 0; ; shift += 7, at++) {
    value |= (bytes[at] & 127) << shift;
    if (bytes[at] < 128) return { value, end: at + 1 };
  }
}

function numberBytes(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...numberBytes(value >>> 7)];
}

function abort(): never {
  throw new Error('umwelt: broken invariant: a kernel aborted');
}

/** Plain base64, because `atob` and `Buffer` are not everywhere. */
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
