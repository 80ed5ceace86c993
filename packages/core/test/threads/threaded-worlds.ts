/**
 * Worlds whose threads have to work: tasks of any size are shared out in chunks of a few elements, and the main thread takes
 * none before every worker has joined. And a look at the workers that a world made, for those who want to end one.
 */
import type { Worker as NodeWorker, WorkerOptions } from 'node:worker_threads';
import { World, type WorldOptions } from '../../src/index.ts';
import { threadTuning } from '../../src/threads/tuning.ts';

const usual = { ...threadTuning };

export function shareEverything(): void {
  Object.assign(threadTuning, { leastElements: 2, chunksPerThread: 8, waitsForAll: true });
}

export function shareAsUsual(): void {
  Object.assign(threadTuning, usual);
}

/** Worlds that are ended together. */
export class Worlds {
  readonly #made: World[] = [];

  make(options: WorldOptions): World {
    const world = new World(options);
    this.#made.push(world);
    return world;
  }

  get count(): number {
    return this.#made.length;
  }

  async end(): Promise<void> {
    await Promise.all(this.#made.splice(0).map((world) => world.dispose()));
  }
}

/** What `node:worker_threads` is to whoever asks for it at run time, as core does. */
export const workerThreads = process.getBuiltinModule('node:worker_threads') as {
  Worker: typeof NodeWorker;
};

/**
 * Lends the threads of worlds that have ended to later ones, until the returned function ends them all: a thread takes 30 ms of
 * CPU to begin, and some worlds live for less. A thread is as new to each world, because it takes up all that it knows with its
 * first message; only its port stays open when it is told to leave.
 */
export function lendThreads(): () => Promise<void> {
  const { Worker } = workerThreads;
  const idle = new Map<string, NodeWorker[]>();

  class LentWorker {
    readonly #thread: NodeWorker;
    readonly #others: NodeWorker[];

    constructor(source: string, options: WorkerOptions) {
      this.#others = idle.get(source) ?? [];
      idle.set(source, this.#others);
      this.#thread = this.#others.pop() ?? new Worker(`${source}\nnodePort.close = () => {};`, options);
    }

    postMessage(message: object): void {
      this.#thread.postMessage(message);
    }

    on(event: 'error' | 'exit', listener: (what: unknown) => void): void {
      this.#thread.on(event, listener);
    }

    ref(): void {
      this.#thread.ref();
    }

    unref(): void {
      this.#thread.unref();
    }

    terminate(): Promise<number> {
      this.#thread.removeAllListeners('error').removeAllListeners('exit').unref();
      // It has no id any more if it has failed.
      if (this.#thread.threadId > 0) this.#others.push(this.#thread);
      return Promise.resolve(0);
    }
  }

  workerThreads.Worker = LentWorker as unknown as typeof NodeWorker;
  return async () => {
    workerThreads.Worker = Worker;
    await Promise.all([...idle.values()].flat().map((thread) => thread.terminate()));
  };
}

/** Calls `make`, and answers what it made with the workers that were begun meanwhile. */
export function withWorkers<T>(make: () => T): { made: T; workers: NodeWorker[] } {
  const { Worker } = workerThreads;
  const workers: NodeWorker[] = [];
  workerThreads.Worker = class extends Worker {
    constructor(...given: ConstructorParameters<typeof NodeWorker>) {
      super(...given);
      workers.push(this);
    }
  };
  try {
    return { made: make(), workers };
  } finally {
    workerThreads.Worker = Worker;
  }
}

/** Walkers on a square of 200, the same for every world that is given to it. */
export function fill(world: World, count: number): Uint32Array {
  const x = Float32Array.from({ length: count }, (_, i) => (i * 7919) % 200);
  const y = Float32Array.from({ length: count }, (_, i) => (i * 104_729) % 199);
  return world.addMany({ range: 20, x, y });
}

/** Each to somewhere near, by its index and the tick. */
export function walk(world: World, ids: Uint32Array): void {
  for (let i = 0; i < ids.length; i++) {
    const [x, y] = world.position(ids[i]!) as unknown as [number, number];
    const turn = (i * 31 + world.tickCount * 17) % 12;
    world.move(ids[i]!, x + Math.cos(turn), y + Math.sin(turn));
  }
}

/** The hash of each of so many ticks. */
export function hashes(world: World, ids: Uint32Array, ticks: number): string[] {
  return Array.from({ length: ticks }, () => {
    walk(world, ids);
    return world.tick().hash();
  });
}
