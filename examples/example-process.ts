/**
 * Runs an example for its test as a user does: the command of its first line, in its own process.
 *
 * The process never outlives the test that started it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const SETUP = fileURLToPath(new URL('../tools/setup.mjs', import.meta.url));

export class ExampleProcess {
  /** Resolves with its exit code, or 128 plus the signal's number. */
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #watchers = new Set<() => void>();
  #output = '';
  #errors = '';
  #isOver = false;

  /** Runs `npm run example -- ...words`. */
  constructor(...words: string[]) {
    this.#child = spawn(process.execPath, [SETUP, 'example', ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => this.stop());
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
      for (const watcher of this.#watchers) watcher();
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (exitCode) => {
        this.#isOver = true;
        resolve(exitCode);
        for (const watcher of this.#watchers) watcher();
      });
    });
  }

  /** Its output so far. */
  get output(): string {
    return this.#output;
  }

  get errors(): string {
    return this.#errors;
  }

  /** Resolves with the first match in its output, as soon as there is one. Rejects if the process ends without. */
  printed(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const watcher = () => {
        const match = pattern.exec(this.#output);
        if (match === null && !this.#isOver) return;
        this.#watchers.delete(watcher);
        if (match !== null) resolve(match);
        else reject(new Error(`it ended without printing ${pattern}: ${this.#output}${this.#errors}`));
      };
      this.#watchers.add(watcher);
      watcher();
    });
  }

  /** Stops it, and waits until it has ended. */
  async stop(): Promise<void> {
    // The set-up script passes the signal on to the example, and ends with it.
    if (!this.#isOver) this.#child.kill('SIGTERM');
    await this.ended;
  }
}

/** The output of a complete run. Rejects if it fails. */
export async function outputOf(...words: string[]): Promise<string> {
  const example = new ExampleProcess(...words);
  const exitCode = await example.ended;
  if (exitCode !== 0) throw new Error(`it ended with ${exitCode}: ${example.output}${example.errors}`);
  return example.output;
}
