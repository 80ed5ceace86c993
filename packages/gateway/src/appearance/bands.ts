/**
 * Bands: named distances within which clients see more of an entity, each at a rate of its own.
 *
 * A client's level for an entity is the number of bands it is inside of. Bands are kept by distance, the farthest first,
 * so that at level n it is inside of the first n. How a level changes, and what keeps it from flickering, is in
 * `views/band-levels.ts`.
 */
import { badOption } from '../bounds/bad-option.ts';
import { checkObject } from '../bounds/option-keys.ts';

/** A distance within which fields of its name are seen. */
export interface BandDeclaration {
  /** World units, at least 0; may be infinite: then it holds everyone who relates to the entity. */
  readonly distance: number;
  /** Changes of its fields are told at most every so many ticks, 1 to 255; 1. Who enters and the owner wait for none. */
  readonly everyTicks?: number;
}

export interface Band {
  readonly name: string;
  readonly distance: number;
  readonly everyTicks: number;
}

/** The name of the band that `nearDistance` is short for. */
const NEAR = 'near';
/** Audiences that are no bands. */
const OTHERS = ['all', 'owner'];
const BANDS_MAX = 8;
const EVERY_TICKS_MAX = 255;

/** The bands declared, the farthest first. Throws `BAD_OPTION`. */
export function readBands(
  declared: Readonly<Record<string, number | BandDeclaration>> = {},
  nearDistance: number | undefined,
): readonly Band[] {
  checkObject('bands', declared, ['distances by name']);
  const bands = Object.entries(declared).map(([name, band]) => readBand(`bands.${name}`, name, band));
  if (nearDistance !== undefined) {
    if (bands.some(({ name }) => name === NEAR)) {
      throw badOption('nearDistance', nearDistance, `either it or bands.${NEAR}`);
    }
    bands.push(readBand('nearDistance', NEAR, nearDistance));
  }
  if (bands.length > BANDS_MAX) throw badOption('bands', bands.length, `at most ${BANDS_MAX} bands`);
  return bands.sort((one, other) => other.distance - one.distance);
}

function readBand(field: string, name: string, declared: number | BandDeclaration): Band {
  if (name === '' || OTHERS.includes(name)) {
    throw badOption('bands', name, `names that are not empty, ${OTHERS.join(' or ')}`);
  }
  const isObject = typeof declared === 'object' && declared !== null && !Array.isArray(declared);
  const { distance, everyTicks = 1, ...rest } = isObject ? declared : { distance: declared };
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw badOption(`${field}.${unknown}`, 'given', 'distance and everyTicks only');
  if (!(typeof distance === 'number' && distance >= 0)) {
    throw badOption(field, distance, 'a distance of at least 0');
  }
  if (!(Number.isInteger(everyTicks) && everyTicks >= 1 && everyTicks <= EVERY_TICKS_MAX)) {
    throw badOption(`${field}.everyTicks`, everyTicks, `an integer of 1 to ${EVERY_TICKS_MAX}`);
  }
  return { name, distance, everyTicks };
}
