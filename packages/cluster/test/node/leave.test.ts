/** Leaving, when it is asked for at a bad time. */
import { afterEach, expect, it } from 'vitest';
import { memoryLog } from '../../src/index.ts';
import { haltNodes, joinNode as join } from '../joined-nodes.ts';
import { late } from '../late-log.ts';

afterEach(haltNodes);

it('a node that leaves twice has left once, and both calls are answered', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const id = await a.add({ x: 0, y: 0 });
  await expect.poll(() => a.owned.has(id)).toBe(true);
  const gained: string[] = [];
  b.on('gain', (gainedId, _state, why) => gained.push(`${gainedId} ${why}`));
  await Promise.all([a.leave(), a.leave()]);
  await a.leave();
  await expect.poll(() => gained).toEqual([`${id} given`]);
});

it('a node that owns more than may wait for the log leaves all the same, and all is taken over', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a', { pendingBytes: 1024 }), await join(log, 'b')];
  for (let i = 0; i < 200; i += 10) {
    await a.addMany({ x: Array.from({ length: 10 }, () => i), y: new Float32Array(10) });
  }
  await expect.poll(() => a.owned.size).toBe(200);
  await a.leave();
  await expect.poll(() => b.owned.size).toBe(200);
  expect(b.members.map(({ name }) => name)).toEqual(['b']);
});

it('what waits for the log is answered when leaving takes too long', async () => {
  const inner = memoryLog();
  const log = late(inner, 0);
  const a = await join(log, 'a', { patienceMs: 3000 });
  const hero = await a.add({ x: 0, y: 0, range: 5 });
  // From now on the log takes nothing.
  Object.assign(log, { append: () => new Promise(() => {}) });
  const waiting = [a.add({ x: 1, y: 0 }), a.show(hero)];
  const answers = Promise.allSettled([...waiting, a.leave()]);
  const codes = (await answers).map((each) => each.status === 'rejected' && each.reason.code);
  expect(codes).toEqual(['LOG_DOWN', 'LOG_DOWN', 'LOG_DOWN']);
});
