// Example of: AttachmentOffset
import { type AttachmentOffset, World } from 'umwelt';

const world = new World();
const player = world.add({ x: 0, y: 0, range: 20 });
const ship = world.add({ x: 18, y: 0 });
const gun = world.add({ x: 0, y: 0 });

// The gun is out of the player's range, and is seen because the ship is.
const bow: AttachmentOffset = { x: 6, y: -1 };
world.attach(gun, ship, bow);
world.tick();
console.log([...world.position(gun)], world.related(player, gun)); // [ 24, -1 ] true
world.detach(gun);
world.tick();
console.log(world.related(player, gun)); // false
