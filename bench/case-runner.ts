/**
 * Has cases measured by processes of their own, and brings back the outcomes.
 *
 * Whatever becomes of a process is an outcome: a crash is a problem of the case, and the other cases go on in a new one.
 * When we are told to end, so is it.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CaseRequest } from './case-process.ts';
import type { CaseOutcome } from './report/results.ts';

/** Garbage can be collected on demand, and there is room for the peers' gigabytes of Sets. */
const ALL_FLAGS = ['--expose-gc', '--max-old-space-size=12288'];
const MEASURING_FLAGS = [
  // Code is compiled where it is needed and not by other threads: where those find no core to run on, everything would
  // be measured uncompiled, many times slower. Once warm it is the same code.
  '--no-concurrent-recompilation',
  '--no-liftoff',
  // Code that rests for a while would come and go in the figures for memory.
  '--no-flush-bytecode',
];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export class CaseRunner {
  readonly #isSmoke: boolean;
  #child: ChildProcess | undefined;

  /** With `isSmoke`, nothing is measured that a neighbour could spoil: one process does all cases. */
  constructor({ isSmoke }: { readonly isSmoke: boolean }) {
    this.#isSmoke = isSmoke;
    for (const signal of SIGNALS) process.once(signal, this.#endAll);
  }

  run(request: CaseRequest): Promise<CaseOutcome> {
    this.#child ??= this.#start();
    const child = this.#child;
    return new Promise((resolve) => {
      let outcome: CaseOutcome | undefined;
      const answer = (message: unknown): void => {
        outcome = message as CaseOutcome;
        if (!this.#isSmoke) return void child.disconnect();
        child.off('exit', finish);
        resolve(outcome);
      };
      const finish = (code: number | null, signal: string | null): void => {
        this.#child = undefined;
        resolve(
          outcome ?? crashed(`the process that measured it ended with ${signal ?? `exit code ${code}`}`),
        );
      };
      child.once('message', answer);
      child.once('exit', finish);
      child.send(request);
    });
  }

  end(): void {
    this.#child?.disconnect();
    this.#child = undefined;
    for (const signal of SIGNALS) process.removeListener(signal, this.#endAll);
  }

  readonly #endAll = (): void => {
    this.#child?.kill();
    process.exit(1);
  };

  #start(): ChildProcess {
    const file = fileURLToPath(new URL('./case-process.ts', import.meta.url));
    const flags = this.#isSmoke ? ALL_FLAGS : [...ALL_FLAGS, ...MEASURING_FLAGS];
    return fork(file, [], {
      execArgv: [...process.execArgv, ...flags],
      serialization: 'advanced',
      stdio: ['ignore', 2, 2, 'ipc'],
    });
  }
}

function crashed(problem: string): CaseOutcome {
  return { kind: 'gauge', rows: [], problems: [problem] };
}
