/** Kept state is part of what all replicas have alike: what a game does with the bytes that it is given changes none of it. */
import { afterEach, expect, it } from 'vitest';
import { memoryLog } from '../../src/index.ts';
import { participantOf } from '../../src/node/cluster-node.ts';
import { haltNodes, joinNode as join } from '../joined-nodes.ts';

afterEach(haltNodes);

it('the bytes of `gain` and `stateOf` are copies', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const gained: Uint8Array[] = [];
  b.on('gain', (_id, state) => gained.push(state));
  const id = await a.add({ x: 0, y: 0, state: Uint8Array.of(5) });
  await expect.poll(() => a.owned.has(id)).toBe(true);
  a.give(id, 'b');
  await expect.poll(() => gained.length).toBe(1);
  gained[0]?.fill(6);
  b.stateOf(id).fill(7);
  expect([a.stateOf(id), b.stateOf(id)]).toEqual([Uint8Array.of(5), Uint8Array.of(5)]);
  const kept = (node: typeof a) => participantOf(node).replica.table.keeps.get(id);
  expect(kept(b)).toEqual(kept(a));
});
