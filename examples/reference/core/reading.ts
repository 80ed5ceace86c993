// Example of: WorldReader, WatcherRows
import { type WatcherRows, World, type WorldReader } from 'umwelt';

const world = new World();
const ids = world.addMany({ x: [0, 5, 50], y: [0, 0, 0], range: 10 });
world.tick();

/** For code that may look and not touch. */
function audience(of: WorldReader, markers: Uint32Array): number[] {
  const rows: WatcherRows = of.watchersOfMany(markers);
  return Array.from(markers, (_, row) => rows.offsets[row + 1]! - rows.offsets[row]!);
}
console.log(audience(world, ids)); // [ 1, 1, 0 ]
