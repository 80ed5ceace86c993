/**
 * The meadow in bitECS: its components' arrays are passed to `moveMany` as they are.
 *
 * A component is an object of typed arrays by bitECS entity number; one component has the engine's ids. The result of a query is
 * what `moveMany` takes as `at`: the rows of the columns that moved. Observers keep the two worlds in step: an entity that gets a
 * position is added to the engine, one that loses it is removed. A column by slot gives the entity for an id.
 */
import { addComponents, addEntity, createWorld, observe, onAdd, onRemove, query, removeEntity } from 'bitecs';
import { World } from 'umwelt';
import { creature, isHungry, type MeadowTick, ROWS_MAX, WOLF_RANGE, WOLVES, wrapped } from './meadow.ts';

/** bitECS counts entities from 1. */
const CAPACITY = ROWS_MAX + 1;
const Position = { x: new Float32Array(CAPACITY), y: new Float32Array(CAPACITY) };
const Velocity = { dx: new Float32Array(CAPACITY), dy: new Float32Array(CAPACITY) };
const Perceived = { id: new Uint32Array(CAPACITY) };
const Wolf = { inSight: new Uint32Array(CAPACITY) };

export function* meadowWithBitecs(): Generator<MeadowTick, never> {
  const ecs = createWorld();
  const world = new World({ capacity: ROWS_MAX });
  /** The bitECS entity, by the engine's slot. There are more slots than entities: freed slots are not reused at once. */
  const entityAt: number[] = [];
  const entityOf = (id: number): number => entityAt[world.slotOf(id)]!;

  observe(ecs, onAdd(Position, Perceived), (entity) => {
    const id = world.add({ x: Position.x[entity]!, y: Position.y[entity]! });
    Perceived.id[entity] = id;
    entityAt[world.slotOf(id)] = entity;
  });
  observe(ecs, onAdd(Wolf, Perceived), (entity) =>
    world.update(Perceived.id[entity]!, { range: WOLF_RANGE, marker: false }),
  );
  observe(ecs, onRemove(Perceived), (entity) => world.remove(Perceived.id[entity]!));

  let born = 0;
  function bear(): void {
    const { x, y, dx, dy, isWolf } = creature(born++);
    const entity = addEntity(ecs);
    // The columns first: an observer reads them.
    Position.x[entity] = x;
    Position.y[entity] = y;
    addComponents(ecs, entity, Position, Perceived);
    if (isWolf) addComponents(ecs, entity, Wolf);
    if (dx === 0 && dy === 0) return;
    Velocity.dx[entity] = dx;
    Velocity.dy[entity] = dy;
    addComponents(ecs, entity, Velocity);
  }

  for (let i = 0; i < ROWS_MAX; i++) bear();
  while (true) {
    const movers = query(ecs, [Position, Velocity]);
    for (const entity of movers) {
      Position.x[entity] = wrapped(Position.x[entity]! + Velocity.dx[entity]!);
      Position.y[entity] = wrapped(Position.y[entity]! + Velocity.dy[entity]!);
    }
    world.moveMany(Perceived.id, Position.x, Position.y, undefined, movers);
    const moved = movers.length;

    const changes = world.tick();
    const eaten: number[] = [];
    for (const [row, { watcher, entered, left }] of [...changes].entries()) {
      const wolf = entityOf(watcher);
      Wolf.inSight[wolf]! += entered.length - left.length;
      const prey = isHungry(row, changes.tick) ? entered[0] : undefined;
      if (prey !== undefined && !eaten.includes(prey)) eaten.push(prey);
    }
    for (const prey of eaten) removeEntity(ecs, entityOf(prey));
    for (let i = 0; i < eaten.length; i++) bear();

    let inSight = 0;
    for (const wolf of query(ecs, [Wolf])) inSight += Wolf.inSight[wolf]!;
    if (query(ecs, [Wolf]).length !== WOLVES) throw new Error('a wolf is lost');
    yield { moved, eaten: eaten.length, inSight, hash: changes.hash() };
  }
}
