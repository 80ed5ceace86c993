/**
 * The words that a crew and its workers share, apart from the heap: what is to be done, who is at it, how far it is.
 *
 *   0 SIGNAL       counts up whenever there is something to look at; workers sleep on it
 *   1 GENERATION   which memory the task is in; a worker that has another leaves, to take the new one
 *   2 IS_OPEN      1 while chunks may be taken
 *   3 ACTIVE       workers at the task under way, or about to look at it; the main thread waits until it is 0
 *   4 KERNEL       index into the names of kernels
 *   5 JOBS  6 JOB_BYTES    byte offset of the main thread's job; a worker's lies its number times so many further on
 *   7 NEXT_CHUNK   chunks taken      8 CHUNK_COUNT  9 CHUNK_SIZE  10 TOTAL
 *   11 IS_FAULTY   1: a kernel threw   12 IS_STOPPED   1: workers are to end   13 DONE_CHUNKS   for seeing that it goes on
 *   14 JOINED      workers that joined the task
 *   16 ...         by worker: 1 once it has begun
 *   80 ...         by chunk: the element to go on from; its end when it is done
 *
 * A worker adds itself to ACTIVE before it looks at IS_OPEN; the main thread takes IS_OPEN back before it looks at ACTIVE. So
 * either the one sees that it came too late, or the other that somebody is at it.
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
/** Threads of a world, at most. */
export const MAX_THREADS = FIRST_STATE - HAS_BEGUN;
/** Chunks of a task, at most. */
export const MAX_CHUNKS = 1024;
export const CONTROL_WORDS = FIRST_STATE + MAX_CHUNKS;
