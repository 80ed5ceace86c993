/**
 * A world's threads: the main thread, which calls `tick`, and workers that share its heap.
 *
 * Problem: `tick` is synchronous, while workers start and fail at any time. Method: the main thread never waits for a
 * worker that has not started. A task is a kernel, its jobs, and a range in chunks. The main thread publishes the
 * task and takes chunks itself; workers that are awake and have the same memory steal chunks. When no chunk is left,
 * the main thread waits for workers that are still in one. The output of a chunk does not depend on the thread or the
 * time, so the number of threads never affects a report.
 *
 * A worker has failed if it ended by itself, threw, or made no progress in a task for ten seconds. `WORKER_FAILED` is
 * then thrown once: by the current tick, or by the next tick if the work must not be left half done. The main thread
 * continues alone. A worker that could not start is no failure: there is one thread less. Workers never keep a
 * process alive. They end with `dispose`, or when the crew is garbage-collected.
 *
 * Cost: some microseconds to publish and end a task, and some 50 if workers must be woken. Between ticks nothing,
 * except for the first 0.3 ms, until workers sleep.
 */
import { UmweltError } from '../errors.ts';
import { type ChunkKernel, divide, doneElements, takeChunks } from './chunks.ts';
import * as at from './control-block.ts';
import { threadTuning } from './tuning.ts';
import { canMakeWorkers, makeWorker, type WorkerHandle } from './worker-maker.ts';
import { type WorkerMessage, workerSource } from './worker-source.ts';

/** What workers receive about a heap. */
export interface SharedKernels {
  /** The compiled module. If undefined, the kernels are JavaScript, and `memory` is the buffer itself. */
  readonly module: object | undefined;
  readonly memory: object;
  /** Names of the kernels, by index. */
  readonly names: readonly string[];
}

const WAIT_MS = 100;
/** Number of polls before the thread sleeps: some 0.3 ms. */
const SPINS = 20_000;

/** The workers and their state. Separate from the crew, because it must not keep a forgotten crew alive. */
interface Workers {
  readonly control: Int32Array;
  readonly handles: (WorkerHandle | undefined)[];
  /** Reason why a worker that had started ended by itself. */
  failure: string | undefined;
  isEnding: boolean;
}

/** Ends the workers of worlds that were dropped without `dispose`. */
const forgotten =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry((workers: Workers) => void endAll(workers));

export class Crew {
  /** Shared, until a worker fails: a failed worker would still write to the old block, which is no longer read. */
  #control: Int32Array;
  readonly #workers: Workers;
  #generation = 0;
  /** A failure that was not thrown yet. */
  #untold: UmweltError | undefined;

  /**
   * Creates `threads` - 1 workers, or as many as possible; they start when they first receive kernels. `plainSource`:
   * source text of the function that makes the JavaScript kernels, if workers are to use those.
   */
  constructor(threads: number, plainSource?: string) {
    const isShared = threads > 1 && canMakeWorkers();
    const bytes = at.CONTROL_WORDS * 4;
    this.#control = new Int32Array(isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
    this.#workers = { control: this.#control, handles: [], failure: undefined, isEnding: false };
    for (let number = 1; isShared && number < threads; number++) {
      const handle = makeWorker(
        workerSource(plainSource),
        `umwelt ${number}`,
        endListener(this.#workers, number),
      );
      if (handle === undefined) break;
      this.#workers.handles.push(handle);
    }
    if (this.#workers.handles.length > 0) forgotten?.register(this, this.#workers, this);
  }

  /** Number of threads in use, the main thread included. */
  get threadCount(): number {
    return this.#workers.handles.reduce((count, handle) => (handle === undefined ? count : count + 1), 1);
  }

  /** Number of jobs that a task needs: one for each thread by its number, whether it is in use or not. */
  get jobCount(): number {
    return 1 + this.#workers.handles.length;
  }

  /** Sends workers this memory. Call it whenever the heap has moved. */
  share({ module, memory, names }: SharedKernels): void {
    const { handles, control } = this.#workers;
    if (handles.length === 0) return;
    this.#generation++;
    Atomics.store(control, at.GENERATION, this.#generation);
    handles.forEach((handle, index) => {
      const message: WorkerMessage = {
        number: index + 1,
        control: control.buffer as unknown as SharedArrayBuffer,
        generation: this.#generation,
        module,
        memory,
        kernels: names,
      };
      handle?.postMessage(message);
    });
    signal(control);
  }

  /** Best number of parts for `total` elements if each part has its own state: 1, or one a thread. */
  partsOf(total: number): number {
    return total >= threadTuning.leastElements ? this.threadCount : 1;
  }

  /**
   * The size of chunks of `total` elements, each of which takes as long as `weight` usual ones: small enough that an interrupted
   * thread does not delay the others for long; the whole range if it is not worth sharing.
   */
  chunkFor(total: number, weight = 1): number {
    const parts = this.partsOf(total * weight);
    return parts === 1 ? total : Math.ceil(total / (parts * threadTuning.chunksPerThread));
  }

  /**
   * Begins a task of `total` elements, in chunks of `size` each. A task of a single chunk is for the main thread
   * alone.
   */
  begin(total: number, size = this.chunkFor(total)): void {
    divide(this.#control, total, size);
  }

  /** Number of jobs that the task needs, one a thread. */
  get taskJobs(): number {
    return this.#control[at.CHUNK_COUNT] <= 1 ? 1 : this.jobCount;
  }

  /**
   * Runs the task. The job of thread k lies `k * jobBytes` after the first; with one job the main thread works alone.
   * Returns true when all elements are done, false if a chunk had to stop: then call `work` again. Throws
   * `WORKER_FAILED`.
   */
  work(kernel: number, ofMainThread: ChunkKernel, jobs: number, jobBytes: number, jobCount: number): boolean {
    const control = this.#control;
    control[at.NEXT_CHUNK] = 0;
    if (jobCount === 1) {
      takeChunks(control, ofMainThread, jobs);
    } else {
      control[at.KERNEL] = kernel;
      control[at.JOBS] = jobs;
      control[at.JOB_BYTES] = jobBytes;
      control[at.JOINED] = 0;
      Atomics.store(control, at.IS_OPEN, 1);
      signal(control);
      if (threadTuning.waitsForAll) this.#waitForAll();
      try {
        takeChunks(control, ofMainThread, jobs);
      } finally {
        this.#close();
      }
    }
    return this.doneCount === control[at.TOTAL];
  }

  /** Number of elements of the task that are done. */
  get doneCount(): number {
    return doneElements(this.#control);
  }

  /** Throws `WORKER_FAILED`, once, if a worker has ended by itself; from then on the main thread works alone. */
  check(): void {
    const untold = this.#untold;
    this.#untold = undefined;
    if (untold !== undefined) throw untold;
    if (this.#workers.failure !== undefined) this.#fail(this.#workers.failure);
  }

  /**
   * Keeps an error of a task for the next `check`, when the caller does the work again alone; throws anything but a
   * failure of a worker.
   */
  tellLater(error: unknown): void {
    if (!(error instanceof UmweltError && error.code === 'WORKER_FAILED')) throw error;
    this.#untold = error;
  }

  /** Ends all workers; resolves when they have ended. */
  dispose(): Promise<void> {
    forgotten?.unregister(this);
    return endAll(this.#workers);
  }

  /** Stops workers from taking more chunks, and waits for those in a chunk. */
  #close(): void {
    const control = this.#control;
    Atomics.store(control, at.IS_OPEN, 0);
    let silentWaits = 0;
    let doneBefore = -1;
    for (let looks = 0; ; looks++) {
      const active = Atomics.load(control, at.ACTIVE);
      if (active === 0) break;
      if (looks < SPINS) continue;
      const done = Atomics.load(control, at.DONE_CHUNKS);
      silentWaits = done === doneBefore ? silentWaits + 1 : 0;
      doneBefore = done;
      if (silentWaits > threadTuning.mostSilentWaits) this.#fail('it does not answer');
      pause(control, at.ACTIVE, active, WAIT_MS);
    }
    if (Atomics.load(control, at.IS_FAULTY) === 1) this.#fail('a kernel threw in it');
  }

  #waitForAll(): void {
    const { control, handles } = this.#workers;
    for (let waits = 0; waits < 100 * threadTuning.mostSilentWaits; waits++) {
      if (Atomics.load(control, at.JOINED) >= handles.length) return;
      pause(control, at.IS_STOPPED, 0, 1);
    }
  }

  #fail(reason: string): never {
    void this.dispose();
    this.#control = new Int32Array(this.#control.length);
    this.#workers.failure = undefined;
    throw new UmweltError('WORKER_FAILED', `a worker thread of the world failed: ${reason}`);
  }
}

function endListener(workers: Workers, number: number): (reason: string) => void {
  return (reason) => {
    if (workers.isEnding || workers.handles[number - 1] === undefined) return;
    // A worker that could not start only means one thread less.
    if (Atomics.load(workers.control, at.HAS_BEGUN + number) === 1) workers.failure ??= reason;
    else workers.handles[number - 1] = undefined;
  };
}

async function endAll(workers: Workers): Promise<void> {
  workers.isEnding = true;
  const handles = workers.handles.splice(0);
  Atomics.store(workers.control, at.IS_STOPPED, 1);
  if (handles.length > 0) signal(workers.control);
  await Promise.all(handles.map((handle) => handle?.end()));
}

function signal(control: Int32Array): void {
  Atomics.add(control, at.SIGNAL, 1);
  Atomics.notify(control, at.SIGNAL);
}

/** Sleeps while a word is unchanged, at most this long. A browser's main thread must not sleep, so it polls. */
function pause(control: Int32Array, word: number, value: number, milliseconds: number): void {
  try {
    Atomics.wait(control, word, value, milliseconds);
  } catch {
    const until = Date.now() + milliseconds;
    while (Atomics.load(control, word) === value && Date.now() < until);
  }
}
