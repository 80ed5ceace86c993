/** What a node counts, as metrics and as health. */
import { World } from 'umwelt';
import { afterEach, expect, it, vi } from 'vitest';
import { type Log, memoryLog, NodeMetrics } from '../../src/index.ts';
import { participantOf } from '../../src/node/cluster-node.ts';
import { NodeFigures } from '../../src/node/node-figures.ts';
import { readRecord } from '../../src/records/record.ts';
import type { Member } from '../../src/state/members.ts';
import { haltNodes, joinNode } from '../joined-nodes.ts';
import { bound } from '../late-log.ts';
import { callsRecord } from '../record-makers.ts';

afterEach(haltNodes);

const join = (log: Log, name: string) => joinNode(log, name, { silenceTicks: 60 });

/** By name, and label where there is one. */
async function valuesOf(metrics: NodeMetrics): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { name, values } of await metrics.registry.getMetricsAsJSON()) {
    for (const { value, labels } of values) {
      const label = Object.values(labels)[0];
      found[
        label === undefined
          ? name.replace('umwelt_cluster_', '')
          : `${name.replace('umwelt_cluster_', '')} ${label}`
      ] = value;
    }
  }
  return found;
}

it('has records and bytes by member, what they own and show, what was refused, and times', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const metrics = new NodeMetrics(b);
  const before = await valuesOf(metrics);
  const ids = await a.addMany({ x: [0, 1, 2], y: [0, 0, 0], range: 5 });
  await expect.poll(() => b.world.size).toBe(3);
  await b.show(ids[0]!);
  // Noise, and a record of nobody.
  await log.append(Uint8Array.of(7, 7, 7));
  await expect
    .poll(async () => (await valuesOf(metrics)).strange_records_total)
    .toBeGreaterThan(before.strange_records_total ?? 0);
  const after = await valuesOf(metrics);
  expect(after).toMatchObject({
    live: 1,
    members: 2,
    entities: 3,
    orphans: 0,
    'member_owned a': 3,
    'member_owned b': 0,
  });
  expect(after).toMatchObject({
    'member_shown a': 0,
    'member_shown b': 1,
    'member_refused a': 0,
    differed_total: 0,
  });
  expect(after.ticks_total).toBeGreaterThan(before.ticks_total!);
  expect(after['member_records_total a']).toBeGreaterThan(0);
  // 16 bytes of header each, and more.
  expect(after['member_bytes_total a']).toBeGreaterThan(16 * after['member_records_total a']!);
  expect(after.bytes_total).toBeGreaterThanOrEqual(
    after['member_bytes_total a']! + after['member_bytes_total b']!,
  );
  expect(after.apply_seconds_total).toBeGreaterThanOrEqual(after.tick_seconds_total!);
  expect(after.tick_seconds_total).toBeGreaterThan(0);
  expect(after.tick_gap_seconds).toBeGreaterThan(0);
  expect(await metrics.registry.metrics()).toContain('umwelt_cluster_member_owned{member="a"} 3');
});

it('calls a record strange that is noise or of a member that is none, and no hello of a node that joins', async () => {
  const log = memoryLog();
  const a = await join(log, 'a');
  const metrics = new NodeMetrics(a);
  const strange = async () => (await valuesOf(metrics)).strange_records_total;
  expect(await strange()).toBe(0);
  const b = await join(log, 'b');
  await b.leave();
  await join(log, 'c');
  expect(await strange()).toBe(0);
  await log.append(Uint8Array.of(7, 7, 7));
  await log.append(callsRecord({ member: 9, incarnation: 99, seq: 1 }, {}));
  await expect.poll(strange).toBe(2);
});

it('calls no mark strange of a node that leaves, although the next tick is due before its bye is read', async () => {
  const inner = memoryLog();
  const a = await join(inner, 'a');
  const metrics = new NodeMetrics(a);
  const busy: Log = {
    ...bound(inner),
    append: (bytes) => {
      const answer = inner.append(bytes);
      // Its timers of the next ticks are over once it is done.
      const untilMs = performance.now() + (readRecord(bytes).kind === 'bye' ? 100 : 0);
      while (performance.now() < untilMs);
      return answer;
    },
  };
  const b = await join(busy, 'b');
  await b.leave();
  const { tickCount } = a.world;
  await expect.poll(() => a.world.tickCount).toBeGreaterThan(tickCount);
  expect((await valuesOf(metrics)).strange_records_total).toBe(0);
});

// They visit each pair of watchers with an enterBudget: a fifth of a tick.
it('asks the world for no figures while it applies', async () => {
  const stats = vi.spyOn(World.prototype, 'stats');
  try {
    const node = await join(memoryLog(), 'a');
    await expect.poll(() => participantOf(node).figures.ticks).toBeGreaterThan(3);
    expect(participantOf(node).figures.tickMs).toBeGreaterThan(0);
    expect(stats).not.toHaveBeenCalled();
  } finally {
    stats.mockRestore();
  }
});

it('counts members that went, by why', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const metrics = new NodeMetrics(a);
  await b.leave();
  const c = await join(log, 'c');
  c.halt();
  // Asked until all of it has come: `a` may not have read yet that c joined.
  await expect
    .poll(async () => {
      const values = await valuesOf(metrics);
      return [values['gone_total bye'], values['gone_total silent'], values.members];
    })
    .toEqual([1, 1, 1]);
  expect(Object.keys(await valuesOf(metrics))).not.toContain('member_owned c');
});

it('has the counts of the 1,024 members heard last, however many come and go', async () => {
  const node = await join(memoryLog(), 'a');
  const metrics = new NodeMetrics(node);
  const { figures } = participantOf(node);
  const record = (name: string) => figures.record(16, { name } as Member, false);
  for (let i = 0; i < 3000; i++) {
    record(`gone-${i}`);
    record('a');
    if (i % 1000 === 0) await valuesOf(metrics);
  }
  const values = await valuesOf(metrics);
  expect(Object.keys(values).filter((name) => name.startsWith('member_records_total'))).toHaveLength(1024);
  expect(values['member_records_total a']).toBeGreaterThanOrEqual(3000);
  expect(values['member_records_total gone-2999']).toBe(1);
});

it('forgets the member heard longest ago without comparing all of them', () => {
  const figures = new NodeFigures();
  const record = (name: string) => figures.record(16, { name } as Member, false);
  for (const name of ['a', 'b', 'a', 'c', 'b']) record(name);
  expect([...figures.members.keys()]).toEqual(['a', 'c', 'b']);
  for (let i = 0; i < 1023; i++) record(`more-${i}`);
  expect([...figures.members.keys()].slice(0, 2)).toEqual(['b', 'more-0']);
  expect(figures.members.get('b')).toEqual({ records: 2, bytes: 32 });
});

it('is healthy while it is a member and ticks come', async () => {
  const log = memoryLog();
  const a = await join(log, 'a');
  const metrics = new NodeMetrics(a);
  expect(metrics.health()).toEqual({ isHealthy: true, problem: undefined });
  a.halt();
  expect(metrics.health()).toEqual({ isHealthy: false, problem: 'it is away' });
});

it('is not healthy while the log refuses its records, and says why', async () => {
  const inner = memoryLog();
  await join(inner, 'a');
  let fault: Error | undefined;
  const far: Log = {
    ...bound(inner),
    append: (bytes) => (fault === undefined ? inner.append(bytes) : Promise.reject(fault)),
  };
  const b = await join(far, 'b');
  const metrics = new NodeMetrics(b);
  const problem = () => metrics.health().problem;
  fault = new Error('message size exceeds maximum');
  await expect.poll(problem).toBe('the log does not take its record: message size exceeds maximum');
  // The others drop it as silent.
  await expect.poll(problem).toBe('it is following: message size exceeds maximum');
  fault = undefined;
  await expect.poll(problem).toBeUndefined();
});

it('says why no tick comes where the log refuses the marks alone', async () => {
  const inner = memoryLog();
  let fault: Error | undefined;
  const full: Log = {
    ...bound(inner),
    append: (bytes) =>
      fault === undefined || readRecord(bytes).kind !== 'mark' ? inner.append(bytes) : Promise.reject(fault),
  };
  const node = await join(full, 'a');
  const metrics = new NodeMetrics(node);
  const problem = () => metrics.health().problem;
  expect(problem()).toBeUndefined();
  fault = new Error('maximum messages exceeded');
  await expect.poll(problem).toMatch(/^no tick was marked for \d+ ms: maximum messages exceeded$/);
  fault = undefined;
  await expect.poll(problem).toBeUndefined();
});

it('says that no tick comes although nobody asked before, and how long that is', async () => {
  const inner = memoryLog();
  let isStuck = false;
  const stuck: Log = {
    ...bound(inner),
    append: (bytes) => (isStuck ? new Promise(() => {}) : inner.append(bytes)),
  };
  const node = await join(stuck, 'a');
  const markedMs: number[] = [];
  node.on('tick', () => markedMs.push(performance.now()));
  await expect.poll(() => markedMs.length).toBeGreaterThan(3);
  isStuck = true;
  const metrics = new NodeMetrics(node);
  await new Promise((resolve) => setTimeout(resolve, 2500));
  const askedMs = performance.now();
  const [, silentMs] = /^no tick was marked for (\d+) ms$/.exec(metrics.health().problem ?? '') ?? [];
  const [before, last] = markedMs.slice(-2);
  expect(Number(silentMs)).toBeGreaterThanOrEqual(Math.floor(askedMs - last!));
  expect(Number(silentMs)).toBeLessThanOrEqual(Math.ceil(performance.now() - before!));
  const gap = (await valuesOf(metrics)).tick_gap_seconds;
  expect(gap).toBeGreaterThan(2);
  isStuck = false;
  await expect.poll(() => metrics.health().problem).toBeUndefined();
  // It was a gap for as long as the window reaches back.
  expect((await valuesOf(metrics)).tick_gap_seconds).toBeGreaterThanOrEqual(gap!);
});

it('has no gap between marks that grows once it has left', async () => {
  const node = await join(memoryLog(), 'a');
  const { figures, environment } = participantOf(node);
  await expect.poll(() => node.world.tickCount).toBeGreaterThan(3);
  const laterMs = () => environment.now() + 3600_000;
  expect(figures.longestGapMs(laterMs())).toBeGreaterThanOrEqual(3600_000);
  await node.leave();
  expect(figures.longestGapMs(laterMs())).toBeLessThan(3600_000);
});

it('refuses what is no node', () => {
  const wrong = { code: 'BAD_OPTION', details: expect.objectContaining({ field: 'node' }) };
  for (const given of [undefined, {}, 'a']) {
    expect(() => new NodeMetrics(given as never)).toThrow(expect.objectContaining(wrong));
  }
});
