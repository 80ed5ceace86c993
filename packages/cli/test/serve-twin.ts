/**
 * What a service should say: a world of the test's own, with the same commands, and keys kept in a plain map.
 */
import { type EntityPatch, UmweltError, World, type WorldOptions } from 'umwelt';
import type { Command } from '../src/serve/command.ts';
import type { Key } from '../src/serve/key.ts';
import { hangingText, pairText } from './serve-stage.ts';

export class ServeTwin {
  readonly world: World;
  readonly #idOf = new Map<Key, number>();
  /** By the ids of watcher and perceived, that of the parent at the last tick. */
  #hanging = new Map<string, string>();
  /** Also of those that are gone. */
  readonly #keyOf = new Map<number, Key>();

  constructor(options: WorldOptions = {}) {
    this.world = new World(options);
  }

  /** False: the command has to be refused. */
  carryOut(command: Command): boolean {
    try {
      return this.#carryOut(command);
    } catch (error) {
      if (error instanceof UmweltError) return false;
      throw error;
    }
  }

  /** What the tick tells, one line a pair, sorted. */
  tick(): string[] {
    const changes = this.world.tick();
    const told: string[] = [];
    for (const view of changes) {
      for (const list of ['entered', 'left', 'sensed', 'updated'] as const) {
        for (const marker of view[list]) {
          const name = list === 'left' && !this.world.has(marker) ? 'gone' : list;
          told.push(`${name} ${this.#pair(view.watcher, marker, list)}`);
        }
      }
    }
    // Whoever is perceived hangs from somebody else than at the last tick, or came and hangs from somebody.
    const hanging = new Map<string, string>();
    for (const watcher of this.world.ids()) {
      for (const child of this.world.visibleTo(watcher)) {
        const parent = this.world.parentOf(child);
        const text = hangingText(
          this.#keyOf.get(watcher)!,
          this.#keyOf.get(child)!,
          this.#keyOf.get(parent!),
        );
        const pair = `${watcher} ${child}`;
        hanging.set(pair, `${parent}`);
        if ((this.#hanging.get(pair) ?? 'undefined') !== `${parent}`) told.push(text);
      }
    }
    this.#hanging = hanging;
    return told.sort();
  }

  /** As `StagedCaller.relations`. */
  get relations(): string[] {
    const pairs = [...this.world.ids()].flatMap((watcher) =>
      [...this.world.visibleTo(watcher)].map((marker) => this.#pair(watcher, marker, 'entered')),
    );
    return pairs.sort();
  }

  #carryOut(command: Command): boolean {
    if (command.do === 'tick') return true;
    const id = this.#idOf.get(command.key);
    if (command.do === 'put') {
      const { key, x, y, z } = command;
      // Random commands name no owner by key.
      const properties = command.properties as EntityPatch | undefined;
      const place = z === undefined ? { x, y } : { x, y, z };
      if (id === undefined) {
        const added = this.world.add({ ...properties, ...place });
        this.#idOf.set(key, added);
        this.#keyOf.set(added, key);
        return true;
      }
      // All or nothing: tests send no place that a world would refuse beside properties that it would take.
      if (this.world.parentOf(id) !== undefined) return false;
      if (properties !== undefined) this.world.update(id, properties);
      this.world.move(id, x, y, z);
      return true;
    }
    if (id === undefined) return false;
    if (command.do === 'attach') {
      const parent = this.#idOf.get(command.to);
      if (parent === undefined) return false;
      this.world.attach(id, parent, {
        x: command.x ?? 0,
        y: command.y ?? 0,
        ...(command.z === undefined ? {} : { z: command.z }),
      });
    } else if (command.do === 'detach') this.world.detach(id);
    else if (command.do === 'update') this.world.update(id, command.properties as EntityPatch);
    else if (command.do === 'touch') this.world.touch(id);
    else {
      this.world.remove(id);
      this.#idOf.delete(command.key);
    }
    return true;
  }

  #pair(watcher: number, marker: number, list: string): string {
    const hasSenses = list === 'entered' || list === 'sensed';
    const senses = hasSenses ? this.world.senses(watcher, marker) : undefined;
    return pairText(this.#keyOf.get(watcher)!, this.#keyOf.get(marker)!, senses);
  }
}
