/** A recorded crowd: the same movement for everybody, parts of it, and the same people on wider maps. */
import { createCity, createTeleporters, createWalkers, type Simulation } from '@umwelt/scenarios';
import { describe, expect, it } from 'vitest';
import { type CrowdScript, recordCrowd } from '../src/compare/crowd-script.ts';
import { inVillages, partOf, scattered, unwatched } from '../src/compare/script-transformations.ts';

const LENGTH = { lead: 1, steps: 5, fewSteps: 6, comers: 4 };

function walkers(entities: number): CrowdScript {
  return recordCrowd(createWalkers({ entities }), LENGTH, 1);
}

/** Where everybody is after so many of its steps, by actor. */
function placesAfter(script: CrowdScript, steps: number): Map<number, [x: number, y: number]> {
  const places = new Map<number, [number, number]>();
  for (const { actors, x, y } of script.arrivals) {
    actors.forEach((actor, i) => {
      places.set(actor, [x[i] as number, y[i] as number]);
    });
  }
  for (const { moved, x, y } of script.steps.slice(0, steps)) {
    for (const actor of moved) places.set(actor, [x[actor] as number, y[actor] as number]);
  }
  return places;
}

describe('a recorded crowd', () => {
  it.each([
    ['walkers', () => createWalkers({ entities: 90 })],
    ['a city', () => createCity({ entities: 90 })],
    ['teleporters', () => createTeleporters({ entities: 90 })],
  ] as const)('of %s is where the simulation is, step by step', (_name, create) => {
    const script = recordCrowd(create(), LENGTH, 1);
    const simulation: Simulation = create();
    simulation.step();
    for (let steps = 0; steps <= LENGTH.steps; steps++) {
      const places = placesAfter(script, steps);
      expect(places.size).toBe(90);
      for (const [actor, place] of places) expect(place).toEqual([simulation.x[actor], simulation.y[actor]]);
      simulation.step();
    }
  });

  it('has one in a hundred, and at least one, who goes on alone', () => {
    for (const [entities, movers] of [
      [20, 1],
      [600, 6],
    ] as const) {
      const { fewSteps, steps } = walkers(entities);
      expect(fewSteps).toHaveLength(LENGTH.fewSteps);
      let before = steps.at(-1);
      for (const step of fewSteps) {
        expect(step.moved).toHaveLength(movers);
        for (let actor = 0; actor < entities; actor++) {
          const isMoved = step.x[actor] !== before?.x[actor] || step.y[actor] !== before?.y[actor];
          expect(isMoved).toBe(step.moved.includes(actor));
        }
        before = step;
      }
    }
  });

  it('has nobody leave the map', () => {
    const { fewSteps, bounds } = walkers(300);
    for (const { x, y, moved } of fewSteps) {
      for (const actor of moved) {
        expect(x[actor]).toBeGreaterThanOrEqual(bounds.minX);
        expect(x[actor]).toBeLessThanOrEqual(bounds.maxX);
        expect(y[actor]).toBeGreaterThanOrEqual(bounds.minY);
        expect(y[actor]).toBeLessThanOrEqual(bounds.maxY);
      }
    }
  });

  it('has newcomers next to somebody', () => {
    const { comers, steps, range } = walkers(50);
    expect(comers).toHaveLength(4);
    for (const { beside, init } of comers) {
      expect(Math.abs(init.x - (steps.at(-1)?.x[beside] as number))).toBeLessThanOrEqual(range * 0.101);
      expect(init.range).toBe(range);
    }
  });

  it('takes the range that most have', () => {
    expect(recordCrowd(createCity({ entities: 400, range: 30 }), LENGTH, 1).range).toBe(30);
  });
});

describe('a part of a crowd', () => {
  it('is every so-many-th actor, in all steps', () => {
    const part = partOf(walkers(64), 8);
    expect([...placesAfter(part, 0).keys()]).toEqual([0, 8, 16, 24, 32, 40, 48, 56]);
    for (const { moved } of part.steps) expect(moved).toHaveLength(8);
  });
});

describe('a wider map', () => {
  const script = walkers(400);
  const distance = (places: Map<number, [number, number]>, one: number, other: number) => {
    const [x1, y1] = places.get(one) as [number, number];
    const [x2, y2] = places.get(other) as [number, number];
    return Math.hypot(x1 - x2, y1 - y2);
  };

  it('scatters people and lets them walk as before', () => {
    const wide = scattered(script, 10);
    expect(wide.bounds.maxX - wide.bounds.minX).toBeCloseTo(
      10 * (script.bounds.maxX - script.bounds.minX),
      2,
    );
    const [before, after] = [placesAfter(wide, 0), placesAfter(wide, 1)];
    const [was, is] = [placesAfter(script, 0), placesAfter(script, 1)];
    expect(distance(before, 3, 4) / distance(was, 3, 4)).toBeCloseTo(10, 3);
    const stepped = (after.get(3)?.[0] as number) - (before.get(3)?.[0] as number);
    expect(stepped).toBeCloseTo((is.get(3)?.[0] as number) - (was.get(3)?.[0] as number), 2);
  });

  it('moves villages apart and leaves neighbours together', () => {
    const near = inVillages(script, 3, 1);
    const far = inVillages(script, 3, 100);
    const width = (one: CrowdScript) => one.bounds.maxX - one.bounds.minX;
    expect(width(far) / width(near)).toBeCloseTo(100, 3);
    const pairs = (one: CrowdScript) => {
      const places = placesAfter(one, 0);
      let count = 0;
      for (let i = 0; i < 400; i++) {
        for (let j = 0; j < i; j++) if (distance(places, i, j) <= one.range) count++;
      }
      return count;
    };
    expect(pairs(near)).toBeGreaterThan(1000);
    expect(pairs(near)).toBeLessThan(pairs(script));
    expect(pairs(far)).toBe(pairs(near));
  });
});

it('people who see nothing stand where they stood, and so do those who come', () => {
  const script = walkers(90);
  const blind = unwatched(script);
  expect(blind.arrivals.map(({ init }) => init.range)).toEqual(script.arrivals.map(() => 0));
  expect(blind.comers.map(({ init }) => init.range)).toEqual(script.comers.map(() => 0));
  expect(placesAfter(blind, 0)).toEqual(placesAfter(script, 0));
  expect(blind.comers.map(({ init }) => init.x)).toEqual(script.comers.map(({ init }) => init.x));
});
