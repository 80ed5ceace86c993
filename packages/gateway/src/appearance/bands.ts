/**
 * Bands: named distances within which clients see more fields of an entity, each band with its own update
 * rate.
 *
 * The level of a client for an entity is the number of bands that the client is inside of. Bands are sorted
 * by distance, the farthest first, so that a client at level n is inside of the first n. How a level changes,
 * and the hysteresis that prevents flicker, is in `views/band-levels.ts`.
 */
import { badOption } from '../bounds/bad-option.ts';
import { checkObject } from '../bounds/option-keys.ts';

/** A distance within which the fields with this audience are seen. */
export interface BandDeclaration {
  /** World units, at least 0. May be infinite: then every client that is related to the entity is inside. */
  readonly distance: number;
  /**
   * Changes of its fields are sent at most every so many ticks, 1 to 255. Default 1. A client that enters and
   * the owner do not wait.
   */
  readonly everyTicks?: number;
}

export interface Band {
  readonly name: string;
  readonly distance: number;
  readonly everyTicks: number;
}

/** Name of the band that `nearDistance` declares. */
const NEAR = 'near';
/** Audiences that are not bands. */
const OTHERS = ['all', 'owner'];
const BANDS_MAX = 8;
const EVERY_TICKS_MAX = 255;

/** The declared bands, the farthest first. Throws `BAD_OPTION`. */
export function readBands(
  declared: Readonly<Record<string, number | BandDeclaration>> = {},
  nearDistance: number | undefined,
): readonly Band[] {
  checkObject('appearance.bands', declared, ['distances by name']);
  const bands = Object.entries(declared).map(([name, band]) =>
    readBand(`appearance.bands.${name}`, name, band),
  );
  if (nearDistance !== undefined) {
    if (bands.some(({ name }) => name === NEAR)) {
      throw badOption('appearance.nearDistance', nearDistance, `none beside bands.${NEAR}`);
    }
    bands.push(readBand('appearance.nearDistance', NEAR, nearDistance));
  }
  if (bands.length > BANDS_MAX)
    throw badOption('appearance.bands', bands.length, `at most ${BANDS_MAX} bands`);
  return bands.sort((one, other) => other.distance - one.distance);
}

function readBand(field: string, name: string, declared: number | BandDeclaration): Band {
  if (name === '' || OTHERS.includes(name)) {
    throw badOption('appearance.bands', name, "a name other than '', 'all' and 'owner'");
  }
  const isObject = typeof declared === 'object' && declared !== null && !Array.isArray(declared);
  const { distance, everyTicks = 1, ...rest } = isObject ? declared : { distance: declared };
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw badOption(`${field}.${unknown}`, 'given', 'distance and everyTicks only');
  if (!(typeof distance === 'number' && distance >= 0)) {
    throw badOption(field, distance, 'a distance of at least 0, in world units');
  }
  if (!(Number.isInteger(everyTicks) && everyTicks >= 1 && everyTicks <= EVERY_TICKS_MAX)) {
    throw badOption(`${field}.everyTicks`, everyTicks, `an integer of 1 to ${EVERY_TICKS_MAX}`);
  }
  return { name, distance, everyTicks };
}
