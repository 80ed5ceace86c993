// Example of: MoveOptions
import { type MoveOptions, World } from 'umwelt';

const world = new World();
const player = world.add({ x: 0, y: 0, range: 100 });
const mage = world.add({ x: 5, y: 0 });
world.tick();

// The mage blinks away and stays in sight: the player's client must not draw a walk.
const blink: MoveOptions = { teleport: true };
world.move(mage, 60, 0, 0, blink);
const view = world.tick().of(player);
console.log(view?.left.includes(mage), view?.entered.includes(mage)); // true true
