// Example of: RangeShape, KernelChoice
import { type KernelChoice, type RangeShape, World } from 'umwelt';

// A screen is wider than it is high: a range of 10 reaches 16 to each side and 9 up and down.
const rangeShape: RangeShape = 'box';
const kernels: KernelChoice = 'auto';
const world = new World({ rangeShape, rangeRatio: [1.6, 0.9], kernels });
const player = world.add({ x: 0, y: 0, range: 10 });
const [right = 0, above = 0] = world.addMany({ x: [15, 0], y: [0, 10] });
world.tick();
console.log(world.related(player, right), world.related(player, above)); // true false
