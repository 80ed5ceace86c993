/**
 * A patch of an entity as bytes: a bit for each member that is present, and the values as they were given.
 *
 * Values are stored as float64, because they are rounded when they are applied again: a range just below a limit must
 * not be rounded over it.
 *
 *   | members u32 | values in the order of the table below |     record by name: | count u8 | name, value | ... |
 *   true, false or texts: | 0, 1, or 2 + count u8 | text | ... |
 */
import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { EntityPatch } from '../entities/entity-init.ts';

type Member = keyof EntityPatch;
type NumberOrRecord = number | Readonly<Record<string, number>>;

/** How each member is written: a number or a record by name; a number; true or false; text; true, false or texts. */
const MEMBERS: readonly (readonly [Member, 'record' | 'number' | 'flag' | 'text' | 'kinds'])[] = [
  ['range', 'record'],
  ['gain', 'record'],
  ['minReach', 'record'],
  ['maxReach', 'record'],
  ['group', 'record'],
  ['layers', 'number'],
  ['sees', 'number'],
  ['channel', 'number'],
  ['weight', 'number'],
  ['cap', 'number'],
  ['marker', 'flag'],
  ['updates', 'flag'],
  ['always', 'flag'],
  ['interest', 'text'],
  ['watches', 'flag'],
  ['volatile', 'flag'],
  ['needs', 'number'],
  ['only', 'number'],
  ['onlyGroup', 'kinds'],
];
/** In place of a record's count: a plain number follows. */
const PLAIN = 255;

/** Writes a patch that a world has accepted; members that no patch has are skipped. */
export function savePatch(writer: ByteWriter, patch: EntityPatch): void {
  let bits = 0;
  MEMBERS.forEach(([member], i) => {
    if (patch[member] !== undefined) bits |= 1 << i;
  });
  writer.u32(bits);
  for (const [member, kind] of MEMBERS) {
    const value = patch[member];
    if (value === undefined) continue;
    if (kind === 'record') saveRecord(writer, value as NumberOrRecord);
    else if (kind === 'number') writer.f64(value as number);
    else if (kind === 'flag') writer.flag(value as boolean);
    else if (kind === 'kinds') saveKinds(writer, value as boolean | readonly string[]);
    else writer.text(value as string);
  }
}

/**
 * Reads what `savePatch` wrote. Values are as they were given: a world must still check them. Throws the reader's
 * code.
 */
export function loadPatch(reader: ByteReader): EntityPatch {
  const bits = reader.u32();
  reader.check(bits >>> MEMBERS.length === 0, 'members that an entity has');
  const patch: Record<string, unknown> = {};
  MEMBERS.forEach(([member, kind], i) => {
    if ((bits & (1 << i)) === 0) return;
    if (kind === 'record') patch[member] = loadRecord(reader);
    else if (kind === 'number') patch[member] = reader.f64();
    else if (kind === 'flag') patch[member] = reader.flag();
    else if (kind === 'kinds') patch[member] = loadKinds(reader);
    else patch[member] = reader.text();
  });
  return patch as EntityPatch;
}

function saveRecord(writer: ByteWriter, value: NumberOrRecord): void {
  if (typeof value === 'number') {
    writer.u8(PLAIN);
    writer.f64(value);
    return;
  }
  const entries = Object.entries(value).filter(([, number]) => number !== undefined);
  writer.u8(entries.length);
  for (const [name, number] of entries) {
    writer.text(name);
    writer.f64(number);
  }
}

function loadRecord(reader: ByteReader): NumberOrRecord {
  const count = reader.u8();
  if (count === PLAIN) return reader.f64();
  const entries: [string, number][] = [];
  for (let i = 0; i < count; i++) entries.push([reader.text(), reader.f64()]);
  return Object.fromEntries(entries);
}

/** A kind that is named twice is written once. */
function saveKinds(writer: ByteWriter, value: boolean | readonly string[]): void {
  if (typeof value === 'boolean') {
    writer.u8(value ? 1 : 0);
    return;
  }
  const kinds = [...new Set(value)];
  writer.u8(2 + kinds.length);
  for (const kind of kinds) writer.text(kind);
}

function loadKinds(reader: ByteReader): boolean | string[] {
  const count = reader.u8();
  if (count < 2) return count === 1;
  return Array.from({ length: count - 2 }, () => reader.text());
}
