/** Conditions of who meets whom and how far a marker is perceived, by cells: each detector beside the rule written out. */
import { expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { type EntityId, World } from '../../src/index.ts';

const SENSES = ['sight', 'hearing'] as const;
const SEEDS = 12;
const TICKS = 20;
const CROWD = 25;
const f32 = Math.fround;

interface Traits {
  range: Record<(typeof SENSES)[number], number>;
  gain: number;
  maxReach: number;
  needs: number;
  onlyGroup: boolean;
  group: number;
  layers: number;
  sees: number;
}

interface Figure extends Traits {
  x: number;
  y: number;
  only: EntityId;
}

function traits(random: Random): Traits {
  const range = (share: number) => (random.chance(share) ? random.between(0, 40) : 0);
  return {
    range: { sight: range(0.7), hearing: range(0.3) },
    gain: random.pick([1, 1, 1, 0, 0.5, 2]),
    maxReach: random.chance(0.3) ? random.between(0, 30) : Number.POSITIVE_INFINITY,
    needs: random.pick([0, 0, 0, 1, 2, 3]),
    onlyGroup: random.chance(0.2),
    group: random.pick([0, 1, 2]),
    layers: random.pick([1, 2, 3]),
    sees: random.pick([1, 2, 3]),
  };
}

function meets(watcher: EntityId, seer: Figure, seen: Figure): boolean {
  if ((seer.sees & seen.layers) === 0 || (seer.sees & seen.needs) !== seen.needs) return false;
  if (seen.only !== 0 && seen.only !== watcher) return false;
  return !seen.onlyGroup || (seen.group !== 0 && seen.group === seer.group);
}

/** Of the nine-grid, any reach is one cell. */
function perceives(seer: Figure, seen: Figure, size: number, isNineGrid: boolean): boolean {
  const cellOf = (at: number) => Math.floor(f32(at) / f32(size));
  const apart = Math.max(
    Math.abs(cellOf(seer.x) - cellOf(seen.x)),
    Math.abs(cellOf(seer.y) - cellOf(seen.y)),
  );
  return SENSES.some((sense) => {
    const reach = Math.min(f32(f32(seer.range[sense]) * f32(seen.gain)), f32(seen.maxReach));
    return reach > 0 && apart <= (isNineGrid ? 1 : Math.ceil(f32(reach / f32(size))));
  });
}

test.each(['nine-grid', 'tower', 'cross-list'] as const)(
  '%s perceives by cells who meets whom',
  (detector) => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = new Random(seed);
      const cellSize = random.pick([5, 7.3, 20]);
      const world = new World({ detector, granularity: 'cell', cellSize, senses: [...SENSES] });
      const crowd = new Map<EntityId, Figure>();
      const place = () => ({ x: random.between(-60, 60), y: random.between(-60, 60) });
      for (let i = 0; i < CROWD; i++) {
        const figure = { ...traits(random), ...place() };
        crowd.set(world.add(figure), { ...figure, only: 0 });
      }
      for (let tick = 0; tick < TICKS; tick++) {
        for (const [id, figure] of crowd) {
          if (random.chance(0.4)) {
            Object.assign(figure, place());
            world.move(id, figure.x, figure.y);
          }
          if (random.chance(0.1)) {
            const patch = traits(random);
            Object.assign(figure, patch);
            world.update(id, patch);
          }
          if (random.chance(0.05)) {
            figure.only = random.chance(0.5) ? 0 : random.pick([...crowd.keys()]);
            world.update(id, { only: figure.only });
          }
        }
        world.tick();
        world.validate();
        for (const [watcher, seer] of crowd) {
          const expected = [...crowd].filter(
            ([marker, seen]) =>
              marker !== watcher &&
              meets(watcher, seer, seen) &&
              perceives(seer, seen, cellSize, detector === 'nine-grid'),
          );
          const found = [...world.visibleTo(watcher)];
          expect(found, `seed ${seed}, tick ${tick}`).toEqual(
            expected.map(([id]) => id).sort((a, b) => a - b),
          );
        }
      }
    }
  },
);
