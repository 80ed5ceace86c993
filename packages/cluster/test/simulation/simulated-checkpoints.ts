/**
 * A store of checkpoints that all simulated processes share. It keeps the newest two, takes its time, and may have a state although
 * the process that saved it has died meanwhile.
 */
import { UmweltError } from 'umwelt';
import { type Checkpoints, KEEP } from '../../src/checkpoints/checkpoints.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './virtual-time.ts';

const FAILED_CHANCE = 0.1;

export class SimulatedCheckpoints {
  readonly #time: VirtualTime;
  readonly #random: Random;
  /** Newest first. */
  #saved: { readonly number: number; readonly state: Uint8Array }[] = [];
  #number = 0;
  readonly #torn = new Set<number>();

  constructor(time: VirtualTime, random: Random) {
    this.#time = time;
    this.#random = random;
  }

  /** As one process has it; `run` calls something in it, when it is not paused. */
  connect(run: (call: () => void) => void): Checkpoints {
    return {
      save: (state) => {
        const number = this.#number++;
        const isFailing = this.#random.chance(FAILED_CHANCE);
        return this.#later(run, this.#random.between(5, 400), () => {
          if (isFailing) throw new Error('the disk is full');
          const all = [...this.#saved, { number, state }];
          this.#saved = all.toSorted((first, second) => second.number - first.number).slice(0, KEEP);
        });
      },
      newest: ({ isUsable = () => true, skipped } = {}) =>
        this.#later(run, this.#random.between(2, 50), () => {
          const at = this.#saved.findIndex(({ state }) => isUsable(state));
          if (at > 0) skipped?.(at);
          if (at < 0 && this.#saved.length > 0) throw new UmweltError('BAD_SNAPSHOT', 'none is whole');
          return this.#saved[at]?.state;
        }),
    };
  }

  /** The newest one was only written in part, where there is another one that is whole. */
  tear(): void {
    const [newest, ...others] = this.#saved;
    if (newest === undefined || others.every(({ number }) => this.#torn.has(number))) return;
    this.#torn.add(newest.number);
    const state = newest.state.subarray(0, this.#random.below(newest.state.length));
    this.#saved = [{ ...newest, state }, ...others];
  }

  #later<T>(run: (call: () => void) => void, milliseconds: number, call: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#time.after(milliseconds, () => {
        try {
          const value = call();
          run(() => resolve(value));
        } catch (error) {
          run(() => reject(error));
        }
      });
    });
  }
}
