/**
 * Columns of `updateMany` as bytes, writer and reader.
 *
 *   | count u8 | for each: property u8, 1 and a name if it is of one sense or kind, else 0; values, one per id |
 *
 * Values are u32 or float32, depending on the property, as the world holds them.
 */
import { UmweltError, type UpdateColumns, type ValueColumns } from 'umwelt';
import type { ByteReader, ByteWriter } from 'umwelt/bytes';

/** By property: the type of its values. A property that `updateMany` learns later needs a line here. */
const KINDS: { readonly [P in keyof Required<UpdateColumns>]: 'u32' | 'f32' } = {
  range: 'f32',
  gain: 'f32',
  layers: 'u32',
  sees: 'u32',
  channel: 'u32',
  weight: 'f32',
  group: 'u32',
};
const PROPERTIES = Object.keys(KINDS) as (keyof UpdateColumns)[];
const COLUMNS_MAX = 255;

/** Values of one property. */
export interface NamedColumn {
  readonly property: keyof UpdateColumns;
  /** Name of the sense or group kind; '' for a column without a name. */
  readonly name: string;
  readonly values: Uint32Array | Float32Array;
}

/** The first `count` values of columns that a world accepted, in the world's types. */
export function namedColumns(columns: UpdateColumns, count: number): NamedColumn[] {
  const found: NamedColumn[] = [];
  for (const property of PROPERTIES) {
    const given = columns[property];
    if (given === undefined) continue;
    const byName = isColumn(given) ? [['', given] as const] : Object.entries(given);
    for (const [name, column] of byName) {
      if (column !== undefined) found.push({ property, name, values: heldValues(property, column, count) });
    }
  }
  if (found.length > COLUMNS_MAX) {
    throw new UmweltError('TOO_MUCH', `${found.length} columns were given, expected at most ${COLUMNS_MAX}`);
  }
  return found;
}

/** The argument for `World.updateMany`: all values, or the one at an index. */
export function columnsOf(columns: readonly NamedColumn[], index?: number): UpdateColumns {
  const given: Record<string, unknown> = {};
  for (const { property, name, values } of columns) {
    const column = index === undefined ? values : values.subarray(index, index + 1);
    if (name === '') given[property] = column;
    else given[property] = { ...(given[property] as object | undefined), [name]: column };
  }
  return given as UpdateColumns;
}

/** A slice of columns. */
export function piecesOf(columns: readonly NamedColumn[], from: number, to: number): NamedColumn[] {
  return columns.map((column) => ({ ...column, values: column.values.slice(from, to) }));
}

export function writeColumns(writer: ByteWriter, columns: readonly NamedColumn[]): void {
  writer.u8(columns.length);
  for (const { property, name, values } of columns) {
    writer.u8(PROPERTIES.indexOf(property));
    writer.flag(name !== '');
    if (name !== '') writer.text(name);
    writer.elements(values);
  }
}

export function readColumns(reader: ByteReader, count: number): NamedColumn[] {
  const columns: NamedColumn[] = [];
  const columnCount = reader.u8();
  for (let i = 0; i < columnCount; i++) {
    const property = PROPERTIES[reader.u8()];
    reader.check(property !== undefined, 'a property of updateMany');
    const name = reader.flag() ? reader.text() : '';
    columns.push({ property, name, values: reader.elements(KINDS[property], count) });
  }
  return columns;
}

function heldValues(
  property: keyof UpdateColumns,
  column: ArrayLike<number>,
  count: number,
): Uint32Array | Float32Array {
  const values = KINDS[property] === 'u32' ? new Uint32Array(count) : new Float32Array(count);
  for (let i = 0; i < count; i++) values[i] = column[i];
  return values;
}

function isColumn(value: ValueColumns): value is ArrayLike<number> {
  return Number.isInteger((value as ArrayLike<number>).length);
}
