/**
 * The columns and lists behind every simulation here: which actors are present, where, and what the last step did.
 *
 * A generator or a recording extends `Crowd`, fills the columns, and moves its actors in `advance`. The bookkeeping (clearing
 * the lists, counting the present actors, the first step that adds the initial ones) is done once, here. Columns are by actor
 * and are allocated once, at full size: a step allocates nothing.
 *
 * Memory: 18 bytes per actor, and 12 for the three lists.
 */
import type { EntityPatch, WorldOptions } from 'umwelt';
import type { Bounds, IndexList, Simulation } from './simulation.ts';

/** Description of a simulation before it has any actors. */
export interface CrowdPlan {
  readonly name: string;
  readonly title: string;
  readonly kinds: readonly string[];
  readonly dimensions: 2 | 3;
  readonly tickSeconds: number;
  readonly bounds: Bounds;
  readonly capacity: number;
  /** Maximum number of actors present at once; absent: `capacity`. */
  readonly peak?: number;
  /** Senses, groups, interests: world options besides dimensions and capacity. */
  readonly world?: Omit<WorldOptions, 'dimensions' | 'capacity'>;
}

/** A list of actors that a step writes. It has room for all actors, so it never grows. */
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

  /** The first step: all actors are present where the generator put them. */
  protected begin(): void {
    for (let actor = 0; actor < this.capacity; actor++) this.appear(actor);
  }

  /** Every later step: moves actors and lists them in `moved`, and calls `appear` and `vanish`. */
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

/** Lists 0 .. capacity-1 as moved, for crowds in which all actors move at every step. Once is enough. */
export function listEveryone(list: ActorList, capacity: number): void {
  const { indices } = list;
  for (let actor = 0; actor < capacity; actor++) indices[actor] = actor;
  list.count = capacity;
}
