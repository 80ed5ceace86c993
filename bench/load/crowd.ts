/** The bench's handle on the process of clients: starts it, sends it orders, ends it. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CrowdAnswer, CrowdOrder } from './crowd-messages.ts';

export class Crowd {
  readonly #child: ChildProcess;
  #exit: Promise<never>;

  constructor() {
    const file = fileURLToPath(new URL('./crowd-process.ts', import.meta.url));
    this.#child = fork(file, [], { serialization: 'advanced', stdio: ['ignore', 2, 2, 'ipc'] });
    this.#exit = new Promise((_, reject) => {
      this.#child.on('exit', (code) => reject(new Error(`the process of clients ended with ${code}`)));
    });
    // If the bench ended the process, nothing waits for this promise.
    this.#exit.catch(() => {});
  }

  tell(order: CrowdOrder): void {
    this.#child.send(order);
  }

  /** Resolves with the next answer of that kind; rejects if the process ends. */
  ask<Kind extends CrowdAnswer['kind']>(
    order: CrowdOrder,
    kind: Kind,
  ): Promise<Extract<CrowdAnswer, { kind: Kind }>> {
    const answered = new Promise<Extract<CrowdAnswer, { kind: Kind }>>((resolve) => {
      const listen = (message: unknown): void => {
        if ((message as CrowdAnswer).kind !== kind) return;
        this.#child.off('message', listen);
        resolve(message as Extract<CrowdAnswer, { kind: Kind }>);
      };
      this.#child.on('message', listen);
    });
    this.tell(order);
    return Promise.race([answered, this.#exit]);
  }

  end(): void {
    this.#child.kill();
  }
}
