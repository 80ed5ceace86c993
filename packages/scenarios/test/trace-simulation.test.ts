/** Recordings played back: who is there when, and where, tiled, looped, with holes; and what is chosen from the data. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UmweltError } from 'umwelt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTrace, Random, type Simulation, type TraceOptions } from '../src/index.ts';
import { listed, SimulationModel } from './simulation-model.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'umwelt-playback-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

let files = 0;
/** A playback of these lines. Steps of one second at the recording's own pace, unless said otherwise. */
function play(lines: string, options: TraceOptions = {}): Promise<Simulation> {
  const path = join(folder, `trace${files++}.csv`);
  writeFileSync(
    path,
    `${lines.split('\n')[0]!.split(',').length === 5 ? 't,id,x,y,z' : 't,id,x,y'}\n${lines}\n`,
  );
  return openTrace(path, { tickSeconds: 1, speed: 1, ...options });
}

/** x of an actor at each step, undefined where it is not present. */
function xs(simulation: Simulation, actor: number, stepCount: number): (number | undefined)[] {
  return Array.from({ length: stepCount }, () => {
    simulation.step();
    return simulation.present[actor] === 1 ? simulation.x[actor]! : undefined;
  });
}

describe('a played trace', () => {
  it('goes in straight lines between samples, exactly through them, and lingers for the gap', async () => {
    const simulation = await play('10,a,0,8\n14,a,8,0\n16,a,8,0', { gapSeconds: 4 });
    expect(simulation.count).toBe(0);
    const places: string[] = [];
    for (let i = 0; i < 12; i++) {
      simulation.step();
      places.push(simulation.count === 1 ? `${simulation.x[0]},${simulation.y[0]}` : '-');
    }
    // Samples at steps 0, 4 and 6; the last one holds for 4 seconds.
    expect(places).toEqual(['0,8', '2,6', '4,4', '6,2', '8,0', '8,0', '8,0', '8,0', '8,0', '8,0', '-', '-']);
    expect(simulation.done).toBe(true);
  });

  it('goes in straight lines in height too', async () => {
    const simulation = await play('0,a,0,0,100\n10,a,10,20,0', { gapSeconds: 10 });
    expect(simulation.dimensions).toBe(3);
    for (let i = 0; i <= 10; i++) {
      simulation.step();
      expect([simulation.x[0], simulation.y[0], simulation.z[0]]).toEqual([i, 2 * i, 100 - 10 * i]);
    }
    expect(simulation.bounds).toEqual({ minX: 0, minY: 0, maxX: 10, maxY: 20, minZ: 0, maxZ: 100 });
  });

  it('connects samples just the gap apart, and no farther', async () => {
    expect(xs(await play('0,a,0,0\n3,a,3,0', { gapSeconds: 3 }), 0, 7)).toEqual([
      0,
      1,
      2,
      3,
      3,
      3,
      undefined,
    ]);
    const apart = xs(await play('0,a,0,0\n4,a,4,0', { gapSeconds: 3 }), 0, 8);
    expect(apart).toEqual([0, 0, 0, undefined, 4, 4, 4, undefined]);
  });

  it('connects samples the gap apart when their times are not exact numbers', async () => {
    const simulation = await play('1700000000.1,a,0,0\n1700000000.4,a,3,0', {
      gapSeconds: 0.3,
      tickSeconds: 0.1,
    });
    simulation.step();
    simulation.step();
    expect(simulation.x[0]).toBeCloseTo(1, 4);
  });

  it('reports coming, moving and going once each', async () => {
    const simulation = await play('0,a,0,0\n0,b,5,0\n2,a,2,0\n2,c,7,0', { gapSeconds: 2 });
    const said: string[] = [];
    for (let i = 0; i < 6; i++) {
      simulation.step();
      const { added, moved, removed } = simulation;
      said.push(`+${listed(added).join()} ~${listed(moved).join()} -${listed(removed).join()}`);
    }
    expect(said).toEqual(['+0,1 ~ -', '+ ~0 -', '+2 ~0 -1', '+ ~ -', '+ ~ -0,2', '+ ~ -']);
  });

  it('says that one who goes and comes back within a step has moved', async () => {
    const simulation = await play('0,a,0,0\n5,a,9,0', { gapSeconds: 1, tickSeconds: 5.5 });
    simulation.step();
    simulation.step();
    expect(listed(simulation.moved)).toEqual([0]);
    expect(listed(simulation.added)).toEqual([]);
    expect(simulation.x[0]).toBe(9);
  });

  it('does not show one who comes and goes within a step', async () => {
    const simulation = await play('0,a,0,0\n3,b,1,1\n20,a,0,0', { gapSeconds: 1, tickSeconds: 10 });
    for (let i = 0; i < 4; i++) {
      simulation.step();
      expect(simulation.present[1]).toBe(0);
    }
    expect(simulation.done).toBe(true);
  });

  it('is over when the last one is gone, and then changes nothing', async () => {
    const simulation = await play('0,a,0,0\n1,a,1,0', { gapSeconds: 1 });
    const done = Array.from({ length: 5 }, () => {
      simulation.step();
      return simulation.done;
    });
    expect(done).toEqual([false, false, true, true, true]);
    expect(simulation.removed.count + simulation.added.count + simulation.moved.count).toBe(0);
  });

  it('begins again when it is to loop', async () => {
    const simulation = await play('0,a,0,0\n2,a,2,0', { gapSeconds: 2, loop: true });
    const round = [0, 1, 2, 2, undefined];
    expect(xs(simulation, 0, 15)).toEqual([...round, ...round, ...round]);
    expect(simulation.done).toBe(false);
  });

  it('plays faster when asked to', async () => {
    const simulation = await play('0,a,0,0\n10,a,10,0', { speed: 4, tickSeconds: 0.5 });
    expect(xs(simulation, 0, 6)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(simulation.tickSeconds).toBe(0.5);
  });

  it('holds step for step against the same movement, worked out from all samples', async () => {
    const random = new Random(5);
    for (let round = 0; round < 20; round++) {
      const { lines, samples } = randomMovement(random);
      const gapSeconds = 1 + random.below(4);
      const tickSeconds = [0.25, 0.5, 1, 3][round % 4]!;
      const simulation = await play(lines, { gapSeconds, tickSeconds });
      const model = new SimulationModel(simulation);
      const ids = [...new Set(samples.map((sample) => sample.id))];
      for (let step = 0; !simulation.done; step++) {
        model.step();
        const t = samples[0]!.t + step * tickSeconds;
        ids.forEach((id, actor) => {
          const expected = placeAt(
            samples.filter((sample) => sample.id === id),
            t,
            gapSeconds,
          );
          const got = simulation.present[actor] === 1 ? simulation.x[actor] : undefined;
          if (got !== expected) throw new Error(`${id} is at ${got}, not ${expected}, at t = ${t}`);
        });
      }
      expect(simulation.count).toBe(0);
    }
  });
});

interface Sample {
  readonly t: number;
  readonly id: string;
  readonly x: number;
}

function randomMovement(random: Random): { lines: string; samples: Sample[] } {
  const samples: Sample[] = [];
  for (let t = 0; t < 40; t += 0.5) {
    for (let id = 0; id < 6; id++) {
      if (random.below(5) === 0) samples.push({ t, id: `p${id}`, x: Math.fround(random.between(-50, 50)) });
    }
  }
  const lines = samples.map(({ t, id, x }) => `${t},${id},${x},0`).join('\n');
  return { lines, samples };
}

/** The definition: x at time t, given all samples of one id. */
function placeAt(samples: readonly Sample[], t: number, gapSeconds: number): number | undefined {
  const last = samples.findLast((sample) => sample.t <= t);
  const next = samples.find((sample) => sample.t > t);
  if (last === undefined) return undefined;
  if (next !== undefined && next.t - last.t <= gapSeconds) {
    return Math.fround(last.x + (next.x - last.x) * ((t - last.t) / (next.t - last.t)));
  }
  return t - last.t < gapSeconds ? last.x : undefined;
}

describe('a tiled trace', () => {
  it('repeats the crowd side by side, each copy moving alike', async () => {
    const lines = '0,a,0,0\n0,b,10,20\n4,a,4,8';
    const one = await play(lines);
    const nine = await play(lines, { tile: 3 });
    expect(nine.capacity).toBe(18);
    expect(nine.bounds).toEqual({ minX: 0, minY: 0, maxX: 30, maxY: 60 });
    const model = new SimulationModel(nine);
    for (let i = 0; i < 20; i++) {
      one.step();
      model.step();
      expect(nine.count).toBe(9 * one.count);
      const places = (simulation: Simulation, shiftX: number, shiftY: number): string[] =>
        [...simulation.x.keys()]
          .filter((actor) => simulation.present[actor] === 1)
          .map((actor) => `${simulation.x[actor]! + shiftX},${simulation.y[actor]! + shiftY}`);
      const expected: string[] = [];
      for (let column = 0; column < 3; column++) {
        for (let row = 0; row < 3; row++) expected.push(...places(one, 10 * column, 20 * row));
      }
      expect(places(nine, 0, 0).sort()).toEqual(expected.sort());
    }
  });

  it('has room for the most that are there at once', async () => {
    const simulation = await play('0,a,0,0\n0,b,1,1\n2,c,2,2\n2,d,3,3\n2,e,3,4', { gapSeconds: 2, tile: 2 });
    expect(simulation.worldOptions).toEqual({ dimensions: 2, capacity: 12 });
    expect(simulation.capacity).toBe(20);
    let most = 0;
    while (!simulation.done) {
      simulation.step();
      most = Math.max(most, simulation.count);
    }
    expect(most).toBe(12);
  });

  it('is refused when it would not fit into a world', async () => {
    const lines = Array.from({ length: 20 }, (_, i) => `0,p${i},${i},0`).join('\n');
    const error = await play(lines, { tile: 1000 }).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(UmweltError);
    expect((error as UmweltError).code).toBe('BAD_OPTION');
    expect((error as UmweltError).message).toBe(
      'a trace: tile is 1000; 20 ids, up to 20 at once, 1000000 times are more than fit into a world',
    );
  });
});

describe('openTrace', () => {
  it('names a recording after its file', async () => {
    const path = join(folder, 'town.square.csv');
    writeFileSync(path, 't,id,x,y\n0,a,0,0\n');
    const simulation = await openTrace(path);
    expect(simulation.title).toBe('town.square');
    expect(simulation.name).toBe('trace');
    expect(simulation.tickSeconds).toBe(0.05);
  });

  it('chooses a range in which about ten others are perceived, or a fifth of the scene', async () => {
    const random = new Random(3);
    const lines = Array.from(
      { length: 2000 },
      (_, i) => `0,p${i},${random.between(0, 100)},${random.between(0, 100)}`,
    );
    const crowded = await play(lines.join('\n'));
    // sqrt(10 * 100 * 100 / (pi * 2000)) = 3.99, and a little more, since beyond the edges there is nobody.
    expect(crowded.range[0]).toBeGreaterThanOrEqual(4);
    expect(crowded.range[0]).toBeLessThanOrEqual(4.2);
    const corners = '0,a,0,0\n0,b,100,0\n0,c,0,50';
    expect((await play(corners)).range[0]).toBeCloseTo(10, 5);
    expect((await play(corners, { range: 33 })).range[2]).toBe(33);
  });

  it('plays a slow recording faster, so that the average mover takes half a minute at most', async () => {
    const firstStep = async (lines: string): Promise<number> => {
      const simulation = await play(lines, { speed: undefined, gapSeconds: 1e6 });
      simulation.step();
      simulation.step();
      return simulation.x[0]!;
    };
    // 60 units in 60 seconds: as it is. 600 in 600: 20 times would do, 30 is the next pace.
    expect(await firstStep('0,a,0,0\n60,a,60,0')).toBe(1);
    expect(await firstStep('0,a,0,0\n600,a,600,0')).toBe(30);
    expect(await firstStep('0,a,0,0\n7200,a,7200,0')).toBe(300);
  });

  it('shows a scene without extent at a point inside its bounds', async () => {
    const simulation = await play('0,a,3,4');
    new SimulationModel(simulation).step();
    expect(simulation.bounds).toEqual({ minX: 2.5, minY: 3.5, maxX: 3.5, maxY: 4.5 });
    expect(simulation.range[0]).toBeGreaterThan(0);
  });

  it('refuses a file without samples', async () => {
    const path = join(folder, 'header.csv');
    writeFileSync(path, 't,id,x,y\n');
    await expect(openTrace(path)).rejects.toMatchObject({
      code: 'BAD_TRACE',
      message: 'header.csv, line 2: there is no sample',
      details: { index: 2 },
    });
  });

  it('passes on what is wrong with the file', async () => {
    await expect(play('0,a,1,2\n0,a,1,2')).rejects.toMatchObject({
      code: 'BAD_TRACE',
      details: { index: 3 },
    });
    await expect(openTrace(join(folder, 'none.csv'))).rejects.toMatchObject({ code: 'BAD_TRACE' });
  });

  it.each([
    ['gapSeconds', 0],
    ['gapSeconds', Number.NaN],
    ['tickSeconds', -1],
    ['tile', 0],
    ['tile', 1.5],
    ['speed', 0],
    ['range', Number.POSITIVE_INFINITY],
    ['loop', 1],
    ['tiles', 3],
    ['columns', 't,id,x,y'],
    ['columns', null],
    ['columns', ['t', 'id', 3, 4]],
  ])('refuses %s %s before it reads anything', async (field, value) => {
    const opened = openTrace(join(folder, 'none.csv'), { [field]: value });
    await expect(opened).rejects.toMatchObject({ code: 'BAD_OPTION', details: { field, value } });
  });

  it('refuses columns that no text can be made of', async () => {
    for (const columns of [Object.create(null), [Symbol('t')]] as never[]) {
      await expect(openTrace(join(folder, 'none.csv'), { columns })).rejects.toMatchObject({
        code: 'BAD_OPTION',
      });
    }
  });
});
