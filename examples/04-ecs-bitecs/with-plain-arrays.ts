/**
 * The meadow in plain arrays: a number[] for each property, with a row per creature.
 *
 * `moveMany` reads any array of numbers, typed or not. Only the ids are a Uint32Array, since the engine returns that. Rows of eaten
 * sheep are reused, so the arrays have holes in between; `at` names the rows that moved.
 */
import { World } from 'umwelt';
import { creature, isHungry, type MeadowTick, ROWS_MAX, WOLF_RANGE, wrapped } from './meadow.ts';

export function* meadowWithPlainArrays(): Generator<MeadowTick, never> {
  const x: number[] = [];
  const y: number[] = [];
  const dx: number[] = [];
  const dy: number[] = [];
  /** Number of sheep in sight of the wolf in that row. */
  const inSight: number[] = [];
  const ids = new Uint32Array(ROWS_MAX);
  const freeRows: number[] = Array.from({ length: ROWS_MAX }, (_, i) => ROWS_MAX - 1 - i);
  const movers = new Set<number>();

  const world = new World({ capacity: ROWS_MAX });
  /** The row, by the engine's slot. */
  const rowAt: number[] = [];
  const rowOf = (id: number): number => rowAt[world.slotOf(id)]!;

  let born = 0;
  function bear(): void {
    const next = creature(born++);
    const row = freeRows.pop()!;
    x[row] = next.x;
    y[row] = next.y;
    dx[row] = next.dx;
    dy[row] = next.dy;
    inSight[row] = 0;
    ids[row] = world.add(
      next.isWolf ? { x: next.x, y: next.y, range: WOLF_RANGE, marker: false } : { x: next.x, y: next.y },
    );
    rowAt[world.slotOf(ids[row])] = row;
    if (next.dx !== 0 || next.dy !== 0) movers.add(row);
  }

  for (let i = 0; i < ROWS_MAX; i++) bear();
  while (true) {
    for (const row of movers) {
      x[row] = wrapped(x[row]! + dx[row]!);
      y[row] = wrapped(y[row]! + dy[row]!);
    }
    world.moveMany(ids, x, y, undefined, [...movers]);
    const moved = movers.size;

    const changes = world.tick();
    const eaten = new Set<number>();
    for (const [row, { watcher, entered, left }] of [...changes].entries()) {
      inSight[rowOf(watcher)]! += entered.length - left.length;
      const prey = isHungry(row, changes.tick) ? entered[0] : undefined;
      if (prey !== undefined) eaten.add(prey);
    }
    for (const prey of eaten) {
      const row = rowOf(prey);
      world.remove(prey);
      movers.delete(row);
      freeRows.push(row);
    }
    for (let i = 0; i < eaten.size; i++) bear();

    const sum = inSight.reduce((before, count) => before + count, 0);
    yield { moved, eaten: eaten.size, inSight: sum, hash: changes.hash() };
  }
}
