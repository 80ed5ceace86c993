/**
 * Time that passes only when everything due has been done: minutes of a cluster in a second, the same at every run.
 *
 * Events of one moment run in the order in which they were asked for; after each, all promises that it settled are followed.
 */
import { type Environment, SYSTEM } from '../../src/node/environment.ts';
import type { Random } from './random.ts';

interface Event {
  readonly at: number;
  readonly order: number;
  readonly call: () => void;
  isCancelled: boolean;
}

export class VirtualTime {
  now = 0;
  events = 0;
  #order = 0;
  /** A binary heap: the next event first. */
  readonly #heap: Event[] = [];

  after(milliseconds: number, call: () => void): () => void {
    const event = {
      at: this.now + Math.max(0, milliseconds),
      order: this.#order++,
      call,
      isCancelled: false,
    };
    this.#push(event);
    return () => {
      event.isCancelled = true;
    };
  }

  /** Runs all that is due until then. */
  async run(until: number): Promise<void> {
    for (let event = this.#heap[0]; event !== undefined && event.at <= until; event = this.#heap[0]) {
      this.#pop();
      if (event.isCancelled) continue;
      this.now = event.at;
      this.events++;
      event.call();
      await settled();
    }
    this.now = until;
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

/**
 * What a node needs from outside, in virtual time. `run` calls something in its process; `clock`: how much faster its clock runs.
 */
export function environmentIn(
  time: VirtualTime,
  random: Random,
  {
    run = (call: () => void) => call(),
    clock = 1,
    fault,
  }: {
    readonly run?: (call: () => void) => void;
    readonly clock?: number;
    fault(error: unknown): void;
  },
): Environment {
  return {
    ...SYSTEM,
    now: () => time.now * clock,
    after: (milliseconds, call) => {
      let isCancelled = false;
      const cancel = time.after(milliseconds / clock, () =>
        run(() => {
          if (!isCancelled) call();
        }),
      );
      return () => {
        isCancelled = true;
        cancel();
      };
    },
    afterTurn: (call) => void time.after(0, () => run(call)),
    nonce: () => [random.word(), random.word()],
    fault,
  };
}

function isBefore(first: Event, second: Event): boolean {
  return first.at < second.at || (first.at === second.at && first.order < second.order);
}

/** Promises are followed before the event loop turns to this. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
