/** The options of joinWorld, checked and with defaults filled in. */
import type { ChannelOptions, WorldOptions } from 'umwelt';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { badOption, rejectUnknown } from '../log/bad-option.ts';
import { checkLog } from '../log/checked-log.ts';
import type { Log } from '../log/log.ts';
import { NAME_LENGTH_MAX, type Word64 } from '../records/record.ts';
import { checkedWorldOptions, checkObject, copyOf, refusedMutual } from './call-checks.ts';
import { type SharedSettings, settingsDigest, sharedSettings } from './shared-settings.ts';

/** Options of `joinWorld`. */
export interface JoinOptions {
  /** The log that all nodes of the world share. */
  readonly log: Log;
  /** Options of `new World`. The same on all nodes, except detector, kernels, threads, capacity and debug. Default: those of `new World()`. */
  readonly world?: WorldOptions;
  /** Gives the world `Channels`, balanced before each tick on all nodes. The same on all nodes. `choose` may use only what all nodes have. Default: no channels. */
  readonly channels?: ChannelOptions;
  /**
   * Unique member name, 1 to 64 letters. A node that joins under a name in use replaces that member, which comes back only when
   * the new one is gone. Default: random.
   */
  readonly name?: string;
  /** Whether it takes over entities of members that are gone. Default true. */
  readonly adopts?: boolean;
  /** 'own' (default): it computes only its own watchers' views. 'all': all watchers' views; needed for `mutual` interests. */
  readonly views?: 'own' | 'all';
  /** Milliseconds per tick, 1 to 60,000; the first member's value is used. Default 50. */
  readonly tickMs?: number;
  /** A member without a record for more than this many ticks is gone; the first member's value is used. Default 100. */
  readonly silenceTicks?: number;
  /** Limit for bytes of calls that wait for the log; beyond it calls throw `TOO_MUCH`; those of the node's listeners beyond twice as much. Default 4 MiB. */
  readonly pendingBytes?: number;
  /** Time after which joining and leaving reject with `LOG_DOWN` if the log gives no answer, in ms. Default 30,000. */
  readonly patienceMs?: number;
  /** Where checkpoints are saved, and loaded from when no member answers: see docs/cluster.md. Default: nowhere. */
  readonly checkpoints?: Checkpoints;
  /** Milliseconds between checkpoints, at most half of what the log keeps; the oldest member saves them. Default 300,000. */
  readonly checkpointMs?: number;
}

export interface JoinSettings extends Required<Omit<JoinOptions, 'checkpoints' | 'channels'>> {
  readonly channels: ChannelOptions | undefined;
  readonly checkpoints: Checkpoints | undefined;
  readonly shared: SharedSettings;
  /** Digest of `shared` and `views`. */
  readonly settings: Word64;
}

const NAMES: readonly string[] = [
  'log',
  'world',
  'channels',
  'name',
  'adopts',
  'views',
  'tickMs',
  'silenceTicks',
  'pendingBytes',
  'patienceMs',
  'checkpoints',
  'checkpointMs',
];
const CHECKPOINT_METHODS = ['save', 'newest'] as const;
/** Timers of Node.js take no longer time: they would ring at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Checks options and fills in defaults. Throws `BAD_OPTION`, `UNSUPPORTED`, and what `new World` throws. */
export function resolveJoinOptions(options: JoinOptions, randomName: () => string): JoinSettings {
  checkObject('options', options, 'an object with JoinOptions');
  rejectUnknown(options, NAMES);
  const { log, world: given = {}, adopts = true, views = 'own', name = randomName() } = options;
  checkLog(log);
  if (typeof name !== 'string' || name === '' || name.length > NAME_LENGTH_MAX) {
    throw badOption('name', name, `a text of 1 to ${NAME_LENGTH_MAX} letters`);
  }
  if (typeof adopts !== 'boolean') throw badOption('adopts', adopts, 'true or false');
  if (views !== 'own' && views !== 'all') throw badOption('views', views, "'own' or 'all'");
  const world = checkedWorldOptions(given);
  if (views === 'own') refuseMutual(world);
  const { checkpoints } = options;
  for (const method of checkpoints === undefined ? [] : CHECKPOINT_METHODS) {
    if (typeof checkpoints?.[method] !== 'function') {
      throw badOption('checkpoints', checkpoints, `Checkpoints: it has no ${method}()`);
    }
  }
  const checkpointMs = numberOf(options, 'checkpointMs', 300_000, 1, 2 ** 31);
  const fault = faultOfLog({ log, checkpoints, checkpointMs });
  if (fault !== undefined) throw fault;
  const channels = copyOf(options.channels) as ChannelOptions | undefined;
  const shared = sharedSettings(world, channels);
  return {
    log,
    world,
    channels,
    name,
    adopts,
    views,
    tickMs: numberOf(options, 'tickMs', 50, 1, 60_000),
    silenceTicks: numberOf(options, 'silenceTicks', 100, 1, 2 ** 31),
    pendingBytes: numberOf(options, 'pendingBytes', 4 * 1024 * 1024, 1024, 2 ** 31),
    patienceMs: numberOf(options, 'patienceMs', 30_000, 0, TIMER_MS_MAX),
    checkpoints,
    checkpointMs,
    shared,
    settings: settingsDigest(shared, views),
  };
}

/** Why the world may lose something with this log as it is now; `undefined` if it does not. */
export function faultOfLog({
  log,
  checkpoints,
  checkpointMs,
}: Pick<JoinSettings, 'log' | 'checkpoints' | 'checkpointMs'>): Error | undefined {
  const { fault, keepsMs } = log;
  if (fault !== undefined) return fault;
  if (checkpoints === undefined || keepsMs === undefined || keepsMs >= 2 * checkpointMs) return undefined;
  // What came between the newest checkpoint and the oldest record would be lost.
  const expected = `at most half of the ${keepsMs} ms for which the log keeps records`;
  return badOption('checkpointMs', checkpointMs, expected);
}

/** Mutual interests need the views of all watchers, and with 'own' a node does not know the views that others show. */
function refuseMutual({ interests = {} }: WorldOptions): void {
  for (const [name, interest] of Object.entries(interests)) {
    if (interest?.mutual === true) throw refusedMutual(name);
  }
}

function numberOf(
  options: JoinOptions,
  field: 'tickMs' | 'silenceTicks' | 'pendingBytes' | 'patienceMs' | 'checkpointMs',
  usual: number,
  least: number,
  most: number,
): number {
  const { [field]: value = usual } = options;
  if (typeof value === 'number' && value >= least && value <= most && Number.isInteger(value)) return value;
  throw badOption(field, value, `a whole number of ${least} to ${most}`);
}
