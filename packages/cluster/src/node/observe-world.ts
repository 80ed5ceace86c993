/**
 * A world that several processes share, seen whole from outside: no member, no part in it, and nobody waits for it.
 *
 * An observer follows the log as nodes do, and computes what all shown watchers perceive: so it is what one process would be that
 * had all players. The inspector draws its world, and a recording of it is one that `umwelt replay` plays. Cost: that of one
 * process with everyone in it, and one more reader of the log.
 *
 * It begins with the state of a member, in which nobody perceives: who is shown wakes in it, and has its surroundings anew at
 * the first tick. From then on it reports what the nodes do, but for what rules hold on to from before: seats, memory, ages.
 */
import {
  type ChannelOptions,
  type EntityId,
  RecordedWorld,
  type RecordingSink,
  type RecordOptions,
  UmweltError,
  type WorldOptions,
} from 'umwelt';
import type { Log } from '../log/log.ts';
import type { Replica } from '../state/replica.ts';
import { loadReplica } from '../state/stored-replica.ts';
import { type ClusterMember, clusterMember } from './cluster-member.ts';
import { askForState } from './state-transfer.ts';
import { isTailKept } from './tail-check.ts';

/** Options of `observeWorld`. */
export interface ObserveOptions {
  /** The nodes' log. */
  readonly log: Log;
  /** As the nodes' where their interests have functions; else nothing need be said. */
  readonly world?: WorldOptions;
  /** As the nodes'. */
  readonly channels?: ChannelOptions;
  /** As the nodes'. Default 'own'. */
  readonly views?: 'own' | 'all';
  /** After each tick. */
  readonly ticked?: () => void;
  /** It cannot go on: the log has lost records, or does not keep those that come next. Observe anew. */
  readonly ended?: (error: UmweltError) => void;
}

/** A world that several processes share, seen whole from outside. */
export class WorldObserver {
  /** All of it, with the views of all that are shown. Change nothing in it. */
  readonly world: RecordedWorld;
  readonly #replica: Replica;
  readonly #log: Log;
  readonly #ended: (error: UmweltError) => void;
  #stop: () => void = () => {};
  #isOver = false;

  /** For `observeWorld`. */
  constructor(replica: Replica, { log, ended = () => {} }: ObserveOptions) {
    this.world = replica.world as RecordedWorld;
    this.#replica = replica;
    this.#log = log;
    this.#ended = ended;
  }

  /** Members now, by the log; the longest there first. */
  get members(): readonly ClusterMember[] {
    const { members, tick } = this.#replica;
    return members.live().map((member) => clusterMember(member, tick));
  }

  /** The member that may change it; `undefined` where nobody may. Throws `BAD_ID`, `STALE_ID`. */
  ownerOf(id: EntityId): ClusterMember | undefined {
    return this.#memberByCode(this.#replica.table.owners[this.world.slotOf(id)]);
  }

  /** The member that shows what it perceives. Throws `BAD_ID`, `STALE_ID`. */
  showerOf(id: EntityId): ClusterMember | undefined {
    return this.#memberByCode(this.#replica.table.showers[this.world.slotOf(id)]);
  }

  /** As `RecordedWorld.record`: from now on, until it is stopped. */
  record(sink: RecordingSink, options: RecordOptions = {}): void {
    this.world.record(sink, options);
  }

  /** Ends it, and a recording. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stop();
    this.world.stopRecording();
  }

  /** For `observeWorld`: follows the log. */
  async follow(): Promise<void> {
    const stop = await this.#log.follow(
      this.#replica.position + 1,
      (position, bytes) => this.#take(position, bytes),
      () => void this.#lost(),
    );
    if (this.#isOver) stop();
    else this.#stop = stop;
  }

  #take(position: number, bytes: Uint8Array): void {
    if (this.#isOver || position <= this.#replica.position) return;
    if (position > this.#replica.position + 1) this.#end('the log does not keep the records that come next');
    else this.#replica.apply(position, bytes);
  }

  /** The connection broke: it goes on where the log is still the one whose records were applied. */
  async #lost(): Promise<void> {
    this.#stop();
    this.#stop = () => {};
    while (!this.#isOver) {
      try {
        if (await isTailKept(this.#log, this.#replica.recent)) await this.follow();
        else this.#end('the log lost records that were applied');
        return;
      } catch (error) {
        if (!(error instanceof UmweltError)) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  /** For `observeWorld`: the log goes on from another state. */
  begunAnew(): void {
    this.#end('the log was begun anew with another state');
  }

  #end(why: string): void {
    if (this.#isOver) return;
    this.stop();
    this.#ended(new UmweltError('LOG_DOWN', `${why}: expected to observe anew`));
  }

  #memberByCode(code: number): ClusterMember | undefined {
    const member = code === 0 ? undefined : this.#replica.members.byNumber(code - 1);
    return member === undefined ? undefined : clusterMember(member, this.#replica.tick);
  }
}

const RETRY_MS = 200;

/**
 * Observes the world of a log. Resolves when it follows. Rejects with `LOG_DOWN` where no member answers, `SETTINGS_DIFFER` for
 * other views, `UNKNOWN_INTEREST` where an interest has functions that were not given.
 */
export async function observeWorld(options: ObserveOptions): Promise<WorldObserver> {
  const { log, world = {}, channels, views = 'own', ticked = () => {} } = options;
  const state = await askForState(log);
  if (state === undefined)
    throw new UmweltError('LOG_DOWN', 'no member answers: none is alive, or those that are join just now');
  const loaded = loadReplica(state, {
    world,
    ...(channels && { channels }),
    views,
    Made: RecordedWorld,
    events: { tick: () => ticked(), anew: () => observer.begunAnew() },
  });
  const observer = new WorldObserver(withAllViews(loaded), options);
  await observer.follow();
  return observer;
}

/** It computes what all that are shown perceive, whoever shows them. */
function withAllViews(replica: Replica): Replica {
  const { table, world } = replica;
  if (replica.views === 'all') return replica;
  replica.seesAll = true;
  for (let slot = 0; slot < world.slotCount; slot++) {
    if (table.ids[slot] !== 0 && table.awake[slot] === 1) world.update(table.ids[slot], { watches: true });
  }
  return replica;
}
