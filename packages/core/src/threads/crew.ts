/**
 * A world's threads: the main one, which calls `tick`, and workers that share its heap.
 *
 * Problem: `tick` is synchronous, and workers come, start and fail whenever they like. Method: nobody is waited for who
 * has not begun. A task is a kernel, its jobs and chunks of a range; the main thread publishes it, takes chunks itself,
 * and whoever is awake and has the same memory joins. When no chunk is left it waits for those that are at one. What a
 * chunk writes does not depend on who does it, nor when, so the count of threads never shows in a report.
 *
 * A worker that ended by itself, threw, or is silent for ten seconds in a task is a failure: `WORKER_FAILED` is thrown
 * once, by the tick that meets it, or, where work may not be left half done, by the next; and the main thread goes on alone.
 * One that could not even begin is no failure: there is a thread less. Workers never keep a process alive, and end with
 * `dispose`, or when the crew is collected.
 *
 * Cost: a task some microseconds to publish and end, and some 50 where workers must be woken; nothing between ticks but
 * for the first 0.3 ms, until workers sleep.
 */
import { UmweltError } from '../errors.ts';
import { type ChunkKernel, divide, doneElements, takeChunks } from './chunks.ts';
import * as at from './control-block.ts';
import { threadTuning } from './tuning.ts';
import { canMakeWorkers, makeWorker, type WorkerHandle } from './worker-maker.ts';
import { type WorkerMessage, workerSource } from './worker-source.ts';

/** What workers are sent of a heap. */
export interface SharedKernels {
  /** The compiled module; without it the kernels are JavaScript, and `memory` is the buffer itself. */
  readonly module: object | undefined;
  readonly memory: object;
  /** Those that may be asked for, by index. */
  readonly names: readonly string[];
}

const WAIT_MS = 100;
/** Looks at what is awaited before the thread sleeps: some 0.3 ms of them. */
const SPINS = 20_000;

/** What must be ended, and what became of it. Apart from the crew, which nobody may keep alive when it is forgotten. */
interface Workers {
  readonly control: Int32Array;
  readonly handles: (WorkerHandle | undefined)[];
  /** Why one ended by itself that had begun. */
  failure: string | undefined;
  isEnding: boolean;
}

/** Ends the workers of worlds that were dropped without `dispose`. */
const forgotten =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry((workers: Workers) => void endAll(workers));

export class Crew {
  /** Shared, until a worker fails: from then on it would write to what is no longer read. */
  #control: Int32Array;
  readonly #workers: Workers;
  #generation = 0;
  /** A failure that nobody was told of yet. */
  #untold: UmweltError | undefined;

  /**
   * With `threads` - 1 workers, or as many as can be made; they begin when they are first sent kernels. `plainSource`: the text of
   * the function that makes JavaScript kernels, where they are to work with those.
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

  /** Threads in use, the main one included. */
  get threadCount(): number {
    return this.#workers.handles.reduce((count, handle) => (handle === undefined ? count : count + 1), 1);
  }

  /** Jobs that a task needs: one for each thread by its number, in use or not. */
  get jobCount(): number {
    return 1 + this.#workers.handles.length;
  }

  /** Lets workers work on this memory from now on. To be called whenever the heap has moved. */
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

  /** In how many parts so many elements are best done, where parts have something to themselves: 1, or one a thread. */
  partsOf(total: number): number {
    return total >= threadTuning.leastElements ? this.threadCount : 1;
  }

  /** Begins a task of `total` elements, in chunks of `size` each. What is one chunk is for the main thread alone. */
  begin(total: number, size = this.#usualChunk(total)): void {
    divide(this.#control, total, size);
  }

  /** Jobs that the task needs, one a thread. */
  get taskJobs(): number {
    return this.#control[at.CHUNK_COUNT] <= 1 ? 1 : this.jobCount;
  }

  /**
   * Works at the task: the job of thread k lies `k * jobBytes` behind the first, and with one job the main thread is alone.
   * True when all of it is done; false when a chunk had to stop, and `work` is to be called again. Throws `WORKER_FAILED`.
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

  /** Elements of the task that are done. */
  get doneCount(): number {
    return doneElements(this.#control);
  }

  /** Throws `WORKER_FAILED`, once, when a worker has ended by itself; afterwards the main thread is alone. */
  check(): void {
    const untold = this.#untold;
    this.#untold = undefined;
    if (untold !== undefined) throw untold;
    if (this.#workers.failure !== undefined) this.#fail(this.#workers.failure);
  }

  /** Keeps what a task threw for the next `check`, for who does its work again alone; throws anything but a failure. */
  tellLater(error: unknown): void {
    if (!(error instanceof UmweltError && error.code === 'WORKER_FAILED')) throw error;
    this.#untold = error;
  }

  /** Ends all workers; resolves when they are gone. */
  dispose(): Promise<void> {
    forgotten?.unregister(this);
    return endAll(this.#workers);
  }

  /** Small enough that a thread that was interrupted is not waited for long; all of it when it is not worth sharing. */
  #usualChunk(total: number): number {
    const parts = this.partsOf(total);
    return parts === 1 ? total : Math.ceil(total / (parts * threadTuning.chunksPerThread));
  }

  /** Lets nobody take more, and waits for those who are at a chunk. */
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
    // One that could not begin is only a thread less.
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

/** Sleeps while a word is as it was, so long at most. A browser's main thread may not sleep, and looks again and again. */
function pause(control: Int32Array, word: number, value: number, milliseconds: number): void {
  try {
    Atomics.wait(control, word, value, milliseconds);
  } catch {
    const until = Date.now() + milliseconds;
    while (Atomics.load(control, word) === value && Date.now() < until);
  }
}
