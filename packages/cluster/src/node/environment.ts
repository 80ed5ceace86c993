/** What a node takes from outside beside its log: time, chance, and the rules. The simulation brings its own. */

import type { Word64 } from '../records/record.ts';
import { RULES, type Rules } from '../state/rules.ts';

export interface Environment {
  /** Milliseconds; only differences count. */
  now(): number;
  /** Calls back once, after so many milliseconds, unless what it answers is called before. */
  after(milliseconds: number, call: () => void): () => void;
  nonce(): Word64;
  /** What a user's listener threw. */
  fault(error: unknown): void;
  readonly rules: Rules;
  /** Whether a node looks, after its connection broke, if the log still holds what it applied. */
  readonly checksTail: boolean;
}

export const SYSTEM: Environment = {
  now: () => performance.now(),
  after: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds);
    return () => clearTimeout(timer);
  },
  nonce: () => {
    const [low, high] = crypto.getRandomValues(new Uint32Array(2));
    return [low, high];
  },
  // It must not be lost, nor end what is being applied: the process hears of it as of any error that nobody caught.
  fault: (error) => {
    queueMicrotask(() => {
      throw error;
    });
  },
  rules: RULES,
  checksTail: true,
};
