/** Stores of checkpoints that fail: what the node tells, and that its world goes on. */
import { afterEach, expect, it } from 'vitest';
import { type Checkpoints, memoryLog } from '../../src/index.ts';
import { haltNodes, joinNode } from '../joined-nodes.ts';

afterEach(haltNodes);

const full = new Error('the disk is full');

it.each<[string, () => Promise<void>]>([
  ['rejects', () => Promise.reject(full)],
  [
    'throws at once',
    () => {
      throw full;
    },
  ],
])('a save that %s is told, and tried again', async (_how, save) => {
  const checkpoints = { save, newest: () => Promise.resolve(undefined) };
  const node = await joinNode(memoryLog(), 'a', { checkpoints, checkpointMs: 20 });
  const told: unknown[] = [];
  node.on('checkpointFailed', (error) => told.push(error));
  await expect.poll(() => told.length).toBeGreaterThan(2);
  expect(new Set(told)).toEqual(new Set([full]));
  const { tickCount } = node.world;
  await expect.poll(() => node.world.tickCount).toBeGreaterThan(tickCount + 5);
});

it('a store that returns nothing may be one without promises', async () => {
  let count = 0;
  const checkpoints = {
    save: () => {
      count++;
    },
    newest: () => undefined,
  } as unknown as Checkpoints;
  const node = await joinNode(memoryLog(), 'a', { checkpoints, checkpointMs: 20 });
  await expect.poll(() => count).toBeGreaterThan(2);
  expect(node.isLive).toBe(true);
});

it('a node that cannot read its checkpoints says why it could not join', async () => {
  const denied = Object.assign(new Error("EACCES: permission denied, scandir '/saved'"), { code: 'EACCES' });
  const checkpoints = { save: () => Promise.resolve(), newest: () => Promise.reject(denied) };
  await expect(joinNode(memoryLog(), 'a', { checkpoints, patienceMs: 300 })).rejects.toMatchObject({
    code: 'LOG_DOWN',
    message: expect.stringContaining('EACCES'),
  });
});
