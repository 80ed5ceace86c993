/**
 * Random lives by cells for as long as you like: what `npm run fuzz` does for exact answers, for granularity 'cell'.
 *
 *     UMWELT_CELL_OPERATIONS=1000000 npm test -- cell-lives
 *
 * Each detector that can answer by cells lives through seed after seed beside the definition by cells (`side-by-side.ts`)
 * until it has done so many operations: entities that come, go, move and change, detectors that take over and ticks that
 * fail. After every tick both have named the same crossings, the structure is valid and boxes hold whom they should. The
 * seed that goes wrong is named.
 */
import { expect, test, vi } from 'vitest';
import { createCrossList, crossList } from '../../src/detectors/cross-list.ts';
import { nineGrid } from '../../src/detectors/nine-grid.ts';
import { tower } from '../../src/detectors/tower.ts';
import { EntityStore } from '../../src/entities/entity-store.ts';
import { liveMany } from './side-by-side.ts';

const OPERATIONS = Number(process.env.UMWELT_CELL_OPERATIONS ?? 3000);
const FIRST_SEED = 400_001;
/** Milliseconds an operation that no machine should need. */
const MOST_MS = 100;

const CASES = [
  ['nine-grid', nineGrid, 'neighbours'],
  ['tower', tower, 'reach'],
  ['cross-list', crossList, 'reach'],
  ['cross-list without index', createCrossList({ indexed: false }), 'reach'],
] as const;

test.each(CASES.flatMap((each) => [[...each, 'up'] as const, [...each, 'down'] as const]))(
  `$0 lives through ${OPERATIONS} operations by cells: $2, rounded $3`,
  (_name, factory, cellRule, cellRounding) => {
    const changes = (['add', 'move', 'update', 'remove'] as const).map((name) =>
      vi.spyOn(EntityStore.prototype, name),
    );
    let operations = 0;
    let seed = FIRST_SEED;
    while (operations < OPERATIONS) {
      liveMany(factory, { granularity: 'cell', cellRule, cellRounding }, seed++, 1);
      for (const change of changes) {
        operations += change.mock.calls.length;
        change.mockClear();
      }
    }
    vi.restoreAllMocks();
    expect(seed).toBeGreaterThan(FIRST_SEED);
  },
  OPERATIONS * MOST_MS,
);
