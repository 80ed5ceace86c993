// Example of: WorldStats, DescribeOptions
import { type DescribeOptions, World, type WorldStats } from 'umwelt';

const world = new World();
const player = world.add({ x: 0, y: 0, range: 20 });
world.add({ x: 3, y: 4 });
world.tick();

const stats: WorldStats = world.stats();
console.log(stats.entities, stats.relationCount, stats.addedCount); // 2 1 2
console.log(stats.tickMs >= stats.detectMs, stats.memoryBytes > 0); // true true

const around: DescribeOptions = { around: player, limit: 3 };
console.log(world.describe(around).includes('distance')); // true
