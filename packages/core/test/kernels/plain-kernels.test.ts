/**
 * Every kernel is one source, compiled twice. Here each call that worlds make of a WebAssembly kernel is made of the JavaScript
 * one, too, on a copy of the heap as it was: both must answer the same and leave the same bytes. The exceptions are listed: scratch
 * that nobody reads afterwards, and what lies behind the elements of a column that are in use.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { World, type WorldOptions } from '../../src/index.ts';
import { type Column, type ElementKind, Heap, type Keep } from '../../src/kernels/heap.ts';
import { FIRST_ROW, TICKS_BEHIND } from '../../src/kernels/layouts/edit-rows.ts';
import { plainKernels } from '../../src/kernels/plain-kernels.ts';
import { SOON_SEARCHED, withShares } from '../interest/searched-lives.ts';

type Kernel = (...numbers: number[]) => number;
type Exports = Record<string, Kernel>;
type Columns = Column<ElementKind>[];

/** Words of jobs that only keep reads ahead alive, or lanes for a moment: by kernel. */
const SPARE_WORDS: Record<string, (word: number) => boolean> = {
  fillReport: (word) => word >= 16 && (word - 16) % 64 === 24,
  scanPairs: isLane,
  scanMovers: isLane,
  putMovers: isLane,
  restMovers: isLane,
};

const heaps: { heap: Heap; columns: Columns }[] = [];
const calls = new Map<string, number>();
const faults: string[] = [];
const names = Object.keys(plainKernels(new ArrayBuffer(64)));
const webAssembly = (
  globalThis as unknown as {
    WebAssembly: {
      Instance: new (module: object, imports: { env: { memory: { buffer: ArrayBuffer } } }) => object;
    };
  }
).WebAssembly;
const { Instance } = webAssembly;
const { column } = Heap.prototype;

beforeAll(() => {
  webAssembly.Instance = class {
    readonly exports: Exports = {};

    constructor(module: object, imports: { env: { memory: { buffer: ArrayBuffer } } }) {
      const { exports } = new Instance(module, imports) as { exports: Exports };
      for (const name of names) {
        this.exports[name] = (...numbers) =>
          compared(name, exports[name], imports.env.memory.buffer, numbers);
      }
    }
  };
  Heap.prototype.column = function <K extends ElementKind>(this: Heap, kind: K, length: number, keep?: Keep) {
    const made = column.call(this, kind, length, keep) as Column<K>;
    let known = heaps.find(({ heap }) => heap === this);
    if (known === undefined) {
      known = { heap: this, columns: [] };
      heaps.push(known);
    }
    known.columns.push(made as unknown as Column<ElementKind>);
    return made;
  } as typeof column;
});

afterAll(() => {
  webAssembly.Instance = Instance;
  Heap.prototype.column = column;
});

test.each<[string, WorldOptions, Partial<Crowd>]>([
  ['walkers', {}, {}],
  ['walkers of one range', {}, { isUniform: true }],
  ['three senses of common ranges', { senses: ['a', 'b', 'c'] }, { isUniform: true }],
  ['three senses', { senses: ['a', 'b', 'c'] }, {}],
  ['flocks', { dimensions: 3 }, {}],
  ['flocks of one range', { dimensions: 3 }, { isUniform: true }],
  ['boxes', { rangeShape: 'box' }, {}],
  ['few who move', {}, { movingShare: 0.02 }],
  ['few who move, by one range', {}, { movingShare: 0.02, isUniform: true }],
  ['few who watch, and some who move', {}, { movingShare: 0.1, watchers: 2 }],
  ['one who watches, and many who move', {}, { movingShare: 0.15, watchers: 1, entities: 400 }],
  ['many kinds', {}, { isMixed: true }],
  ['a margin', { interests: { default: { leaveMargin: 4 } } }, {}],
  [
    'margins by sense',
    { senses: ['a', 'b'], interests: { default: { leaveMargin: 4 } } },
    { isUniform: true },
  ],
  ['a cap', { interests: { default: { cap: 6 } } }, {}],
  ['a cap with pins', { interests: { default: { cap: 6 } } }, { isTied: true }],
  ['a cap with a margin, mixed', { interests: { default: { cap: 6, leaveMargin: 4 } } }, { isMixed: true }],
  [
    'rates',
    {
      interests: {
        default: {
          updateRates: [
            [0.5, 1],
            [1, 3],
          ],
        },
      },
    },
    {},
  ],
  ['an enter budget', { interests: { default: { cap: 12, enterBudget: 1 } } }, {}],
  ['a cap by a function', { interests: { default: { cap: 6, rank: (_, id) => (id >>> 10) % 7 } } }, {}],
  [
    'a cap with answers that change, mixed',
    {
      interests: {
        default: { cap: 6, admit: (watcher, marker, squared) => (watcher + marker + squared) % 3 > 1 },
      },
    },
    { isMixed: true },
  ],
  ['a cap that few reach, with a dwell', { interests: { default: { cap: 12, minDwellTicks: 2 } } }, {}],
])('%s: both kernels answer the same and leave the same bytes', (_, options, crowd) => {
  live({ ...options, kernels: 'wasm' }, crowd, 7);
  // So small a crowd is not worth a search.
  const isCapped = Object.values(options.interests ?? {}).some(({ cap }) => cap !== undefined);
  if (isCapped) withShares(SOON_SEARCHED, () => live({ ...options, kernels: 'wasm' }, crowd, 7));
  expect(faults).toEqual([]);
});

/** Larger crowds call these: the suites of detectors and entities run with both choices of kernels. */
const UNCALLED = ['countCrossings', 'placeCrossings', 'endMoves', 'sortWords'];

test('nearly every kernel was called', () => {
  expect(names.filter((name) => !calls.has(name) && !UNCALLED.includes(name))).toEqual([]);
});

interface Crowd {
  readonly isUniform: boolean;
  readonly isMixed: boolean;
  readonly entities: number;
  readonly movingShare: number;
  /** How many perceive. */
  readonly watchers: number;
  /** Everyone has pinned somebody. */
  readonly isTied: boolean;
}

function live(
  options: WorldOptions,
  {
    isUniform,
    isMixed,
    entities = 90,
    movingShare = 1,
    watchers = Number.POSITIVE_INFINITY,
    isTied,
  }: Partial<Crowd>,
  seed: number,
): void {
  heaps.length = 0;
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const world = new World(options);
  const side = options.dimensions === 3 ? 50 : 110;
  const places: { id: number; at: number[] }[] = [];
  const add = () => {
    const at = [random() * side, random() * side, ...(options.dimensions === 3 ? [random() * side] : [])];
    const watches = places.length < watchers ? 1 : 0;
    const ranges = (options.senses ?? ['a']).map(
      (_, s) => (watches * (isUniform ? 18 : 12 + 10 * random())) / (s + 1),
    );
    const id = world.add({
      x: at[0],
      y: at[1],
      ...(options.dimensions === 3 ? { z: at[2] } : {}),
      range:
        options.senses === undefined
          ? ranges[0]
          : Object.fromEntries(options.senses.map((sense, s) => [sense, ranges[s]])),
      updates: random() < 0.5,
      ...(isMixed && random() < 0.3 ? { gain: 1.5, layers: 3, sees: 2, volatile: true } : {}),
    });
    places.push({ id, at });
  };
  for (let i = 0; i < entities; i++) add();
  if (isTied) for (const { id } of places.slice(1)) world.pin(id, places[0].id);
  for (let tick = 0; tick < 6; tick++) {
    for (const { id, at } of places) {
      if (random() >= (tick === 4 ? movingShare / 20 : movingShare) && tick > 0) continue;
      for (let axis = 0; axis < at.length; axis++)
        at[axis] += (random() - 0.5) * (random() < 0.05 ? side : 6);
      world.move(id, at[0], at[1], at[2]);
    }
    if (isMixed) world.update(places[tick].id, { gain: 1 + random() });
    if (movingShare === 1 && tick % 2 === 1) {
      for (let i = 0; i < 5; i++) world.remove(places.splice(Math.floor(random() * places.length), 1)[0].id);
      for (let i = 0; i < 5; i++) add();
    }
    if (options.dimensions !== 3 && movingShare === 1) {
      const column = (axis: number) => Float32Array.from(places, ({ at }) => at[axis]);
      world.moveMany(
        Uint32Array.from(places, ({ id }) => id),
        column(0),
        column(1),
      );
    }
    world.tick();
  }
}

/** These continue where the last call ended, so that the JavaScript ones must, too. */
const CONTINUING = ['readRanked', 'seatRanked'];
let last: { readonly of: ArrayBuffer; readonly copy: ArrayBuffer; readonly kernels: Exports } | undefined;

/** Calls both, the JavaScript one on a copy. */
function compared(name: string, kernel: Kernel, buffer: ArrayBuffer, numbers: readonly number[]): number {
  if (last?.of === buffer && CONTINUING.includes(name)) {
    new Uint8Array(last.copy).set(new Uint8Array(buffer));
  } else {
    const copy = buffer.slice(0);
    last = { of: buffer, copy, kernels: plainKernels(copy) as unknown as Exports };
  }
  const { copy } = last;
  const plain = last.kernels[name](...numbers);
  const answer = kernel(...numbers);
  calls.set(name, (calls.get(name) ?? 0) + 1);
  if (plain !== answer) faults.push(`${name} answers ${plain} in place of ${answer}`);
  const [got, wanted] = [new Uint32Array(copy), new Uint32Array(buffer)];
  const known = heaps.find(({ heap }) => heap.u8.buffer === buffer);
  for (let word = 0; word < got.length; word++) {
    if (got[word] === wanted[word] || isSpare(name, word - (numbers[0] >>> 2))) continue;
    const where = known?.columns.find((one) => isWithin(one, word));
    if (where === undefined || !isInUse(where, word)) continue;
    if (name === 'editRows' && isGap(wanted, numbers[0], answer, where, word)) continue;
    faults.push(`${name}: word ${word - where.offset / 4} of a column of ${where.length} ${where.kind}`);
    break;
  }
  return answer;
}

function isSpare(name: string, word: number): boolean {
  return word >= 0 && word < 16_384 && SPARE_WORDS[name]?.(word) === true;
}

function isLane(word: number): boolean {
  return word >= 132 && word < 136;
}

function isWithin(one: Column<ElementKind>, word: number): boolean {
  return word * 4 >= one.offset && word * 4 < one.offset + one.byteLength;
}

/** Whether a word of a column holds what somebody may read: it is no scratch, and not behind those in use. */
function isInUse(one: Column<ElementKind>, word: number): boolean {
  if (one.keep === Heap.scratch) return false;
  const element = Math.floor(((word * 4 - one.offset) * one.length) / one.byteLength);
  return element < one.keep(one);
}

/** Rows of relations, and their ticks, lie anywhere in their column: what is before and behind them is nobody's. */
function isGap(
  words: Uint32Array,
  job: number,
  size: number,
  one: Column<ElementKind>,
  word: number,
): boolean {
  const first = words[(job >>> 2) + FIRST_ROW] >>> 2;
  const behind = (words[(job >>> 2) + TICKS_BEHIND] | 0) >> 2;
  return [first, first + behind].some(
    (begin) => isWithin(one, begin) && (word < begin || word >= begin + size),
  );
}
