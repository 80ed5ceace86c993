/**
 * Has cases measured by child processes, and returns the outcomes.
 *
 * Every end of a process is an outcome: a crash is a problem of the case, and the other cases continue in a new process.
 * When this process is told to end, it ends its child, too.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CaseRequest } from './case-process.ts';
import type { CaseOutcome } from './report/results.ts';

/** Allows garbage collection on demand, and gives the heap room for the peers' gigabytes of Sets. */
const ALL_FLAGS = ['--expose-gc', '--max-old-space-size=12288'];
const MEASURING_FLAGS = [
  // Code is compiled in the thread that needs it. If the compiler's own threads got no core, uncompiled code, many times
  // slower, would be measured. Once warm, the compiled code is the same.
  '--no-concurrent-recompilation',
  '--no-liftoff',
  // V8 drops the code of functions that are not used for a while, which would change the figures for memory.
  '--no-flush-bytecode',
];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export class CaseRunner {
  readonly #isSmoke: boolean;
  #child: ChildProcess | undefined;

  /** With `isSmoke`, figures do not count, so one process runs all cases. */
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
