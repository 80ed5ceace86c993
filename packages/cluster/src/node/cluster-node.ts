/**
 * A process's part in a world that several share: what `joinWorld` answers.
 *
 * What is called here counts once it is in the log, which is some milliseconds and a mark later; what is asked is answered
 * from the log. So a node never shows what another would not. Only an entity's owner may change it. Calls are checked at
 * once, as `World` checks them; what another node did in the meantime may still refuse them, and then they are left out.
 */
import { type Channels, type EntityId, UmweltError, type WorldReader } from 'umwelt';
import type { Fields } from '../records/calls.ts';
import { codeOf, type Member } from '../state/members.ts';
import { bad, CallChecks, checkBytes, checkState, withoutChannels } from './call-checks.ts';
import { type ClusterMember, clusterMember } from './cluster-member.ts';
import type { Environment } from './environment.ts';
import { linkGateway, type ViewGateway } from './gateway-link.ts';
import { Holdings } from './holdings.ts';
import type { JoinSettings } from './join-options.ts';
import { type NodeEvent, type NodeEvents, NodeListeners } from './listeners.ts';
import { Outbox } from './outbox.ts';
import { Participant } from './participant.ts';
import { ShownWorld } from './shown-world.ts';
import { WorldCalls } from './world-calls.ts';

const NOTHING = new Uint8Array(0);

/** The part of a node that follows the log: for the simulation, which compares replicas. */
export let participantOf: (node: ClusterNode) => Participant;

/** A process's part in a world that several share: what `joinWorld` answers. See docs/cluster.md. */
export class ClusterNode extends WorldCalls {
  static {
    participantOf = (node) => node.#participant;
  }

  readonly #holdings: Holdings;
  readonly #outbox: Outbox;
  readonly #participant: Participant;
  readonly #environment: Environment;
  readonly #settings: JoinSettings;
  readonly #checks: CallChecks;
  readonly #world: ShownWorld;
  #joined: { resolve: () => void; reject: (error: UmweltError) => void } | undefined;
  #left: { resolve: () => void; reject: (error: UmweltError) => void } | undefined;

  /** For `joinWorld`: `enter` begins. */
  constructor(settings: JoinSettings, environment: Environment) {
    const checks = new CallChecks(settings.world, settings.views);
    const outbox = new Outbox(settings.pendingBytes, checks.dimensions);
    const settle = {
      joined: () => this.#joined?.resolve(),
      failed: (error: UmweltError) => {
        this.#joined?.reject(error);
        this.#left?.reject(error);
      },
      left: () => this.#left?.resolve(),
    };
    const holdings = new Holdings(
      new NodeListeners((error) => environment.fault(error)),
      settle,
      (ids) => {
        for (const id of ids) outbox.put('shows', { id, isShown: true });
      },
      (replica) => this.#world.copied(replica),
    );
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
    this.#checks = checks;
    this.#outbox = outbox;
    this.#holdings = holdings;
    this.#participant = participant;
    this.#world = new ShownWorld(participant.replica);
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

  /** The channel that it is in; 0 for one that has not joined. Throws `BAD_ID`, `STALE_ID`, `UNSUPPORTED`. */
  channelOf(id: EntityId): number {
    return this.#channels.channelOf(id);
  }

  /** Channels that are open now, empty ones included. Throws `UNSUPPORTED`. */
  get channelCount(): number {
    return this.#channels.channelCount;
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

  /** What gateways of all nodes show of it; other fields stay. Booleans, numbers and texts, at most 64 an entity. */
  set(id: EntityId, fields: Fields): void {
    this.checkOwned(id);
    this.#outbox.put('fields', { id, fields });
  }

  /** The game's own state of it: goes with the entity, and survives its node. At most 16 KiB. */
  keep(id: EntityId, state: Uint8Array): void {
    this.checkOwned(id);
    checkState(state);
    this.#outbox.put('keeps', { id, bytes: state });
  }

  /** That member owns it from the mark on that tells, with what is kept with it; where it is gone, nothing changes. */
  give(id: EntityId, to: ClusterMember | string): void {
    this.checkOwned(id);
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

  /** This node reports it no more. Does nothing where it was not asked to, where another was since, and once the node left. */
  hide(id: EntityId): void {
    const isIn = this.#participant.phase !== 'away' && !this.#holdings.isLeaving;
    if (!isIn || !this.#holdings.wanted.has(id)) return;
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
    this.#checks.dispose();
  }

  get #channels(): Channels {
    const { channels } = this.#participant.replica;
    if (channels === undefined) throw withoutChannels();
    return channels;
  }

  #giveByHash(id: EntityId, others: readonly Member[]): void {
    const adopter = this.#environment.rules.adopterOf(id, others);
    if (adopter === undefined || this.#holdings.departing.has(id)) return;
    this.#outbox.put('gives', { id, member: adopter.number, incarnation: adopter.incarnation });
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
