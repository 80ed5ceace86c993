/** Nodes as processes on a real broker, killed and stopped: they report what one world reports. */
import { expect, it } from 'vitest';
import { describeOnBroker } from '../broker-stage.ts';
import { verdictOn } from '../simulation/verdict.ts';
import { realRun } from './real-run.ts';
import { TimeLine } from './time-line.ts';

describeOnBroker('nodes in processes of their own', () => {
  it('report what the twin reports, whatever is killed and stopped; and one other report is found', async () => {
    // Of these faults one is the death of the broker, and one of a node.
    const outcome = await realRun({ seed: 13, nodes: 3, entities: 30, brokers: 1, seconds: 4, every: 1 });
    expect(outcome.problem).toBeUndefined();
    expect(outcome.faults.join()).toMatch(/kill -9 broker/);
    expect(outcome.faults.join()).toMatch(/kill -9 n/);
    // However short it was.
    expect(outcome.timeLine.text()).toMatch(/^broker 0 .*x/m);
    expect(outcome.views).toBeGreaterThan(100);

    const { evidence } = outcome;
    const report = evidence.reports.findLast(({ views, code }) => views > 0 && code > 0)!;
    const reports = evidence.reports.map((each) =>
      each === report ? { ...each, hash: each.hash ^ 1 } : each,
    );
    expect(verdictOn({ ...evidence, reports }).problem).toContain('reports something else than the twin');
  });

  it('show real clients what the twin sees, also those whose node was killed', async () => {
    // Its faults are a kill, a stop and a kill of nodes.
    const outcome = await realRun({
      seed: 7,
      nodes: 3,
      entities: 30,
      brokers: 1,
      seconds: 6,
      every: 2,
      clients: 15,
      patienceSeconds: 120,
    });
    expect(outcome.problem).toBeUndefined();
    expect(outcome.faults.join()).toMatch(/kill -9 n/);
    expect(outcome.frames).toBeGreaterThan(15 * 4);
    expect(outcome.shown).toBeGreaterThan(outcome.frames);
    expect(outcome.timeLine.text()).toMatch(/^clients {3}[0-9]+$/m);
  });
});

it('a time line has a letter for each second', () => {
  const line = new TimeLine(['broker 0', 'n0']);
  const names = (broker: 'up' | 'killed', node: 'up' | 'stopped') =>
    new Map([
      ['broker 0', broker],
      ['n0', node],
    ] as const);
  line.note(names('up', 'up'), 20, 20);
  line.note(names('killed', 'stopped'), 7, 20);
  expect(line.text().split('\n')).toEqual(['          0 s', 'broker 0  =x', 'n0        =.', 'marks     93']);
  const picture = line.picture(['a run']);
  // Green twice, red and amber once, but for the legend.
  const fills = (colour: string) => picture.match(new RegExp(`height="9" fill="${colour}"`, 'g'))?.length;
  expect([fills('#c9dfc6'), fills('#c0392b'), fills('#e0a020')]).toEqual([1 + 2, 1 + 1, 1 + 1]);
});
