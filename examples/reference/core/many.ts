// Example of: EntitiesInit, PositionColumns, UpdateColumns, ValueColumns, CountOptions, MoveManyOptions
import {
  type CountOptions,
  type EntitiesInit,
  type MoveManyOptions,
  type PositionColumns,
  type UpdateColumns,
  type ValueColumns,
  World,
} from 'umwelt';

const world = new World();
const places: PositionColumns = { x: [0, 10, 20], y: [0, 0, 0] };
const crowd: EntitiesInit = { ...places, range: 12 };
const ids = world.addMany(crowd);
world.tick();
console.log(world.stats().relationCount); // 4

// Columns may be longer than what is used of them.
const x = Float32Array.of(0, 100, 200, 0, 0);
const y = new Float32Array(5);
const firstTwo: MoveManyOptions = { count: 2, teleport: true };
world.moveMany(ids, x, y, undefined, undefined, firstTwo);
world.tick();
console.log(world.stats().relationCount); // 0

const ranges: ValueColumns = [500, 500, 500];
const patch: UpdateColumns = { range: ranges, weight: [1, 1, 5] };
const all: CountOptions = { count: ids.length };
world.updateMany(ids, patch, all);
world.tick();
console.log(world.stats().relationCount); // 6
