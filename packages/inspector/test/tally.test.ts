/**
 * The running number of relations equals a count of them, whatever happens in the world.
 */
import fc from 'fast-check';
import { World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { Tally } from '../src/server/tally.ts';

function relationsOf(world: World): number {
  let count = 0;
  for (const id of world.ids()) count += world.visibleTo(id).length;
  return count;
}

const coordinate = fc.integer({ min: 0, max: 6 });
const change = fc.oneof(
  fc.record({
    what: fc.constant('add' as const),
    x: coordinate,
    y: coordinate,
    range: fc.integer({ min: 0, max: 4 }),
  }),
  fc.record({ what: fc.constant('move' as const), at: fc.nat(), x: coordinate, y: coordinate }),
  fc.record({ what: fc.constant('remove' as const), at: fc.nat() }),
  fc.record({ what: fc.constant('blind' as const), at: fc.nat() }),
  fc.record({ what: fc.constant('tick' as const) }),
);

describe('the tally', () => {
  it('counts the relations of the world after every tick, removed watchers included', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 20, maxLength: 80 }), (changes) => {
        const world = new World();
        const tally = new Tally(world);
        const ids: number[] = [];
        for (const step of [...changes, { what: 'tick' as const }]) {
          const at = 'at' in step ? step.at % Math.max(ids.length, 1) : 0;
          const id = ids[at];
          if (step.what === 'add') ids.push(world.add({ x: step.x, y: step.y, range: step.range }));
          else if (step.what === 'tick') {
            tally.take(world.tick());
            expect(tally.relations).toBe(relationsOf(world));
          } else if (id === undefined) continue;
          else if (step.what === 'move') world.move(id, step.x, step.y);
          else if (step.what === 'blind') world.update(id, { range: 0 });
          else {
            world.remove(id);
            ids.splice(at, 1);
          }
        }
      }),
    );
  });

  it('begins with the relations of a world that has ticked before', () => {
    const world = new World();
    world.addMany({ x: [0, 1, 2], y: [0, 0, 0], range: 1 });
    world.tick();
    expect(new Tally(world).relations).toBe(4);
  });
});
