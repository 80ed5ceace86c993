/** What the simulation notes of a node that says one thing and does another. */
import { afterEach, expect, it } from 'vitest';
import { memoryLog } from '../../src/index.ts';
import { participantOf } from '../../src/node/cluster-node.ts';
import { haltNodes, joinNode } from '../joined-nodes.ts';
import { PromisesKept } from './promises-kept.ts';

afterEach(haltNodes);

async function watched() {
  const node = await joinNode(memoryLog(), 'a', { tickMs: 1 });
  return { node, promises: new PromisesKept(node, () => 7) };
}

it('notes nothing of a node that owns and shows what it says', async () => {
  const { node, promises } = await watched();
  const [first, second] = await node.addMany({ x: [1, 2], y: [1, 2], range: 5 });
  const answer = node.show(first!);
  promises.asked(first!, answer);
  await answer;
  node.remove(second!);
  const { tickCount } = node.world;
  await expect.poll(() => node.world.tickCount).toBeGreaterThan(tickCount + 150);
  expect([promises.problem, promises.unanswered(100)]).toEqual([undefined, undefined]);
});

it('notes an entity that a node owns and did not tell of', async () => {
  const { node, promises } = await watched();
  const id = await node.add({ x: 1, y: 1 });
  await expect.poll(() => node.owned.size).toBe(1);
  const { replica } = participantOf(node);
  replica.table.owners[id >>> 10] = 0;
  await expect.poll(() => promises.problem).toContain(`it was told to own ${id}, and owns `);
});

it('notes a view that a node was asked for and does not show', async () => {
  const { node, promises } = await watched();
  const id = await node.add({ x: 1, y: 1, range: 5 });
  promises.asked(id, Promise.resolve());
  await expect.poll(() => promises.problem).toContain(`${id} is not shown, and was asked for`);
});

it('notes an answer that does not come', async () => {
  const { promises } = await watched();
  promises.expect('add', new Promise(() => {}));
  expect([promises.unanswered(7), promises.unanswered(8)]).toEqual([
    undefined,
    'add of 7 ms was never answered',
  ]);
});
