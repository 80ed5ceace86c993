/**
 * The appearance of entities at compile time: the fields that the game declares for its gateway, as types of
 * `entity.fields`. The client compares them with the server's welcome.
 *
 * The gateway's `appearance` is one object in a module that both ends import; `as const` keeps its types.
 */
import { check, checkName } from './options.ts';
import { FIELD_TYPES, type Field, type FieldType, type FieldValue } from './welcome.ts';

/** A field as an appearance declares it. */
export interface FieldShape {
  /** Type of the value. */
  readonly type: FieldType;
  /** Which clients the gateway sends it to; 'all' unless given. */
  readonly audience?: string;
  /** The field is sent only to clients that perceive the entity by this sense. Default: any sense. */
  readonly sense?: string;
}

/** The part of a gateway's appearance that a client needs. */
export interface AppearanceShape {
  /** Not required, and ignored: the welcome of the server contains it. */
  readonly positionStep?: number;
  /** Fields by name. Default: none. */
  readonly fields?: Readonly<Record<string, FieldShape>>;
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
/** Whether the field is not sent to all clients. */
type Hideable<D> = D extends { readonly sense: string }
  ? true
  : D extends { readonly audience: infer Audience }
    ? Audience extends 'all'
      ? false
      : true
    : false;
type Always<F> = { [Name in keyof F as Hideable<F[Name]> extends true ? never : Name]: ValueOf<F[Name]> };
type Perhaps<F> = { [Name in keyof F as Hideable<F[Name]> extends true ? Name : never]?: ValueOf<F[Name]> };
type Flat<T> = { [Name in keyof T]: T[Name] };

/**
 * The type of `entity.fields` for an appearance. A field with an audience other than 'all' or with a sense is
 * optional, because not every client receives it. For an unspecified appearance: any names and values.
 */
export type FieldsOf<A extends AppearanceShape> = string extends keyof Declared<A>
  ? Record<string, FieldValue>
  : Flat<Always<Declared<A>> & Perhaps<Declared<A>>>;

/** The server's entities do not have the fields that the client was made for. */
export class AppearanceError extends Error {
  /** Identifies the error where `instanceof` cannot. */
  override readonly name = 'AppearanceError';
}

/**
 * Throws `TypeError` for fields that no gateway can have: the client would take them for a difference from the
 * server. What only the gateway reads of an appearance is left to the gateway.
 */
export function checkAppearance({ fields = {} }: AppearanceShape = {}): void {
  check('appearance.fields', fields, 'an object');
  for (const [name, field] of Object.entries(fields))
    checkName(`type for field '${name}'`, field?.type, FIELD_TYPES);
}

/**
 * Compares the server's fields with the client's appearance; `undefined` if they match. Fields of the server
 * that the client does not know are ignored.
 */
export function mismatch(
  told: readonly Field[],
  { fields = {} }: AppearanceShape = {},
): AppearanceError | undefined {
  const typeOf = new Map(told.map(({ name, type }) => [name, type]));
  const wrong = Object.entries(fields)
    .filter(([name, { type }]) => typeOf.get(name) !== type)
    .map(([name, { type }]) => `'${name}' is ${typeOf.get(name) ?? 'not there'}, expected ${type}`);
  if (wrong.length === 0) return undefined;
  return new AppearanceError(`the server has another appearance than this client: ${wrong.join('; ')}`);
}
