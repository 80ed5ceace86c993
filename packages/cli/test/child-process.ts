/**
 * Runs `umwelt` as a person would: a process of its own, on the sources, its output caught as text.
 *
 * A process never outlives the test that started it, whatever that test comes to.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { systemClock } from '../src/clock.ts';
import { commandLine } from '../src/command-line.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export interface Outcome {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

export class UmweltProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Outcome>;
  #output = '';
  #errors = '';
  readonly #watchers = new Set<() => void>();

  constructor(words: readonly string[]) {
    this.child = spawn(process.execPath, ['--conditions=umwelt:source', MAIN, ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void this.child.kill('SIGKILL'));
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
      for (const watcher of this.#watchers) watcher();
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    this.ended = new Promise((resolve) => {
      this.child.on('close', (exitCode, signal) => {
        resolve({ exitCode, signal, output: this.#output, errors: this.#errors });
        for (const watcher of this.#watchers) watcher();
      });
    });
  }

  /** The first match in its output, as soon as there is one. Rejects when it ends without. */
  printed(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const watcher = () => {
        const match = pattern.exec(this.#output);
        const isOver = this.child.exitCode !== null || this.child.signalCode !== null;
        if (match === null && !isOver) return;
        this.#watchers.delete(watcher);
        if (match !== null) resolve(match);
        else reject(new Error(`it ended without printing ${pattern}: ${this.#output}${this.#errors}`));
      };
      this.#watchers.add(watcher);
      watcher();
    });
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}

/** Runs it to its end. */
export function umwelt(...words: string[]): Promise<Outcome> {
  return new UmweltProcess(words).ended;
}

/**
 * Runs it in this process, to its end: for what ends by itself. A start of its own takes longer than most of these runs, and is
 * tested where a run is a process.
 */
export async function told(...words: string[]): Promise<Outcome> {
  const [output, errors]: [string[], string[]] = [[], []];
  const writer = (to: string[]) => ({ write: (text: string) => to.push(text) });
  const terminal = { output: writer(output), clock: systemClock, stop: new AbortController().signal };
  const exitCode = await commandLine(words, terminal, writer(errors));
  return { exitCode, signal: null, output: output.join(''), errors: errors.join('') };
}
