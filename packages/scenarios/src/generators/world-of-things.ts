/**
 * World: a few players that walk among very many resting things, as in most real maps: trees, chests, doors, ore.
 *
 * Things are seen and see nothing; players see things and each other. Only players move, straight on, and bounce off the edges of
 * a square so large that each perceives `perceived` others. An engine's cost here should grow with the players, however many
 * things there are.
 */
import { Crowd } from '../crowd.ts';
import { COMMON_RULES, checkNumber, numberOptions } from '../option-check.ts';
import { Random } from '../random.ts';
import type { Simulation } from '../simulation.ts';
import { type ScenarioOptions, scatter, setOff, squareFor, walkAxisOf } from './walking.ts';

/** Options of `createWorldOfThings`. */
export interface WorldOfThingsOptions extends ScenarioOptions {
  /** Number of players among the entities. Default 100, or all if there are fewer. */
  players?: number | undefined;
}

const PLAYERS = 100;

class WorldOfThings extends Crowd {
  readonly #stepX: Float32Array;
  readonly #stepY: Float32Array;
  /** The last actors: as in a game, whose map exists before players join. */
  readonly #players: Uint32Array;

  constructor({ players, ...options }: WorldOfThingsOptions) {
    const subject = "scenario 'world'";
    const { entities, seed, tickSeconds, range, speed, perceived } = numberOptions(subject, options, {
      ...COMMON_RULES,
      perceived: { ...COMMON_RULES.perceived, default: 100 },
    });
    const rule = { default: PLAYERS, min: 0, max: entities, whole: true };
    const playerCount =
      players === undefined ? Math.min(PLAYERS, entities) : checkNumber(subject, 'players', players, rule);
    const bounds = squareFor(entities, perceived, range);
    super({
      name: 'world',
      title: 'Players among things',
      kinds: ['thing', 'player'],
      dimensions: 2,
      tickSeconds,
      bounds,
      capacity: entities,
    });
    const random = new Random(seed);
    this.#players = Uint32Array.from({ length: playerCount }, (_, player) => entities - playerCount + player);
    // By actor, since walking uses one index for positions and steps; the steps of things are never read.
    this.#stepX = new Float32Array(entities);
    this.#stepY = new Float32Array(entities);
    this.range.fill(range, entities - playerCount);
    this.kind.fill(1, entities - playerCount);
    scatter(random, this.x, this.y, bounds);
    setOff(random, this.#stepX, this.#stepY, speed * tickSeconds);
    this.moved.indices.set(this.#players);
  }

  protected override advance(): void {
    const { bounds } = this;
    const players = this.#players;
    walkAxisOf(players, players.length, this.x, this.#stepX, bounds.minX, bounds.maxX);
    walkAxisOf(players, players.length, this.y, this.#stepY, bounds.minY, bounds.maxY);
    this.moved.count = players.length;
  }
}

/** A few players walk and watch; all others rest and are only seen. Throws `BAD_OPTION`. */
export function createWorldOfThings(options: WorldOfThingsOptions = {}): Simulation {
  return new WorldOfThings(options);
}
