// Example of: UmweltError, UmweltErrorCode, UmweltErrorDetails
import { UmweltError, type UmweltErrorCode, type UmweltErrorDetails, World } from 'umwelt';

const world = new World();
let code: UmweltErrorCode | undefined;
let details: UmweltErrorDetails = {};
try {
  world.add({ x: Number.NaN, y: 0 });
} catch (error) {
  if (!(error instanceof UmweltError)) throw error;
  ({ code, details } = error);
}
console.log(code, details.field); // BAD_POSITION x
console.log(world.size); // 0

const id = world.add({ x: 0, y: 0 });
world.remove(id);
world.tick();
try {
  world.move(id, 1, 1);
} catch (error) {
  console.log((error as UmweltError).code); // STALE_ID
}
