/**
 * One process's node in a world that several processes share: what `joinWorld` returns.
 *
 * A call takes effect when it is in the log and the next tick is marked, some milliseconds later. Reads are answered from the
 * log, so a node never shows what another would not. Only an entity's owner may change it. Calls are checked at once, as
 * `World` checks them; another node's earlier call may still make one invalid, and then it is skipped.
 */
import { type Channels, type EntityId, UmweltError, type WorldReader } from 'umwelt';
import { afterAwake } from '../log/awake-timer.ts';
import { badOption, rejectUnknown } from '../log/bad-option.ts';
import { FIELDS_MAX, type Fields } from '../records/calls.ts';
import { codeOf, type Member } from '../state/members.ts';
import {
  CallChecks,
  checkBytes,
  checkFields,
  checkObject,
  checkPresent,
  checkState,
  withoutChannels,
} from './call-checks.ts';
import { type ClusterMember, clusterMember } from './cluster-member.ts';
import type { Environment } from './environment.ts';
import { linkGateway, type ViewGateway } from './gateway-link.ts';
import { Holdings, notShown } from './holdings.ts';
import { faultOfLog, type JoinSettings } from './join-options.ts';
import { type NodeEvent, type NodeEvents, NodeListeners } from './listeners.ts';
import { Outbox } from './outbox.ts';
import { Participant } from './participant.ts';
import { ShownWorld } from './shown-world.ts';
import { attachedIn } from './waiting-families.ts';
import { WorldCalls } from './world-calls.ts';

/** The part of a node that follows the log. For the simulation, which compares replicas. */
export let participantOf: (node: ClusterNode) => Participant;

/** One process's node in a world that several processes share: what `joinWorld` returns. See docs/cluster.md. */
export class ClusterNode extends WorldCalls {
  static {
    participantOf = (node) => node.#participant;
  }

  readonly #holdings: Holdings;
  readonly #outbox: Outbox;
  readonly #participant: Participant;
  readonly #environment: Environment;
  readonly #settings: JoinSettings;
  readonly #world: ShownWorld;
  #joined: { resolve: () => void; reject: (error: UmweltError) => void } | undefined;
  #left: { resolve: () => void; reject: (error: UmweltError) => void } | undefined;
  #leaving: Promise<void> | undefined;

  /** Used by `joinWorld`; `enter` starts it. */
  constructor(settings: JoinSettings, environment: Environment) {
    const checks = new CallChecks(settings.world, settings.views);
    const listeners = new NodeListeners((error) => environment.fault(error));
    const outbox = new Outbox(
      settings.pendingBytes,
      checks.dimensions,
      () => listeners.isEmitting,
      attachedIn(
        () => this.world,
        (id) => this.owned.has(id),
      ),
    );
    const settle = {
      joined: () => this.#joined?.resolve(),
      failed: (error: UmweltError) => {
        this.#joined?.reject(error);
        this.#left?.reject(error);
      },
      left: () => this.#left?.resolve(),
    };
    const holdings = new Holdings(listeners, settle, outbox, (replica) => this.#world.copied(replica));
    const participant = new Participant(settings, environment, holdings, outbox);
    super({
      get replica() {
        return participant.replica;
      },
      outbox,
      holdings,
      checks,
      checkIn: () => this.#checkIn(),
    });
    this.#settings = settings;
    this.#environment = environment;
    this.#outbox = outbox;
    this.#holdings = holdings;
    this.#participant = participant;
    this.#world = new ShownWorld(participant.replica);
  }

  /**
   * Resolves when the node is a member. Rejects as `joinWorld` does. Call it once only. Where it copies a state without an entity
   * that it is to show, that `show` rejects with `NOT_SHOWN`.
   */
  enter(): Promise<void> {
    return this.#withPatience('join', (resolve, reject) => {
      this.#joined = { resolve, reject };
      this.#participant.enter();
    });
  }

  /** The whole world as of the log, read-only. Always the same object, also after a state was copied: see `on('copy')`. */
  get world(): WorldReader {
    return this.#world;
  }

  /** The name it joined with. */
  get name(): string {
    return this.#settings.name;
  }

  /** Whether the node is a member now; while it is not, its calls wait. */
  get isLive(): boolean {
    return this.#participant.phase === 'live';
  }

  /** How far this node is behind the log: for how many milliseconds the log has had a record that is not applied yet. */
  get lagMs(): number {
    return this.#participant.lagMs;
  }

  /** Current members by the log, oldest member first. */
  get members(): readonly ClusterMember[] {
    const { members, tick } = this.#participant.replica;
    return members.live().map((member) => clusterMember(member, tick));
  }

  /** This node as a member; `undefined` while it is not a member. */
  get self(): ClusterMember | undefined {
    const { self, replica } = this.#participant;
    return self === undefined ? undefined : clusterMember(self, replica.tick);
  }

  /** The entities that this node may change: those it owns as of the last tick, minus those it gave away or removed since. */
  get owned(): ReadonlySet<EntityId> {
    return this.#holdings.owned;
  }

  /** The entity with that key; `undefined` if there is none. Cost: O(1). */
  find(key: string): EntityId | undefined {
    return this.#participant.replica.table.keys.get(key);
  }

  /** The member that owns the entity; `undefined` if it has no owner. Throws `BAD_ID`, `STALE_ID`. */
  ownerOf(id: EntityId): ClusterMember | undefined {
    checkPresent(id, this.world);
    return this.#memberByCode(this.#participant.replica.table.ownerOf(id));
  }

  /** The member that shows the watcher's view; `undefined` if none does. Throws `BAD_ID`, `STALE_ID`. */
  showerOf(id: EntityId): ClusterMember | undefined {
    checkPresent(id, this.world);
    return this.#memberByCode(this.#participant.replica.table.showerOf(id));
  }

  /** The entity's channel; 0 if it has not joined one. Throws `BAD_ID`, `STALE_ID`, `UNSUPPORTED`. */
  channelOf(id: EntityId): number {
    return this.#channels.channelOf(id);
  }

  /** Number of open channels, empty ones included. Throws `UNSUPPORTED`. */
  get channelCount(): number {
    return this.#channels.channelCount;
  }

  /** A copy of the bytes that `keep` stored with the entity; empty if none. Throws `BAD_ID`, `STALE_ID`. */
  stateOf(id: EntityId): Uint8Array {
    checkPresent(id, this.world);
    return this.#participant.replica.table.stateOf(id);
  }

  /** The entity's fields. Throws `BAD_ID`, `STALE_ID`. */
  fieldsOf(id: EntityId): Fields {
    checkPresent(id, this.world);
    return Object.fromEntries(this.#participant.replica.table.fields.get(id) ?? []);
  }

  /**
   * Sets fields that the gateways of all nodes show; other fields stay. Booleans, numbers and strings, at most 64 per entity:
   * a call that would make them more is refused, at once if those in the log alone are too many with it.
   * Throws `BAD_ID`, `STALE_ID`, `NOT_OWNED`, `BAD_OPTION`, `TOO_MUCH`.
   */
  set(id: EntityId, fields: Fields): void {
    this.checkOwned(id);
    checkFields(fields);
    const count = this.#participant.replica.table.fieldCountWith(id, fields);
    if (count > FIELDS_MAX) throw badOption('fields', count, `at most ${FIELDS_MAX} fields of one entity`);
    this.#outbox.put('fields', { id, fields });
  }

  /**
   * Stores the game's own state with the entity: it moves with the entity and survives its node. At most 16 KiB. Throws
   * `BAD_ID`, `STALE_ID`, `NOT_OWNED`, `BAD_OPTION`, `TOO_MUCH`.
   */
  keep(id: EntityId, state: Uint8Array): void {
    this.checkOwned(id);
    checkState(state);
    this.#outbox.put('keeps', { id, bytes: state });
  }

  /**
   * Gives the entity and its kept state to a member, which owns it from the next mark on. Does nothing if the member is gone,
   * or is this node.
   * Throws `BAD_ID`, `STALE_ID`, `NOT_OWNED`, `BAD_OPTION`, `TOO_MUCH`.
   */
  give(id: EntityId, to: ClusterMember | string): void {
    this.checkOwned(id);
    const { members } = this.#participant.replica;
    const member =
      typeof to === 'string' ? members.liveByName(to) : members.liveByIncarnation(to?.incarnation);
    if (member === undefined) throw badOption('member', to, 'a member of the world, or its name');
    // It owns the entity already.
    if (codeOf(member) === this.#participant.replica.selfCode) return;
    this.#outbox.put('gives', { id, member: member.number, incarnation: member.incarnation });
    this.#holdings.depart(id);
  }

  /**
   * Sends a message to the entity's owner at the time it is in the log: once, in log order. Dropped if there is no owner.
   * Throws `BAD_ID`, `STALE_ID`, `BAD_OPTION`, `TOO_MUCH`, `LOG_DOWN`.
   */
  send(id: EntityId, bytes: Uint8Array): void {
    this.#checkIn();
    checkPresent(id, this.world);
    checkBytes('bytes', bytes);
    this.#outbox.put('sends', { id, bytes });
  }

  /**
   * Sends a message to the clients of all nodes whose watcher perceives the marker: emits 'broadcast' on every node. With
   * `sense`, only to those that perceive it by this sense. Throws `BAD_ID`, `STALE_ID`, `BAD_OPTION`, `UNKNOWN_SENSE`,
   * `TOO_MUCH`, `LOG_DOWN`.
   */
  broadcast(marker: EntityId, bytes: Uint8Array, options: { readonly sense?: string } = {}): void {
    this.#checkIn();
    checkPresent(marker, this.world);
    checkBytes('bytes', bytes);
    checkObject('options', options, 'an object');
    rejectUnknown(options, ['sense']);
    const { sense = '' } = options;
    const { senseNames } = this.world;
    if (sense !== '' && !senseNames.includes(sense))
      throw badOption('sense', sense, `one of ${senseNames.join(', ')}`, 'UNKNOWN_SENSE');
    this.#outbox.put('broadcasts', { marker, sense, bytes });
  }

  /**
   * Makes this node report what the entity perceives, whichever node owns it. Takes effect when it resolves; the node that did
   * so before stops. Rejects with `NOT_SHOWN` if another node calls `show` for it later, and with `BAD_ID`, `STALE_ID`,
   * `BAD_OPTION`, `TOO_MUCH`, `LOG_DOWN`. `signal` takes the call back unless the log
   * has it, and it rejects with `NOT_SHOWN`: give it the one of `authenticate`, or a node that was cut off for a while takes the view
   * from the node to which the player has gone on. A record that was sent before and arrives late is the one exception.
   */
  show(id: EntityId, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    return this.#holdings.answer(this.#show(id, options));
  }

  async #show(id: EntityId, options: { readonly signal?: AbortSignal }): Promise<void> {
    checkObject('options', options, 'an object');
    rejectUnknown(options, ['signal']);
    const { signal } = options;
    if (signal !== undefined && !(signal instanceof AbortSignal))
      throw badOption('signal', signal, 'an AbortSignal');
    // A node that leaves would take the view from the one to which the player has gone on.
    if (this.#holdings.isLeaving) throw notIn();
    this.#checkIn();
    checkPresent(id, this.world);
    if (signal?.aborted) throw notShown(id);
    // While it is no member, the call waits until it has joined again.
    if (this.#participant.self !== undefined) this.#outbox.put('shows', { id, isShown: true });
    return this.#holdings.expectShow(id, signal);
  }

  /**
   * Stops showing the entity's view. Does nothing if this node does not show it, or once the node has left. A `show` of it that
   * still waits rejects with `NOT_SHOWN`.
   */
  hide(id: EntityId): void {
    const isIn = this.#participant.phase !== 'away' && !this.#holdings.isLeaving;
    if (!isIn || !this.#holdings.wanted.has(id)) return;
    if (this.#participant.self !== undefined) this.#outbox.show([id], false);
    this.#holdings.hide(id);
  }

  /** Calls the listener at each event until the returned function is called. Throws `BAD_OPTION`. */
  on<E extends NodeEvent>(event: E, listener: NodeEvents[E]): () => void {
    return this.#holdings.listeners.add(event, listener);
  }

  /**
   * Connects a gateway that was made on `node.world`, to show this node's watchers to its clients: publishes each tick, sets
   * fields as the log has them, passes broadcasts on. Sessions whose watcher another node shows, or this node hides, are ended;
   * one whose watcher was removed stays without one, as on a world of one process. After a state was copied, clients are
   * resynchronised. Call the returned function to disconnect, also once the gateway was drained: clients keep what they see until
   * it is attached again. A room's interest that was disposed of is disconnected by itself. Throws `BAD_OPTION` for a gateway on
   * another world, and for one that is attached.
   */
  attach(gateway: ViewGateway): () => void {
    return linkGateway(gateway, {
      world: this.#world,
      listeners: this.#holdings.listeners,
      fields: () => this.#participant.replica.table.fields,
      isLagging: () => this.#participant.isLagging,
      hasLost: (watcher) => this.#hasLost(watcher),
    });
  }

  /**
   * Gives all owned entities to members that adopt, and leaves. Resolves when that is in the log. Rejects with `LOG_DOWN` after
   * `patienceMs`: the node stops nevertheless, and the others drop it as silent. Does not throw `TOO_MUCH`:
   * the others adopt what does not fit into the calls that wait. The game may go on calling meanwhile, except for `show`: what it
   * calls then is not in the log any more.
   */
  leave(): Promise<void> {
    if (this.#participant.phase === 'away') return Promise.resolve();
    this.#leaving ??= this.#holdings.answer(this.#leave());
    return this.#leaving;
  }

  /**
   * Stops at once, as a crash would; the others drop this node as silent. Promises of `add`, `show` and `leave` that still wait
   * for the log reject with `LOG_DOWN`, which may remain unhandled. Catch it where your own async functions await them: a
   * rejection of those that nobody handles ends a Node.js process. No listener is called any more.
   */
  halt(): void {
    this.#holdings.excuse();
    this.#stop(new UmweltError('LOG_DOWN', 'the node was halted before this call was in the log'));
  }

  #stop(error: UmweltError): void {
    this.#participant.halt();
    this.#holdings.gaveUp(error);
  }

  #leave(): Promise<void> {
    const { replica, self } = this.#participant;
    const others = replica.members
      .live()
      .filter(({ adopts, incarnation }) => adopts && incarnation !== self?.incarnation);
    // By the log: `owned` does not have yet what it was given since the last tick.
    for (const id of replica.table.ownedBy(replica.selfCode)) if (!this.#giveByHash(id, others)) break;
    this.#holdings.isLeaving = true;
    return this.#withPatience('leave', (resolve, reject) => {
      this.#left = { resolve, reject };
      this.#participant.leave();
    });
  }

  get #channels(): Channels {
    const { channels } = this.#participant.replica;
    if (channels === undefined) throw withoutChannels();
    return channels;
  }

  /** False if nothing more may wait for the log: the others adopt the rest once this node is gone, by the same hash. */
  #giveByHash(id: EntityId, others: readonly Member[]): boolean {
    const adopter = this.#environment.rules.adopterOf(id, others);
    if (adopter === undefined || this.#holdings.departing.has(id)) return true;
    try {
      this.#outbox.put('gives', { id, member: adopter.number, incarnation: adopter.incarnation });
    } catch (error) {
      if (error instanceof UmweltError && error.code === 'TOO_MUCH') return false;
      throw error;
    }
    return true;
  }

  /** Throws `LOG_DOWN` once the node has left or failed. */
  #checkIn(): void {
    if (this.#participant.phase === 'away') throw notIn();
  }

  /** Not for a watcher that nobody shows yet, whose `show` may follow. */
  #hasLost(watcher: EntityId): boolean {
    const { table, selfCode } = this.#participant.replica;
    const shower = table.showerOf(watcher);
    return !this.#holdings.wanted.has(watcher) && shower !== 0 && shower !== selfCode;
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
      const gaveUp = () => {
        const { lastFault } = this.#participant;
        const faults = [lastFault, faultOfLog(this.#settings)].flatMap((fault) => fault?.message ?? []);
        const why = faults.join('; ') || 'the log gave no answer';
        const isBad = lastFault instanceof UmweltError && lastFault.code === 'BAD_SNAPSHOT';
        const code = what === 'join' && isBad ? 'BAD_SNAPSHOT' : 'LOG_DOWN';
        this.#stop(new UmweltError(code, `could not ${what} within ${patienceMs} ms: ${why}`));
      };
      const cancel = afterAwake(patienceMs, gaveUp, this.#environment);
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

function notIn(): UmweltError {
  return new UmweltError('LOG_DOWN', 'the node is not in the world, expected a call before it left');
}
