/** Promises of calls that nobody waits for: which rejections are errors. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { memoryLog } from '../../src/index.ts';
import { haltNodes, joinNode as join } from '../joined-nodes.ts';

const unhandled: unknown[] = [];
const note = (error: unknown) => {
  unhandled.push(error);
};
let others: NodeJS.UnhandledRejectionListener[] = [];

beforeEach(() => {
  unhandled.length = 0;
  others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', note);
});
afterEach(() => {
  process.removeAllListeners('unhandledRejection');
  for (const other of others) process.on('unhandledRejection', other);
  haltNodes();
});

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const code = (expected: string) => expect.objectContaining({ name: 'UmweltError', code: expected });

it('calls that wait for the log when the node is halted may be ignored', async () => {
  const node = await join(memoryLog(), 'a');
  const id = await node.add({ x: 0, y: 0, range: 5 });
  void node.add({ x: 1, y: 0 });
  void node.addMany({ x: [1, 2], y: [0, 0] });
  void node.show(id);
  const awaited = node.add({ x: 2, y: 0 });
  void node.leave();
  node.halt();
  await expect(awaited).rejects.toEqual(code('LOG_DOWN'));
  await pause(30);
  expect(unhandled).toEqual([]);
});

it('a show that a node does not wait for before it leaves may be ignored', async () => {
  const log = memoryLog();
  const [node] = [await join(log, 'a'), await join(log, 'b')];
  const id = await node.add({ x: 0, y: 0, range: 5 });
  await expect.poll(() => node.owned.has(id)).toBe(true);
  void node.show(id);
  await node.leave();
  await pause(30);
  expect(unhandled).toEqual([]);
});

it('a call that is refused is an error if nobody handles it, also if the node is halted later', async () => {
  const node = await join(memoryLog(), 'a');
  void node.add({ x: 0, y: 0, key: 'hero' });
  void node.add({ x: 0, y: 0, key: 'hero' });
  void node.show(12);
  await pause(100);
  expect(unhandled).toEqual([code('BAD_ID'), code('KEY_TAKEN')]);
  node.halt();
});
