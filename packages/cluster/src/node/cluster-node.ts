/**
 * A process's part in a world that several share: what `joinWorld` answers.
 *
 * What is called here counts once it is in the log, which is some milliseconds and a mark later; what is asked is answered
 * from the log. So a node never shows what another would not. Only an entity's owner may change it. Calls are checked at
 * once, as `World` checks them; what another node did in the meantime may still refuse them, and then they are left out.
 */
import {
  type EntityId,
  type EntityInit,
  type EntityPatch,
  UmweltError,
  World,
  type WorldReader,
} from 'umwelt';
import { type Fields, KEEP_BYTES_MAX, KEY_LENGTH_MAX } from '../records/calls.ts';
import { codeOf, type Member } from '../state/members.ts';
import { type ClusterMember, clusterMember } from './cluster-member.ts';
import type { Environment } from './environment.ts';
import { linkGateway, type ViewGateway } from './gateway-link.ts';
import { Holdings } from './holdings.ts';
import type { JoinSettings } from './join-options.ts';
import { type NodeEvent, type NodeEvents, NodeListeners } from './listeners.ts';
import { Outbox } from './outbox.ts';
import { Participant } from './participant.ts';
import { ShownWorld } from './shown-world.ts';

/** What a node adds: an entity, and what the cluster keeps with it. */
export interface NodeEntity extends Omit<EntityInit, 'watches'> {
  /** Its name in the whole cluster, at most 256 letters: a second one with the same key is refused with `KEY_TAKEN`. */
  key?: string;
  /** The game's own state of it, at most 16 KiB: `keep`. */
  state?: Uint8Array;
}

const NOTHING = new Uint8Array(0);

/** The part of a node that follows the log: for the simulation, which compares replicas. */
export let participantOf: (node: ClusterNode) => Participant;

/** A process's part in a world that several share: what `joinWorld` answers. See docs/cluster.md. */
export class ClusterNode {
  static {
    participantOf = (node) => node.#participant;
  }

  readonly #holdings: Holdings;
  readonly #outbox: Outbox;
  readonly #participant: Participant;
  readonly #environment: Environment;
  readonly #settings: JoinSettings;
  /** Never ticks: arguments are tried on it. */
  readonly #probe: World;
  readonly #probed: EntityId;
  readonly #world: ShownWorld;
  #joined: { resolve: () => void; reject: (error: UmweltError) => void } | undefined;
  #left: { resolve: () => void; reject: (error: UmweltError) => void } | undefined;

  /** For `joinWorld`: `enter` begins. */
  constructor(settings: JoinSettings, environment: Environment) {
    this.#settings = settings;
    this.#environment = environment;
    this.#probe = new World({ ...settings.world, capacity: 0, threads: 1 });
    this.#probed = this.#probe.add({ x: 0, y: 0, z: 0 });
    this.#outbox = new Outbox(settings.pendingBytes, this.#probe.dimensions);
    this.#holdings = new Holdings(
      new NodeListeners((error) => environment.fault(error)),
      {
        joined: () => this.#joined?.resolve(),
        failed: (error) => {
          this.#joined?.reject(error);
          this.#left?.reject(error);
        },
        left: () => this.#left?.resolve(),
      },
      (ids) => {
        for (const id of ids) this.#outbox.put('shows', { id, isShown: true });
      },
      (replica) => this.#world.copied(replica),
    );
    this.#participant = new Participant(settings, environment, this.#holdings, this.#outbox);
    this.#world = new ShownWorld(this.#participant.replica);
  }

  /** Resolves when it is a member. Rejects with `SETTINGS_DIFFER`, `LOG_DOWN`, `CAPACITY`. Once only. */
  enter(): Promise<void> {
    return this.#withPatience('join', (resolve, reject) => {
      this.#joined = { resolve, reject };
      this.#participant.enter();
    });
  }

  /** The whole world, as of the log; nothing in it changes the world. One object, also after a copy: on('copy'). */
  get world(): WorldReader {
    return this.#world;
  }

  /** What it joined as. */
  get name(): string {
    return this.#settings.name;
  }

  /** Whether it is in the world now; its calls gather while it is not. */
  get isLive(): boolean {
    return this.#participant.phase === 'live';
  }

  /** Milliseconds for which the log has had a record that this node did not apply yet. */
  get lagMs(): number {
    return this.#participant.lagMs;
  }

  /** Members now, by the log; the longest there first. */
  get members(): readonly ClusterMember[] {
    const { members, tick } = this.#participant.replica;
    return members.live().map((member) => clusterMember(member, tick));
  }

  /** This node as a member; `undefined` while it is none. */
  get self(): ClusterMember | undefined {
    const { self, replica } = this.#participant;
    return self === undefined ? undefined : clusterMember(self, replica.tick);
  }

  /** What this node owns, as of the last tick, less what it gave away or removed since: all that it may change. */
  get owned(): ReadonlySet<EntityId> {
    return this.#holdings.owned;
  }

  /** The entity that has the key; `undefined` where none has. Cost: O(1). */
  find(key: string): EntityId | undefined {
    return this.#participant.replica.table.keys.get(key);
  }

  /** The member that may change it; `undefined` where nobody may. Throws `BAD_ID`, `STALE_ID`. */
  ownerOf(id: EntityId): ClusterMember | undefined {
    return this.#memberByCode(this.#participant.replica.table.owners[this.world.slotOf(id)]);
  }

  /** The member that shows what it perceives. Throws `BAD_ID`, `STALE_ID`. */
  showerOf(id: EntityId): ClusterMember | undefined {
    return this.#memberByCode(this.#participant.replica.table.showers[this.world.slotOf(id)]);
  }

  /** What was kept with it; empty for nothing. Throws `BAD_ID`, `STALE_ID`. */
  stateOf(id: EntityId): Uint8Array {
    this.world.slotOf(id);
    return this.#participant.replica.table.keeps.get(id) ?? NOTHING;
  }

  /** Throws `BAD_ID`, `STALE_ID`. */
  fieldsOf(id: EntityId): Fields {
    this.world.slotOf(id);
    return Object.fromEntries(this.#participant.replica.table.fields.get(id) ?? []);
  }

  /**
   * Adds an entity that this node owns. Resolves with its id when it is in the log. Rejects with `KEY_TAKEN` where another
   * has the key, and with what `World.add` throws.
   */
  async add(entity: NodeEntity): Promise<EntityId> {
    const { key = '', state = NOTHING, x, y, z, ...patch } = entity;
    if (typeof key !== 'string' || key.length > KEY_LENGTH_MAX) {
      throw bad('key', key, `a text of at most ${KEY_LENGTH_MAX} letters`);
    }
    checkState(state);
    this.#checkPatch(patch);
    this.#probe.move(this.#probed, x, y, z);
    if (key !== '' && this.find(key) !== undefined) {
      throw new UmweltError('KEY_TAKEN', `key '${key}' was given, and an entity of the world has it`, {
        field: 'key',
        value: key,
      });
    }
    this.#checkIn();
    return this.#holdings.expectAdd(key, (request) =>
      this.#outbox.put('adds', { request, x, y, z: z ?? 0, patch, key, keep: state }),
    );
  }

  /** As `World.move`. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  move(id: EntityId, x: number, y: number, z?: number): void {
    this.#checkOwned(id);
    this.#probe.move(this.#probed, x, y, z);
    this.#outbox.checkMoves(1);
    this.#outbox.move(id, x, y, z ?? 0);
  }

  /** As `World.moveMany`: all or none. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  moveMany(
    ids: Uint32Array,
    x: ArrayLike<number>,
    y: ArrayLike<number>,
    z?: ArrayLike<number>,
    at?: ArrayLike<number>,
  ): void {
    const count = at?.length ?? ids.length;
    this.#outbox.checkMoves(count);
    for (let k = 0; k < count; k++) {
      const i = at === undefined ? k : at[k];
      this.#checkOwned(ids[i]);
      this.#probe.move(this.#probed, x[i], y[i], z?.[i]);
    }
    for (let k = 0; k < count; k++) {
      const i = at === undefined ? k : at[k];
      this.#outbox.move(ids[i], x[i], y[i], z?.[i] ?? 0);
    }
  }

  /** As `World.update`. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  update(id: EntityId, patch: EntityPatch): void {
    this.#checkOwned(id);
    this.#checkPatch(patch);
    this.#outbox.put('updates', { id, patch });
  }

  /** As `World.touch`. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  touch(id: EntityId): void {
    this.#checkOwned(id);
    this.#outbox.put('touches', id);
  }

  /** As `World.remove`. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  remove(id: EntityId): void {
    this.#checkOwned(id);
    this.#outbox.put('removes', id);
    this.#holdings.depart(id);
  }

  /** As `World.pin`; the watcher must be this node's. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  pin(watcher: EntityId, marker: EntityId, reason = ''): void {
    this.#tie('pin', watcher, marker, reason);
  }

  /** As `World.unpin`; the watcher must be this node's. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  unpin(watcher: EntityId, marker: EntityId, reason = ''): void {
    this.#tie('unpin', watcher, marker, reason);
  }

  /** As `World.block`; the watcher must be this node's. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  block(watcher: EntityId, marker: EntityId): void {
    this.#tie('block', watcher, marker, '');
  }

  /** As `World.unblock`; the watcher must be this node's. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  unblock(watcher: EntityId, marker: EntityId): void {
    this.#tie('unblock', watcher, marker, '');
  }

  /**
   * As `World.attach`; the child must be this node's, the parent anybody's. A child that is attached is not moved: its
   * owner's moves are refused. Throws also `NOT_OWNED`, `TOO_MUCH`.
   */
  attachEntity(child: EntityId, parent: EntityId, offset: { x?: number; y?: number; z?: number } = {}): void {
    this.#checkOwned(child);
    this.world.slotOf(parent);
    const { x = 0, y = 0, z = 0 } = offset;
    this.#probe.move(this.#probed, x, y, z);
    if (child === parent) {
      throw new UmweltError('BAD_ID', `${child} was to be attached to itself, expected another`, {
        id: child,
      });
    }
    this.#outbox.put('attaches', { child, parent, x, y, z });
  }

  /** As `World.detach`; the child must be this node's. Throws also `NOT_OWNED`, `TOO_MUCH`. */
  detachEntity(child: EntityId): void {
    this.#checkOwned(child);
    this.#outbox.put('attaches', { child, parent: 0, x: 0, y: 0, z: 0 });
  }

  /** What gateways of all nodes show of it; other fields stay. Booleans, numbers and texts, at most 64 an entity. */
  set(id: EntityId, fields: Fields): void {
    this.#checkOwned(id);
    this.#outbox.put('fields', { id, fields });
  }

  /** The game's own state of it: goes with the entity, and survives its node. At most 16 KiB. */
  keep(id: EntityId, state: Uint8Array): void {
    this.#checkOwned(id);
    checkState(state);
    this.#outbox.put('keeps', { id, bytes: state });
  }

  /** That member owns it from the mark on that tells, with what is kept with it; where it is gone, nothing changes. */
  give(id: EntityId, to: ClusterMember | string): void {
    this.#checkOwned(id);
    const { members } = this.#participant.replica;
    const member =
      typeof to === 'string' ? members.liveByName(to) : members.liveByIncarnation(to?.incarnation);
    if (member === undefined) throw bad('member', to, 'a member of the world, or its name');
    this.#outbox.put('gives', { id, member: member.number, incarnation: member.incarnation });
    if (codeOf(member) !== this.#participant.replica.selfCode) this.#holdings.depart(id);
  }

  /** To the owner that it has when this is in the log: once, in the order of the log. Nobody hears it where it has none. */
  send(id: EntityId, bytes: Uint8Array): void {
    this.#checkIn();
    this.world.slotOf(id);
    checkBytes('bytes', bytes);
    this.#outbox.put('sends', { id, bytes });
  }

  /** To the clients of all nodes that perceive the marker: 'broadcast' on every node. */
  broadcast(marker: EntityId, bytes: Uint8Array, options: { readonly sense?: string } = {}): void {
    this.#checkIn();
    this.world.slotOf(marker);
    checkBytes('bytes', bytes);
    const { sense = '' } = options;
    if (sense !== '' && !this.world.senseNames.includes(sense)) {
      throw new UmweltError('UNKNOWN_SENSE', `sense ${sense} was given`, { field: 'sense', value: sense });
    }
    this.#outbox.put('broadcasts', { marker, sense, bytes });
  }

  /**
   * Has this node report what the entity perceives, whoever owns it, from when it resolves; the node that did so before does
   * so no more. Rejects with `NOT_SHOWN` when another node asks for it later, with `BAD_ID`, `STALE_ID`.
   */
  async show(id: EntityId): Promise<void> {
    this.#checkIn();
    this.world.slotOf(id);
    this.#outbox.put('shows', { id, isShown: true });
    return this.#holdings.expectShow(id);
  }

  /** This node reports it no more. Does nothing where it was not asked to, or another was since. */
  hide(id: EntityId): void {
    this.#checkIn();
    this.world.slotOf(id);
    if (!this.#holdings.wanted.has(id)) return;
    this.#outbox.put('shows', { id, isShown: false });
    this.#holdings.hide(id);
  }

  /** Calls the listener at each event, until what it answers is called. Throws `BAD_OPTION`. */
  on<E extends NodeEvent>(event: E, listener: NodeEvents[E]): () => void {
    return this.#holdings.listeners.add(event, listener);
  }

  /**
   * Has the gateway, which was made on `node.world`, show this node's watchers to its clients: publishes each tick, sets fields as
   * the log tells them, passes broadcasts on. A session whose watcher another node shows ends; after a copy clients are told
   * everything anew. Until what it answers is called. Throws `BAD_OPTION` for a gateway on another world.
   */
  attach(gateway: ViewGateway): () => void {
    return linkGateway(gateway, {
      world: this.#world,
      listeners: this.#holdings.listeners,
      fields: () => this.#participant.replica.table.fields,
      isLagging: () => this.#participant.isLagging,
    });
  }

  /**
   * Gives everything to members that adopt, and leaves. Resolves when the log has it. Rejects with `LOG_DOWN` after
   * `patienceMs`: the node stops all the same, and the others find it silent.
   */
  leave(): Promise<void> {
    if (this.#participant.phase === 'away') return Promise.resolve();
    const { replica, self } = this.#participant;
    const others = replica.members
      .live()
      .filter(({ adopts, incarnation }) => adopts && incarnation !== self?.incarnation);
    for (const id of this.#holdings.owned) this.#giveByHash(id, others);
    this.#holdings.isLeaving = true;
    return this.#withPatience('leave', (resolve, reject) => {
      this.#left = { resolve, reject };
      this.#participant.leave();
    });
  }

  /** Stops at once, as a crash would: the others find it silent. */
  halt(): void {
    this.#participant.halt();
    void this.#probe.dispose();
  }

  #giveByHash(id: EntityId, others: readonly Member[]): void {
    const adopter = this.#environment.rules.adopterOf(id, others);
    if (adopter === undefined || this.#holdings.departing.has(id)) return;
    this.#outbox.put('gives', { id, member: adopter.number, incarnation: adopter.incarnation });
  }

  #tie(
    tie: 'pin' | 'unpin' | 'block' | 'unblock',
    watcher: EntityId,
    marker: EntityId,
    reason: string,
  ): void {
    this.#checkOwned(watcher);
    if (typeof reason !== 'string') throw bad('reason', reason, 'a text');
    if (watcher === marker) {
      throw new UmweltError('BAD_ID', `${watcher} was to be tied to itself, expected another`, {
        id: watcher,
      });
    }
    // Who is gone may be untied.
    if (tie === 'pin' || tie === 'block') this.world.slotOf(marker);
    this.#outbox.put('ties', { tie, watcher, marker, reason });
  }

  /** Throws `BAD_ID`, `STALE_ID`, `NOT_OWNED`. */
  #checkOwned(id: EntityId): void {
    const { table, selfCode, world } = this.#participant.replica;
    if (selfCode !== 0 && table.ownerOf(id) === selfCode && !this.#holdings.departing.has(id)) return;
    if (!world.has(id)) world.slotOf(id);
    throw new UmweltError('NOT_OWNED', `entity ${id} was to be changed, expected one that this node owns`, {
      id,
    });
  }

  #checkPatch(patch: EntityPatch): void {
    if (patch?.watches !== undefined) {
      throw bad('watches', patch.watches, 'show() and hide(), which say who perceives in a cluster');
    }
    this.#probe.update(this.#probed, patch);
  }

  /** Throws `LOG_DOWN` once it left, or failed. */
  #checkIn(): void {
    if (this.#participant.phase !== 'away' && !this.#holdings.isLeaving) return;
    throw new UmweltError('LOG_DOWN', 'the node is not in the world, expected a call before it left');
  }

  #memberByCode(code: number): ClusterMember | undefined {
    const { members, tick } = this.#participant.replica;
    const member = code === 0 ? undefined : members.byNumber(code - 1);
    return member === undefined ? undefined : clusterMember(member, tick);
  }

  #withPatience(
    what: string,
    begin: (resolve: () => void, reject: (error: UmweltError) => void) => void,
  ): Promise<void> {
    const { patienceMs } = this.#settings;
    return new Promise((resolve, reject) => {
      const cancel = this.#environment.after(patienceMs, () => {
        this.halt();
        reject(
          new UmweltError('LOG_DOWN', `could not ${what} within ${patienceMs} ms: the log gave no answer`),
        );
      });
      begin(
        () => {
          cancel();
          resolve();
        },
        (error) => {
          cancel();
          reject(error);
        },
      );
    });
  }
}

function checkState(state: unknown): void {
  checkBytes('state', state);
  const { length } = state as Uint8Array;
  if (length > KEEP_BYTES_MAX) throw bad('state', length, `at most ${KEEP_BYTES_MAX} bytes`);
}

function checkBytes(field: string, bytes: unknown): void {
  if (!(bytes instanceof Uint8Array)) throw bad(field, bytes, 'a Uint8Array');
}

function bad(field: string, value: unknown, expected: string): UmweltError {
  const given = typeof value === 'object' ? 'an object' : String(value).slice(0, 40);
  return new UmweltError('BAD_OPTION', `${field}: ${given} was given, expected ${expected}`, {
    field,
    value,
  });
}
