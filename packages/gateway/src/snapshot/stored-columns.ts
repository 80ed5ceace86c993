/**
 * The columns of entities in a snapshot: writing and reading.
 *
 *     per entity   varint slot step, varint generation, f32 importance, fields, u8 1 if noticed: tick and places; 0 ends
 *     per field    its value by type, varint tick of its change, for others and for the owner, and of its last turn
 *
 * Fields are matched by name. A field that the restored gateway does not have, or has with another type, is
 * skipped; a new field starts as if never set. If the schema differs, the stored ticks of positions are of no
 * use: then they are dropped, as if no client had received them.
 */
import type { EntityId } from 'umwelt';
import { type AppearanceColumns, sendable } from '../appearance/appearance-columns.ts';
import { FIELD_TYPES, type FieldType, type FieldValue, type Schema } from '../appearance/schema.ts';
import { ByteRangeError, type ByteReader } from '../wire/byte-reader.ts';
import type { ByteWriter } from '../wire/byte-writer.ts';

/** By index of the stored schema: its type, and the index of the field now, -1 for none. */
export interface StoredSchema {
  readonly types: readonly FieldType[];
  readonly fieldOf: readonly number[];
  /** Nothing has changed: what clients have of fields and positions is still valid. */
  readonly isSame: boolean;
}

const PLACES = ['x', 'y', 'z', 'earlierX', 'earlierY', 'earlierZ'] as const;
const PLACE_TICKS = ['noticedTick', 'movedTick', 'earlierTick'] as const;

export function writeSchema(writer: ByteWriter, { positionStep, fields }: Schema): void {
  writer.float64(positionStep);
  writer.varint(fields.length);
  for (const { name, type, everyTicks } of fields) {
    writer.byte(FIELD_TYPES.indexOf(type));
    writer.byte(everyTicks);
    writer.text(name);
  }
}

export function readSchemaBytes(reader: ByteReader, schema: Schema): StoredSchema {
  let isSame = reader.float64() === schema.positionStep;
  const count = reader.varint();
  isSame = isSame && count === schema.fields.length;
  const types: FieldType[] = [];
  const fieldOf: number[] = [];
  for (let i = 0; i < count; i++) {
    const type = FIELD_TYPES[reader.byte()];
    if (type === undefined) throw new ByteRangeError('a field of no known type');
    const everyTicks = reader.byte();
    const index = schema.fieldOf.get(reader.text()) ?? -1;
    const field = schema.fields[index];
    types.push(type);
    fieldOf.push(field?.type === type ? index : -1);
    isSame = isSame && index === i && field?.type === type && field.everyTicks === everyTicks;
  }
  return { types, fieldOf, isSame };
}

/** Writes the entities that are present now. */
export function writeColumns(writer: ByteWriter, columns: AppearanceColumns): void {
  const { ids, world, schema } = columns;
  let previous = -1;
  for (let slot = 0; slot < ids.length; slot++) {
    const id = ids[slot]!;
    if (id === 0 || !world.has(id)) continue;
    writer.varint(slot - previous);
    previous = slot;
    writer.varint(id & 1023);
    writer.float32(columns.importance[slot]!);
    for (const [field, { type }] of schema.fields.entries()) {
      writeValue(writer, type, columns.valueAt(slot, field));
      writer.varint(columns.changedTick[field]![slot]!);
      writer.varint(columns.changedForOwnerTick[field]![slot]!);
      writer.varint(columns.turnedTick[field]![slot] ?? 0);
    }
    const isNoticed = columns.noticedTick[slot] !== 0;
    writer.byte(isNoticed ? 1 : 0);
    if (!isNoticed) continue;
    for (const name of PLACE_TICKS) writer.varint(columns[name][slot]!);
    for (const name of PLACES) writer.signed(sendable(columns[name][slot]!));
  }
  writer.varint(0);
  for (const [id, tick] of columns.due) {
    if (!world.has(id)) continue;
    writer.varint(tick);
    writer.varint(id);
  }
  writer.varint(0);
}

/** Earlier versions did not store the last turns. */
export function readColumns(
  reader: ByteReader,
  columns: AppearanceColumns,
  stored: StoredSchema,
  saysTurns: boolean,
): void {
  let slot = -1;
  for (let step = reader.varint(); step !== 0; step = reader.varint()) {
    slot += step;
    const id = presentId(columns, slot * 1024 + reader.varint());
    columns.claim(id);
    columns.importance[slot] = reader.float32();
    for (const [i, type] of stored.types.entries()) {
      const field = stored.fieldOf[i]!;
      const value = readValue(reader, type);
      const [changed, changedForOwner] = [reader.varint(), reader.varint()];
      const turned = saysTurns ? reader.varint() : 0;
      if (field < 0) continue;
      columns.putValue(slot, field, value);
      columns.changedTick[field]![slot] = changed;
      columns.changedForOwnerTick[field]![slot] = changedForOwner;
      columns.turnedTick[field]![slot] = turned;
    }
    if (reader.byte() === 0) continue;
    const ticks = PLACE_TICKS.map(() => reader.varint());
    const places = PLACES.map(() => reader.signed());
    if (!stored.isSame) continue;
    for (const [i, name] of PLACE_TICKS.entries()) columns[name][slot] = ticks[i]!;
    for (const [i, name] of PLACES.entries()) columns[name][slot] = places[i]!;
  }
  for (let tick = reader.varint(); tick !== 0; tick = reader.varint()) {
    columns.due.add(presentId(columns, reader.varint()), tick);
  }
}

function presentId({ world }: AppearanceColumns, id: EntityId): EntityId {
  if (!world.has(id)) throw new ByteRangeError(`entity ${id} is not in the world`);
  return id;
}

function writeValue(writer: ByteWriter, type: FieldType, value: FieldValue): void {
  if (type === 'string') writer.text(value as string);
  else if (type === 'bool') writer.byte(value === true ? 1 : 0);
  else if (type === 'int') writer.signed(value as number);
  else if (type === 'uint') writer.varint(value as number);
  else writer.float32(value as number);
}

function readValue(reader: ByteReader, type: FieldType): FieldValue {
  if (type === 'string') return reader.text();
  if (type === 'bool') return reader.byte() !== 0;
  if (type === 'int') return reader.signed();
  return type === 'uint' ? reader.varint() : reader.float32();
}
