/** Entities that a node gives away or removes before the mark that tells it that it owns them. */
import { afterEach, expect, it } from 'vitest';
import { memoryLog } from '../../src/index.ts';
import { haltNodes, joinNode as join } from '../joined-nodes.ts';

afterEach(haltNodes);

it('an entity that is given away at once and given back belongs to the first node again', async () => {
  const log = memoryLog();
  // Long ticks, so that `add` resolves well before the mark.
  const [a, b] = [await join(log, 'a', { tickMs: 60 }), await join(log, 'b')];
  const told: string[] = [];
  a.on('gain', () => told.push('gain'));
  a.on('lose', () => told.push('lose'));
  const id = await a.add({ x: 0, y: 0 });
  a.give(id, 'b');
  expect(() => a.move(id, 1, 1)).toThrow(expect.objectContaining({ code: 'NOT_OWNED' }));
  await expect.poll(() => b.owned.has(id)).toBe(true);
  expect(a.owned.has(id)).toBe(false);
  b.give(id, 'a');
  await expect.poll(() => a.owned.has(id)).toBe(true);
  a.move(id, 3, 4);
  await expect.poll(() => [...b.world.position(id)]).toEqual([3, 4]);
  expect(told).toEqual(['gain', 'lose', 'gain']);
});
