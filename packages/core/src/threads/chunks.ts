/**
 * Splits a kernel's range into chunks; threads take one after the other until none is left.
 *
 * A chunk that could not be finished (a scan without room for what it finds) stores the element to continue from, and
 * the thread takes no other chunk. worker-source.ts has the copy of `takeChunks` for workers.
 */
import {
  CHUNK_COUNT,
  CHUNK_SIZE,
  DONE_CHUNKS,
  FIRST_STATE,
  MAX_CHUNKS,
  NEXT_CHUNK,
  TOTAL,
} from './control-block.ts';

/**
 * Processes the elements `from` to `to` of the job at a byte offset. Returns the element to continue from if it had
 * to stop, else `to`.
 */
export type ChunkKernel = (job: number, from: number, to: number) => number;

/** Divides `total` elements into chunks of about `size`, none of them started. */
export function divide(control: Int32Array, total: number, size: number): void {
  const chunkSize = Math.max(1, size, Math.ceil(total / MAX_CHUNKS));
  const count = Math.ceil(total / chunkSize);
  control[TOTAL] = total;
  control[CHUNK_SIZE] = chunkSize;
  control[CHUNK_COUNT] = count;
  for (let chunk = 0; chunk < count; chunk++) control[FIRST_STATE + chunk] = chunk * chunkSize;
}

/** Takes chunks until none is left, or one could not be finished. */
export function takeChunks(control: Int32Array, kernel: ChunkKernel, job: number): void {
  const count = control[CHUNK_COUNT];
  for (let chunk = nextOf(control); chunk < count; chunk = nextOf(control)) {
    const to = endOf(control, chunk);
    const from = control[FIRST_STATE + chunk];
    if (from >= to) continue;
    const reached = kernel(job, from, to);
    control[FIRST_STATE + chunk] = reached;
    Atomics.add(control, DONE_CHUNKS, 1);
    if (reached < to) return;
  }
}

/** Number of elements that are done. */
export function doneElements(control: Int32Array): number {
  let done = 0;
  for (let chunk = 0; chunk < control[CHUNK_COUNT]; chunk++) {
    done += control[FIRST_STATE + chunk] - chunk * control[CHUNK_SIZE];
  }
  return done;
}

function nextOf(control: Int32Array): number {
  return Atomics.add(control, NEXT_CHUNK, 1);
}

function endOf(control: Int32Array, chunk: number): number {
  return Math.min((chunk + 1) * control[CHUNK_SIZE], control[TOTAL]);
}
