/**
 * The state of `Channels` that the world does not hold, as bytes; writer beside reader.
 *
 *   | 'umwh' | members: column u32 | open: column u32 | counts: column u32 | guides | destinations |
 *   guides, destinations: count u32, then a group and an id, or a channel, u32 each
 *
 * Bytes that are cut short or malformed are `BAD_SNAPSHOT`.
 */
import { ByteReader } from '../bytes/byte-reader.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { EntityId } from '../entities/entity-ids.ts';
import { shown, UmweltError } from '../errors.ts';
import { MAX_CHANNEL } from './channel-options.ts';

const MAGIC = 0x68776d75;

export interface StoredChannels {
  readonly members: Uint32Array;
  /** Numbers of open channels, ascending. */
  readonly open: readonly number[];
  readonly counts: Uint32Array<ArrayBuffer>;
  readonly guides: ReadonlyMap<number, EntityId>;
  readonly destinations: ReadonlyMap<number, number>;
}

export function saveChannels({ members, open, counts, guides, destinations }: StoredChannels): Uint8Array {
  const writer = new ByteWriter(64 + 4 * (members.length + counts.length) + 8 * guides.size);
  writer.u32(MAGIC);
  writer.column(members);
  writer.column(Uint32Array.from(open));
  writer.column(counts);
  for (const map of [guides, destinations]) {
    writer.u32(map.size);
    for (const [group, value] of map) {
      writer.u32(group);
      writer.u32(value);
    }
  }
  return writer.bytes.slice();
}

export function loadChannels(bytes: Uint8Array): StoredChannels {
  if (!(bytes instanceof Uint8Array))
    throw new UmweltError('BAD_SNAPSHOT', `${shown(bytes)} was given, expected what channels wrote`);
  const reader: ByteReader = new ByteReader(bytes, 'BAD_SNAPSHOT');
  reader.check(reader.u32() === MAGIC, 'what channels wrote');
  const members = reader.column('u32');
  const open = [...reader.column('u32')];
  const areOpen = open.every((channel, i) => channel > (i === 0 ? 0 : open[i - 1]) && channel <= MAX_CHANNEL);
  reader.check(open.length > 0 && areOpen, 'numbers of channels that ascend');
  const counts = reader.column('u32') as Uint32Array<ArrayBuffer>;
  reader.check(counts.length > 0 && counts.length <= 2 * (MAX_CHANNEL + 1), 'a count for each channel');
  const [guides, destinations] = [loadMap(reader), loadMap(reader)];
  for (const channel of destinations.values())
    reader.check(channel >= 1 && channel <= MAX_CHANNEL, `a channel of 1 to ${MAX_CHANNEL}`);
  reader.finish();
  return { members, open, counts, guides, destinations };
}

function loadMap(reader: ByteReader): Map<number, number> {
  const count = reader.u32();
  reader.expect(8 * count);
  const map = new Map<number, number>();
  for (let i = 0; i < count; i++) map.set(reader.u32(), reader.u32());
  return map;
}
