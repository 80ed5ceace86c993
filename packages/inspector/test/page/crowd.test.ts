/**
 * Everybody's place between ticks, through every change of who is there.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TickFrame } from '../../src/feed-frame.ts';
import { Crowd } from '../../src/page/crowd.ts';
import type { PopulationChangeFrame, PopulationFrame } from '../../src/population-frame.ts';
import { tickFrame } from '../tick-frames.ts';

function populationOf(ids: readonly number[], populationVersion: number): PopulationFrame {
  return {
    kind: 'population',
    tick: 0,
    populationVersion,
    ids: Uint32Array.from(ids),
    kinds: new Uint8Array(ids.length),
    watchers: new Uint8Array(ids.length),
  };
}

/** Everybody's place in a tick follows from id and tick, so that any mix-up shows. */
function placeOf(id: number, tick: number): [x: number, y: number] {
  return [id * 10 + tick / 8, -id + tick / 4];
}

function tickOf(ids: readonly number[], tick: number, populationVersion: number): TickFrame {
  const positions = Float32Array.from(ids.flatMap((id) => placeOf(id, tick)));
  return tickFrame({ tick, populationVersion, tickMs: 0, positions, events: new Uint8Array(ids.length) });
}

function drawnAt(crowd: Crowd, id: number, tick: number): [x: number, y: number] {
  const place = new Float64Array(3);
  crowd.placeInto(crowd.indexOf(id), crowd.between(tick), place);
  return [place[0] as number, place[1] as number];
}

describe('the crowd', () => {
  it('draws everybody on the way from one tick to the next', () => {
    const crowd = new Crowd();
    crowd.takePopulation(populationOf([1, 5], 1));
    for (const tick of [10, 12, 13]) crowd.takeTick(tickOf([1, 5], tick, 1));
    for (const tick of [10, 10.5, 11.5, 12, 12.25, 13])
      expect(drawnAt(crowd, 5, tick)).toEqual(placeOf(5, tick));
  });

  it('stays at the oldest tick before it and at the newest after it', () => {
    const crowd = new Crowd();
    crowd.takePopulation(populationOf([1], 1));
    for (const tick of [10, 11, 12, 13]) crowd.takeTick(tickOf([1], tick, 1));
    expect(drawnAt(crowd, 1, 5)).toEqual(placeOf(1, 11));
    expect(drawnAt(crowd, 1, 99)).toEqual(placeOf(1, 13));
  });

  it('keeps everybody in place whoever comes and goes', () => {
    const someIds = fc
      .uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 8 })
      .map((ids) => ids.sort((a, b) => a - b));
    fc.assert(
      fc.property(fc.array(someIds, { minLength: 2, maxLength: 8 }), (populations) => {
        const crowd = new Crowd();
        let before: number[] = [];
        let lastTick = 0;
        populations.forEach((ids, i) => {
          crowd.takePopulation(populationOf(ids, i));
          // One to three ticks with these.
          for (let more = 0; more <= i % 3; more++) {
            const tick = lastTick + 1;
            expect(crowd.takeTick(tickOf(ids, tick, i))).toBe(true);
            for (const id of ids) {
              const wasThere = before.includes(id) || more > 0;
              expect(drawnAt(crowd, id, tick)).toEqual(placeOf(id, tick));
              if (lastTick > 0)
                expect(drawnAt(crowd, id, tick - 1)).toEqual(placeOf(id, wasThere ? tick - 1 : tick));
            }
            lastTick = tick;
          }
          before = ids;
        });
      }),
    );
  });

  it('has the same entities after a change as after the whole population', () => {
    const entities = fc
      .dictionary(fc.integer({ min: 1, max: 12 }).map(String), fc.tuple(fc.nat(3), fc.nat(1)))
      .map((kinds) => new Map(Object.entries(kinds).map(([id, looks]) => [Number(id), looks] as const)));
    const frameOf = (looks: ReadonlyMap<number, readonly [number, number]>, version: number) => {
      const ids = [...looks.keys()].sort((a, b) => a - b);
      return {
        ...populationOf(ids, version),
        kinds: Uint8Array.from(ids, (id) => looks.get(id)![0]),
        watchers: Uint8Array.from(ids, (id) => looks.get(id)![1]),
      };
    };
    fc.assert(
      fc.property(entities, entities, (before, after) => {
        const changed = [...after].filter(([id, looks]) => String(before.get(id)) !== String(looks));
        const change: PopulationChangeFrame = {
          ...frameOf(new Map(changed), 2),
          kind: 'population-change',
          baseVersion: 1,
          removed: Uint32Array.from([...before.keys()].filter((id) => !after.has(id)).sort((a, b) => a - b)),
        };
        const crowd = new Crowd();
        crowd.takePopulation(frameOf(before, 1));
        const whole = frameOf(after, 2);
        expect(crowd.takePopulation(change)).toEqual(whole);
        const { ids, kinds, watchers } = whole;
        expect([crowd.ids, crowd.kinds, crowd.watchers]).toEqual([ids, kinds, watchers]);
        expect(crowd.takeTick(tickOf([...ids], 1, 2))).toBe(true);
      }),
    );
  });

  it('takes no change of a population that has not arrived', () => {
    const crowd = new Crowd();
    const change = { ...populationOf([2], 3), kind: 'population-change', baseVersion: 2 } as const;
    crowd.takePopulation(populationOf([1], 1));
    expect(crowd.takePopulation({ ...change, removed: new Uint32Array(0) })).toBeUndefined();
    expect([...crowd.ids]).toEqual([1]);
    expect(crowd.takeTick(tickOf([1], 1, 1))).toBe(true);
  });

  it('takes no tick of a population that it has not been told', () => {
    const crowd = new Crowd();
    expect(crowd.takeTick(tickOf([1], 1, 1))).toBe(false);
    crowd.takePopulation(populationOf([1], 1));
    expect(crowd.takeTick(tickOf([1], 1, 2))).toBe(false);
    expect(crowd.takeTick(tickOf([1, 2], 1, 1))).toBe(false);
    expect(crowd.takeTick(tickOf([1], 1, 1))).toBe(true);
  });

  it('forgets the ticks of a world that has begun anew', () => {
    const crowd = new Crowd();
    crowd.takePopulation(populationOf([1], 1));
    crowd.takeTick(tickOf([1], 500, 1));
    crowd.takeTick(tickOf([1], 3, 1));
    expect(drawnAt(crowd, 1, 400)).toEqual(placeOf(1, 3));
  });

  it('draws a jump as a jump', () => {
    const crowd = new Crowd();
    crowd.jumpDistance = 0.3;
    crowd.takePopulation(populationOf([1], 1));
    crowd.takeTick(tickOf([1], 10, 1));
    crowd.takeTick(tickOf([1], 11, 1));
    expect(drawnAt(crowd, 1, 10.4)).toEqual(placeOf(1, 10));
    expect(drawnAt(crowd, 1, 10.6)).toEqual(placeOf(1, 11));
  });

  it('moves nobody to a tick before which it has forgotten everything', () => {
    const crowd = new Crowd();
    crowd.takePopulation(populationOf([1, 2], 1));
    crowd.takeTick(tickOf([1, 2], 5, 1));
    crowd.takeTick(tickOf([1, 2], 9, 1));
    crowd.forgetPast();
    expect(drawnAt(crowd, 1, 6)).toEqual(placeOf(1, 9));
    crowd.takeTick(tickOf([1, 2], 10, 1));
    expect(drawnAt(crowd, 1, 9)).toEqual(placeOf(1, 9));
  });

  it('gives new bytes a new revision, and old bytes their old one', () => {
    const crowd = new Crowd();
    crowd.takePopulation(populationOf([1, 2], 1));
    crowd.takeTick(tickOf([1, 2], 1, 1));
    crowd.takeTick(tickOf([1, 2], 2, 1));
    const { from, to } = crowd.between(1.5);
    const revisions = [from.revision, to.revision];
    crowd.takeTick(tickOf([1, 2], 3, 1));
    expect(crowd.between(1.5).from.revision).toBe(revisions[0]);
    expect(crowd.between(2.5).from.revision).toBe(revisions[1]);
    crowd.takePopulation(populationOf([2, 3], 2));
    crowd.takeTick(tickOf([2, 3], 4, 2));
    expect(revisions).not.toContain(crowd.between(2.5).from.revision);
  });

  it('finds the entity nearest to a point, or none within reach', () => {
    const crowd = new Crowd();
    crowd.takePopulation(populationOf([1, 2, 3], 1));
    crowd.takeTick(tickOf([1, 2, 3], 8, 1));
    const [x, y] = placeOf(2, 8);
    const between = crowd.between(8);
    expect(crowd.ids[crowd.nearest(x + 1, y + 1, 2, between)]).toBe(2);
    expect(crowd.nearest(x + 4, y, 2, between)).toBe(-1);
    expect(crowd.nearest(x + 2, y, 2, between)).toBe(1);
  });
});
