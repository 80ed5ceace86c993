/**
 * A limited number of places for clients that are not trusted yet, and the choice of which one to close when
 * there are too many.
 *
 * It is the oldest one of the address that holds most. So as long as an address holds more places than others
 * it can only displace itself, and a newcomer from elsewhere gets in whatever that address does. Cost: O(1);
 * `first` is O(addresses).
 */
import { addressKey } from './address.ts';

export class Places<Holder> {
  readonly #addressOf = new Map<Holder, string>();
  /** Oldest first. */
  readonly #byAddress = new Map<string, Set<Holder>>();

  get size(): number {
    return this.#addressOf.size;
  }

  has(holder: Holder): boolean {
    return this.#addressOf.has(holder);
  }

  /** Number of places that the address, or its /64, holds. */
  countOf(address: string): number {
    return this.#byAddress.get(addressKey(address))?.size ?? 0;
  }

  add(holder: Holder, address: string): void {
    this.delete(holder);
    const key = addressKey(address);
    this.#addressOf.set(holder, key);
    const holders = this.#byAddress.get(key) ?? new Set();
    this.#byAddress.set(key, holders.add(holder));
  }

  /** Returns whether it held a place. */
  delete(holder: Holder): boolean {
    const key = this.#addressOf.get(holder);
    if (key === undefined) return false;
    this.#addressOf.delete(holder);
    const holders = this.#byAddress.get(key);
    holders?.delete(holder);
    if (holders?.size === 0) this.#byAddress.delete(key);
    return true;
  }

  /** The holder to remove first. */
  get first(): Holder | undefined {
    let most: ReadonlySet<Holder> | undefined;
    for (const holders of this.#byAddress.values()) {
      if (most === undefined || holders.size > most.size) most = holders;
    }
    const [oldest] = most ?? [];
    return oldest;
  }

  [Symbol.iterator](): IterableIterator<Holder> {
    return this.#addressOf.keys();
  }
}
