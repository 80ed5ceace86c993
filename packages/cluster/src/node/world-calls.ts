/**
 * The calls by which a node changes the world: the write methods of `World`; they take effect once they are in the log.
 *
 * Each call is checked at once, as `World` checks it, and encoded. Another node's earlier call may still make it invalid, and
 * then it is skipped. A test checks that this class covers every method of `World` that changes anything.
 */
import {
  type AttachmentOffset,
  type CountOptions,
  type EntitiesInit,
  type EntityId,
  type EntityInit,
  type EntityPatch,
  type Interest,
  type MoveManyOptions,
  type MoveOptions,
  type PinOptions,
  UmweltError,
  type UpdateColumns,
} from 'umwelt';
import { badOption } from '../log/bad-option.ts';
import type { Fields } from '../records/calls.ts';
import { namedColumns, piecesOf } from '../records/update-columns.ts';
import type { Replica } from '../state/replica.ts';
import {
  type CallChecks,
  checkEverAdded,
  checkFields,
  checkIds,
  checkKey,
  checkObject,
  checkPresent,
  checkState,
  withoutChannels,
} from './call-checks.ts';
import type { Holdings } from './holdings.ts';
import type { Outbox } from './outbox.ts';

/** An entity for `add`, with what the cluster keeps with it. */
export interface NodeEntity extends Omit<EntityInit, 'watches'> {
  /**
   * Unique name in the whole cluster, none unless given, at most 256 letters. An add with a key in use is refused with
   * `KEY_TAKEN`.
   */
  key?: string;
  /** The game's own state of it, at most 16 KiB: as by `keep`. Default: none. */
  state?: Uint8Array;
  /** Fields that gateways show of it from the start; a separate `set` might come too late for that. Default: none. */
  fields?: Fields;
}

/** As `EntitiesInit`, without `watches`: a node's entities watch while they are shown. */
export type NodeEntities = Omit<EntitiesInit, 'watches'>;

/** Where calls go, and what they are checked against. */
export interface CallTarget {
  readonly replica: Replica;
  readonly outbox: Outbox;
  readonly holdings: Holdings;
  readonly checks: CallChecks;
  /** Throws `LOG_DOWN` once the node has left. */
  checkIn(): void;
}

const NOTHING = new Uint8Array(0);
/** Entities of one `updateMany` per item, so that a record can hold several items. */
const PIECE = 4096;

/** The calls by which a node changes the world: the write methods of `World`; they take effect once they are in the log. */
export abstract class WorldCalls {
  readonly #target: CallTarget;

  /** Used by `ClusterNode`. */
  protected constructor(target: CallTarget) {
    this.#target = target;
  }

  /**
   * Adds an entity that this node owns. Resolves with its id when it is in the log. Rejects with `KEY_TAKEN` if another entity
   * has the key, and with what `World.add` throws.
   */
  add(entity: NodeEntity): Promise<EntityId> {
    return this.#target.holdings.answer(this.#add(entity));
  }

  /** As `World.addMany`. Resolves with all ids, in the order of the columns, when they are in the log. Rejects as `add`. */
  addMany(entities: NodeEntities): Promise<Uint32Array> {
    return this.#target.holdings.answer(this.#addMany(entities));
  }

  async #add(entity: NodeEntity): Promise<EntityId> {
    const { holdings, checks, replica } = this.#target;
    checkObject('entity', entity, 'a NodeEntity');
    const { key = '', state = NOTHING, fields = {}, x, y, z, ...patch } = entity;
    checkKey(key);
    checkState(state);
    checkFields(fields);
    checks.patch(patch, replica);
    checks.position(x, y, z);
    if (key !== '' && replica.table.keys.has(key)) {
      throw new UmweltError('KEY_TAKEN', `key '${key}' was given, but another entity has it`, {
        field: 'key',
        value: key,
      });
    }
    this.#target.checkIn();
    return holdings.expectAdd(key, (request) =>
      this.#target.outbox.put('adds', {
        request,
        x,
        y,
        z: typeof z === 'number' ? z : 0,
        patch,
        key,
        keep: state,
        fields,
      }),
    );
  }

  async #addMany(entities: NodeEntities): Promise<Uint32Array> {
    checkObject('entities', entities, 'NodeEntities');
    const { x, y, z, ...patch } = entities;
    const isThere = (column: ArrayLike<number>) => column?.length === x?.length;
    if (!Number.isInteger(x?.length) || !isThere(y) || (z !== undefined && !isThere(z))) {
      throw badOption('x, y, z', x, 'columns of one length');
    }
    const { checks, outbox, replica } = this.#target;
    checks.patch(patch, replica);
    for (let i = 0; i < x.length; i++) checks.position(x[i], y[i], z?.[i]);
    this.#target.checkIn();
    outbox.checkAdds(x.length, { x: 0, y: 0, z: 0, patch, key: '', keep: NOTHING, fields: {}, request: 0 });
    const adds = Array.from({ length: x.length }, (_, i) =>
      this.#add({ ...patch, x: x[i], y: y[i], ...(z && { z: z[i] }) }),
    );
    return Uint32Array.from(await Promise.all(adds));
  }

  /** As `World.move`. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  move(id: EntityId, x: number, y: number, z?: number, options?: MoveOptions): void {
    this.checkOwned(id);
    const { outbox, checks } = this.#target;
    checks.position(x, y, z, options);
    outbox.checkMoves(1, options?.teleport);
    outbox.move(id, x, y, z ?? 0, options?.teleport);
  }

  /** As `World.moveMany`, all or none. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  moveMany(
    ids: Uint32Array,
    x: ArrayLike<number>,
    y: ArrayLike<number>,
    z?: ArrayLike<number>,
    at?: ArrayLike<number>,
    options?: MoveManyOptions,
  ): void {
    const { outbox, checks } = this.#target;
    const count = checks.moves(ids, { x, y, z, at }, options);
    const teleport = options?.teleport;
    outbox.checkMoves(count, teleport);
    for (let k = 0; k < count; k++) this.checkOwned(ids[at === undefined ? k : at[k]], k);
    for (let k = 0; k < count; k++) {
      const i = at === undefined ? k : at[k];
      outbox.move(ids[i], x[i], y[i], z?.[i] ?? 0, teleport);
    }
  }

  /** As `World.update`. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  update(id: EntityId, patch: EntityPatch): void {
    this.checkOwned(id);
    this.#target.checks.patch(patch, this.#target.replica);
    this.#target.outbox.put('updates', { id, patch });
  }

  /** As `World.updateMany`, all or none. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  updateMany(ids: Uint32Array, columns: UpdateColumns, options: CountOptions = {}): void {
    const { outbox, checks } = this.#target;
    const count = checks.columns(ids, columns, options);
    for (let k = 0; k < count; k++) this.checkOwned(ids[k], k);
    const held = namedColumns(columns, count);
    // Each piece names the columns again.
    const pieceBytes = held.reduce((sum, { name }) => sum + 6 + 2 * name.length, 16);
    outbox.checkRoom(Math.ceil(count / PIECE) * pieceBytes + 4 * count * (1 + held.length));
    for (let from = 0; from < count; from += PIECE) {
      const to = Math.min(count, from + PIECE);
      outbox.put('updates', { ids: ids.slice(from, to), columns: piecesOf(held, from, to) });
    }
  }

  /** As `World.touch`. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  touch(id: EntityId): void {
    this.checkOwned(id);
    this.#target.outbox.put('touches', id);
  }

  /** As `World.remove`. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  remove(id: EntityId): void {
    this.checkOwned(id);
    const { outbox, holdings } = this.#target;
    outbox.put('removes', id);
    holdings.depart(id);
    holdings.removing.add(id);
  }

  /** As `World.removeMany`, all or none. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  removeMany(ids: Uint32Array): void {
    checkIds(ids);
    for (let k = 0; k < ids.length; k++) this.checkOwned(ids[k], k);
    const each = new Set(ids);
    this.#target.outbox.checkRemovals(each.size);
    for (const id of each) this.remove(id);
  }

  /** As `World.pin`; this node must own the watcher. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  pin(watcher: EntityId, marker: EntityId, reason = '', options: PinOptions = {}): void {
    this.#tie('pin', watcher, marker, reason, this.#target.checks.pin(reason, options));
  }

  /** As `World.unpin`; this node must own the watcher. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  unpin(watcher: EntityId, marker: EntityId, reason = ''): void {
    this.#tie('unpin', watcher, marker, reason);
  }

  /** As `World.block`; this node must own the watcher. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  block(watcher: EntityId, marker: EntityId): void {
    this.#tie('block', watcher, marker, '');
  }

  /** As `World.unblock`; this node must own the watcher. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  unblock(watcher: EntityId, marker: EntityId): void {
    this.#tie('unblock', watcher, marker, '');
  }

  /**
   * As `World.attach`; this node must own the child, any node may own the parent. An attached child cannot be moved: its owner's
   * moves are refused. Throws also `NOT_OWNED`, `TOO_MUCH`.
   */
  attachEntity(child: EntityId, parent: EntityId, offset: AttachmentOffset = {}): void {
    this.checkOwned(child);
    this.#checkKept(parent);
    this.#target.checks.offset(offset);
    if (child === parent) {
      throw new UmweltError('BAD_ID', `${child} cannot be attached to itself, expected another parent`, {
        id: child,
      });
    }
    const { x = 0, y = 0, z = 0 } = offset;
    this.#target.outbox.put('steps', { step: 'attach', id: child, parent, x, y, z });
  }

  /** As `World.detach`; this node must own the child. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  detachEntity(child: EntityId): void {
    this.checkOwned(child);
    this.#target.outbox.put('steps', { step: 'attach', id: child, parent: 0, x: 0, y: 0, z: 0 });
  }

  /**
   * As `World.setInterest`, for the whole cluster; any node may call it. Functions are not sent: `rank` and `admit` must be
   * those that the nodes were given under that name when they joined. Throws also `TOO_MUCH`, and `UNSUPPORTED` for `mutual`
   * unless views are 'all'.
   */
  setInterest(name: string, interest: Interest): void {
    this.#target.checkIn();
    this.#target.checks.interest(name, interest);
    const { rank, admit } = interest;
    const functions = { hasRank: typeof rank === 'function', hasAdmit: admit !== undefined };
    // The call is encoded at once. 'nearest' is the default.
    this.#target.outbox.put('interests', { name, numbers: interest, ...functions });
  }

  /** As `Channels.join`, in the channels from the options of `joinWorld`. Throws `NOT_OWNED`, `TOO_MUCH`, `UNSUPPORTED`. */
  joinChannel(id: EntityId): void {
    this.#channelCall(id, true);
  }

  /** As `Channels.leave`. Throws `NOT_OWNED`, `TOO_MUCH`, `UNSUPPORTED`. */
  leaveChannel(id: EntityId): void {
    this.#channelCall(id, false);
  }

  /** Throws `BAD_ID`, `STALE_ID`, `NOT_OWNED`. `index`: where it is among many. */
  protected checkOwned(id: EntityId, index?: number): void {
    const { replica, holdings } = this.#target;
    const { table, selfCode, world } = replica;
    const isOwned = typeof id === 'number' && selfCode !== 0 && table.ownerOf(id) === selfCode;
    if (isOwned && !holdings.departing.has(id)) return;
    checkPresent(id, world, index);
    throw new UmweltError(
      'NOT_OWNED',
      `entity ${id} cannot be changed, expected an entity that this node owns`,
      index === undefined ? { id } : { id, index },
    );
  }

  /** Of an entity that another call names. Throws `BAD_ID`, `STALE_ID`, also if this node has called `remove` for it. */
  #checkKept(id: EntityId): void {
    const { replica, holdings } = this.#target;
    checkPresent(id, replica.world);
    if (!holdings.removing.has(id)) return;
    throw new UmweltError('STALE_ID', `entity ${id} was given, which this node has removed`, { id });
  }

  #channelCall(id: EntityId, joins: boolean): void {
    this.checkOwned(id);
    if (this.#target.replica.channels === undefined) throw withoutChannels();
    this.#target.outbox.put('channels', { id, joins });
  }

  #tie(
    tie: 'pin' | 'unpin' | 'block' | 'unblock',
    watcher: EntityId,
    marker: EntityId,
    reason: string,
    limits = { within: Number.POSITIVE_INFINITY, everyTicks: 0 },
  ): void {
    this.checkOwned(watcher);
    if (typeof reason !== 'string') throw badOption('reason', reason, 'a text');
    // What nothing can be tied by may be undone, as in a world: a tie with a removed entity, or with itself.
    if (tie === 'pin' || tie === 'block') {
      this.#checkKept(marker);
      if (watcher === marker) {
        throw new UmweltError('BAD_ID', `${watcher} cannot be tied to itself, expected another marker`, {
          id: watcher,
        });
      }
    } else checkEverAdded(marker, this.#target.replica.world);
    this.#target.outbox.put('ties', { tie, watcher, marker, reason, ...limits });
  }
}
