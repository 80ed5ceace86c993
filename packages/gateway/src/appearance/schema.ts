/**
 * The appearance of entities: a position on a grid of steps, and fields that the game declares.
 *
 * A client does not see every field. The audience of a field is every client that is related to the entity,
 * only the clients within a band around the entity, or only the owner, whose own entity it is. A field may
 * also require a sense: for example a name that is seen but not heard. The fields that a client sees of an
 * entity are therefore a mask, looked up by the senses that perceive the entity and by the number of bands
 * that the client is inside of.
 */
import { UmweltError } from 'umwelt';
import { badOption, told } from '../bounds/bad-option.ts';
import { checkKeys, checkObject, isNumberWithin } from '../bounds/option-keys.ts';
import { FIELD_NAME_MAX_BYTES, FIELDS_MAX, STRING_MAX_BYTES } from '../wire/frame-format.ts';
import { type Band, type BandDeclaration, readBands } from './bands.ts';

/** `int` and `uint` have 32 bits. */
export type FieldType = 'bool' | 'int' | 'uint' | 'float32' | 'string';
/** A value of a field. */
export type FieldValue = boolean | number | string;
/**
 * Who sees a field: 'all' clients that are related to the entity, only its 'owner', or the name of a band:
 * the clients within it, and the owner.
 */
export type Audience = string;

/** A field of entities: its type, and who sees it. */
export interface FieldDeclaration {
  /** Type of the value. */
  readonly type: FieldType;
  /** Longest string in bytes of UTF-8, 1 to 1024. Default 64. */
  readonly max?: number;
  /** Who sees the field. 'all' unless given. */
  readonly audience?: Audience;
  /** Only clients that perceive the entity by this sense see the field, and its owner. Default: any sense. */
  readonly sense?: string;
}

/** What clients receive of an entity, in addition to its presence. */
export interface AppearanceOptions {
  /**
   * Grid of positions in world units: clients receive whole multiples of it. Beyond 2^31 - 1 steps a
   * coordinate is clamped.
   */
  readonly positionStep: number;
  /** Fields by name, at most 24. Default: none. */
  readonly fields?: Readonly<Record<string, FieldDeclaration>>;
  /**
   * Bands by name, at most 8: distances in world units within which the fields with this audience are seen.
   * Hysteresis: a client inside a band leaves it at its distance plus the leave margin of the interest of its
   * watcher. Default: none.
   */
  readonly bands?: Readonly<Record<string, number | BandDeclaration>>;
  /** Shorthand for a band named 'near', in world units. Default: no such band. */
  readonly nearDistance?: number;
}

interface ValueOfType {
  bool: boolean;
  int: number;
  uint: number;
  float32: number;
  string: string;
}

type Declared<A> = 'fields' extends keyof A ? NonNullable<A[keyof A & 'fields']> : Record<never, never>;
type ValueOf<D> = D extends { readonly type: infer T extends FieldType } ? ValueOfType[T] : FieldValue;

/**
 * The fields of an appearance with the types of their values. For an unspecified appearance: any names and
 * values.
 */
export type ValuesOf<A extends AppearanceOptions> = string extends keyof Declared<A>
  ? Record<string, FieldValue>
  : { [Name in keyof Declared<A>]: ValueOf<Declared<A>[Name]> };

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly max: number;
  /**
   * Changes are sent at most every so many ticks, except to the owner. 1 unless the band of the field says
   * otherwise.
   */
  readonly everyTicks: number;
}

/** In the order of the type numbers in the welcome. */
export const FIELD_TYPES: readonly FieldType[] = ['bool', 'int', 'uint', 'float32', 'string'];
const STRING_USUAL_BYTES = 64;
const APPEARANCE_OPTIONS = ['positionStep', 'fields', 'bands', 'nearDistance'];
const FIELD_OPTIONS = ['type', 'max', 'audience', 'sense'];

/** A validated appearance. Bit i of a mask of fields is `fields[i]`. */
export interface Schema {
  readonly positionStep: number;
  readonly dimensions: 2 | 3;
  readonly senses: readonly string[];
  readonly fields: readonly Field[];
  readonly fieldOf: ReadonlyMap<string, number>;
  /** Mask of all fields: what an owner sees. */
  readonly allFields: number;
  /** The bands that fields use as audience, the farthest first. */
  readonly bands: readonly Band[];
  /**
   * Masks of fields that non-owners see, at `senses * (bands.length + 1) + level`, where `level` is the
   * number of bands that the client is inside of.
   */
  readonly visible: Uint32Array;
}

/** Validates an appearance. Throws `BAD_OPTION` and `UNKNOWN_SENSE`. */
export function readSchema(options: AppearanceOptions, senses: readonly string[], dimensions: 2 | 3): Schema {
  checkKeys('appearance', options, APPEARANCE_OPTIONS);
  const { positionStep, fields: declared = {}, nearDistance } = options;
  if (!isNumberWithin(positionStep, Number.MIN_VALUE, Number.MAX_VALUE)) {
    throw badOption('appearance.positionStep', positionStep, 'a number above 0, in world units');
  }
  checkObject('appearance.fields', declared, ['declarations by name']);
  const entries = Object.entries(declared);
  if (entries.length > FIELDS_MAX)
    throw badOption('appearance.fields', entries.length, `at most ${FIELDS_MAX} fields`);
  const declaredBands = readBands(options.bands, nearDistance);
  for (const [name, field] of entries) checkField(name, field, senses, declaredBands);
  const audiences = new Set(entries.map(([, { audience }]) => audience));
  const bands = declaredBands.filter(({ name }) => audiences.has(name));
  const everyTicksOf = new Map(bands.map(({ name, everyTicks }) => [name, everyTicks]));
  return {
    positionStep,
    dimensions,
    senses,
    fields: entries.map(([name, { type, max = STRING_USUAL_BYTES, audience = 'all' }]) => ({
      name,
      type,
      max,
      everyTicks: everyTicksOf.get(audience) ?? 1,
    })),
    fieldOf: new Map(entries.map(([name], index) => [name, index])),
    allFields: 2 ** entries.length - 1,
    bands,
    visible: visibleFields(
      entries.map(([, field]) => field),
      senses,
      bands,
    ),
  };
}

function checkField(
  name: string,
  field: FieldDeclaration,
  senses: readonly string[],
  bands: readonly Band[],
): void {
  const path = `appearance.fields.${name}`;
  checkKeys(path, field, FIELD_OPTIONS);
  const { type, max = STRING_USUAL_BYTES, audience = 'all', sense } = field;
  const nameBytes = Buffer.byteLength(name);
  // Half of a surrogate pair would be another name in UTF-8, and two of them the same one.
  if (nameBytes === 0 || nameBytes > FIELD_NAME_MAX_BYTES || !name.isWellFormed()) {
    throw badOption('appearance.fields', name, `names of 1 to ${FIELD_NAME_MAX_BYTES} bytes of UTF-8`);
  }
  if (!FIELD_TYPES.includes(type)) throw badOption(`${path}.type`, type, FIELD_TYPES.join(', '));
  const audiences = ['all', 'owner', ...bands.map((band) => band.name)];
  if (!audiences.includes(audience)) {
    const expected = `${audiences.join(', ')}, or the name of a band that is declared`;
    throw badOption(`${path}.audience`, audience, expected);
  }
  if (!Number.isInteger(max) || max < 1 || max > STRING_MAX_BYTES) {
    throw badOption(`${path}.max`, max, `an integer of 1 to ${STRING_MAX_BYTES}`);
  }
  if (sense !== undefined && !senses.includes(sense)) {
    const known = senses.join(', ');
    throw new UmweltError('UNKNOWN_SENSE', `${path}.sense is ${told(sense)}; expected ${known}`, {
      field: `${path}.sense`,
      value: sense,
    });
  }
}

function visibleFields(
  fields: readonly FieldDeclaration[],
  senses: readonly string[],
  bands: readonly Band[],
): Uint32Array {
  const levels = bands.length + 1;
  const masks = new Uint32Array(levels << senses.length);
  for (let index = 0; index < masks.length; index++) {
    const perceiving = Math.floor(index / levels);
    const entered = bands.slice(0, index % levels).map(({ name }) => name);
    for (const [bit, { audience = 'all', sense }] of fields.entries()) {
      const isReached = audience === 'all' || entered.includes(audience);
      const isSensed = sense === undefined || (perceiving & (1 << senses.indexOf(sense))) !== 0;
      if (isReached && isSensed) masks[index] = (masks[index] as number) | (1 << bit);
    }
  }
  return masks;
}

/** Throws `BAD_OPTION` unless the value is of the field's type and within its maximum. */
export function checkValue({ name, type, max }: Field, value: unknown): void {
  const expected = {
    bool: 'true or false',
    int: 'an integer of -2^31 to 2^31 - 1',
    uint: 'an integer of 0 to 2^32 - 1',
    float32: 'a number that is finite as float32',
    string: `a string of at most ${max} bytes of UTF-8`,
  }[type];
  if (!isOfType(type, max, value)) throw badOption(name, value, expected);
}

function isOfType(type: FieldType, max: number, value: unknown): boolean {
  switch (type) {
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'number' && (value | 0) === value;
    case 'uint':
      return typeof value === 'number' && value >>> 0 === value;
    case 'float32':
      return typeof value === 'number' && Number.isFinite(Math.fround(value));
    case 'string':
      return typeof value === 'string' && Buffer.byteLength(value) <= max;
  }
}
