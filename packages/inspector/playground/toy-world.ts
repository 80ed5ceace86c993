/**
 * The playground's world: the town, whose people a visitor may pick up and whose senses and seats he may set.
 *
 * A step is one of the town's, put into the world, and a tick. Whoever is held stays where he is put, and walks on from
 * there. Another number of entities makes another world; everything else is changed live.
 */
import { createTown, type Simulation, WorldDriver } from '@umwelt/scenarios';
import { type Changes, type DetectorName, type EntityId, type Interest, World } from 'umwelt';
import { NO_CAP, RANGE, type Settings } from './settings.ts';

/** Steps a second. */
export const STEPS_A_SECOND = 60;
/** A player's speed, world units a second: slow enough to be picked up. */
const SPEED = 6;

export class ToyWorld {
  readonly simulation: Simulation;
  readonly world: World;
  readonly #driver: WorldDriver;
  #settings: Settings;
  /** By actor: how far it sees in the town, world units. */
  readonly #watchers: readonly number[];
  #held: { actor: number; x: number; y: number } | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.simulation = createTown({
      entities: settings.entities,
      tickSeconds: 1 / STEPS_A_SECOND,
      range: RANGE,
      speed: SPEED,
      seed: 1,
    });
    const { worldOptions, range, kind, capacity } = this.simulation;
    this.world = new World({ ...worldOptions, detector: settings.detector as DetectorName });
    this.#driver = new WorldDriver(this.simulation, this.world);
    // Cameras see as they are: what a visitor sets is the players'.
    const camera = this.simulation.kinds.indexOf('camera');
    this.#watchers = Array.from({ length: capacity }, (_, actor) => actor).filter(
      (actor) => (range[actor] as number) > 0 && kind[actor] !== camera,
    );
    this.#driver.step();
    this.#setRanges();
    this.#setInterests();
    this.world.tick();
  }

  get settings(): Settings {
    return this.#settings;
  }

  /** Everything but the number of entities, which is another world. */
  set(settings: Settings): void {
    const before = this.#settings;
    this.#settings = settings;
    if (settings.sight !== before.sight || settings.hearing !== before.hearing) this.#setRanges();
    if (settings.cap !== before.cap || settings.margin !== before.margin) this.#setInterests();
    if (settings.detector !== before.detector) this.world.setDetector(settings.detector as DetectorName);
  }

  step(): Changes {
    this.#driver.step();
    const held = this.#held;
    if (held !== undefined) {
      this.simulation.x[held.actor] = held.x;
      this.simulation.y[held.actor] = held.y;
      this.world.move(this.#driver.idOf(held.actor), held.x, held.y);
    }
    return this.world.tick();
  }

  /** Somebody is held at a place, within the town's bounds; 0: nobody any more. */
  hold(id: EntityId, x: number, y: number): void {
    const actor = id === 0 ? -1 : this.#driver.actorOf(id);
    const { minX, maxX, minY, maxY } = this.simulation.bounds;
    this.#held =
      actor < 0
        ? undefined
        : { actor, x: Math.min(maxX, Math.max(minX, x)), y: Math.min(maxY, Math.max(minY, y)) };
  }

  kindOf(id: EntityId): number {
    return this.simulation.kind[this.#driver.actorOf(id)] ?? 0;
  }

  nameOf(id: EntityId): string {
    const actor = this.#driver.actorOf(id);
    return actor < 0 ? 'gone' : (this.simulation.nameOf?.(actor) ?? String(actor));
  }

  #setRanges(): void {
    const { sight, hearing } = this.#settings;
    for (const actor of this.#watchers) {
      const own = this.simulation.range[actor] as number;
      this.world.update(this.#driver.idOf(actor), { range: { sight: own * sight, hearing: own * hearing } });
    }
  }

  #setInterests(): void {
    const { cap, margin } = this.#settings;
    const seats: Interest = {
      leaveMargin: margin * RANGE,
      ...(cap === NO_CAP ? {} : { cap }),
    };
    this.world.setInterest('default', seats);
    // Parties would be shown across the town, out of sight of the one who is looked at.
    this.world.setInterest('party', seats);
  }
}
