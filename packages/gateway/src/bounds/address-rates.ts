/**
 * A rate for each address, of a bounded number of addresses.
 *
 * They are kept in two generations. After as long as it takes an account to fill up, those that were not heard of since the
 * last change are full, and forgotten: nobody gains by it. Only where more than 8,192 addresses come within that time, the
 * generation changes early, and those forgotten then begin with a full account. Cost: O(1).
 */
import { addressKey } from './address.ts';
import { RateLimit } from './rate-limit.ts';

/** Of one generation. */
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

  /** How many addresses are remembered. */
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
