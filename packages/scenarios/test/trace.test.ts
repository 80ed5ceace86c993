/** A recording that was read: its fullest moment, what is chosen from it, and playbacks that begin anywhere. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadTrace, Random, type Simulation, type Trace, type TraceFileOptions } from '../src/index.ts';
import { Nearness } from '../src/traces/nearness.ts';

const folder = mkdtempSync(join(tmpdir(), 'umwelt-trace-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function load(lines: readonly string[], options: TraceFileOptions = {}): Promise<Trace> {
  const path = join(folder, `trace${files++}.csv`);
  const header = lines[0]!.split(',').length === 5 ? 't,id,x,y,z' : 't,id,x,y';
  writeFileSync(path, `${header}\n${lines.join('\n')}\n`);
  return loadTrace(path, options);
}

/** By a look at every pair: how many others are within the range of one, on average. */
function countedWithin({ x, y, z, present }: Simulation, range: number): number {
  const there = [...x.keys()].filter((actor) => present[actor] === 1);
  let pairs = 0;
  for (const one of there) {
    for (const other of there) {
      const square = (x[one]! - x[other]!) ** 2 + (y[one]! - y[other]!) ** 2 + (z[one]! - z[other]!) ** 2;
      if (one !== other && square <= range ** 2) pairs++;
    }
  }
  return pairs / there.length;
}

/** A few for an hour, then a crowd on one side of the square, which goes again. */
function lateCrowd(count: number): string[] {
  const random = new Random(9);
  const quiet = Array.from({ length: 360 }, (_, i) => [`${i * 10},a,0,0`, `${i * 10},b,1000,1000`]).flat();
  const crowd = Array.from(
    { length: count },
    (_, i) => `3600,p${i},${random.between(0, 100)},${random.between(0, 200)}`,
  );
  return [...quiet, ...crowd, '3700,a,0,0'];
}

describe('a trace', () => {
  it('knows its fullest moment, however late it comes', async () => {
    const trace = await load(lateCrowd(500), { gapSeconds: 10 });
    expect(trace).toMatchObject({ idCount: 502, seconds: 3700, fullest: { seconds: 3600, count: 500 } });
    const simulation = trace.play({ startSeconds: trace.fullest.seconds });
    simulation.step();
    expect(simulation.count).toBe(500);
  });

  it('has a range that means about ten others at its fullest moment, not on average over time and map', async () => {
    const trace = await load(lateCrowd(500));
    const simulation = trace.play({ startSeconds: trace.fullest.seconds });
    simulation.step();
    expect(simulation.range[0]).toBe(trace.usualRange);
    expect(trace.perceivedWithin(trace.usualRange)).toBeCloseTo(
      countedWithin(simulation, trace.usualRange),
      9,
    );
    expect(trace.perceivedWithin(trace.usualRange)).toBeGreaterThan(9);
    expect(trace.perceivedWithin(trace.usualRange)).toBeLessThan(11);
  });

  it('knows how often its ids come, and whether its samples are too far apart for anybody to move', async () => {
    const lines = ['0,a,0,0', '0,b,1,1', '10,a,2,2', '10,b,2,2', '100,a,3,3'];
    expect(await load(lines, { gapSeconds: 10 })).toMatchObject({ visitCount: 3, isTorn: false });
    expect(await load(lines, { gapSeconds: 1 })).toMatchObject({ visitCount: 5, isTorn: true });
    expect(await load(lines.slice(0, 2))).toMatchObject({ visitCount: 2, isTorn: false });
  });

  it('counts height where there is one', async () => {
    const random = new Random(4);
    const lines = Array.from({ length: 300 }, (_, i) =>
      ['0', `p${i}`, random.between(0, 10), random.between(0, 10), random.between(0, 1000)].join(),
    );
    const trace = await load(lines);
    const simulation = trace.play();
    simulation.step();
    expect(trace.perceivedWithin(trace.usualRange)).toBeCloseTo(
      countedWithin(simulation, trace.usualRange),
      9,
    );
    expect(Math.round(trace.perceivedWithin(trace.usualRange))).toBe(10);
  });

  it('along a line has a range along it', async () => {
    const trace = await load(Array.from({ length: 100 }, (_, i) => `0,p${i},${i * 10},0`));
    // Five to either side, fewer at the ends.
    expect(trace.usualRange).toBeGreaterThanOrEqual(50);
    expect(trace.usualRange).toBeLessThanOrEqual(60);
  });

  it('all on one spot has a range, and one in heaps one that stays inside a heap', async () => {
    expect((await load(Array.from({ length: 50 }, (_, i) => `0,p${i},3,4`))).usualRange).toBeGreaterThan(0);
    const heaps = await load(Array.from({ length: 100 }, (_, i) => `0,p${i},${100 * (i % 4)},0`));
    expect(heaps.perceivedWithin(heaps.usualRange)).toBe(24);
  });

  it('begins where it is told to, with everybody where they then are, and loops from its beginning', async () => {
    const trace = await load(['0,a,0,0', '4,a,8,0', '4,b,5,5', '8,b,9,5'], { gapSeconds: 5 });
    const simulation = trace.play({ startSeconds: 5, speed: 1, tickSeconds: 1, loop: true });
    simulation.step();
    expect([simulation.count, simulation.x[0], simulation.x[1]]).toEqual([2, 8, 6]);
    while (simulation.count > 0) simulation.step();
    simulation.step();
    expect([simulation.count, simulation.x[0]]).toEqual([1, 0]);
  });
});

describe('nearness', () => {
  it('of a large crowd, looked at in part, is close to that of all', () => {
    const random = new Random(8);
    const column = () => Float32Array.from({ length: 6000 }, () => random.between(0, 100));
    const places = { x: column(), y: column(), z: new Float32Array(6000) };
    const nearness = new Nearness(places);
    const range = nearness.rangeFor(10)!;
    let pairs = 0;
    for (let one = 0; one < 6000; one++) {
      for (let other = 0; other < one; other++) {
        const square = (places.x[one]! - places.x[other]!) ** 2 + (places.y[one]! - places.y[other]!) ** 2;
        if (square <= range ** 2) pairs += 2;
      }
    }
    expect(pairs / 6000).toBeGreaterThan(9);
    expect(pairs / 6000).toBeLessThan(11);
  });

  it('of one, or of too few, has no range', () => {
    const alone = new Nearness({ x: new Float32Array(1), y: new Float32Array(1), z: new Float32Array(1) });
    expect(alone.rangeFor(10)).toBeUndefined();
    expect(alone.within(5)).toBe(0);
  });
});
