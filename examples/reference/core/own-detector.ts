// Example of: Detector, DetectorFactory, Population, EntityStore, Crossings, SlotVisitor, PlaceVisitor, Bounds, StructureSketch, Rectangle
import {
  type Bounds,
  type Crossings,
  type Detector,
  type DetectorFactory,
  type EntityStore,
  type PlaceVisitor,
  type Population,
  type Rectangle,
  type SlotVisitor,
  type StructureSketch,
  World,
} from 'umwelt';

/** The plainest detector that is right: it keeps nothing and lets the world decide each pair with a changed entity. */
class EveryPair implements Detector {
  readonly name = 'every-pair';
  readonly memoryBytes = 0;

  detect({ pendingSlots, pendingCount, slotCount }: Population, out: Crossings): void {
    for (let i = 0; i < pendingCount; i++) {
      for (let other = 0; other < slotCount; other++) {
        if (other === pendingSlots[i]) continue;
        out.candidate(pendingSlots[i]!, other);
        out.candidate(other, pendingSlots[i]!);
      }
    }
  }

  collect({ slotCount }: Population, _bounds: Bounds, visit: SlotVisitor): void {
    for (let slot = 0; slot < slotCount; slot++) visit(slot);
  }

  collectPlaces({ last, slotCount }: Population, { minX, maxX }: Bounds, visit: PlaceVisitor): void {
    for (let slot = 0; slot < slotCount; slot++) {
      const [x = 0, y = 0] = [last.x[slot], last.y[slot]];
      if (last.isPresent(slot) && x >= minX && x <= maxX) visit(slot, x, y, 0);
    }
  }

  validate(): void {}

  describe(): string {
    return 'keeps nothing';
  }

  sketch(store: EntityStore, sketch: StructureSketch): void {
    const { minX, minY, maxX, maxY }: Rectangle = sketch.window;
    sketch.cell(minX, minY, maxX, maxY, store.size);
    sketch.caption = 'One cell with all entities.';
  }
}

const everyPair: DetectorFactory = () => new EveryPair();
const world = new World({ detector: everyPair });
const player = world.add({ x: 0, y: 0, range: 10 });
const wolf = world.add({ x: 6, y: 8 });
console.log(world.tick().of(player)?.entered.includes(wolf)); // true
console.log(world.query({ kind: 'circle', x: 6, y: 8, radius: 1 }).length); // 1
console.log(world.sketch({ minX: 0, minY: 0, maxX: 10, maxY: 10 }).caption); // One cell with all entities.
