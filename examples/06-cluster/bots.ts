/** Bots: real clients on real sockets. When their node dies they reconnect to another node by themselves. */
import { UmweltClient } from '@umwelt/client';
import { anywhere, writeGoal } from './rules.ts';

const GOAL_MS = 4000;

export class Bots {
  readonly #clients: UmweltClient[];
  readonly #timer: NodeJS.Timeout;

  /** `ports` returns the ports of the present gateways. */
  constructor(count: number, ports: () => readonly number[]) {
    this.#clients = Array.from({ length: count }, (_, index) => {
      let tries = index;
      const client = new UmweltClient({
        url: () => {
          const now = ports();
          return `ws://127.0.0.1:${now[tries++ % Math.max(1, now.length)] ?? 1}/`;
        },
        credential: () => `Bot ${index + 1}`,
        retryFirstMs: 100,
        retryMaxMs: 1000,
      });
      client.connect();
      return client;
    });
    this.#timer = setInterval(() => {
      for (const client of this.#clients) {
        if (Math.random() < 0.4) client.sendInput(writeGoal(anywhere()));
      }
    }, GOAL_MS / 10);
  }

  get count(): number {
    return this.#clients.length;
  }

  get connected(): number {
    return this.#clients.filter(({ state }) => state === 'open').length;
  }

  close(): void {
    clearInterval(this.#timer);
    for (const client of this.#clients) client.close();
  }
}
