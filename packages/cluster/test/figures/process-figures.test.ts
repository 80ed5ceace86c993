/** What `npm run fuzz -- cluster-figures --processes` measures, small: that each figure is one, not what it says. */
import { expect, it } from 'vitest';
import { describeOnBroker } from '../broker-stage.ts';
import { killFigures } from './kill-figures.ts';
import { latencyOf } from './latency-figures.ts';

describeOnBroker('figures of processes', () => {
  it('say how long a record takes until it is applied', async () => {
    const { records, bytesASecond, medianMs, p99Ms } = await latencyOf(400, 1);
    expect(records).toBeGreaterThan(4);
    expect(records % 4).toBe(0);
    expect(bytesASecond).toBeGreaterThan(0);
    expect(medianMs).toBeGreaterThan(0);
    expect(p99Ms).toBeGreaterThanOrEqual(medianMs);
  });

  it('say how long it takes when a node is killed', async () => {
    const figures = await killFigures(1, 0);
    const { tickerMs, toldMs, framesMs } = figures;
    expect([tickerMs.length, toldMs.length]).toEqual([1, 1]);
    expect(framesMs.length).toBeGreaterThan(0);
    expect(Math.min(...Object.values(figures).flat())).toBeGreaterThan(0);
  });
});
