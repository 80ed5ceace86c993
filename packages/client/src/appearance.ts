/**
 * What entities look like, as a client knows it before any server has spoken: the fields that the game declares for its gateway, as types
 * of `entity.fields`, and held against the welcome of the server.
 *
 * The gateway's `appearance` is one object in a module that both ends import; `as const` keeps its types.
 */
import type { Field, FieldType, FieldValue } from './welcome.ts';

/** A field as an appearance declares it. */
export interface FieldShape {
  /** What it holds. */
  readonly type: FieldType;
  /** Who sees it, by the gateway; all, unless given. */
  readonly audience?: string;
  /** Only those who perceive the entity by this sense see it. */
  readonly sense?: string;
}

/** What a client needs of the appearance that a gateway was made with. */
export interface AppearanceShape {
  /** Of no concern here: the welcome of the server has it. */
  readonly positionStep?: number;
  /** By name. */
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
/** Some clients are not shown it. */
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
 * `entity.fields` of an appearance: a field with an audience or a sense of its own is optional, since some clients are not shown it. Of
 * no particular appearance, any names and values.
 */
export type FieldsOf<A extends AppearanceShape> = string extends keyof Declared<A>
  ? Record<string, FieldValue>
  : Flat<Always<Declared<A>> & Perhaps<Declared<A>>>;

/** The server's entities do not have the fields that the client was made for. */
export class AppearanceError extends Error {
  /** To tell it from other errors where `instanceof` cannot. */
  override readonly name = 'AppearanceError';
}

/** What is wrong with the server's fields for a client of that appearance; fields that the client does not know are none of its concern. */
export function mismatch(
  { fields = {} }: AppearanceShape,
  told: readonly Field[],
): AppearanceError | undefined {
  const typeOf = new Map(told.map(({ name, type }) => [name, type]));
  const wrong = Object.entries(fields)
    .filter(([name, { type }]) => typeOf.get(name) !== type)
    .map(([name, { type }]) => `'${name}' is ${typeOf.get(name) ?? 'not there'}, expected ${type}`);
  if (wrong.length === 0) return undefined;
  return new AppearanceError(`the server has another appearance than this client: ${wrong.join('; ')}`);
}
