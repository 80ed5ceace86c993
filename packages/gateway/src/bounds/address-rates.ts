/**
 * A rate limit for each address, for a bounded number of addresses.
 *
 * The addresses are kept in two generations. A generation lasts as long as an empty bucket takes to fill up.
 * The bucket of an address that was not used for a whole generation is full, so forgetting it changes
 * nothing. Only if more than 8,192 addresses arrive within one generation does the next one start early; the
 * forgotten addresses then start with a full bucket. Cost: O(1).
 */
import { addressKey } from './address.ts';
import { RateLimit } from './rate-limit.ts';

/** In one generation. */
const ADDRESSES_MAX = 8192;

export class AddressRates {
  readonly #perSecond: number;
  readonly #savedSeconds: number;
  #young = new Map<string, RateLimit>();
  #old = new Map<string, RateLimit>();
  #changedMs = 0;

  constructor(perSecond: number, savedSeconds: number) {
    this.#perSecond = perSecond;
    this.#savedSeconds = savedSeconds;
  }

  /** Number of addresses in memory. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  take(address: string, nowMs: number): boolean {
    this.#age(nowMs);
    const key = addressKey(address);
    const known = this.#young.get(key) ?? this.#old.get(key);
    const rate = known ?? new RateLimit(this.#perSecond, this.#savedSeconds, nowMs);
    this.#old.delete(key);
    this.#young.set(key, rate);
    return rate.take(nowMs);
  }

  #age(nowMs: number): void {
    const isTime = nowMs - this.#changedMs >= this.#savedSeconds * 1000;
    if (!isTime && this.#young.size < ADDRESSES_MAX) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#changedMs = nowMs;
  }
}
