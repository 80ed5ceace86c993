/** Two nodes of one name: the one that came last is the member, and the other waits until that one is gone. */
import { afterEach, expect, it } from 'vitest';
import { type ClusterMember, type Log, memoryLog } from '../../src/index.ts';
import { readRecord } from '../../src/records/record.ts';
import { haltNodes, joinNode as join } from '../joined-nodes.ts';
import { bound } from '../late-log.ts';
import { goneRecord } from '../record-makers.ts';

afterEach(haltNodes);

it('a node that was replaced does not replace the other one, and comes back when that one is gone', async () => {
  const log = memoryLog();
  const a = await join(log, 'a', { silenceTicks: 30, adopts: false });
  const b = await join(log, 'b');
  const hero = await b.add({ x: 0, y: 0, range: 5, key: 'hero' });
  await b.show(hero);
  let hellos = 0;
  await log.follow(
    ((await log.last?.()) ?? 0) + 1,
    (_position, bytes) => {
      if (readRecord(bytes).kind === 'hello') hellos++;
    },
    () => {},
  );
  const lost: string[] = [];
  b.on('lose', (_id, why) => lost.push(why));
  const next = await join(log, 'b');
  const waiting = b.add({ x: 1, y: 0 });
  const { tickCount } = a.world;
  await expect.poll(() => a.world.tickCount).toBeGreaterThan(tickCount + 100);
  expect([b.isLive, next.isLive, hellos, lost]).toEqual([false, true, 1, ['fenced']]);
  expect(next.owned.has(hero)).toBe(true);

  next.halt();
  await expect.poll(() => b.isLive).toBe(true);
  await waiting;
  await expect.poll(() => [hellos, b.owned.has(hero)]).toEqual([2, true]);
  await expect.poll(() => b.showerOf(hero)?.name).toBe('b');
});

it('a node that comes back from a pause does not replace the one that was started in its place', async () => {
  const log = memoryLog();
  const a = await join(log, 'a', { silenceTicks: 30 });
  let isPaused = false;
  // Nothing that it says is in the log.
  const paused: Log = {
    ...bound(log),
    append: (bytes) => (isPaused ? new Promise(() => {}) : log.append(bytes)),
  };
  const b = await join(paused, 'b');
  await expect.poll(() => a.members.length).toBe(2);
  isPaused = true;
  await expect.poll(() => a.members.length, { interval: 2 }).toBe(1);
  const next = await join(log, 'b');
  isPaused = false;
  const { tickCount } = a.world;
  await expect.poll(() => a.world.tickCount).toBeGreaterThan(tickCount + 200);
  expect([b.isLive, next.isLive]).toEqual([false, true]);

  next.halt();
  await expect.poll(() => b.isLive).toBe(true);
});

it('a node that finds its own hello in the state that it copies does not wait for itself', async () => {
  const log = memoryLog();
  const a = await join(log, 'a', { silenceTicks: 100_000 });
  let [isFenced, isCut] = [false, false];
  const far: Log = {
    ...bound(log),
    append: (bytes) => {
      // The log trims the records from its hello on before it reads them.
      if (isFenced && readRecord(bytes).kind === 'hello') [isFenced, isCut] = [false, true];
      return log.append(bytes);
    },
    follow: (from, take, lost) =>
      log.follow(from, (position, bytes) => !isCut && take(position, bytes), lost),
  };
  const b = await join(far, 'b');
  await expect.poll(() => a.members.length).toBe(2);
  const { incarnation } = b.self as ClusterMember;
  isFenced = true;
  await log.append(goneRecord(1, incarnation));
  await expect.poll(() => isCut && a.members.at(-1)!.incarnation > incarnation).toBe(true);
  isCut = false;
  await expect.poll(() => b.isLive).toBe(true);
  await expect.poll(() => a.members.map(({ name }) => name)).toEqual(['a', 'b']);
});

it('a node that was replaced leaves at once', async () => {
  const log = memoryLog();
  const b = await join(log, 'b', { patienceMs: 60_000 });
  const next = await join(log, 'b');
  await expect.poll(() => b.self).toBeUndefined();
  const { incarnation } = next.self ?? {};
  await b.leave();
  expect([b.isLive, next.isLive, next.self?.incarnation]).toEqual([false, true, incarnation]);
});
