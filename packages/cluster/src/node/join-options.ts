/** What a caller says of a node that is to join, checked; and the digest by which nodes find out that theirs differ. */
import { type ChannelOptions, Channels, World, type WorldOptions } from 'umwelt';
import { checksumOf } from 'umwelt/bytes';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { Log } from '../log/log.ts';
import { NAME_LENGTH_MAX, type Word64 } from '../records/record.ts';
import { bad, refusedMutual } from './call-checks.ts';

/** Options of `joinWorld`. */
export interface JoinOptions {
  /** What all nodes of the world share. */
  readonly log: Log;
  /** As `new World` takes them; on all nodes alike but for detector, kernels, threads, capacity and debug. */
  readonly world?: WorldOptions;
  /** The world has `Channels`, balanced before each tick by all nodes; alike on all. `choose` must depend on nothing but what all have. */
  readonly channels?: ChannelOptions;
  /** Tells the members apart, 1 to 64 letters. One that joins under the name of another takes its place. Default: a random one. */
  readonly name?: string;
  /** Whether it takes over entities of members that are gone. Default true. */
  readonly adopts?: boolean;
  /** 'own' (default): it computes what its own watchers perceive. 'all': everyone's; needed for `mutual` interests. */
  readonly views?: 'own' | 'all';
  /** Milliseconds from tick to tick, 1 to 60,000; the first member's count. Default 50. */
  readonly tickMs?: number;
  /** A member without a record for more ticks than that is gone; the first member's count. Default 100. */
  readonly silenceTicks?: number;
  /** Bytes of calls that may wait for the log; beyond, a call throws `TOO_MUCH`. Default 4 MiB. */
  readonly pendingBytes?: number;
  /** How long joining and leaving wait for the log until they reject with `LOG_DOWN`. Default 30,000. */
  readonly patienceMs?: number;
  /** Where states are put by, and the newest one found when no member is there to answer: see docs/cluster.md. */
  readonly checkpoints?: Checkpoints;
  /** How often the member that is longest in the world puts one by. Default 300,000. */
  readonly checkpointMs?: number;
}

export interface JoinSettings extends Required<Omit<JoinOptions, 'checkpoints' | 'channels'>> {
  readonly channels: ChannelOptions | undefined;
  readonly checkpoints: Checkpoints | undefined;
  readonly settings: Word64;
}

const NAMES: ReadonlySet<string> = new Set([
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
]);
const LOG_METHODS = ['append', 'follow', 'read', 'ask', 'answer'] as const;

/** Throws `BAD_OPTION`, `UNSUPPORTED`, and what `new World` throws. */
export function resolveJoinOptions(options: JoinOptions, randomName: () => string): JoinSettings {
  if (typeof options !== 'object' || options === null)
    throw bad('options', options, 'an object of JoinOptions');
  for (const key of Object.keys(options)) {
    if (!NAMES.has(key)) throw bad(key, undefined, `one of ${[...NAMES].join(', ')}`);
  }
  const { log, world = {}, adopts = true, views = 'own', name = randomName() } = options;
  for (const method of LOG_METHODS) {
    if (typeof log?.[method] !== 'function') throw bad('log', log, `a Log: it has no ${method}()`);
  }
  if (typeof name !== 'string' || name === '' || name.length > NAME_LENGTH_MAX) {
    throw bad('name', name, `a text of 1 to ${NAME_LENGTH_MAX} letters`);
  }
  if (typeof adopts !== 'boolean') throw bad('adopts', adopts, 'true or false');
  if (views !== 'own' && views !== 'all') throw bad('views', views, "'own' or 'all'");
  if (views === 'own') refuseMutual(world);
  const { checkpoints } = options;
  if (checkpoints !== undefined && typeof checkpoints.newest !== 'function') {
    throw bad('checkpoints', checkpoints, 'Checkpoints');
  }
  return {
    log,
    world,
    channels: options.channels,
    name,
    adopts,
    views,
    tickMs: numberOf('tickMs', options.tickMs ?? 50, 1, 60_000),
    silenceTicks: numberOf('silenceTicks', options.silenceTicks ?? 100, 1, 2 ** 31),
    pendingBytes: numberOf('pendingBytes', options.pendingBytes ?? 4 * 1024 * 1024, 1024, 2 ** 31),
    patienceMs: numberOf('patienceMs', options.patienceMs ?? 30_000, 0, 2 ** 31),
    checkpoints,
    checkpointMs: numberOf('checkpointMs', options.checkpointMs ?? 300_000, 1, 2 ** 31),
    settings: settingsDigest(world, views, options.channels),
  };
}

/** Who else perceives whom decides there, and a node does not know it of watchers that others show. */
function refuseMutual({ interests = {} }: WorldOptions): void {
  for (const [name, interest] of Object.entries(interests)) {
    if (interest?.mutual === true) throw refusedMutual(name);
  }
}

/**
 * Of all that decides what a world reports, by what an empty one stores: defaults and what was said in another way come to
 * the same. What each node may choose for itself is left out.
 */
function settingsDigest(
  options: WorldOptions,
  views: 'own' | 'all',
  channels: ChannelOptions | undefined,
): Word64 {
  const world = new World({
    ...options,
    ...(options.granularity === 'cell' ? {} : { detector: 'brute-force' as const }),
    capacity: 0,
    threads: 1,
  });
  // Made once, so that a mistake in its options shows now.
  if (channels !== undefined) new Channels(world, channels).dispose();
  const bytes = world.snapshot();
  void world.dispose();
  const [low, high] = checksumOf(Buffer.concat([bytes, channelBytes(channels)]));
  return views === 'all' ? [~low >>> 0, high] : [low, high];
}

function channelBytes(channels: ChannelOptions | undefined): Uint8Array {
  if (channels === undefined) return new Uint8Array(0);
  const { target, tolerance, movesPerTick = 16, groupKind = '', choose } = channels;
  return new TextEncoder().encode(
    JSON.stringify([target, tolerance, String(movesPerTick), groupKind, choose !== undefined]),
  );
}

function numberOf(field: string, value: unknown, least: number, most: number): number {
  if (typeof value === 'number' && value >= least && value <= most && Number.isInteger(value)) return value;
  throw bad(field, value, `a whole number of ${least} to ${most}`);
}
