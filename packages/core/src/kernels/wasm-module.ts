/**
 * The WebAssembly side of the kernels: the compiled module, and memories and instances made from it.
 *
 * The bytes are embedded by the build, deflated (`wasm-bytes.ts`), so no file is fetched. The module is compiled once a
 * process, when the first world is made. Where WebAssembly or its SIMD is missing, or compiling on this thread is
 * refused, `createWasmMemory` answers `undefined` and the TypeScript kernels serve.
 *
 * A module says of the memory it imports whether threads share it, and nothing else in it depends on that. So for worlds with
 * threads the same bytes are compiled with that one word changed (`withSharedMemory`).
 *
 * Core has neither DOM nor Node types, so the few names used of `WebAssembly` are declared here.
 */
import { inflate } from './inflate.ts';
import { wasmBase64, wasmByteLength } from './wasm-bytes.ts';

interface WebAssemblyNames {
  validate(bytes: Uint8Array): boolean;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { readonly exports: object };
  Memory: new (descriptor: { initial: number; maximum?: number; shared?: boolean }) => WasmMemory;
}

/** A WebAssembly memory of this module's instances. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

const PAGE_BYTES = 65_536;
/** WebAssembly addresses 32 bits. */
const MAX_PAGES = 65_536;
const webAssembly = (globalThis as { WebAssembly?: WebAssemblyNames }).WebAssembly;

/** The module for memory of one's own, and the one for shared memory; `null` where it cannot be. */
const compiled: [plain: object | null | undefined, shared: object | null | undefined] = [
  undefined,
  undefined,
];

/** A zeroed memory of at least `bytes`, or `undefined` where the module cannot run or memory is short. */
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

/** The exports of a fresh instance over `memory`. Cost: some tens of microseconds. */
export function instantiate(memory: WasmMemory, isShared: boolean): object {
  const module = compiledModule(isShared);
  if (webAssembly === undefined || module === null) throw new Error('umwelt: WebAssembly is missing');
  return new webAssembly.Instance(module, { env: { memory, abort } }).exports;
}

/** The compiled module, for a worker to make an instance of; `null` where it cannot run. */
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
 * The module with its imported memory declared as shared, of at most all that can be addressed.
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

/** Where the contents of a section lie, and how many bytes say how long they are. */
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
