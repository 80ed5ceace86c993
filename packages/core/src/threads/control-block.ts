/**
 * The words that a crew and its workers share, besides the heap: the current task, which threads work on it, and its
 * progress.
 *
 *   0 SIGNAL       counts up whenever workers should look; they sleep on it
 *   1 GENERATION   the memory that the task is in; a worker with another memory leaves, to receive the new one
 *   2 IS_OPEN      1 while chunks may be taken
 *   3 ACTIVE       workers that work on the current task, or are about to check it; the main thread waits until it is 0
 *   4 KERNEL       index into the names of kernels
 *   5 JOBS  6 JOB_BYTES    byte offset of the main thread's job; worker k's job lies k * JOB_BYTES after it
 *   7 NEXT_CHUNK   chunks taken      8 CHUNK_COUNT  9 CHUNK_SIZE  10 TOTAL
 *   11 IS_FAULTY   1: a kernel threw   12 IS_STOPPED   1: workers must end   13 DONE_CHUNKS   shows whether there is progress
 *   14 JOINED      workers that joined the task
 *   16 ...         by worker: 1 once it has started
 *   80 ...         by chunk: the element to continue from; its end when it is done
 *
 * A worker increments ACTIVE before it reads IS_OPEN; the main thread clears IS_OPEN before it reads ACTIVE. So
 * either the worker sees that it is too late, or the main thread sees that a worker is active.
 */
export const SIGNAL = 0;
export const GENERATION = 1;
export const IS_OPEN = 2;
export const ACTIVE = 3;
export const KERNEL = 4;
export const JOBS = 5;
export const JOB_BYTES = 6;
export const NEXT_CHUNK = 7;
export const CHUNK_COUNT = 8;
export const CHUNK_SIZE = 9;
export const TOTAL = 10;
export const IS_FAULTY = 11;
export const IS_STOPPED = 12;
export const DONE_CHUNKS = 13;
export const JOINED = 14;
export const HAS_BEGUN = 16;
export const FIRST_STATE = 80;
/** Maximum number of threads of a world. */
export const MAX_THREADS = FIRST_STATE - HAS_BEGUN;
/** Maximum number of chunks of a task. */
export const MAX_CHUNKS = 1024;
export const CONTROL_WORDS = FIRST_STATE + MAX_CHUNKS;
