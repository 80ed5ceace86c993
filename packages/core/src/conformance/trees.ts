/**
 * An approximate record of the attachments in a random script, so that most operations on them are valid.
 *
 * Method: parents by key. Both sides of a run decide whether a chain is a ring or too long. Cost: a few random
 * numbers.
 */
import type { Geography } from './geography.ts';
import type { Key, Operation } from './operations.ts';
import type { Random } from './random.ts';
import type { Offset } from './subject.ts';

/** How often the parent is already part of a tree: gives long chains, and many children on one parent. */
const TO_THE_CROWD = 0.5;
const MOST_LINKS = 8;

export class Trees {
  readonly #random: Random;
  readonly #geography: Geography;
  readonly #parents = new Map<Key, Key>();

  constructor(random: Random, geography: Geography) {
    this.#random = random;
    this.#geography = geography;
  }

  /** Mostly entities that may be moved; rejected moves are tested, too. */
  movable(keys: Key[]): Key[] {
    const roots = keys.filter((key) => !this.#parents.has(key));
    return roots.length > 0 && this.#random.chance(0.95) ? roots : keys;
  }

  rootOf(key: Key): Key {
    return this.#chainOf(key).at(-1) as Key;
  }

  /** An attached entity, if there is any. */
  someChild(): Key | undefined {
    return this.#parents.size === 0 ? undefined : this.#random.pick([...this.#parents.keys()]);
  }

  /** Attaches an entity to another, or to one that is already in a tree. */
  attach(child: Key, parent: Key): Operation {
    const random = this.#random;
    const members = [...this.#parents.keys(), ...this.#parents.values()];
    const to = members.length > 0 && random.chance(TO_THE_CROWD) ? random.pick(members) : parent;
    const above = this.#chainOf(to);
    if (!above.includes(child) && above.length + this.#depthBelow(child) <= MOST_LINKS)
      this.#parents.set(child, to);
    return { kind: 'attach', child, parent: to, offset: this.#offset() };
  }

  detach(child: Key): void {
    this.#parents.delete(child);
  }

  remove(key: Key): void {
    this.#parents.delete(key);
    for (const [child, parent] of this.#parents) if (parent === key) this.#parents.delete(child);
  }

  #chainOf(key: Key): Key[] {
    const parent = this.#parents.get(key);
    return parent === undefined ? [key] : [key, ...this.#chainOf(parent)];
  }

  #depthBelow(key: Key): number {
    const children = [...this.#parents].filter(([, parent]) => parent === key);
    return Math.max(0, ...children.map(([child]) => 1 + this.#depthBelow(child)));
  }

  #offset(): Offset {
    const random = this.#random;
    const { step } = this.#geography;
    const offset: Offset = {};
    if (random.chance(0.6)) offset.x = random.pick([0, 0.1, -1, 1, 3]) * step;
    if (random.chance(0.6)) offset.y = random.pick([0, 0.1 * step, -step, step, 1e12]);
    if (random.chance(0.3)) offset.z = random.pick([0, 1, -2]) * step;
    return offset;
  }
}
