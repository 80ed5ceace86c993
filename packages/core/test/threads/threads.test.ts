/**
 * What threads promise beside speed: they come where they can, say how many they are, fail as an error and not as a hang, go
 * with their world, and keep no process alive.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Interest, type UmweltError, World } from '../../src/index.ts';
import { SHARED_KERNELS } from '../../src/kernels/kernels.ts';
import { KERNEL } from '../../src/threads/control-block.ts';
import { threadTuning } from '../../src/threads/tuning.ts';
import {
  fill,
  hashes,
  shareAsUsual,
  shareEverything,
  walk,
  withWorkers,
  workerThreads,
} from './threaded-worlds.ts';

const COUNT = 400;
const TICKS = 12;

beforeEach(shareEverything);
afterEach(() => {
  shareAsUsual();
  vi.unstubAllGlobals();
});

function hashesWith(threads: number, kernels: 'auto' | 'typescript' = 'auto'): string[] {
  const world = new World({ threads, kernels });
  const told = hashes(world, fill(world, COUNT), TICKS);
  void world.dispose();
  return told;
}

function codeOf(action: () => void): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return (error as UmweltError).code;
  }
}

/** How a worker's program runs its share of a task. */
const KERNEL_CALL = 'kernel(job, from, to) >>> 0';

/** A world on two threads, whose worker does `instead` of running a kernel. It may hang(), and fail() as a crash does. */
function worldWithSpoiltWorker(instead: string, rules: Interest = {}) {
  const { Worker } = workerThreads;
  workerThreads.Worker = class extends Worker {
    constructor(source: string, options: object) {
      const broken = source.replace(KERNEL_CALL, instead);
      const tools = 'let calls = 0; function hang() { for (;;); } function fail() { throw new Error(); }';
      super(`${broken}\n${tools}`, options);
    }
  } as unknown as typeof Worker;
  const made = withWorkers(() => new World({ threads: 2, interests: { default: rules } }));
  workerThreads.Worker = Worker;
  return made;
}

/** In the program of such a worker: whether it runs this kernel, and ran it so often before. */
function isCallAfter(kernel: (typeof SHARED_KERNELS)[number], calls: number): string {
  return `control[${KERNEL}] === ${SHARED_KERNELS.indexOf(kernel)} && ++calls > ${calls}`;
}

/** Resolves when a worker is gone. */
function gone(worker: { once(event: 'exit', listener: () => void): unknown }): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve());
  });
}

/** Lets what was announced to this thread reach it. */
async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('the count of threads', () => {
  test('is told by stats, and shows in no report', async () => {
    const expected = hashesWith(1);
    for (const threads of [2, 3, 5]) {
      const world = new World({ threads });
      expect(world.stats().threads).toBe(threads);
      expect(hashes(world, fill(world, COUNT), TICKS)).toEqual(expected);
      await world.dispose();
    }
  });

  // All that is perceived enters at once, which is more than there is room for at first.
  test.each([3, 40])('shows in no report of watchers with a cap of %i', async (cap) => {
    const interests = { default: { cap, leaveMargin: 1, minDwellTicks: 2 } };
    const alone = new World({ interests });
    const expected = hashes(alone, fill(alone, 4000), TICKS);
    for (const threads of [2, 3]) {
      const world = new World({ threads, interests });
      expect(hashes(world, fill(world, 4000), TICKS)).toEqual(expected);
      world.validate();
      await world.dispose();
    }
  });

  test('is told with JavaScript kernels, too, which workers have in their own text', async () => {
    const world = new World({ threads: 3, kernels: 'typescript' });
    expect(world.stats()).toMatchObject({ threads: 3, kernels: 'typescript' });
    expect(hashes(world, fill(world, COUNT), TICKS)).toEqual(hashesWith(1));
    await world.dispose();
  });

  test.each([0, 65, 1.5, Number.NaN, '2'])('is refused as %s', (threads) => {
    expect(codeOf(() => new World({ threads: threads as number }))).toBe('BAD_OPTION');
    const bytes = new World().snapshot();
    expect(codeOf(() => World.restore(bytes, { threads: threads as number }))).toBe('BAD_OPTION');
  });

  test('is chosen anew when a world is restored', async () => {
    const world = new World();
    const ids = fill(world, COUNT);
    hashes(world, ids, 3);
    const restored = World.restore(world.snapshot(), { threads: 3 });
    expect(restored.stats().threads).toBe(3);
    expect(hashes(restored, ids, TICKS)).toEqual(hashes(world, ids, TICKS));
    await restored.dispose();
  });
});

describe('a world goes on with one thread, and the same reports,', () => {
  test('where there is no shared memory', () => {
    const expected = hashesWith(1);
    vi.stubGlobal('SharedArrayBuffer', undefined);
    expect(new World({ threads: 2 }).stats().threads).toBe(1);
    expect(hashesWith(2)).toEqual(expected);
  });

  test('in a page that is not isolated from other origins', () => {
    vi.stubGlobal('crossOriginIsolated', false);
    expect(new World({ threads: 2 }).stats().threads).toBe(1);
  });

  test('where no worker can be made', () => {
    vi.stubGlobal('process', { ...process, getBuiltinModule: undefined });
    vi.stubGlobal('Worker', undefined);
    expect(new World({ threads: 2 }).stats().threads).toBe(1);
  });

  test('where making one is refused', () => {
    const { Worker } = workerThreads;
    workerThreads.Worker = class {
      constructor() {
        throw new Error('no more threads');
      }
    } as unknown as typeof Worker;
    try {
      expect(new World({ threads: 2 }).stats().threads).toBe(1);
    } finally {
      workerThreads.Worker = Worker;
    }
  });

  test('when a worker ends before it could begin', async () => {
    const { Worker } = workerThreads;
    workerThreads.Worker = class extends Worker {
      constructor(_source: string, options: object) {
        super('throw new Error("refused by the page")', options);
      }
    } as unknown as typeof Worker;
    const world = new World({ threads: 2 });
    workerThreads.Worker = Worker;
    for (let turns = 0; turns < 500 && world.stats().threads > 1; turns++) await nextTurn();
    expect(world.stats().threads).toBe(1);
    expect(hashes(world, fill(world, COUNT), TICKS)).toEqual(hashesWith(1));
  });
});

describe('a worker that crashes', () => {
  test('is told by the next tick, which changes nothing; the world goes on alone', async () => {
    const { made: world, workers } = withWorkers(() => new World({ threads: 3 }));
    const other = new World();
    const ids = fill(world, COUNT);
    fill(other, COUNT);
    expect(hashes(world, ids, 3)).toEqual(hashes(other, ids, 3));
    await workers[0]?.terminate();
    await nextTurn();
    walk(world, ids);
    walk(other, ids);
    expect(codeOf(() => world.tick())).toBe('WORKER_FAILED');
    expect(world.tickCount).toBe(3);
    expect(world.stats().threads).toBe(1);
    expect(world.tick().hash()).toBe(other.tick().hash());
    expect(hashes(world, ids, TICKS)).toEqual(hashes(other, ids, TICKS));
    await world.dispose();
  });

  test.each([
    ['dies', 'process.exit(1)'],
    ['hangs', 'hang()'],
    ['throws', 'fail()'],
  ])('that %s in the middle of a task is an error and no hang', async (_, instead) => {
    const { made: world, workers } = worldWithSpoiltWorker(instead);
    threadTuning.mostSilentWaits = 3;
    const ids = fill(world, COUNT);
    const isGone = gone(workers[0]!);
    expect(codeOf(() => world.tick())).toBe('WORKER_FAILED');
    await isGone;
    expect(world.stats().threads).toBe(1);
    const other = new World();
    expect(hashes(world, ids, TICKS)).toEqual(hashes(other, fill(other, COUNT), TICKS));
    world.validate();
    await world.dispose();
  });
});

describe('a worker that crashes in the middle of what may not be left half done', () => {
  test.each(SHARED_KERNELS)('%s: nothing is lost, and it is told once', async (kernel) => {
    // Not at once: at first all are new, and nothing that is pending comes to nothing.
    const isHere = isCallAfter(kernel, kernel === 'settlePending' ? 20 : 3);
    // It writes what it would have written of the first half, and dies of it.
    // Half of what a watcher perceives here.
    const rules = kernel === 'searchSeats' ? { cap: 6 } : {};
    const { made: world } = worldWithSpoiltWorker(
      `${isHere} ? (kernel(job, from, (from + to) >> 1), fail()) : ${KERNEL_CALL}`,
      rules,
    );
    const other = new World({ interests: { default: rules } });
    fill(world, COUNT);
    fill(other, COUNT);
    let told = 0;
    while (codeOf(() => world.tick()) === 'WORKER_FAILED') told++;
    other.tick();
    for (let tick = 0; tick < TICKS; tick++) {
      const ids = world.ids();
      const some = tick % 3 === 2 ? ids.subarray(0, 9) : ids;
      // Every third is moved to where it is, which is no move.
      const x = Float32Array.from(
        some,
        (id) => ((id >>> 10) * 7919 + ((id >>> 10) % 3 ? tick * 13 : 0)) % 200,
      );
      const y = Float32Array.from(
        some,
        (id) => ((id >>> 10) * 104_729 + ((id >>> 10) % 3 ? tick * 7 : 0)) % 199,
      );
      for (const one of [world, other]) one.moveMany(some, x, y);
      for (const id of ids)
        if ((id >>> 10) % 2 === tick % 2)
          for (const one of [world, other]) one.update(id, { layers: 1 + (tick % 2) * 2 });
      if (tick % 4 === 1) for (const one of [world, other]) one.remove(ids[tick * 9]!);
      while (codeOf(() => world.tick()) === 'WORKER_FAILED') told++;
      expect(world.lastChanges.hash()).toBe(other.tick().hash());
      expect(world.stats().movedCount).toBe(other.stats().movedCount);
    }
    // All see equally far here.
    const isUsed = kernel !== 'fillProfiles';
    expect(told).toBe(isUsed ? 1 : 0);
    expect(world.stats().threads).toBe(isUsed ? 1 : 2);
    world.validate();
    await world.dispose();
  });
});

describe('a worker that crashes in the tick after an attachment', () => {
  test.each(['settlePending', 'resolveCrossings'] as const)(
    'in %s: relations to attached entities stay',
    async (kernel) => {
      const { made: world } = worldWithSpoiltWorker(`${isCallAfter(kernel, 20)} ? fail() : ${KERNEL_CALL}`);
      const other = new World();
      const ids = fill(world, COUNT);
      fill(other, COUNT);
      let told = 0;
      for (let tick = 0; tick < TICKS; tick++) {
        // In each tick: which one fails depends on the number of chunks.
        for (const one of [world, other]) {
          for (let i = 200 + tick; i < COUNT; i += 40) one.attach(ids[i]!, ids[i - 200]!, { x: 1 });
          walk(
            one,
            ids.filter((id) => one.parentOf(id) === undefined),
          );
        }
        while (codeOf(() => world.tick()) === 'WORKER_FAILED') told++;
        expect(world.lastChanges.hash()).toBe(other.tick().hash());
        world.validate();
      }
      expect(told).toBe(1);
      await world.dispose();
    },
  );
});

describe('workers', () => {
  test('are gone when dispose resolves, once and again', async () => {
    const { made: world, workers } = withWorkers(() => new World({ threads: 3 }));
    hashes(world, fill(world, COUNT), 2);
    let ended = 0;
    for (const worker of workers) worker.once('exit', () => ended++);
    const first = world.dispose();
    const second = world.dispose();
    await first;
    expect(ended).toBe(2);
    await second;
    expect(codeOf(() => world.tick())).toBe('DISPOSED');
  });

  test('of a world that was dropped are gone when it is collected', async () => {
    const workers = dropWorld();
    const ended = Promise.all(workers.map(gone));
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    for (let turns = 0; turns < 500 && !isOver; turns++) {
      globalThis.gc?.();
      await nextTurn();
    }
    expect(isOver).toBe(true);
  });

  test.each([
    ['nobody disposes of the world', ''],
    ['the world is disposed of, and that awaited', 'await world.dispose();'],
  ])('keep no process alive: %s', (_, last) => {
    const script = `
      import { World } from 'umwelt';
      const world = new World({ threads: 3 });
      const x = Float32Array.from({ length: 40000 }, (_, i) => i % 400);
      world.addMany({ range: 1, x, y: x });
      world.tick();
      ${last}
      process.stdout.write('over');`;
    const { stdout, status } = spawnSync(
      process.execPath,
      ['--conditions=umwelt:source', '--input-type=module', '--eval', script],
      { cwd: path.join(import.meta.dirname, '../../..', 'scenarios'), timeout: 60_000, encoding: 'utf8' },
    );
    expect({ stdout, status }).toEqual({ stdout: 'over', status: 0 });
  });
});

/** In a function of its own, so that no local keeps the world. */
function dropWorld() {
  const { made, workers } = withWorkers(() => new World({ threads: 2 }));
  hashes(made, fill(made, COUNT), 2);
  return workers;
}
