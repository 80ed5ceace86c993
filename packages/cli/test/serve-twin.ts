/**
 * What a service should say: a world of the test's own, with the same commands, and keys kept in a plain map.
 */
import { UmweltError, World, type WorldOptions } from 'umwelt';
import type { Command } from '../src/serve/command.ts';
import type { Key } from '../src/serve/key.ts';
import { pairText } from './serve-stage.ts';

export class ServeTwin {
  readonly world: World;
  readonly #idOf = new Map<Key, number>();
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
        for (const marker of view[list]) told.push(`${list} ${this.#pair(view.watcher, marker, list)}`);
      }
    }
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
      const { key, x, y, z, properties } = command;
      const place = z === undefined ? { x, y } : { x, y, z };
      if (id === undefined) {
        const added = this.world.add({ ...properties, ...place });
        this.#idOf.set(key, added);
        this.#keyOf.set(added, key);
        return true;
      }
      // All or nothing: tests send no place that a world would refuse beside properties that it would take.
      if (properties !== undefined) this.world.update(id, properties);
      this.world.move(id, x, y, z);
      return true;
    }
    if (id === undefined) return false;
    if (command.do === 'update') this.world.update(id, command.properties);
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
