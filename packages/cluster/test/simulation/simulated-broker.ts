/**
 * A log between simulated processes, and all that can go wrong with it: records lost, doubled, late, acknowledgements lost,
 * consumers cut, processes cut off, the broker restarted, with and without its newest records, old records discarded.
 *
 * Whatever the log lost is kept as a branch: the check needs to know what nodes may have applied.
 */
import type { Log } from '../../src/log/log.ts';
import type { Random } from './random.ts';
import { recordOf } from './twin.ts';
import type { VirtualTime } from './virtual-time.ts';

/** How much goes wrong with each record: probabilities. */
export interface Weather {
  readonly lost: number;
  readonly doubled: number;
  readonly late: number;
  readonly unacknowledged: number;
}

export const CALM: Weather = { lost: 0, doubled: 0, late: 0, unacknowledged: 0 };

const APPEND_TIMEOUT_MS = 2000;
const WATCHDOG_MS = 1500;
const ANSWER_MS = 5000;

export class SimulatedBroker {
  records: Uint8Array[] = [];
  /** The whole log as it was each time before its end was lost. */
  readonly branches: Uint8Array[][] = [];
  weather: Weather = CALM;
  isUp = true;
  /** Until when records may arrive that were delayed or doubled. */
  lateUntilMs = 0;
  /** Position of the oldest record that it still gives to anybody. */
  first = 1;
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #endpoints = new Set<Endpoint>();

  constructor(time: VirtualTime, random: Random) {
    this.#time = time;
    this.#random = random;
  }

  /** A connection of one process; `run` calls something in it, when it is not paused. */
  /** `answersLate`: a process that is paused answers once it goes on, and not at once. */
  connect(run: (call: () => void) => void, answersLate = false): Endpoint {
    const endpoint = new Endpoint(this, this.#time, this.#random, run, answersLate);
    this.#endpoints.add(endpoint);
    return endpoint;
  }

  disconnect(endpoint: Endpoint): void {
    endpoint.close();
    this.#endpoints.delete(endpoint);
  }

  /** Goes down for a while; with `lostCount` the newest records are gone when it is back. */
  restart(milliseconds: number, lostCount: number): void {
    if (!this.isUp) return;
    this.isUp = false;
    if (lostCount > 0 && this.records.length > 0) {
      this.branches.push(this.records);
      this.records = this.records.slice(0, Math.max(0, this.records.length - lostCount));
      this.first = Math.min(this.first, this.records.length + 1);
    }
    for (const endpoint of this.#endpoints) endpoint.cut();
    this.#time.after(milliseconds, () => {
      this.isUp = true;
    });
  }

  /** Keeps only the newest records; and what decides how the log was begun anew, since the twin reads that. */
  trim(keptCount: number): void {
    const wanted = this.records.length - keptCount + 1;
    const last = this.records.findLast((bytes) => recordOf(bytes)?.kind === 'anew');
    const record = last && recordOf(last);
    const most = record?.kind === 'anew' ? record.anew.seen + 1 : wanted;
    this.first = Math.max(this.first, Math.min(wanted, most));
  }

  arrive(bytes: Uint8Array): number {
    const position = this.records.push(bytes);
    for (const endpoint of this.#endpoints) endpoint.wake();
    return position;
  }

  /** A record arrives so many milliseconds from now. */
  noteLate(milliseconds: number): void {
    this.lateUntilMs = Math.max(this.lateUntilMs, this.#time.now + milliseconds);
  }

  answererFor(asking: Endpoint): Endpoint | undefined {
    const answering = [...this.#endpoints].filter(
      (each) => each !== asking && each.isConnected && each.how !== undefined,
    );
    return answering.length === 0 ? undefined : this.#random.of(answering);
  }
}

interface Following {
  next: number;
  readonly take: (position: number, bytes: Uint8Array) => void;
  readonly lost: () => void;
  /** Deliveries keep their order: none comes before that. */
  notBefore: number;
  isOver: boolean;
}

export class Endpoint implements Log {
  how: ((bytes: Uint8Array) => AsyncIterable<Uint8Array>) | undefined;
  readonly #broker: SimulatedBroker;
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #run: (call: () => void) => void;
  readonly #followings = new Set<Following>();
  readonly #answersLate: boolean;
  #isClosed = false;
  #isCutOff = false;
  #slowUntilMs = 0;
  #slowByMs = 0;

  constructor(
    broker: SimulatedBroker,
    time: VirtualTime,
    random: Random,
    run: (call: () => void) => void,
    answersLate: boolean,
  ) {
    this.#answersLate = answersLate;
    this.#broker = broker;
    this.#time = time;
    this.#random = random;
    this.#run = run;
  }

  get isConnected(): boolean {
    return !this.#isClosed && !this.#isCutOff && this.#broker.isUp;
  }

  append(bytes: Uint8Array): Promise<number> {
    const copy = bytes.slice();
    const { weather } = this.#broker;
    const isLost = this.#random.chance(weather.lost);
    const isDoubled = this.#random.chance(weather.doubled);
    const isUnacknowledged = this.#random.chance(weather.unacknowledged);
    const isLate = this.#random.chance(weather.late);
    const delay = isLate ? this.#random.between(200, 2500) : this.#latency();
    if (isLate) this.#broker.noteLate(delay);
    return new Promise((resolve, reject) => {
      const timeout = this.#time.after(APPEND_TIMEOUT_MS, () =>
        this.#run(() => reject(new Error('no acknowledgement'))),
      );
      if (!this.isConnected || isLost) return;
      this.#time.after(delay, () => {
        // Under way before the process died or was cut off: it arrives all the same.
        if (!this.#broker.isUp) return;
        const position = this.#broker.arrive(copy);
        if (isUnacknowledged || this.#isCutOff) return;
        this.#time.after(this.#latency(), () =>
          this.#run(() => {
            timeout();
            resolve(position);
          }),
        );
      });
      if (isDoubled) {
        const later = delay + this.#random.between(1, 3000);
        this.#broker.noteLate(later);
        this.#time.after(later, () => {
          if (this.#broker.isUp) this.#broker.arrive(copy);
        });
      }
    });
  }

  follow(
    from: number,
    take: (position: number, bytes: Uint8Array) => void,
    lost: () => void,
  ): Promise<() => void> {
    return this.#answered(() => {
      const following: Following = { next: from, take, lost, notBefore: this.#time.now, isOver: false };
      this.#followings.add(following);
      this.#deliver(following);
      return () => {
        following.isOver = true;
        this.#followings.delete(following);
      };
    });
  }

  read(position: number): Promise<Uint8Array | undefined> {
    return this.#answered(() =>
      position < this.#broker.first ? undefined : this.#broker.records[position - 1]?.slice(),
    );
  }

  last(): Promise<number> {
    return this.#answered(() => this.#broker.records.length);
  }

  async ask(bytes: Uint8Array): Promise<AsyncIterable<Uint8Array>> {
    const answerer = await this.#answered(() => this.#broker.answererFor(this));
    const how = answerer?.how;
    if (answerer === undefined || how === undefined) return nothing();
    if (this.#answersLate) await this.#woken(answerer);
    return this.#pieces(answerer, how(bytes));
  }

  /** Resolves once the other process runs. */
  #woken(answerer: Endpoint): Promise<void> {
    return new Promise((resolve, reject) => {
      const timeout = this.#time.after(ANSWER_MS, () =>
        this.#run(() => reject(new Error('no sign of life'))),
      );
      answerer.#run(() => {
        timeout();
        this.#run(resolve);
      });
    });
  }

  answer(how: (bytes: Uint8Array) => AsyncIterable<Uint8Array>): () => void {
    this.how = how;
    return () => {
      if (this.how === how) this.how = undefined;
    };
  }

  /** Records are there: whoever follows gets them. */
  wake(): void {
    for (const following of this.#followings) this.#deliver(following);
  }

  /** Consumers end; the client notices after a while. */
  cut(): void {
    for (const following of this.#followings) {
      following.isOver = true;
      this.#followings.delete(following);
      this.#time.after(this.#random.between(0, WATCHDOG_MS), () =>
        this.#run(() => {
          if (!this.#isClosed) following.lost();
        }),
      );
    }
  }

  /** Nothing gets in or out for a while. */
  cutOff(milliseconds: number): void {
    this.#isCutOff = true;
    this.cut();
    this.#time.after(milliseconds, () => {
      this.#isCutOff = false;
    });
  }

  /** Records come so late for a while. */
  slow(milliseconds: number, byMs: number): void {
    this.#slowUntilMs = this.#time.now + milliseconds;
    this.#slowByMs = byMs;
  }

  close(): void {
    this.#isClosed = true;
    this.#followings.clear();
    this.how = undefined;
  }

  #latency(): number {
    return this.#random.between(0.5, 6);
  }

  #deliver(following: Following): void {
    const { records } = this.#broker;
    for (;;) {
      // Of a log that was trimmed, and then lost what was left, nothing is there to deliver.
      const position = Math.max(following.next, this.#broker.first);
      if (position > records.length || !this.isConnected) break;
      following.next = position + 1;
      const bytes = records[position - 1]!;
      const slowMs = this.#time.now < this.#slowUntilMs ? this.#slowByMs : 0;
      following.notBefore = Math.max(following.notBefore, this.#time.now + slowMs + this.#latency());
      this.#time.after(following.notBefore - this.#time.now, () =>
        this.#run(() => {
          if (!following.isOver) following.take(position, bytes);
        }),
      );
    }
  }

  /** A question to the broker: rejects after a while where it cannot be reached. */
  #answered<T>(how: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#time.after(this.#latency(), () => {
        if (!this.isConnected) {
          this.#time.after(WATCHDOG_MS, () => this.#run(() => reject(new Error('not connected'))));
          return;
        }
        const answer = how();
        this.#time.after(this.#latency(), () => this.#run(() => resolve(answer)));
      });
    });
  }

  async *#pieces(answerer: Endpoint, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      await this.#answered(() => undefined);
      if (!answerer.isConnected || this.#random.chance(this.#broker.weather.lost)) {
        throw new Error('the answer was cut short');
      }
      yield piece;
    }
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
