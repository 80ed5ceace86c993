/**
 * Town: the city's streets, with perception as in games, to look at all its features.
 *
 * Players see and hear. Cars are loud and can be heard round the corner, shops cannot be heard. A player is shown at most `CAP`
 * others, the nearest first, with a leave margin against flicker; on a square more are cut than have seats. Some are in
 * parties of three that see each other anywhere. Pedestrians have names.
 *
 * Movement is the city's, step for step.
 */
import type { EntityPatch } from 'umwelt';
import { COMMON_RULES } from '../option-check.ts';
import { personName } from '../person-name.ts';
import type { Simulation } from '../simulation.ts';
import { CAMERA, CAR, City, type CityOptions, PASSER_BY, PLAYER } from './city.ts';

const CAP = 24;
const PARTY_SIZE = 3;
/** Of so many groups of three players, one is a party. */
const PARTY_EVERY = 40;
/** Relative to the range of sight: the range of hearing for a marker of gain 1, and the leave margin. */
const HEARING = 0.7;
const MARGIN = 0.1;

const CAMERA_INIT: EntityPatch = Object.freeze({ marker: false, interest: 'camera' });
const CAR_INIT: EntityPatch = Object.freeze({ gain: { hearing: 2 }, weight: 1.5 });
const PASSER_BY_INIT: EntityPatch = Object.freeze({ gain: { hearing: 0.5 } });
const SHOP_INIT: EntityPatch = Object.freeze({ gain: { hearing: 0 }, weight: 0.5 });

class Town extends City {
  /** By party and range. */
  readonly #players = new Map<string, EntityPatch>();

  constructor(options: CityOptions) {
    const range = typeof options.range === 'number' ? options.range : COMMON_RULES.range.default;
    const seats = { cap: CAP, leaveMargin: MARGIN * range };
    super(options, {
      name: 'town',
      title: 'A town',
      world: {
        senses: ['sight', 'hearing'],
        groups: ['party'],
        interests: {
          default: seats,
          party: { ...seats, showGroup: ['party'] },
          camera: {},
        },
      },
    });
  }

  override initFor(actor: number): EntityPatch {
    const kind = this.kind[actor];
    if (kind === PLAYER) return this.#playerInit(actor);
    if (kind === CAMERA) return CAMERA_INIT;
    if (kind === CAR) return CAR_INIT;
    return kind === PASSER_BY ? PASSER_BY_INIT : SHOP_INIT;
  }

  nameOf(actor: number): string {
    const kind = this.kind[actor] as number;
    return kind === PLAYER || kind === PASSER_BY ? personName(actor) : `${this.kinds[kind]} ${actor + 1}`;
  }

  #playerInit(actor: number): EntityPatch {
    const range = this.range[actor]!;
    // Players are every fifth actor, so these are three of them.
    const three = Math.floor(actor / (5 * PARTY_SIZE));
    const party = three % PARTY_EVERY === 0 ? three / PARTY_EVERY + 1 : 0;
    const key = `${party} ${range}`;
    let init = this.#players.get(key);
    if (init === undefined) {
      init = {
        range: { sight: range, hearing: HEARING * range },
        gain: { hearing: 0.8 },
        ...(party === 0 ? {} : { group: party, interest: 'party' }),
      };
      this.#players.set(key, init);
    }
    return init;
  }
}

/** A city whose players see and hear, have seats and parties, and names. Throws `BAD_OPTION`. */
export function createTown(options: CityOptions = {}): Simulation {
  return new Town(options);
}
