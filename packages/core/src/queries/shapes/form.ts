/**
 * The kinds of shape in 2-D and 3-D, the fields of each, and the values that each field may hold.
 *
 * One table and one check, at the boundary: the geometry code trusts its numbers. The check is strict both ways. A
 * missing z would silently search a plane, and a misspelt `radius` nothing; a `z` in a 2-D world shows that the
 * caller confuses two worlds. A field that holds `undefined` counts as absent.
 */
import { shown, UmweltError } from '../../errors.ts';

/** The values of a field: a finite number between two limits, ends included. */
interface Quantity {
  readonly least: number;
  readonly most: number;
  readonly optional?: true;
  /** The same in words, for messages. */
  readonly expected: string;
}

const POSITION: Quantity = { least: -1e12, most: 1e12, expected: 'a number from -1e12 to 1e12' };
const SIZE: Quantity = { least: 0, most: 1e12, expected: 'a number from 0 to 1e12' };
const ANGLE: Quantity = { least: -1e12, most: 1e12, expected: 'radians from -1e12 to 1e12' };
const WIDTH: Quantity = { least: 0, most: 1e12, expected: 'radians from 0 to 1e12' };
const ANGLE_IF_ANY: Quantity = { ...ANGLE, optional: true };
/** Only the ratios of an axis matter, so its length has no limit. */
const AXIS: Quantity = { least: -Number.MAX_VALUE, most: Number.MAX_VALUE, expected: 'a finite number' };

/** The fields of one kind besides `kind`, in the order they are checked. */
type Form = Readonly<Record<string, Quantity>>;

const FORMS: Readonly<Record<2 | 3, Readonly<Record<string, Form>>>> = {
  2: {
    circle: { x: POSITION, y: POSITION, radius: SIZE },
    box: { x: POSITION, y: POSITION, halfWidth: SIZE, halfHeight: SIZE, angle: ANGLE_IF_ANY },
    sector: { x: POSITION, y: POSITION, radius: SIZE, direction: ANGLE, width: WIDTH },
    capsule: { x1: POSITION, y1: POSITION, x2: POSITION, y2: POSITION, radius: SIZE },
  },
  3: {
    sphere: { x: POSITION, y: POSITION, z: POSITION, radius: SIZE },
    box: {
      x: POSITION,
      y: POSITION,
      z: POSITION,
      halfWidth: SIZE,
      halfHeight: SIZE,
      halfDepth: SIZE,
      angle: ANGLE_IF_ANY,
    },
    cone: { x: POSITION, y: POSITION, z: POSITION, dx: AXIS, dy: AXIS, dz: AXIS, radius: SIZE, width: WIDTH },
    capsule: {
      x1: POSITION,
      y1: POSITION,
      z1: POSITION,
      x2: POSITION,
      y2: POSITION,
      z2: POSITION,
      radius: SIZE,
    },
  },
};

/** Throws `BAD_SHAPE`, naming the field, unless `shape` is one of the kinds of a world of `dimensions`. */
export function checkForm(shape: unknown, dimensions: 2 | 3): void {
  if (typeof shape !== 'object' || shape === null) {
    throw badShape('shape', shape, `shape is ${shown(shape)}; expected an object with a kind`);
  }
  const given = shape as Record<string, unknown>;
  const form = formOf(given.kind, dimensions);
  for (const field of Object.keys(given)) {
    if (field === 'kind' || given[field] === undefined || Object.hasOwn(form, field)) continue;
    const expected = `expected only kind, ${Object.keys(form).join(', ')}`;
    const title = titleOf(given, dimensions);
    throw badShape(field, given[field], `a ${title} has no field ${shown(field)}; ${expected}`);
  }
  for (const field in form) {
    const quantity = form[field] as Quantity;
    const value = given[field];
    if (value === undefined && quantity.optional) continue;
    if (typeof value === 'number' && value >= quantity.least && value <= quantity.most) continue;
    const title = titleOf(given, dimensions);
    throw badShape(field, value, `${field} of a ${title} is ${shown(value)}; expected ${quantity.expected}`);
  }
  if (given.kind === 'cone' && given.dx === 0 && given.dy === 0 && given.dz === 0) {
    const title = titleOf(given, dimensions);
    throw badShape('dx', 0, `dx, dy and dz of a ${title} are all 0; expected a direction`);
  }
}

/** For messages; built only when one is needed. */
function titleOf({ kind }: Record<string, unknown>, dimensions: 2 | 3): string {
  return `${kind} in ${dimensions}-D`;
}

function formOf(kind: unknown, dimensions: 2 | 3): Form {
  if (typeof kind === 'string' && Object.hasOwn(FORMS[dimensions], kind)) {
    return FORMS[dimensions][kind] as Form;
  }
  const kinds = Object.keys(FORMS[dimensions]).map(shown).join(', ');
  throw badShape(
    'kind',
    kind,
    `kind of a shape is ${shown(kind)}; expected, in a ${dimensions}-D world, one of ${kinds}`,
  );
}

function badShape(field: string, value: unknown, message: string): UmweltError {
  return new UmweltError('BAD_SHAPE', message, { field, value });
}
