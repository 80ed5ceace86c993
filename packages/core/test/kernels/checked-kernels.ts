/**
 * Kernels whose every load and store is checked against the columns of the heap, for tests.
 *
 * Problem: a kernel that reads behind a column reads zeros, the next column or `undefined`, and one that writes there spoils what is
 * another's; either shows elsewhere, later or never. Method: a map says of each byte of a heap what it is. A load lies in one column or
 * in the slack behind it (a vector that begins in a column may end there, see kernels/heap.ts), a store in a column alone. JavaScript
 * kernels are checked by their own text, each index wrapped in a call; WebAssembly's by Binaryen's `--instrument-memory`.
 * Cost: kernels run some fifty times slower.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseAst } from 'vite';
import { type Column, type ElementKind, Heap, type Keep } from '../../src/kernels/heap.ts';
import '../../src/kernels/javascript.ts';
import { inflate } from '../../src/kernels/inflate.ts';
import { plainKernels } from '../../src/kernels/plain-kernels.ts';
import { wasmBase64, wasmByteLength } from '../../src/kernels/wasm-bytes.ts';

type View = Uint8Array;
type Node = Record<string, unknown> & { type: string; start: number; end: number };
type Check = (view: View, index: number, isStore: boolean) => number;
interface Imports {
  readonly env: { readonly memory: { readonly buffer: ArrayBuffer } };
}

/** What the kernels use. */
const FEATURES = ['simd', 'bulk-memory', 'nontrapping-float-to-int', 'sign-ext', 'mutable-globals'].map(
  (feature) => `--enable-${feature}`,
);
/** In the map, where 0 is nothing. */
const COLUMN = 1;
const SLACK = 2;
/** Bytes behind a column that a vector may read: what the heap promises. */
const SLACK_BYTES = 16;
const webAssembly = (
  globalThis as unknown as {
    WebAssembly: {
      Module: new (bytes: Uint8Array) => object;
      Instance: new (module: object, imports: object) => { readonly exports: object };
    };
  }
).WebAssembly;

/** Made once. */
let instrumented: object | undefined;

export class CheckedKernels {
  /** Loads and stores that were checked. */
  accesses = 0;
  /** What is put into the slack behind columns, instead of the zeros that lie there. */
  readonly #slackByte: number;
  readonly #columns = new Map<Heap, Set<Column>>();
  readonly #maps = new Map<ArrayBufferLike, Uint8Array>();
  readonly #undo: () => void;

  /** From now on all worlds that are made in this process have checked kernels, until `end`. Not for threads. */
  constructor(slackByte = 0) {
    this.#slackByte = slackByte;
    const { column, release, resize, makeRoom, compact } = Heap.prototype;
    const { Instance } = webAssembly;
    const checked = this;
    this.#undo = () => {
      Object.assign(Heap.prototype, { column, release, resize, makeRoom, compact });
      webAssembly.Instance = Instance;
    };
    instrumented ??= new webAssembly.Module(instrumentedBytes());
    const module = instrumented;
    webAssembly.Instance = class {
      readonly exports: object;
      constructor(_: object, imports: object) {
        const { env } = imports as Imports;
        this.exports = new Instance(module, { env: checked.#imports(env) }).exports;
      }
    };
    const bindPlain = checkedPlainKernels((view, index, isStore) => this.#within(view, index, isStore));
    const bound = new WeakMap<ArrayBufferLike, Heap['kernels']>();
    const noted = <T>(heap: Heap, result: T): T => {
      const { buffer } = heap.u8;
      checked.#draw(heap);
      if (!heap.wasm) {
        const kernels = bound.get(buffer) ?? (bindPlain(buffer) as Heap['kernels']);
        bound.set(buffer, kernels);
        heap.kernels = kernels;
      }
      return result;
    };
    Heap.prototype.column = function <K extends ElementKind>(
      this: Heap,
      kind: K,
      length: number,
      keep?: Keep,
    ) {
      const made = column.call(this, kind, length, keep) as Column<K>;
      checked.#columnsOf(this).add(made as unknown as Column);
      return noted(this, made);
    } as typeof column;
    Heap.prototype.release = function (this: Heap, released: Column) {
      release.call(this, released);
      checked.#columnsOf(this).delete(released);
      noted(this, undefined);
    };
    Heap.prototype.resize = function (this: Heap, sizes: Parameters<typeof resize>[0]) {
      noted(this, resize.call(this, sizes));
    };
    Heap.prototype.makeRoom = function (this: Heap, bytes: number) {
      noted(this, makeRoom.call(this, bytes));
    };
    Heap.prototype.compact = function (this: Heap) {
      noted(this, compact.call(this));
    };
  }

  /** Worlds that are made from now on have kernels as ever. */
  end(): void {
    this.#undo();
  }

  #columnsOf(heap: Heap): Set<Column> {
    const known = this.#columns.get(heap) ?? new Set();
    this.#columns.set(heap, known);
    return known;
  }

  /** Draws the map of a heap. */
  #draw(heap: Heap): void {
    const map = new Uint8Array(heap.byteLength);
    for (const { offset, byteLength } of this.#columnsOf(heap)) {
      map.fill(COLUMN, offset, offset + byteLength);
      map.fill(SLACK, offset + byteLength, offset + byteLength + SLACK_BYTES);
      if (this.#slackByte === 0) continue;
      heap.u8.fill(this.#slackByte, offset + byteLength, offset + byteLength + SLACK_BYTES);
    }
    this.#maps.set(heap.u8.buffer, map);
  }

  #within(view: View, index: number, isStore: boolean): number {
    const bytes = view.BYTES_PER_ELEMENT;
    this.#check(view.buffer, index * bytes, bytes, isStore);
    return index;
  }

  #check(buffer: ArrayBufferLike, at: number, bytes: number, isStore: boolean): void {
    this.accesses++;
    const map = this.#maps.get(buffer);
    if (map === undefined) throw new RangeError('a kernel works on a heap that has moved');
    const isRight =
      map[at] === COLUMN && (map[at + bytes - 1] === COLUMN || (!isStore && map[at + bytes - 1] === SLACK));
    // Lists are looked through sixteen at a time, the last of which may begin in the slack; nothing may begin behind it.
    const isAhead = !isStore && map[at] === SLACK && map[at + bytes - 1] === SLACK;
    if (isRight || isAhead) return;
    const kind = ['nothing', 'a column', 'slack'][map[at]] ?? 'no memory';
    throw new RangeError(`a kernel ${isStore ? 'stored' : 'loaded'} ${bytes} bytes at ${at}, in ${kind}`);
  }

  #imports(env: Imports['env']): Record<string, unknown> {
    const { memory } = env;
    const pointer = (isStore: boolean) => (_: number, bytes: number, offset: number, at: number) => {
      this.#check(memory.buffer, (at >>> 0) + (offset >>> 0), bytes, isStore);
      return at;
    };
    const same = (_: number, value: unknown) => value;
    const values = ['i32', 'i64', 'f32', 'f64'].flatMap((type) => [
      [`load_val_${type}`, same],
      [`store_val_${type}`, same],
    ]);
    return {
      ...env,
      ...Object.fromEntries(values),
      load_ptr: pointer(false),
      store_ptr: pointer(true),
      memory_grow_pre: same,
      memory_grow_post: same,
    };
  }
}

/** The WebAssembly kernels, which ask their imports about each address. */
function instrumentedBytes(): Uint8Array {
  const folder = mkdtempSync(path.join(tmpdir(), 'umwelt-kernels-'));
  try {
    const [plain, instrumented] = ['plain.wasm', 'instrumented.wasm'].map((name) => path.join(folder, name));
    writeFileSync(plain, inflate(Uint8Array.from(Buffer.from(wasmBase64, 'base64')), wasmByteLength));
    const tool = path.resolve(import.meta.dirname, '../../../../node_modules/binaryen/bin/wasm-opt');
    execFileSync(process.execPath, [tool, plain, ...FEATURES, '--instrument-memory', '-o', instrumented]);
    return Uint8Array.from(readFileSync(instrumented));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The JavaScript kernels, which ask about each index of a view, and of copies and fills about both ends. */
function checkedPlainKernels(check: Check): (buffer: ArrayBufferLike) => object {
  const text = plainKernels.toString();
  const views = new Set([...text.matchAll(/(\w+)=new \w+Array\(\w+\)/g)].map(([, name]) => name));
  const edits: { at: number; text: string }[] = [];
  const visit = (node: Node, isStore: boolean): void => {
    const object = node.object as Node | undefined;
    if (node.type === 'MemberExpression' && object?.type === 'Identifier' && views.has(String(object.name))) {
      const property = node.property as Node;
      if (node.computed === true) {
        edits.push(
          { at: property.start, text: `check(${object.name},` },
          { at: property.end, text: `,${isStore})` },
        );
      } else if (property.name === 'fill' || property.name === 'copyWithin') {
        edits.push(
          { at: object.start, text: `checked` },
          { at: object.start, text: '(' },
          { at: object.end, text: ')' },
        );
      }
    }
    for (const [name, value] of Object.entries(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child !== 'object' || child === null || !('type' in child)) continue;
        visit(child as Node, node.type === 'AssignmentExpression' && name === 'left');
      }
    }
  };
  visit(parseAst(text) as unknown as Node, false);
  edits.sort((one, other) => one.at - other.at);
  let checkedText = '';
  let from = 0;
  for (const { at, text: more } of edits) {
    checkedText += text.slice(from, at) + more;
    from = at;
  }
  const checked = (bytes: View) => ({
    fill(value: number, begin: number, end: number) {
      for (let at = begin; at < end; at++) check(bytes, at, true);
      bytes.fill(value, begin, end);
    },
    copyWithin(to: number, begin: number, end: number) {
      for (let at = begin; at < end; at++) check(bytes, to + check(bytes, at, false) - begin, true);
      bytes.copyWithin(to, begin, end);
    },
  });
  const made = new Function('check', 'checked', `return ${checkedText}${text.slice(from)}`) as (
    ...given: unknown[]
  ) => (buffer: ArrayBufferLike) => object;
  return made(check, checked);
}
