/**
 * Starts the process that measures a case, and brings back the outcome.
 *
 * Whatever becomes of the child is an outcome: a crash is a problem of the case, and the other cases go on. When we are
 * told to end, so is it.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CaseRequest } from './case-process.ts';
import type { CaseOutcome } from './report/results.ts';

const CHILD_FLAGS = [
  // Garbage can be collected on demand, and there is room for the peers' gigabytes of Sets.
  '--expose-gc',
  '--max-old-space-size=12288',
  // Code is compiled where it is needed and not by other threads: where those find no core to run on, everything would
  // be measured uncompiled, many times slower. Once warm it is the same code.
  '--no-concurrent-recompilation',
  '--no-liftoff',
  // Code that rests for a while would come and go in the figures for memory.
  '--no-flush-bytecode',
];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function runCase(request: CaseRequest): Promise<CaseOutcome> {
  const file = fileURLToPath(new URL('./case-process.ts', import.meta.url));
  const child = fork(file, [JSON.stringify(request)], {
    execArgv: [...process.execArgv, ...CHILD_FLAGS],
    serialization: 'advanced',
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const end = (): void => {
    child.kill();
    process.exit(1);
  };
  for (const signal of SIGNALS) process.once(signal, end);
  return new Promise((resolve) => {
    let outcome: CaseOutcome | undefined;
    child.on('message', (message) => {
      outcome = message as CaseOutcome;
    });
    child.on('close', (code, signal) => {
      for (const name of SIGNALS) process.removeListener(name, end);
      resolve(outcome ?? crashed(`the process that measured it ended with ${signal ?? `exit code ${code}`}`));
    });
  });
}

function crashed(problem: string): CaseOutcome {
  return { kind: 'gauge', rows: [], problems: [problem] };
}
