// Example of: Territories, TerritoriesOptions
import { joinWorld, memoryLog, Territories, type TerritoriesOptions } from '@umwelt/cluster';

const node = await joinWorld({ log: memoryLog(), name: 'first', tickMs: 10 });

// Entities that are near each other are simulated by one process: each tile of 100 by 100 is one member's.
const options: TerritoriesOptions = { tileSize: 100, hysteresis: 10 };
const territories = new Territories(node, options);
console.log(territories.memberAt(250, 40)); // first
territories.stop();
await node.leave();
