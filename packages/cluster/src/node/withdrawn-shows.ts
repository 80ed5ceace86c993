/**
 * Takes `show` calls out of a list of encoded calls. Thousands of players may give up at once while the log stands still, so each costs
 * a look-up by entity, and the list is filtered once, when it is read next.
 */
import type { EntityId } from 'umwelt';

export class WithdrawnShows {
  /** The list that was looked through, and how far. */
  #list: readonly Uint8Array[] | undefined;
  #count = 0;
  readonly #byEntity = new Map<EntityId, Uint8Array[]>();
  readonly #withdrawn = new Set<Uint8Array>();

  /** Takes out all `show` calls of the entity, and returns them. The list may have grown since the last call, at its end. */
  withdraw(list: readonly Uint8Array[], id: EntityId): readonly Uint8Array[] {
    if (list !== this.#list) this.#begin(list);
    for (; this.#count < list.length; this.#count++) this.#index(list[this.#count]);
    const found = this.#byEntity.get(id) ?? [];
    this.#byEntity.delete(id);
    for (const item of found) this.#withdrawn.add(item);
    return found;
  }

  /** The list without what was taken out of it. After that it may change in any way. */
  leftOf(list: Uint8Array[]): Uint8Array[] {
    const left = this.#withdrawn.size === 0 ? list : list.filter((item) => !this.#withdrawn.has(item));
    this.#begin(undefined);
    return left;
  }

  #begin(list: readonly Uint8Array[] | undefined): void {
    this.#list = list;
    this.#count = 0;
    this.#byEntity.clear();
    this.#withdrawn.clear();
  }

  #index(item: Uint8Array): void {
    if (!isShow(item)) return;
    const id = idOf(item);
    const others = this.#byEntity.get(id);
    if (others === undefined) this.#byEntity.set(id, [item]);
    else others.push(item);
  }
}

/** The entity of a call that begins with its id. By bytes: the buffer of a small array is made once it is asked for, in 5 us. */
export function idOf(item: Uint8Array, at = 0): EntityId {
  return (item[at] | (item[at + 1] << 8) | (item[at + 2] << 16) | (item[at + 3] << 24)) >>> 0;
}

/** Whether one of the `shows` asks for a view; else it takes one back. */
export function isShow(item: Uint8Array): boolean {
  return item[4] === 1;
}
