/**
 * The program of a worker, as text: no module and no file, so that nothing has to be found beside the code, in any
 * runtime or bundle.
 *
 * A worker receives a memory, the control block and the compiled kernels (without WebAssembly, the kernels are in its
 * own text). It then sleeps on the block's signal. When woken, it joins the current task, if that is in its memory,
 * and takes chunks of it. Then it polls for the next task a little before it sleeps again, because a tick has a dozen
 * tasks and waking takes as long as a small one. When the heap has moved, the worker returns to its event loop, where
 * the new memory waits as a message. control-block.ts explains the words; `take` is the copy of `takeChunks` in
 * chunks.ts.
 */
import {
  ACTIVE,
  CHUNK_COUNT,
  CHUNK_SIZE,
  DONE_CHUNKS,
  FIRST_STATE,
  GENERATION,
  HAS_BEGUN,
  IS_FAULTY,
  IS_OPEN,
  IS_STOPPED,
  JOB_BYTES,
  JOBS,
  JOINED,
  KERNEL,
  NEXT_CHUNK,
  SIGNAL,
  TOTAL,
} from './control-block.ts';

/** Longer than the gap between most tasks of a tick. */
const AWAKE_MS = 0.3;

/** Message to a worker: sent once, and again whenever the heap moves. */
export interface WorkerMessage {
  /** From 1: the main thread is 0. */
  readonly number: number;
  readonly control: SharedArrayBuffer;
  readonly generation: number;
  /** `undefined` if the kernels are JavaScript: then `memory` is a buffer. */
  readonly module: object | undefined;
  readonly memory: object;
  /** Names of the kernels, by index. */
  readonly kernels: readonly string[];
}

/** The program; with `plainSource` it uses the JavaScript kernels that this function makes from a buffer. */
export function workerSource(plainSource = 'undefined'): string {
  return `'use strict';
const plainKernels = ${plainSource};
const nodePort = typeof require === 'function' ? require('node:worker_threads').parentPort : null;
let number, control, generation, kernels;

function abort() {
  throw new Error('umwelt: broken invariant: a kernel aborted');
}

function takeUp(message) {
  number = message.number;
  control = new Int32Array(message.control);
  generation = message.generation;
  const exports =
    message.module === undefined
      ? plainKernels(message.memory)
      : new WebAssembly.Instance(message.module, { env: { memory: message.memory, abort } }).exports;
  kernels = message.kernels.map((name) => exports[name]);
  Atomics.store(control, ${HAS_BEGUN} + number, 1);
  watch();
}

function watch() {
  for (;;) {
    const signal = Atomics.load(control, ${SIGNAL});
    if (Atomics.load(control, ${IS_STOPPED}) === 1) return leave();
    if (Atomics.load(control, ${GENERATION}) !== generation) return;
    join();
    lookOut(signal);
    Atomics.wait(control, ${SIGNAL}, signal);
  }
}

// Deno's port cannot be closed: there, as in a browser, the worker closes itself.
function leave() {
  if (typeof nodePort?.close === 'function') nodePort.close();
  else close();
}

function lookOut(signal) {
  const until = performance.now() + ${AWAKE_MS};
  while (Atomics.load(control, ${SIGNAL}) === signal && performance.now() < until) Atomics.pause?.();
}

function join() {
  Atomics.add(control, ${ACTIVE}, 1);
  try {
    if (Atomics.load(control, ${IS_OPEN}) === 1 && Atomics.load(control, ${GENERATION}) === generation) {
      Atomics.add(control, ${JOINED}, 1);
      take(kernels[control[${KERNEL}]], (control[${JOBS}] >>> 0) + number * control[${JOB_BYTES}]);
    }
  } catch {
    Atomics.store(control, ${IS_FAULTY}, 1);
  }
  if (Atomics.sub(control, ${ACTIVE}, 1) === 1) Atomics.notify(control, ${ACTIVE});
}

function take(kernel, job) {
  const count = control[${CHUNK_COUNT}];
  const size = control[${CHUNK_SIZE}];
  for (;;) {
    const chunk = Atomics.add(control, ${NEXT_CHUNK}, 1);
    if (chunk >= count) return;
    const to = Math.min((chunk + 1) * size, control[${TOTAL}]);
    const from = control[${FIRST_STATE} + chunk];
    if (from >= to) continue;
    const reached = kernel(job, from, to) >>> 0;
    control[${FIRST_STATE} + chunk] = reached;
    Atomics.add(control, ${DONE_CHUNKS}, 1);
    if (reached < to) return;
  }
}

if (nodePort === null) onmessage = (event) => takeUp(event.data);
else nodePort.on('message', takeUp);
`;
}
