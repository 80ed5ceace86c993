/**
 * The calls of one node in one tick, as sections of a record: what each section holds, its writer and its reader.
 *
 *   | sections u32 | moves: columns | adds | updates | ... |      section:  | number u16 | 0 u16 | length u32 | body | 0 up to 4 |
 *
 * Sections come in the order of the table below, each at most once, and are applied in that order. All but moves are lists:
 * a count, then the items in call order. To add a new call, add a line to `ITEMS` here and one to state/appliers.ts. Calls of which
 * the order in a tick matters are one list, see steps.ts.
 */
import { type EntityPatch, type Interest, UmweltError } from 'umwelt';
import { type ByteReader, type ByteWriter, loadPatch, savePatch } from 'umwelt/bytes';
import { readInterest, writeInterest } from './interest-text.ts';
import { readAttachment, readStep, STEPS_FORMAT, type Step, writeStep } from './steps.ts';
import { type NamedColumn, readColumns, writeColumns } from './update-columns.ts';

/** Value of a field that gateways show of an entity. */
export type FieldValue = boolean | number | string;
/** Field values by field name. */
export type Fields = Readonly<Record<string, FieldValue>>;

/** Maximum bytes that `keep` stores with an entity. */
export const KEEP_BYTES_MAX = 16 * 1024;
export const KEY_LENGTH_MAX = 256;
/** Maximum fields of one entity. */
export const FIELDS_MAX = 64;

/** Columns of equal length; `z` in a 3-D world. */
export interface Moves {
  readonly ids: Uint32Array;
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly z: Float32Array | undefined;
}

export interface AddCall {
  /** The node's own number for this call; the answer names it. */
  readonly request: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly patch: EntityPatch;
  /** '' for none. */
  readonly key: string;
  readonly keep: Uint8Array;
  readonly fields: Fields;
}

export interface UpdateCall {
  readonly id: number;
  readonly patch: EntityPatch;
}

/** Properties of many entities, one column each. It is part of the updates, so that updates of one entity keep their order. */
export interface UpdateManyCall {
  readonly ids: Uint32Array;
  readonly columns: readonly NamedColumn[];
}

/** An interest under a name, without its functions: each node has its own, and all nodes were given the same. */
export interface InterestCall {
  readonly name: string;
  readonly numbers: Interest;
  readonly hasRank: boolean;
  readonly hasAdmit: boolean;
}

/** Joins or leaves the world's channels. */
export interface ChannelCall {
  readonly id: number;
  readonly joins: boolean;
}

export const TIES = ['pin', 'unpin', 'block', 'unblock'] as const;
export interface TieCall {
  readonly tie: (typeof TIES)[number];
  readonly watcher: number;
  readonly marker: number;
  /** Reason of a pin; else ''. */
  readonly reason: string;
  /** World units; Infinity for any distance, and for ties that are no pin. */
  readonly within: number;
  /** 0: the interest's value. */
  readonly everyTicks: number;
}

export interface FieldsCall {
  readonly id: number;
  readonly fields: Fields;
}

export interface BytesCall {
  readonly id: number;
  readonly bytes: Uint8Array;
}

export interface GiveCall {
  readonly id: number;
  readonly member: number;
  readonly incarnation: number;
}

export interface BroadcastCall {
  readonly marker: number;
  /** '' for any. */
  readonly sense: string;
  readonly bytes: Uint8Array;
}

export interface ShowCall {
  readonly id: number;
  readonly isShown: boolean;
}

/** The type of each section. */
export interface Sections {
  readonly moves: Moves;
  /** Entities whose moves of this tick are teleports, wherever the moves have taken them by the end of the record. */
  readonly teleports: readonly number[];
  readonly interests: readonly InterestCall[];
  readonly adds: readonly AddCall[];
  readonly updates: readonly (UpdateCall | UpdateManyCall)[];
  readonly touches: readonly number[];
  readonly removes: readonly number[];
  readonly ties: readonly TieCall[];
  readonly steps: readonly Step[];
  readonly channels: readonly ChannelCall[];
  readonly fields: readonly FieldsCall[];
  readonly keeps: readonly BytesCall[];
  readonly gives: readonly GiveCall[];
  readonly sends: readonly BytesCall[];
  readonly broadcasts: readonly BroadcastCall[];
  readonly shows: readonly ShowCall[];
}
export type Calls = Partial<Sections>;
export type SectionName = keyof Sections;
/** Names of sections that are lists of items. */
export type ListName = Exclude<SectionName, 'moves'>;
export type ItemOf<N extends ListName> = Sections[N][number];

interface ItemFormat<T> {
  write(writer: ByteWriter, item: T): void;
  read(reader: ByteReader): T;
}

const id: ItemFormat<number> = {
  write: (writer, item) => writer.u32(item),
  read: (reader) => reader.u32(),
};
const bytesOf: ItemFormat<BytesCall> = {
  write: (writer, item) => {
    writer.u32(item.id);
    writer.column(item.bytes);
  },
  read: (reader) => ({ id: reader.u32(), bytes: reader.column('u8') }),
};

/** In the order in which they are applied; a section's number is its index here. */
export const ITEMS: { readonly [N in ListName]: ItemFormat<ItemOf<N>> } = {
  // Right after the moves: an entity that is then given away or attached can be moved by its caller no more.
  teleports: id,
  // Before the adds, so that entities added in the same tick can use them.
  interests: {
    write: (writer, item) => {
      writer.text(item.name);
      writeInterest(writer, item.numbers);
      writer.flag(item.hasRank);
      writer.flag(item.hasAdmit);
    },
    read: (reader) => ({
      name: reader.text(),
      numbers: readInterest(reader),
      hasRank: reader.flag(),
      hasAdmit: reader.flag(),
    }),
  },
  adds: { write: writeAdd, read: readAdd },
  updates: { write: writeUpdate, read: readUpdate },
  touches: id,
  removes: id,
  ties: {
    write: (writer, item) => {
      writer.u8(TIES.indexOf(item.tie));
      writer.u32(item.watcher);
      writer.u32(item.marker);
      writer.text(item.reason);
      writer.f64(item.within);
      writer.u8(item.everyTicks);
    },
    read: (reader: ByteReader) => {
      const tie = TIES[reader.u8()];
      reader.check(tie !== undefined, 'a pin or a block');
      const [watcher, marker, reason] = [reader.u32(), reader.u32(), reader.text()];
      return { tie, watcher, marker, reason, within: reader.f64(), everyTicks: reader.u8() };
    },
  },
  steps: { write: writeStep, read: readStep },
  channels: {
    write: (writer, item) => {
      writer.u32(item.id);
      writer.flag(item.joins);
    },
    read: (reader) => ({ id: reader.u32(), joins: reader.flag() }),
  },
  fields: {
    write: (writer, item) => {
      writer.u32(item.id);
      writeFields(writer, item.fields);
    },
    read: (reader) => ({ id: reader.u32(), fields: readFields(reader) }),
  },
  keeps: {
    write: bytesOf.write,
    read: (reader: ByteReader) => {
      const item = bytesOf.read(reader);
      reader.check(item.bytes.length <= KEEP_BYTES_MAX, `at most ${KEEP_BYTES_MAX} bytes`);
      return item;
    },
  },
  gives: {
    write: (writer, item) => {
      writer.u32(item.id);
      writer.u16(item.member);
      writer.f64(item.incarnation);
    },
    read: (reader) => ({ id: reader.u32(), member: reader.u16(), incarnation: reader.f64() }),
  },
  sends: bytesOf,
  broadcasts: {
    write: (writer, item) => {
      writer.u32(item.marker);
      writer.text(item.sense);
      writer.column(item.bytes);
    },
    read: (reader) => ({ marker: reader.u32(), sense: reader.text(), bytes: reader.column('u8') }),
  },
  shows: {
    write: (writer, item) => {
      writer.u32(item.id);
      writer.flag(item.isShown);
    },
    read: (reader) => ({ id: reader.u32(), isShown: reader.flag() }),
  },
};

export const LIST_NAMES = Object.keys(ITEMS) as readonly ListName[];
const SECTION_NAMES: readonly SectionName[] = ['moves', ...LIST_NAMES];
/** Bytes of a section besides its items. */
export const SECTION_BYTES = 16;

/** Writes one section with the given body. */
export function writeSection(writer: ByteWriter, name: SectionName, body: Uint8Array): void {
  writer.u16(SECTION_NAMES.indexOf(name));
  writer.u16(0);
  writer.u32(body.length);
  writer.elements(body);
  while (writer.length % 4 !== 0) writer.u8(0);
}

/** The body of the moves section. */
export function writeMoves(writer: ByteWriter, { ids, x, y, z }: Moves): void {
  writer.u32(ids.length);
  writer.u32(z === undefined ? 2 : 3);
  writer.elements(ids);
  writer.elements(x);
  writer.elements(y);
  if (z !== undefined) writer.elements(z);
}

/** `format`: that of the record. */
export function readCalls(reader: ByteReader, format: number): Calls {
  const calls: { -readonly [N in SectionName]?: Sections[N] } = {};
  const count = reader.u32();
  let last = -1;
  for (let read = 0; read < count; read++) {
    const number = reader.u16();
    reader.check(number > last && number < SECTION_NAMES.length, 'a section that comes next');
    last = number;
    reader.check(reader.u16() === 0, '0');
    const length = reader.u32();
    const end = reader.position + length;
    reader.expect(length);
    const name = SECTION_NAMES[number];
    if (name === 'moves') calls.moves = readMoves(reader);
    else (calls as Record<string, unknown>)[name] = readItems(reader, name, format);
    reader.check(reader.position === end, 'the end of the section');
    while (reader.position % 4 !== 0) reader.check(reader.u8() === 0, '0');
  }
  return calls;
}

function readMoves(reader: ByteReader): Moves {
  const count = reader.u32();
  const dimensions = reader.u32();
  reader.check(dimensions === 2 || dimensions === 3, 'two or three dimensions');
  reader.expect(4 * count * (dimensions + 1));
  return {
    ids: new Uint32Array(...windowOn(reader, count)),
    x: new Float32Array(...windowOn(reader, count)),
    y: new Float32Array(...windowOn(reader, count)),
    z: dimensions === 2 ? undefined : new Float32Array(...windowOn(reader, count)),
  };
}

/** All earlier parts have multiples of four bytes, and the record starts at a multiple of four: see `readRecord`. */
function windowOn(reader: ByteReader, count: number): [ArrayBufferLike, number, number] {
  const { buffer, byteOffset } = reader.window(4 * count);
  return [buffer, byteOffset, count];
}

function readItems(reader: ByteReader, name: ListName, format: number): unknown[] {
  const count = reader.u32();
  // Each item takes at least a byte: a count that is too large is found before memory is allocated for it.
  reader.expect(count);
  const read = name === 'steps' && format < STEPS_FORMAT ? readAttachment : ITEMS[name].read;
  const items: unknown[] = [];
  for (let i = 0; i < count; i++) items.push(read(reader));
  return items;
}

function writeAdd(writer: ByteWriter, item: AddCall): void {
  writer.u32(item.request);
  writer.f64(item.x);
  writer.f64(item.y);
  writer.f64(item.z);
  savePatch(writer, item.patch);
  writer.text(item.key);
  writer.column(item.keep);
  writeFields(writer, item.fields);
}

function readAdd(reader: ByteReader): AddCall {
  const add: AddCall = {
    request: reader.u32(),
    x: reader.f64(),
    y: reader.f64(),
    z: reader.f64(),
    patch: loadPatch(reader),
    key: reader.text(),
    keep: reader.column('u8'),
    fields: readFields(reader),
  };
  reader.check(add.key.length <= KEY_LENGTH_MAX, `a key of at most ${KEY_LENGTH_MAX} letters`);
  reader.check(add.keep.length <= KEEP_BYTES_MAX, `at most ${KEEP_BYTES_MAX} bytes`);
  return add;
}

/** No entity has the id 0: it announces columns. */
function writeUpdate(writer: ByteWriter, item: UpdateCall | UpdateManyCall): void {
  if ('patch' in item) {
    writer.u32(item.id);
    savePatch(writer, item.patch);
  } else {
    writer.u32(0);
    writer.column(item.ids);
    writeColumns(writer, item.columns);
  }
}

function readUpdate(reader: ByteReader): UpdateCall | UpdateManyCall {
  const one = reader.u32();
  if (one !== 0) return { id: one, patch: loadPatch(reader) };
  const ids = reader.column('u32');
  return { ids, columns: readColumns(reader, ids.length) };
}

/** Throws `BAD_OPTION` for values that are no fields. */
export function writeFields(writer: ByteWriter, fields: Fields): void {
  const entries = Object.entries(fields);
  if (entries.length > FIELDS_MAX)
    throw badFields(
      'fields',
      entries.length,
      `${entries.length} fields were given, expected at most ${FIELDS_MAX}`,
    );
  writer.u8(entries.length);
  for (const [name, value] of entries) {
    writer.text(name);
    if (typeof value === 'boolean') writer.u8(value ? 1 : 0);
    else if (typeof value === 'number') {
      writer.u8(2);
      writer.f64(value);
    } else if (typeof value === 'string') {
      writer.u8(3);
      writer.text(value);
    } else {
      const message = `field ${name}: ${typeof value} was given, expected a boolean, a number or a string`;
      throw badFields(`fields.${name}`, value, message);
    }
  }
}

export function readFields(reader: ByteReader): Fields {
  const count = reader.u8();
  reader.check(count <= FIELDS_MAX, `at most ${FIELDS_MAX} fields`);
  const entries: [string, FieldValue][] = [];
  for (let i = 0; i < count; i++) {
    const name = reader.text();
    const type = reader.u8();
    reader.check(type <= 3, 'a type of field');
    entries.push([name, type === 3 ? reader.text() : type === 2 ? reader.f64() : type === 1]);
  }
  return Object.fromEntries(entries);
}

function badFields(field: string, value: unknown, message: string): UmweltError {
  return new UmweltError('BAD_OPTION', message, { field, value });
}
