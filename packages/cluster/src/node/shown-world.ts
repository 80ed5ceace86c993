/**
 * The world of a node as its users read it: complete, except for the views of watchers that other nodes show. It stays the same
 * object for the life of the node, whatever states the node copies.
 */
import {
  type EntityId,
  type Explanation,
  type Outranked,
  type QueryOptions,
  type Shape,
  UmweltError,
  WorldReader,
} from 'umwelt';
import type { Replica } from '../state/replica.ts';

export class ShownWorld extends WorldReader {
  #replica: Replica;

  constructor(replica: Replica) {
    super(replica.world);
    this.#replica = replica;
  }

  /** Reads from that state from now on. */
  copied(replica: Replica): void {
    this.#replica = replica;
    this.readFrom(replica.world);
  }

  /** Whether this node has the watcher's view, as of the last tick. False for a removed entity. */
  shows(watcher: EntityId): boolean {
    const { table, views, selfCode } = this.#replica;
    if (!table.has(watcher) || table.awake[watcher >>> 10] !== 1) return false;
    return views === 'all' || (selfCode !== 0 && table.showerOf(watcher) === selfCode);
  }

  /** 8 bytes that identify the id space, the same on all nodes. They change when the log continues from an older state. */
  get worldId(): Uint8Array {
    const { members, anewPosition } = this.#replica;
    const [low, high] = members.settings?.origin ?? [0, 0];
    const id = new DataView(new ArrayBuffer(8));
    id.setUint32(0, low, true);
    id.setUint32(4, (high ^ anewPosition) >>> 0, true);
    return new Uint8Array(id.buffer);
  }

  /** See `WorldReader`. Throws `NOT_SHOWN` for a watcher that this node does not show. */
  override visibleTo(watcher: EntityId, out?: Uint32Array): Uint32Array {
    this.#checkShown(watcher);
    return super.visibleTo(watcher, out);
  }

  override visibleToInto(watcher: EntityId, out: Uint32Array): number {
    this.#checkShown(watcher);
    return super.visibleToInto(watcher, out);
  }

  /** See `WorldReader`. Throws `NOT_SHOWN` for a watcher that this node does not show. */
  override related(watcher: EntityId, marker: EntityId): boolean {
    this.#checkShown(watcher);
    return super.related(watcher, marker);
  }

  /** See `WorldReader`. Throws `NOT_SHOWN` for a watcher that this node does not show. */
  override senses(watcher: EntityId, marker: EntityId): number {
    this.#checkShown(watcher);
    return super.senses(watcher, marker);
  }

  /** See `WorldReader`. Throws `NOT_SHOWN` for a watcher that this node does not show. */
  override explain(watcher: EntityId, marker: EntityId): Explanation {
    this.#checkShown(watcher);
    return super.explain(watcher, marker);
  }

  /** See `WorldReader`. Throws `NOT_SHOWN` for a watcher that this node does not show. */
  override outranked(watcher: EntityId, limit?: number): Outranked {
    this.#checkShown(watcher);
    return super.outranked(watcher, limit);
  }

  /** See `WorldReader`. Throws `NOT_SHOWN` for a caster that this node does not show. */
  override targets(caster: EntityId, shape: Shape, options?: QueryOptions): Uint32Array {
    this.#checkShown(caster);
    return super.targets(caster, shape, options);
  }

  override targetsInto(
    caster: EntityId,
    shape: Shape,
    options: QueryOptions | undefined,
    out: Uint32Array,
  ): number {
    this.#checkShown(caster);
    return super.targetsInto(caster, shape, options, out);
  }

  #checkShown(watcher: EntityId): void {
    const { table, views, selfCode } = this.#replica;
    if (!table.has(watcher) || views === 'all') return;
    if (selfCode !== 0 && table.showerOf(watcher) === selfCode) return;
    throw new UmweltError(
      'NOT_SHOWN',
      `what ${watcher} perceives was asked, expected a watcher that this node shows`,
      { id: watcher },
    );
  }
}
