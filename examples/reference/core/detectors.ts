// Example of: detectorNames, DetectorName, sweep, nineGrid, tower, crossList, createCrossList, hotPair, quadtree, bruteForce
import { createCrossList, type DetectorName, detectorNames, World } from 'umwelt';
import { bruteForce, crossList, hotPair, nineGrid, quadtree, sweep, tower } from 'umwelt/detectors';

// All detectors give the same reports, byte by byte: they differ in cost only.
const classic = createCrossList({ indexed: false });
const all = [sweep, nineGrid, tower, crossList, classic, hotPair, quadtree, bruteForce];
const hashes = all.map((detector) => {
  const world = new World({ detector });
  world.addMany({ x: [0, 3, 90], y: [0, 4, 0], range: 10 });
  return world.tick().hash();
});
console.log(new Set(hashes).size); // 1

// By name, and while a world runs: the change itself reports no events.
const name: DetectorName = 'quadtree';
const world = new World();
world.setDetector(name);
console.log(world.stats().detector, detectorNames.includes(name), detectorNames[0]); // quadtree true sweep
