/**
 * Many real clients of a run's nodes: each on some node's socket, with a hero that it sends somewhere. When its node dies, or stands
 * still for too long, it goes to another. Every mirror is held to the twin at sampled ticks; see client-twin.ts.
 */
import { UmweltClient } from '@umwelt/client';
import { ClientTwin } from '../gateway/client-twin.ts';
import { Random } from '../simulation/random.ts';

const STEER_MS = 100;
/** Of the clients, in each of those. */
const STEERED = 0.05;
/** Ticks from one that is compared to the next. */
const SAMPLED_TICKS = 5;

export class ClientCrowd {
  readonly twin: ClientTwin;
  readonly #clients: UmweltClient[];
  readonly #timer: NodeJS.Timeout;
  /** By client: when it was told something last. */
  readonly #heardMs: number[];
  readonly #gapsMs: number[] = [];

  /** `ports` of the gateways that take clients now. */
  constructor(count: number, seed: number, ports: () => readonly number[]) {
    const random = new Random(seed ^ 0xc11e47);
    this.twin = new ClientTwin(SAMPLED_TICKS);
    this.#heardMs = Array.from({ length: count }, () => 0);
    this.#clients = Array.from({ length: count }, (_, index) => this.#client(index, random, ports));
    this.#timer = setInterval(() => {
      for (const client of this.#clients) {
        if (random.chance(STEERED)) client.sendInput(Uint8Array.of(random.below(256), random.below(256)));
      }
    }, STEER_MS);
  }

  get count(): number {
    return this.#clients.length;
  }

  get connected(): number {
    return this.#clients.filter(({ state }) => state === 'open').length;
  }

  /** Longest times without a frame that clients had, half of them and one in a hundred: of those above a second. */
  get gaps(): { count: number; medianMs: number; longestMs: number } {
    const sorted = this.#gapsMs.toSorted((one, other) => one - other);
    const at = (part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
    return { count: sorted.length, medianMs: at(0.5), longestMs: at(1) };
  }

  /** What is wrong once all is calm; `undefined` where every client is in, as the hero that it always was. */
  problem(): string | undefined {
    const { twin } = this;
    if (twin.problem !== undefined) return twin.problem;
    const strays = this.#clients.filter(({ own, state }, index) => {
      const hero = twin.heroOf(String(index));
      return state !== 'open' || hero === undefined || own?.id !== hero;
    });
    if (strays.length > 0) return `${strays.length} clients are not in as their heroes`;
    const heroes = twin.heroes;
    return heroes === this.count ? undefined : `${heroes} heroes are in the world of ${this.count} clients`;
  }

  close(): void {
    clearInterval(this.#timer);
    for (const client of this.#clients) client.close();
  }

  #client(index: number, random: Random, ports: () => readonly number[]): UmweltClient {
    const client = new UmweltClient({
      url: () => {
        const open = ports();
        return `ws://127.0.0.1:${open[random.below(Math.max(1, open.length))] ?? 1}/`;
      },
      credential: () => String(index),
      retryFirstMs: 200,
      retryMaxMs: 2000,
    });
    this.twin.watch(client, String(index));
    client.on('frame', () => {
      const nowMs = performance.now();
      const gapMs = nowMs - this.#heardMs[index]!;
      if (this.#heardMs[index] !== 0 && gapMs > 1000) this.#gapsMs.push(gapMs);
      this.#heardMs[index] = nowMs;
    });
    client.connect();
    return client;
  }
}
