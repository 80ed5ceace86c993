/**
 * The game: a meadow of sheep in which players walk and hide, kept in bitECS. Each player is sent what it perceives, and nothing else.
 *
 * bitECS has the entities, components and systems; the world of umwelt has who perceives whom. An observer keeps the two in
 * step, and a query's result goes into `moveMany` as it is: these rows of the columns.
 */
import { type Admission, Gateway, type Session } from '@umwelt/gateway';
import { addComponents, addEntity, createWorld, observe, onAdd, onRemove, query, removeEntity } from 'bitecs';
import { type EntityId, World } from 'umwelt';
import { appearance } from './appearance.ts';

export const TICK_MS = 50;
/** World units from edge to edge. */
const MEADOW = 200;
/** How far a player sees, in world units; one that hides is seen from a tenth as far. */
const SIGHT = 30;
const SHEEP = 300;
const PLAYERS_MAX = 1000;
/** World units a tick. */
const PLAYER_PACE = 0.6;
const SHEEP_PACE = 0.15;

// Components: columns by bitECS's entity, which counts from 1.
const ROWS = SHEEP + PLAYERS_MAX + 1;
const Position = { x: new Float32Array(ROWS), y: new Float32Array(ROWS) };
/** Where it walks: -1, 0 or 1 along each axis, and how far in a tick. */
const Walk = { dx: new Int8Array(ROWS), dy: new Int8Array(ROWS), pace: new Float32Array(ROWS) };
/** What it is to the world. */
const Perceived = { id: new Uint32Array(ROWS) };
const Sheep = {};
const Player = {};

export class Game {
  readonly ecs = createWorld();
  // Nobody flickers at the edge of sight, and nobody is shown more than 60 others.
  readonly world = new World({ interests: { default: { leaveMargin: 3, cap: 60 } } });
  readonly gateway = new Gateway(this.world, {
    tickMs: TICK_MS,
    appearance,
    authenticate: ({ credential }) => this.#admit(credential),
    onInput: (session, payload) => this.#steer(session, payload),
    onLeave: (session) => removeEntity(this.ecs, this.#entityOf(session.watcher)),
  });
  /** bitECS's entity by the world's slot. */
  readonly #entityAt: number[] = [];

  constructor() {
    observe(this.ecs, onAdd(Position, Perceived), (entity) => {
      const id = this.world.add({ x: Position.x[entity]!, y: Position.y[entity]! });
      Perceived.id[entity] = id;
      this.#entityAt[this.world.slotOf(id)] = entity;
    });
    observe(this.ecs, onRemove(Perceived), (entity) => this.world.remove(Perceived.id[entity]!));
    for (let count = 0; count < SHEEP; count++) {
      const entity = this.#spawn(Math.random() * MEADOW, Math.random() * MEADOW, SHEEP_PACE);
      addComponents(this.ecs, entity, Sheep);
      this.gateway.set(Perceived.id[entity]!, { kind: 'sheep' });
    }
  }

  /** All systems, in their order; the last one tells each player who came into its sight, who left and who moved. */
  step(): void {
    this.#wander();
    this.#walk();
    this.gateway.publish(this.world.tick());
  }

  #wander(): void {
    for (const entity of query(this.ecs, [Sheep, Walk])) {
      if (Math.random() >= 0.02) continue;
      Walk.dx[entity] = Math.floor(Math.random() * 3) - 1;
      Walk.dy[entity] = Math.floor(Math.random() * 3) - 1;
    }
  }

  #walk(): void {
    const walkers = query(this.ecs, [Position, Walk, Perceived]);
    for (const entity of walkers) {
      Position.x[entity] = within(Position.x[entity]! + Walk.dx[entity]! * Walk.pace[entity]!);
      Position.y[entity] = within(Position.y[entity]! + Walk.dy[entity]! * Walk.pace[entity]!);
    }
    this.world.moveMany(Perceived.id, Position.x, Position.y, undefined, walkers);
  }

  /** The columns first: the observer reads them. A row may be that of somebody who left. */
  #spawn(x: number, y: number, pace: number): number {
    const entity = addEntity(this.ecs);
    Position.x[entity] = x;
    Position.y[entity] = y;
    Walk.dx[entity] = 0;
    Walk.dy[entity] = 0;
    Walk.pace[entity] = pace;
    addComponents(this.ecs, entity, Position, Walk, Perceived);
    return entity;
  }

  /** Who comes in, and as whom. A game that people log in to asks here for a ticket. */
  #admit(name: string): Admission | undefined {
    if (name === '' || query(this.ecs, [Player]).length === PLAYERS_MAX) return undefined;
    const entity = this.#spawn(MEADOW / 2, MEADOW / 2, PLAYER_PACE);
    addComponents(this.ecs, entity, Player);
    const watcher = Perceived.id[entity]!;
    this.world.update(watcher, { range: SIGHT });
    this.gateway.set(watcher, { kind: 'player', name: name.slice(0, 32) });
    return { watcher };
  }

  /** What a player does: three bytes, and anyone may have sent them. */
  #steer(session: Session, payload: Uint8Array): void {
    if (payload.length !== 3) return;
    const [dx = 0, dy = 0, hides = 0] = new Int8Array(payload);
    const entity = this.#entityOf(session.watcher);
    Walk.dx[entity] = Math.sign(dx);
    Walk.dy[entity] = Math.sign(dy);
    this.world.update(session.watcher, { gain: hides === 1 ? 0.1 : 1 });
  }

  #entityOf(id: EntityId): number {
    return this.#entityAt[this.world.slotOf(id)]!;
  }
}

function within(coordinate: number): number {
  return Math.min(Math.max(coordinate, 0), MEADOW);
}
