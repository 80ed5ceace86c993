/** What a node needs from outside besides its log: time, randomness, and the rules. The simulation provides its own. */
import { nextTick } from 'node:process';
import { REAL_TIME } from '../log/awake-timer.ts';
import { FORMATS, type Formats } from '../records/formats.ts';
import type { Word64 } from '../records/record.ts';
import { RULES, type Rules } from '../state/rules.ts';

export interface Environment {
  /** Milliseconds; only differences matter. */
  now(): number;
  /** Calls back once after so many milliseconds, unless the returned function is called first. */
  after(milliseconds: number, call: () => void): () => void;
  /** Calls back once this turn of the event loop is over, with all promises that it settled. */
  afterTurn(call: () => void): void;
  nonce(): Word64;
  /** Reports an error that a user's listener threw. */
  fault(error: unknown): void;
  readonly rules: Rules;
  /** Which formats of records the node reads and writes. */
  readonly formats: Formats;
  /** Whether the node checks, after its connection broke, that the log still holds what it applied. */
  readonly checksTail: boolean;
}

export const SYSTEM: Environment = {
  ...REAL_TIME,
  // From within a promise's job, `nextTick` comes after all such jobs. A timer would be too late: other nodes of the process would
  // already have heard the next records.
  afterTurn: (call) => queueMicrotask(() => nextTick(call)),
  nonce: () => {
    const [low, high] = crypto.getRandomValues(new Uint32Array(2));
    return [low, high];
  },
  // The error must not be lost, nor interrupt the records being applied: the process sees it as an uncaught error.
  fault: (error) => {
    queueMicrotask(() => {
      throw error;
    });
  },
  rules: RULES,
  formats: FORMATS,
  checksTail: true,
};
