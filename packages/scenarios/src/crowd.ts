/**
 * The rows and lists behind every simulation here: who is present, where, and what the last step did.
 *
 * A generator or a recording extends `Crowd`, fills the columns, and says in `advance` how its actors move; the
 * bookkeeping (clearing the lists, counting those present, the first step that brings everybody in) is done
 * once, here. Columns are by actor and are made once, at full size: a step allocates nothing.
 *
 * Memory: 18 bytes an actor, and 12 for the three lists.
 */
import type { EntityPatch, WorldOptions } from 'umwelt';
import type { Bounds, IndexList, Simulation } from './simulation.ts';

/** What a simulation is before anybody is in it. */
export interface CrowdPlan {
  readonly name: string;
  readonly title: string;
  readonly kinds: readonly string[];
  readonly dimensions: 2 | 3;
  readonly tickSeconds: number;
  readonly bounds: Bounds;
  readonly capacity: number;
  /** The most actors present at once; absent: `capacity`. */
  readonly peak?: number;
  /** Senses, groups, interests: what a world for it needs beyond dimensions and capacity. */
  readonly world?: Omit<WorldOptions, 'dimensions' | 'capacity'>;
}

/** A list of actors that a step writes. Room for all of them, so it never grows. */
export class ActorList implements IndexList {
  readonly indices: Uint32Array;
  count = 0;

  constructor(capacity: number) {
    this.indices = new Uint32Array(capacity);
  }

  push(actor: number): void {
    this.indices[this.count++] = actor;
  }
}

export abstract class Crowd implements Simulation {
  readonly name: string;
  readonly title: string;
  readonly kinds: readonly string[];
  readonly dimensions: 2 | 3;
  readonly tickSeconds: number;
  readonly bounds: Bounds;
  readonly capacity: number;
  readonly worldOptions: WorldOptions;
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly z: Float32Array;
  readonly kind: Uint8Array;
  readonly range: Float32Array;
  readonly present: Uint8Array;
  readonly added: ActorList;
  readonly moved: ActorList;
  readonly removed: ActorList;
  readonly changed?: ActorList;
  count = 0;
  #begun = false;

  constructor(plan: CrowdPlan) {
    const { capacity } = plan;
    this.name = plan.name;
    this.title = plan.title;
    this.kinds = plan.kinds;
    this.dimensions = plan.dimensions;
    this.tickSeconds = plan.tickSeconds;
    this.bounds = plan.bounds;
    this.capacity = capacity;
    this.worldOptions = { ...plan.world, dimensions: plan.dimensions, capacity: plan.peak ?? capacity };
    this.x = new Float32Array(capacity);
    this.y = new Float32Array(capacity);
    this.z = new Float32Array(capacity);
    this.kind = new Uint8Array(capacity);
    this.range = new Float32Array(capacity);
    this.present = new Uint8Array(capacity);
    this.added = new ActorList(capacity);
    this.moved = new ActorList(capacity);
    this.removed = new ActorList(capacity);
  }

  get done(): boolean {
    return false;
  }

  initFor?(actor: number): EntityPatch;

  step(): void {
    this.added.count = 0;
    this.moved.count = 0;
    this.removed.count = 0;
    if (this.changed !== undefined) this.changed.count = 0;
    if (this.#begun) {
      this.advance();
    } else {
      this.#begun = true;
      this.begin();
    }
  }

  /** The first step: everybody is there, where the generator put them. */
  protected begin(): void {
    for (let actor = 0; actor < this.capacity; actor++) this.appear(actor);
  }

  /** Every later step: moves actors and says so in `moved`, by `appear` and by `vanish`. */
  protected abstract advance(): void;

  protected appear(actor: number): void {
    this.present[actor] = 1;
    this.count++;
    this.added.push(actor);
  }

  protected vanish(actor: number): void {
    this.present[actor] = 0;
    this.count--;
    this.removed.push(actor);
  }
}

/** Lists 0 .. capacity-1 as moved, for crowds in which everybody moves at every step. Done once, it stays. */
export function listEveryone(list: ActorList, capacity: number): void {
  const { indices } = list;
  for (let actor = 0; actor < capacity; actor++) indices[actor] = actor;
  list.count = capacity;
}
