// npm run example -- own-detector: a world on a grid of hexagons, a detector written outside the engine, with the same events
import { World } from 'umwelt';
import { hexagonGrid } from './hexagon-grid.ts';

const crowd = 2000;
const own = new World({ detector: hexagonGrid(12) });
const usual = new World();
const worlds = [own, usual];

/** Walkers on a plaza of 400 x 400, each on its own circle. */
function placesAt(tick: number): { x: Float32Array; y: Float32Array } {
  const angle = (i: number) => i + (tick * (1 + (i % 7))) / 40;
  return {
    x: Float32Array.from({ length: crowd }, (_, i) => ((i * 89) % 400) + 20 * Math.cos(angle(i))),
    y: Float32Array.from({ length: crowd }, (_, i) => ((i * 47) % 397) + 20 * Math.sin(angle(i))),
  };
}

// Both worlds return the same ids in the same order.
const [ids = new Uint32Array()] = worlds.map((world) => world.addMany({ ...placesAt(0), range: 12 }));
for (let tick = 1; tick <= 5; tick++) {
  const { x, y } = placesAt(tick);
  const [hexagons, sweep] = worlds.map((world) => {
    world.moveMany(ids, x, y);
    const { enteredCount, leftCount, updatedCount } = world.tick();
    return { enteredCount, leftCount, updatedCount, hash: world.lastChanges.hash() };
  });
  if (hexagons?.hash !== sweep?.hash) throw new Error(`tick ${tick} differs`);
  console.log(
    `tick ${tick}: ${hexagons?.enteredCount} entered, ${hexagons?.leftCount} left, ${hexagons?.updatedCount} updated; ` +
      `hash ${hexagons?.hash}, the same as with the default detector`,
  );
}
