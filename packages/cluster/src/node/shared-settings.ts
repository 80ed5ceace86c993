/**
 * The settings that all nodes of a world share, as bytes: the digest by which nodes detect that theirs differ, and a member's
 * answer to an observer, which has no part in the log and may know only some of them.
 *
 *   answer: | version u8 | snapshot of an empty world: column | channel options as JSON, '' for none: text |
 *
 * An empty world's snapshot has every option that decides what a world reports, so defaults and equivalent ways of writing an
 * option give the same bytes. Settings that each node may choose are left out.
 */
import { type ChannelOptions, Channels, UmweltError, World, type WorldOptions } from 'umwelt';
import { ByteReader, ByteWriter, checksumOf } from 'umwelt/bytes';
import type { Word64 } from '../records/record.ts';

const VERSION = 1;
const CHANNEL_OPTIONS = 'target, tolerance, movesPerTick, groupKind, whether they have choose';

export interface SharedSettings {
  /** Snapshot of an empty world. */
  readonly world: Uint8Array;
  /** '' for none. */
  readonly channels: string;
}

/** Throws what `new World` and `new Channels` throw. */
export function sharedSettings(options: WorldOptions, channels: ChannelOptions | undefined): SharedSettings {
  const world = new World({
    ...options,
    ...(options.granularity === 'cell' ? {} : { detector: 'brute-force' as const }),
    capacity: 0,
    threads: 1,
  });
  checkChannels(world, channels);
  const bytes = world.snapshot();
  void world.dispose();
  return { world: bytes, channels: channelText(channels) };
}

export function settingsDigest({ world, channels }: SharedSettings, views: 'own' | 'all'): Word64 {
  const [low, high] = checksumOf(Buffer.concat([world, new TextEncoder().encode(channels)]));
  return views === 'all' ? [~low >>> 0, high] : [low, high];
}

export function writeSharedSettings({ world, channels }: SharedSettings): Uint8Array {
  const writer = new ByteWriter(world.length + 256);
  writer.u8(VERSION);
  writer.column(world);
  writer.text(channels);
  return writer.bytes.slice();
}

/** Throws `BAD_SNAPSHOT`, and `UNSUPPORTED` for another version. */
export function readSharedSettings(bytes: Uint8Array): SharedSettings {
  const reader: ByteReader = new ByteReader(bytes, 'BAD_SNAPSHOT');
  const version = reader.u8();
  if (version !== VERSION) {
    throw new UmweltError(
      'UNSUPPORTED',
      `the settings are of version ${version}, expected ${VERSION}: the members are of another version of @umwelt/cluster`,
      { value: version },
    );
  }
  const settings = { world: reader.column('u8'), channels: reader.text() };
  reader.finish();
  return settings;
}

/**
 * Compares what decides the observer's views with the members' settings; its other world options have no effect. Throws
 * `SETTINGS_DIFFER`, and what `World.restore` and `new Channels` throw.
 */
export function checkObserved(
  members: SharedSettings,
  { interests = {} }: WorldOptions,
  channels: ChannelOptions | undefined,
): void {
  // An interest that the observer was not given stays that of the members.
  const world = World.restore(members.world, { interests });
  checkChannels(world, channels);
  const isSame = Buffer.compare(world.snapshot(), members.world) === 0;
  void world.dispose();
  if (!isSame) throw differs('interests', 'other interests were given, expected those of the members');
  const given = channelText(channels);
  if (given === members.channels) return;
  throw differs('channels', `${told(given)} given, expected the members' options: ${told(members.channels)}`);
}

function differs(field: string, message: string): UmweltError {
  return new UmweltError('SETTINGS_DIFFER', message, { field });
}

function told(channels: string): string {
  return channels === '' ? 'no channels' : `channels ${channels} (${CHANNEL_OPTIONS})`;
}

/** Made once, so that a mistake in its options is reported now. */
function checkChannels(world: World, channels: ChannelOptions | undefined): void {
  if (channels !== undefined) new Channels(world, channels).dispose();
}

function channelText(channels: ChannelOptions | undefined): string {
  if (channels === undefined) return '';
  const { target, tolerance, movesPerTick = 16, groupKind = '', choose } = channels;
  return JSON.stringify([target, tolerance, String(movesPerTick), groupKind, choose !== undefined]);
}
