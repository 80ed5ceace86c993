/** Real recordings, from the folder that UMWELT_TRACES names; skipped without it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTrace, openTrace, readTrace, type TraceSample } from '../src/index.ts';
import { SimulationModel } from './simulation-model.ts';

const folder = process.env.UMWELT_TRACES ?? '';

interface Recording {
  readonly name: string;
  readonly dimensions: 2 | 3;
  readonly samples: number;
  readonly ids: number;
  /** The most with a sample at one time. */
  readonly atOnce: number;
  readonly seconds: number;
  readonly speed: number;
}

const recordings: readonly Recording[] = [
  { name: 'pedestrians.csv', dimensions: 2, samples: 17_953, ids: 434, atOnce: 52, seconds: 216, speed: 1 },
  {
    name: 'flights.csv.gz',
    dimensions: 3,
    samples: 139_098,
    ids: 1244,
    atOnce: 47,
    seconds: 61_190,
    speed: 60,
  },
];

describe.each(recordings)('$name', (recording) => {
  const path = join(folder, recording.name);
  const isThere = folder !== '' && existsSync(path);

  async function all(): Promise<TraceSample[]> {
    const samples: TraceSample[] = [];
    for await (const batch of readTrace(path)) {
      expect(batch.dimensions).toBe(recording.dimensions);
      samples.push(...batch.samples);
    }
    return samples;
  }

  it.skipIf(!isThere)('is read whole', async () => {
    const samples = await all();
    expect(samples).toHaveLength(recording.samples);
    expect(new Set(samples.map((sample) => sample.id)).size).toBe(recording.ids);
    expect(samples.at(-1)!.t - samples[0]!.t).toBe(recording.seconds);
    const atOnce = new Map<number, number>();
    for (const { t } of samples) atOnce.set(t, (atOnce.get(t) ?? 0) + 1);
    expect(Math.max(...atOnce.values())).toBe(recording.atOnce);
  });

  it.skipIf(!isThere)('plays to its end at the pace that is chosen for it', async () => {
    const simulation = await openTrace(path, { tickSeconds: 1 });
    expect(simulation.dimensions).toBe(recording.dimensions);
    let steps = 0;
    for (; !simulation.done; steps++) simulation.step();
    // The last one lingers for 10 seconds, and the step at the beginning counts.
    expect(steps).toBe(Math.ceil((recording.seconds + 10) / recording.speed) + 1);
    expect(simulation.count).toBe(0);
  });

  it.skipIf(!isThere)('plays back through its samples, with everybody within bounds', async () => {
    const samples = await all();
    const ids = new Map([...new Set(samples.map((sample) => sample.id))].map((id, actor) => [id, actor]));
    const stride = recording.dimensions === 2 ? 0.1 : 10;
    const simulation = await openTrace(path, { speed: 1, tickSeconds: stride });
    const model = new SimulationModel(simulation);
    let checked = 0;
    let next = 0;
    for (let step = 0; step < 2000; step++) {
      model.step();
      const t = samples[0]!.t + step * stride;
      for (; next < samples.length && samples[next]!.t <= t + 1e-9; next++) {
        const { id, x, y, z } = samples[next]!;
        if (Math.abs(samples[next]!.t - t) > 1e-9) continue;
        const actor = ids.get(id)!;
        checked++;
        expect([simulation.x[actor], simulation.y[actor], simulation.z[actor]]).toEqual(
          [x, y, z].map(Math.fround),
        );
      }
    }
    expect(checked).toBeGreaterThan(15_000);
  });

  it.skipIf(!isThere)(
    'knows when most are there, and a range with which one then perceives about ten',
    async () => {
      const trace = await loadTrace(path, { gapSeconds: 10 });
      // Every step of its whole length, as often as there are samples.
      const simulation = trace.play({ speed: 1, tickSeconds: recording.dimensions === 2 ? 0.4 : 10 });
      let most = 0;
      while (!simulation.done) {
        simulation.step();
        most = Math.max(most, simulation.count);
      }
      expect(trace.fullest.count).toBeGreaterThanOrEqual(most);
      const fullest = trace.play({ startSeconds: trace.fullest.seconds });
      fullest.step();
      expect(fullest.count).toBe(trace.fullest.count);
      expect(trace.perceivedWithin(trace.usualRange)).toBeGreaterThan(9);
      expect(trace.perceivedWithin(trace.usualRange)).toBeLessThan(11);
    },
  );

  it.skipIf(!isThere)('is tiled', async () => {
    const one = await openTrace(path);
    const nine = await openTrace(path, { tile: 3 });
    const model = new SimulationModel(nine);
    for (let step = 0; step < 300; step++) {
      one.step();
      model.step();
      expect(nine.count).toBe(9 * one.count);
    }
    expect(nine.range[0]).toBe(one.range[0]);
  });
});
