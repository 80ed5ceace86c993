/**
 * A kernel's range in chunks, which threads take one after the other until none is left.
 *
 * A chunk that could not be finished (a scan that has no more room for what it finds) keeps the element to go on from, and
 * the thread takes no other. The twin of `takeChunks`, for workers, is in worker-source.ts.
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
 * Works on the elements `from` to `to` of what the job at a byte offset says. Answers the element to go on from when it had
 * to stop, else `to`.
 */
export type ChunkKernel = (job: number, from: number, to: number) => number;

/** Divides `total` elements into chunks of about `size`, none of them begun. */
export function divide(control: Int32Array, total: number, size: number): void {
  const chunkSize = Math.max(1, size, Math.ceil(total / MAX_CHUNKS));
  const count = Math.ceil(total / chunkSize);
  control[TOTAL] = total;
  control[CHUNK_SIZE] = chunkSize;
  control[CHUNK_COUNT] = count;
  for (let chunk = 0; chunk < count; chunk++) control[FIRST_STATE + chunk] = chunk * chunkSize;
}

/** Takes chunks until there is none, or one could not be finished. */
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

/** Elements that are done. */
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
