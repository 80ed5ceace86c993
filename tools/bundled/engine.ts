/**
 * What a user's page does with the packed engine: it uses the default detector, one that it imports, and one that it only
 * names. The results are printed and stored on the global object, so that a test can read them from a bundle in a
 * browser.
 */
import { UmweltError, World, type WorldOptions } from 'umwelt';
import { tower } from 'umwelt/detectors';

function walk(options: WorldOptions): string {
  const world = new World(options);
  const ids = world.addMany({
    x: Array.from({ length: 2000 }, (_, i) => (i * 37) % 1000),
    y: Array.from({ length: 2000 }, (_, i) => (i * 61) % 1000),
    range: 30,
  });
  const hashes = [world.tick().hash()];
  for (const id of ids) {
    const [x = 0, y = 0] = world.position(id);
    world.move(id, x + (id % 7) - 3, y + (id % 5) - 2);
  }
  hashes.push(world.tick().hash());
  return hashes.join(' ');
}

/** Tries a detector by name; returns the error code if the name is refused. */
function named(): string {
  try {
    return walk({ detector: 'quadtree' });
  } catch (error) {
    return error instanceof UmweltError ? error.code : String(error);
  }
}

const answers = {
  kernels: new World().stats().kernels,
  plain: walk({}),
  imported: walk({ detector: tower }),
  named: named(),
};
Object.assign(globalThis, { answers });
console.log(JSON.stringify(answers));
