/**
 * Places that strangers hold until they have shown that they mean it, and who has to give one up when there are too many.
 *
 * That is the oldest of the address that holds most: one address can take places from itself alone as long as it has more
 * than others, so a newcomer from elsewhere gets in whatever it does. Cost: O(1); who is first, O(addresses).
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

  /** How many the address of this one, or its /64, holds. */
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

  /** Whether it held one. */
  delete(holder: Holder): boolean {
    const key = this.#addressOf.get(holder);
    if (key === undefined) return false;
    this.#addressOf.delete(holder);
    const holders = this.#byAddress.get(key);
    holders?.delete(holder);
    if (holders?.size === 0) this.#byAddress.delete(key);
    return true;
  }

  /** Who has to go first. */
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
