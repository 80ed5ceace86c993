/**
 * Observes a world that several processes share, as a whole, without being a member. No node waits for an observer.
 *
 * An observer follows the log as nodes do, and computes the views of all shown watchers: the same as one process with all
 * players would have. The inspector can draw its world, and `umwelt replay` plays a recording of it. Cost: that of one
 * process with all entities, and one more reader of the log.
 *
 * It starts from the state of a member, stored with all watchers inactive: shown watchers become active in it, and get their
 * surroundings anew at the first tick. From then on it reports what the nodes do, except for what rules carry over from
 * earlier ticks: seats, memory, ages.
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
import { badOption, rejectUnknown } from '../log/bad-option.ts';
import { checkLog } from '../log/checked-log.ts';
import type { Log } from '../log/log.ts';
import type { Replica } from '../state/replica.ts';
import { loadReplica } from '../state/stored-replica.ts';
import { checkedWorldOptions, checkObject, checkPresent, copyOf } from './call-checks.ts';
import { type ClusterMember, clusterMember } from './cluster-member.ts';
import { type Environment, SYSTEM } from './environment.ts';
import { aheadOfLog, faultOfFormat } from './join-faults.ts';
import { checkObserved, readSharedSettings } from './shared-settings.ts';
import { askForSettings, askForState } from './state-transfer.ts';
import { isTailKept } from './tail-check.ts';

/** Options of `observeWorld`. */
export interface ObserveOptions {
  /** The log of the nodes. */
  readonly log: Log;
  /**
   * The nodes' world options. Needed only if their interests have functions. Interests other than the members' are refused, other
   * options have no effect. Default: those of the members.
   */
  readonly world?: WorldOptions;
  /** The nodes' channel options; others are refused. Default: no channels. */
  readonly channels?: ChannelOptions;
  /** The nodes' value. Default 'own'. */
  readonly views?: 'own' | 'all';
  /** Called after each tick. Default: nothing is called. */
  readonly ticked?: () => void;
  /**
   * Called with what `ticked`, `ended`, a listener of the world or the sink of a recording throws. The observer goes on, unless it has
   * ended, and the sink is given the same piece again after the next tick: see `RecordingSink`. Default: thrown as an uncaught error.
   */
  readonly threw?: (error: unknown) => void;
  /**
   * Called when it cannot go on: the log has lost records, or no longer keeps the next ones. Call `observeWorld` again. With
   * `UNSUPPORTED` if the members are of a later version now: observe with that version.
   * If the sink of a recording throws then, that error is thrown, too. Default: nothing is called.
   */
  readonly ended?: (error: UmweltError) => void;
}

/** The part of an observer that follows the log. For the simulation, which compares replicas. */
export let observedBy: (observer: WorldObserver) => Replica;

/** A world that several processes share, observed as a whole from outside. */
export class WorldObserver {
  static {
    observedBy = (observer) => observer.#replica;
  }

  /** The whole world, with the views of all shown watchers. Do not change anything in it. */
  readonly world: RecordedWorld;
  readonly #replica: Replica;
  readonly #log: Log;
  readonly #ended: (error: UmweltError) => void;
  readonly #threw: (error: unknown) => void;
  readonly #environment: Observing;
  #stop: () => void = () => {};
  #isOver = false;

  /** Used by `observeWorld`. */
  constructor(
    replica: Replica,
    { log, ended = () => {}, threw = SYSTEM.fault }: ObserveOptions,
    environment: Observing,
  ) {
    this.#environment = environment;
    this.world = replica.world as RecordedWorld;
    this.#replica = replica;
    this.#log = log;
    this.#ended = ended;
    this.#threw = threw;
  }

  /** Current members by the log, oldest member first. */
  get members(): readonly ClusterMember[] {
    const { members, tick } = this.#replica;
    return members.live().map((member) => clusterMember(member, tick));
  }

  /** The member that owns the entity; `undefined` if it has no owner. Throws `BAD_ID`, `STALE_ID`. */
  ownerOf(id: EntityId): ClusterMember | undefined {
    checkPresent(id, this.world);
    return this.#memberByCode(this.#replica.table.ownerOf(id));
  }

  /** The member that shows the watcher's view; `undefined` if none does. Throws `BAD_ID`, `STALE_ID`. */
  showerOf(id: EntityId): ClusterMember | undefined {
    checkPresent(id, this.world);
    return this.#memberByCode(this.#replica.table.showerOf(id));
  }

  /** See `RecordedWorld.record`: records from now until `stop`. What the sink throws later is given to `ObserveOptions.threw`. */
  record(sink: RecordingSink, options: RecordOptions = {}): void {
    this.world.record(sink, options);
  }

  /** Stops observing, and stops a recording. Throws what its sink throws: call it again to write the rest. */
  stop(): void {
    this.#isOver = true;
    this.#stop();
    this.#stop = () => {};
    this.world.stopRecording();
  }

  /** Used by `observeWorld`: follows the log. */
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

  /** The connection broke: it goes on if the log is still the one whose records were applied. */
  async #lost(): Promise<void> {
    this.#stop();
    this.#stop = () => {};
    while (!this.#isOver) {
      const isKept = await this.#goOn().catch(() => undefined);
      if (isKept === false) this.#end('the log lost records that were applied');
      if (isKept !== undefined) return;
      await new Promise<void>((resolve) => this.#environment.after(RETRY_MS, resolve));
    }
  }

  /** False if the log lost records that were applied. Rejects while the log cannot be reached, with whatever its calls reject with. */
  async #goOn(): Promise<boolean> {
    const isKept = await isTailKept(this.#log, this.#replica.recent);
    if (isKept && !this.#isOver) await this.follow();
    return isKept;
  }

  /** Used by `observeWorld`: the log continues from another state. */
  begunAnew(): void {
    this.#end('the log continues from another state');
  }

  /** Used by `observeWorld`: all members are of a later version now. */
  formatRose(): void {
    const fault = faultOfFormat(this.#replica);
    if (fault !== undefined) this.#endWith(fault);
  }

  #end(why: string): void {
    this.#endWith(new UmweltError('LOG_DOWN', `${why}: call observeWorld again`));
  }

  #endWith(error: UmweltError): void {
    if (this.#isOver) return;
    try {
      this.stop();
    } finally {
      try {
        this.#ended(error);
      } catch (error) {
        this.#threw(error);
      }
    }
  }

  #memberByCode(code: number): ClusterMember | undefined {
    const member = code === 0 ? undefined : this.#replica.members.byNumber(code - 1);
    return member === undefined ? undefined : clusterMember(member, this.#replica.tick);
  }
}

const RETRY_MS = 200;

/** What an observer needs from outside. */
type Observing = Pick<Environment, 'after' | 'formats'>;

/**
 * Observes the world of a log. Resolves when it follows the log. Rejects with `BAD_OPTION`, `LOG_DOWN` if no member answers,
 * `SETTINGS_DIFFER` if `views`, `channels` or interests are not those of the members, `UNKNOWN_INTEREST` if an interest has
 * functions that were not given, `UNKNOWN_GROUP` for channels by a group that the world does not have, `BAD_SNAPSHOT` for bytes
 * that are no state, `UNSUPPORTED` for one of another version.
 */
export function observeWorld(options: ObserveOptions): Promise<WorldObserver> {
  return observeIn(options, SYSTEM);
}

/** As `observeWorld`. For the simulation, which has a time of its own. */
export async function observeIn(options: ObserveOptions, environment: Observing): Promise<WorldObserver> {
  checkObject('options', options, 'an object with ObserveOptions');
  rejectUnknown(options, ['log', 'world', 'channels', 'views', 'ticked', 'threw', 'ended']);
  const { log, world: given = {}, views = 'own', ticked = () => {}, ended = () => {} } = options;
  const { threw = SYSTEM.fault } = options;
  checkLog(log);
  if (views !== 'own' && views !== 'all') throw badOption('views', views, "'own' or 'all'");
  if (typeof ticked !== 'function') throw badOption('ticked', ticked, 'a function');
  if (typeof threw !== 'function') throw badOption('threw', threw, 'a function');
  if (typeof ended !== 'function') throw badOption('ended', ended, 'a function');
  const world = checkedWorldOptions(given);
  const channels = copyOf(options.channels) as ChannelOptions | undefined;
  const state = await askForState(log);
  if (state === undefined)
    throw new UmweltError('LOG_DOWN', 'no member answers: none is alive, or all are busy joining');
  const settings = await askForSettings(log);
  // Members of an earlier version do not answer that.
  if (settings !== undefined) checkObserved(readSharedSettings(settings), world, channels);
  const loaded = loadReplica(state, {
    world,
    ...(channels && { channels }),
    views,
    formats: environment.formats,
    Made: RecordedWorld,
    events: {
      // What users' functions throw must not interrupt the record being applied: the rest of it would be missing for good.
      tick: () => {
        try {
          ticked();
        } catch (error) {
          threw(error);
        }
      },
      tickThrew: threw,
      format: () => observer.formatRose(),
      anew: () => observer.begunAnew(),
    },
  });
  // A member may not know yet that the log has lost what that state was made from.
  if (!(await isTailKept(log, loaded.recent))) aheadOfLog();
  const observer = new WorldObserver(withAllViews(loaded), options, environment);
  await observer.follow();
  return observer;
}

/** A replica that computes the views of all shown watchers, whichever member shows them. */
function withAllViews(replica: Replica): Replica {
  const { table, world } = replica;
  if (replica.views === 'all') return replica;
  replica.seesAll = true;
  for (let slot = 0; slot < world.slotCount; slot++) {
    if (table.ids[slot] !== 0 && table.awake[slot] === 1) world.update(table.ids[slot], { watches: true });
  }
  return replica;
}
