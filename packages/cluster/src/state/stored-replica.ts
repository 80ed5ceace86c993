/**
 * A replica as bytes, for joining nodes and for checkpoints; writer and reader.
 *
 *   | 'umwc' | version u16 | views u8 | 0 u8 | checksum of the rest u64 | body |
 *   body: position, anew position, chain, checksums of the last records, members, columns, maps, interests that the log set,
 *   the world's own snapshot, the channels'
 *
 * The version is the format of the world's records plus 1: who reads these reads the state, see records/formats.ts. Every version has
 * the checksum at byte 8. With views 'own' the world is stored with no entity watching, since a node that
 * loads it shows nothing yet. Truncated or altered bytes are `BAD_SNAPSHOT`; whole ones of another version are `UNSUPPORTED`.
 * Cost: 18 bytes per entity; see `World.snapshot`.
 */
import { Channels, type Interest, UmweltError, World } from 'umwelt';
import { ByteReader, ByteWriter, checksumOf } from 'umwelt/bytes';
import { type Fields, type InterestCall, ITEMS, readFields, writeFields } from '../records/calls.ts';
import { canRead, FORMATS, type Formats, formatsText } from '../records/formats.ts';
import {
  checkPace,
  readNoted,
  readU48,
  readWord64,
  type Word64,
  writeNoted,
  writeU48,
  writeWord64,
} from '../records/record.ts';
import { MEMBERS_MAX, type Member, type Members } from './members.ts';
import { RECENT, Replica, type ReplicaOptions } from './replica.ts';
import { wholeInterest } from './replica-state.ts';

const MAGIC = 0x63776d75;
/** Version 2 came with the first format. */
const versionOf = (format: number) => format + 1;
const HEADER_BYTES = 16;

export function storeReplica(replica: Replica): Uint8Array {
  const { world, table, views } = replica;
  const snapshot = world.snapshot({ atRest: views === 'own' });
  const writer = new ByteWriter(1024 + snapshot.length + 9 * world.slotCount);
  writer.u32(MAGIC);
  writer.u16(versionOf(replica.members.format));
  writer.flag(views === 'all');
  writer.u8(0);
  writeWord64(writer, [0, 0]);
  writeU48(writer, replica.rules.storedPosition(replica.position));
  writeU48(writer, replica.anewPosition);
  writeWord64(writer, replica.chain);
  writer.u32(replica.recent.length);
  for (const { position, checksum } of replica.recent) {
    writeU48(writer, position);
    writeWord64(writer, checksum);
  }
  writeNoted(writer, replica.noted);
  saveMembers(writer, replica.members);
  const { slotCount } = world;
  table.reserve(slotCount);
  writer.column(table.ids.subarray(0, slotCount));
  writer.elements(table.owners.subarray(0, slotCount));
  writer.elements(table.showers.subarray(0, slotCount));
  writer.elements(table.awake.subarray(0, slotCount));
  saveMaps(writer, replica);
  writer.u32(replica.interests.size);
  for (const call of replica.interests.values()) ITEMS.interests.write(writer, call);
  writer.column(snapshot);
  writer.column(replica.channels?.snapshot() ?? new Uint8Array(0));
  const bytes = writer.bytes.slice();
  const [low, high] = checksumOf(bytes.subarray(HEADER_BYTES));
  const header = new DataView(bytes.buffer);
  header.setUint32(8, low, true);
  header.setUint32(12, high, true);
  return bytes;
}

/**
 * The replica that `storeReplica` wrote. The functions of interests come from the options. Throws `BAD_SNAPSHOT`, `UNSUPPORTED`,
 * `SETTINGS_DIFFER`, and what `World.restore` throws.
 */
export function loadReplica(bytes: Uint8Array, options: ReplicaOptions): Replica {
  const reader: ByteReader = new ByteReader(bytes, 'BAD_SNAPSHOT');
  reader.check(reader.u32() === MAGIC, 'the state of a cluster');
  const version = reader.u16();
  const { formats = FORMATS } = options;
  const format = version - versionOf(0);
  // The checksum is at the same place in every version.
  if (!canRead(formats, format) && isWhole(bytes)) throw otherVersion(version, formats);
  reader.check(canRead(formats, format), `a version of ${formatsText(versionsOf(formats))}`);
  const views = reader.flag() ? 'all' : 'own';
  if (views !== options.views) {
    throw new UmweltError(
      'SETTINGS_DIFFER',
      `the state has views '${views}', expected '${String(options.views)}'`,
    );
  }
  reader.check(reader.u8() === 0, '0');
  readWord64(reader);
  reader.check(isWhole(bytes), 'bytes as they were written');
  const replica = readBody(reader, options);
  replica.members.format = format;
  const live = replica.members.live();
  reader.check(
    live.every((member) => canRead(member.formats, format)),
    'a format that all members read',
  );
  return replica;
}

/** Whether the checksum in the header is that of the rest. */
function isWhole(bytes: Uint8Array): boolean {
  if (bytes.length < HEADER_BYTES) return false;
  const header = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  const [low, high] = checksumOf(bytes.subarray(HEADER_BYTES));
  return header.getUint32(8, true) === low >>> 0 && header.getUint32(12, true) === high >>> 0;
}

function versionsOf([oldest, newest]: Formats): Formats {
  return [versionOf(oldest), versionOf(newest)];
}

function otherVersion(version: number, formats: Formats): UmweltError {
  return new UmweltError(
    'UNSUPPORTED',
    `the state is of version ${version}, expected ${formatsText(versionsOf(formats))}: the records of its world are of format ${version - versionOf(0)}, this node reads ${formatsText(formats)}. Its node or checkpoint is of another version of @umwelt/cluster`,
    { value: version },
  );
}

function readBody(reader: ByteReader, options: ReplicaOptions): Replica {
  const position = readU48(reader);
  const anewPosition = readU48(reader);
  const chain: Word64 = readWord64(reader);
  const recent = listOf(reader, () => ({ position: readU48(reader), checksum: readWord64(reader) }));
  reader.check(recent.length <= RECENT, `at most ${RECENT} records`);
  const noted = readNoted(reader);
  const loadInto = [loadMembers(reader), loadColumns(reader), loadMaps(reader)];
  const calls = listOf(reader, () => ITEMS.interests.read(reader));
  const { detector, kernels, threads, debug } = options.world;
  const world = (options.Made ?? World).restore(reader.column('u8'), {
    interests: interestsOf(options, calls),
    ...(detector && { detector }),
    ...(kernels && { kernels }),
    ...(threads && { threads }),
    ...(debug && { debug }),
  });
  const channelBytes = reader.column('u8');
  reader.finish();
  const { channels } = options;
  if ((channels === undefined) !== (channelBytes.length === 0)) {
    const message =
      channels === undefined
        ? 'no channels were given, expected the options of the members, which have channels'
        : 'channels were given, expected none: the members have none';
    throw new UmweltError('SETTINGS_DIFFER', message, { field: 'channels' });
  }
  const restored = channels && Channels.restore(world, channelBytes, channels);
  const replica = new Replica(options, world, restored);
  for (const call of calls) replica.interests.set(call.name, call);
  Object.assign(replica, { position, anewPosition, chain, recent, noted });
  for (const load of loadInto) load(replica);
  const { ids, owners } = replica.table;
  replica.hasOrphans = ids.some((id, slot) => id !== 0 && owners[slot] === 0);
  return replica;
}

/** The options' interests, replaced by those that the log has set since: otherwise the world would treat the options as newer. */
function interestsOf({ world }: ReplicaOptions, calls: readonly InterestCall[]): Record<string, Interest> {
  const interests: Record<string, Interest> = { ...world.interests };
  for (const call of calls) {
    const whole = wholeInterest(call, world.interests);
    if (whole === undefined) {
      throw new UmweltError('UNKNOWN_INTEREST', `interest '${call.name}' has functions that were not given`, {
        field: 'interests',
        value: call.name,
      });
    }
    interests[call.name] = whole;
  }
  return interests;
}

function saveMembers(writer: ByteWriter, members: Members): void {
  const { settings, lastIncarnation, departed } = members;
  writer.flag(settings !== undefined);
  if (settings !== undefined) {
    writeWord64(writer, settings.settings);
    writer.f64(settings.tickMs);
    writer.u32(settings.silenceTicks);
    writeWord64(writer, settings.origin);
  }
  writeU48(writer, lastIncarnation);
  writer.u32(departed.length);
  for (const { nonce, tick, seq } of departed) {
    writeWord64(writer, nonce);
    writer.u32(tick);
    writer.u32(seq);
  }
  const all = members.all();
  writer.u32(all.length);
  for (const member of all) {
    writer.u16(member.number);
    writeU48(writer, member.incarnation);
    writer.text(member.name);
    writeWord64(writer, member.nonce);
    writer.flag(member.adopts);
    writer.u8(member.formats[0]);
    writer.u8(member.formats[1]);
    writer.u32(member.seq);
    writer.u32(member.heardTick);
    writer.flag(member.isGone);
    writer.u32(member.refused);
    writeNoted(writer, member.noted);
  }
}

type Load = (replica: Replica) => void;

function loadMembers(reader: ByteReader): Load {
  const settings = reader.flag()
    ? {
        settings: readWord64(reader),
        tickMs: reader.f64(),
        silenceTicks: reader.u32(),
        origin: readWord64(reader),
      }
    : undefined;
  if (settings !== undefined) checkPace(reader, settings);
  const lastIncarnation = readU48(reader);
  const departed = listOf(reader, () => ({
    nonce: readWord64(reader),
    tick: reader.u32(),
    seq: reader.u32(),
  }));
  const all = listOf(reader, (): Member => {
    const number = reader.u16();
    reader.check(number < MEMBERS_MAX, `a member's number below ${MEMBERS_MAX}`);
    return {
      number,
      incarnation: readU48(reader),
      name: reader.text(),
      nonce: readWord64(reader),
      adopts: reader.flag(),
      formats: [reader.u8(), reader.u8()],
      seq: reader.u32(),
      heardTick: reader.u32(),
      isGone: reader.flag(),
      refused: reader.u32(),
      noted: readNoted(reader),
    };
  });
  return ({ members }) => {
    Object.assign(members, { settings, lastIncarnation, departed });
    for (const member of all) members.restore(member);
  };
}

function loadColumns(reader: ByteReader): Load {
  const ids = reader.column('u32');
  const owners = reader.elements('u16', ids.length);
  const showers = reader.elements('u16', ids.length);
  const awake = reader.elements('u8', ids.length);
  return ({ table }) => {
    table.reserve(ids.length);
    table.ids.set(ids);
    table.owners.set(owners);
    table.showers.set(showers);
    table.awake.set(awake);
  };
}

function saveMaps(writer: ByteWriter, { table, askedShowers, resting }: Replica): void {
  writer.u32(table.keys.size);
  for (const [key, id] of table.keys) {
    writer.text(key);
    writer.u32(id);
  }
  writer.u32(table.keeps.size);
  for (const [id, bytes] of table.keeps) {
    writer.u32(id);
    writer.column(bytes);
  }
  writer.u32(table.fields.size);
  for (const [id, fields] of table.fields) {
    writer.u32(id);
    writeFields(writer, Object.fromEntries(fields));
  }
  writer.u32(askedShowers.size);
  for (const [id, asked] of askedShowers) {
    writer.u32(id);
    writer.u16(asked);
  }
  writer.column(Uint32Array.from(resting));
}

function loadMaps(reader: ByteReader): Load {
  const keys = listOf(reader, (): [string, number] => [reader.text(), reader.u32()]);
  const keeps = listOf(reader, (): [number, Uint8Array] => [reader.u32(), reader.column('u8')]);
  const fields = listOf(reader, (): [number, Fields] => [reader.u32(), readFields(reader)]);
  const asked = listOf(reader, (): [number, number] => [reader.u32(), reader.u16()]);
  const resting = reader.column('u32');
  return ({ table, askedShowers, resting: into }) => {
    for (const [key, id] of keys) table.setKey(id, key);
    for (const [id, bytes] of keeps) table.keep(id, bytes);
    for (const [id, values] of fields) table.setFields(id, values);
    for (const [id, code] of asked) askedShowers.set(id, code);
    // One by one: as arguments of one call, some 100,000 would not fit on the stack.
    for (const id of resting) into.push(id);
  };
}

function listOf<T>(reader: ByteReader, read: () => T): T[] {
  const count = reader.u32();
  reader.expect(count);
  const items: T[] = [];
  for (let i = 0; i < count; i++) items.push(read());
  return items;
}
