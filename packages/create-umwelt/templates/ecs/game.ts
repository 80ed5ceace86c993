/**
 * The game: a meadow of sheep in which players walk and hide, kept in bitECS. Each player is sent what it perceives, and nothing else.
 *
 * bitECS has the entities, components and systems; the world of umwelt finds out which entities perceive which. An observer keeps
 * the two in step, and the result of a query is passed to `moveMany` directly: it names the rows of the columns that moved.
 */
import { type Admission, Gateway, type Session } from '@umwelt/gateway';
import { addComponents, addEntity, createWorld, observe, onAdd, onRemove, query, removeEntity } from 'bitecs';
import { type EntityId, World } from 'umwelt';
import { appearance } from './appearance.ts';

export const TICK_MS = 50;
/** World units from edge to edge. */
const MEADOW = 200;
/** How far a player sees, in world units; a hiding player can be seen from a tenth of that distance. */
const SIGHT = 30;
const SHEEP = 300;
const PLAYERS_MAX = 1000;
/** World units per tick. */
const PLAYER_PACE = 0.6;
const SHEEP_PACE = 0.15;
/** A player that was silent for so long stops: the page repeats its input several times a second, so the connection is broken. */
const SILENT_TICKS = 20;

/** Components: columns by bitECS entity, counted from 1. Each game has its own, because all games count from 1. */
function createComponents() {
  const rows = SHEEP + PLAYERS_MAX + 1;
  return {
    Position: { x: new Float32Array(rows), y: new Float32Array(rows) },
    /** Where it walks: -1, 0 or 1 along each axis, and how far per tick. */
    Walk: { dx: new Int8Array(rows), dy: new Int8Array(rows), pace: new Float32Array(rows) },
    /** Its id in the world. */
    Perceived: { id: new Uint32Array(rows) },
    Sheep: {},
    /** The tick of its last input. */
    Player: { heardTick: new Uint32Array(rows) },
  };
}

export class Game {
  readonly ecs = createWorld({ components: createComponents() });
  // The margin prevents flicker at the edge of sight; the cap limits each player to 60 others.
  readonly world = new World({ interests: { default: { leaveMargin: 3, cap: 60 } } });
  readonly gateway = new Gateway(this.world, {
    tickMs: TICK_MS,
    appearance,
    // The columns above have no more rows. When the game is full, a client tries again later.
    limits: { clientsMax: PLAYERS_MAX },
    authenticate: ({ credential }) => this.#admit(credential),
    onInput: (session, payload) => this.#steer(session, payload),
    onLeave: (session) => removeEntity(this.ecs, this.#entityOf(session.watcher)),
  });
  /** The bitECS entity, by the world's slot. */
  readonly #entityAt: number[] = [];

  constructor() {
    const { Perceived, Position, Sheep } = this.ecs.components;
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

  /** Runs all systems in order; the last one sends each player which entities entered, left and moved. */
  step(): void {
    this.#wander();
    this.#stopSilent();
    this.#walk();
    this.gateway.publish(this.world.tick());
  }

  #wander(): void {
    const { Sheep, Walk } = this.ecs.components;
    for (const entity of query(this.ecs, [Sheep, Walk])) {
      if (Math.random() >= 0.02) continue;
      Walk.dx[entity] = Math.floor(Math.random() * 3) - 1;
      Walk.dy[entity] = Math.floor(Math.random() * 3) - 1;
    }
  }

  #stopSilent(): void {
    const { Player, Walk } = this.ecs.components;
    for (const entity of query(this.ecs, [Player, Walk])) {
      if (this.world.tickCount - Player.heardTick[entity]! <= SILENT_TICKS) continue;
      Walk.dx[entity] = 0;
      Walk.dy[entity] = 0;
    }
  }

  #walk(): void {
    const { Perceived, Position, Walk } = this.ecs.components;
    const walkers = query(this.ecs, [Position, Walk, Perceived]);
    for (const entity of walkers) {
      Position.x[entity] = within(Position.x[entity]! + Walk.dx[entity]! * Walk.pace[entity]!);
      Position.y[entity] = within(Position.y[entity]! + Walk.dy[entity]! * Walk.pace[entity]!);
    }
    this.world.moveMany(Perceived.id, Position.x, Position.y, undefined, walkers);
  }

  /** Fills the columns first: the observer reads them. A row may have old values of a removed entity. */
  #spawn(x: number, y: number, pace: number): number {
    const { Perceived, Position, Walk } = this.ecs.components;
    const entity = addEntity(this.ecs);
    Position.x[entity] = x;
    Position.y[entity] = y;
    Walk.dx[entity] = 0;
    Walk.dy[entity] = 0;
    Walk.pace[entity] = pace;
    addComponents(this.ecs, entity, Position, Walk, Perceived);
    return entity;
  }

  /** Accepts a player and creates its entity. A game with accounts would check a ticket here. */
  #admit(name: string): Admission | undefined {
    if (name === '') return undefined;
    const { Perceived, Player } = this.ecs.components;
    const entity = this.#spawn(start(), start(), PLAYER_PACE);
    addComponents(this.ecs, entity, Player);
    const watcher = Perceived.id[entity]!;
    this.world.update(watcher, { range: SIGHT });
    this.gateway.set(watcher, { kind: 'player', name: name.slice(0, 32) });
    return { watcher };
  }

  /** Input of a player: three bytes, which are untrusted. */
  #steer(session: Session, payload: Uint8Array): void {
    if (payload.length !== 3) return;
    const [dx = 0, dy = 0, hides = 0] = new Int8Array(payload);
    const { Player, Walk } = this.ecs.components;
    const entity = this.#entityOf(session.watcher);
    Walk.dx[entity] = Math.sign(dx);
    Walk.dy[entity] = Math.sign(dy);
    Player.heardTick[entity] = this.world.tickCount;
    this.world.update(session.watcher, { gain: hides === 1 ? 0.1 : 1 });
  }

  #entityOf(id: EntityId): number {
    return this.#entityAt[this.world.slotOf(id)]!;
  }
}

/** Where a player begins, along one axis: near the middle, and seldom where another stands. */
function start(): number {
  return MEADOW / 2 + (Math.random() - 0.5) * 16;
}

function within(coordinate: number): number {
  return Math.min(Math.max(coordinate, 0), MEADOW);
}
