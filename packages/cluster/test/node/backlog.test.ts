/** A log that stands still for a while: what gathers meanwhile, and what the game can do once it goes on. */
import { afterEach, expect, it } from 'vitest';
import { memoryLog } from '../../src/index.ts';
import { participantOf } from '../../src/node/cluster-node.ts';
import { haltNodes, joinNode as join } from '../joined-nodes.ts';
import { cuttable } from '../late-log.ts';

afterEach(haltNodes);

const code = (expected: string) => expect.objectContaining({ code: expected });

/** A node whose log stands still, with one entity that it owns and shows, and as many messages as may wait. */
async function backlog() {
  const far = cuttable(memoryLog());
  const node = await join(far.log, 'a', { pendingBytes: 4096, silenceTicks: 2 ** 20 });
  const id = await node.add({ x: 0, y: 0, range: 5 });
  await node.show(id);
  await expect.poll(() => node.owned.has(id)).toBe(true);
  const mend = far.cut();
  let sent = 0;
  for (const call of [() => node.send(id, new Uint8Array(60)), () => node.broadcast(id, new Uint8Array(0))]) {
    expect(() => {
      for (; sent < 1000; sent++) call();
    }).toThrow(code('TOO_MUCH'));
  }
  return { node, id, mend };
}

it('inputs that fill what may wait while the log stands still leave room for what the game calls once it goes on', async () => {
  const { node, id, mend } = await backlog();
  const thrown: unknown[] = [];
  let simulated = 0;
  const attempt = (call: () => void) => {
    try {
      call();
    } catch (error) {
      thrown.push(error);
    }
  };
  node.on('message', () => attempt(() => node.move(id, 1, 1)));
  node.on('simulate', () => {
    if (simulated++ > 0) return;
    attempt(() => node.set(id, { health: 1 }));
    attempt(() => node.send(id, new Uint8Array(60)));
  });
  mend();
  await expect.poll(() => node.fieldsOf(id).health).toBe(1);
  await expect.poll(() => node.world.position(id)[0]).toBe(1);
  expect(thrown).toEqual([]);
});

it('a view is hidden also when nothing more may wait for the log', async () => {
  const { node, id, mend } = await backlog();
  expect(() => {
    for (;;) node.touch(id);
  }).toThrow(code('TOO_MUCH'));
  node.hide(id);
  mend();
  await expect.poll(() => node.showerOf(id)).toBeUndefined();
});

it('many updates wait all or none, however long the names of their senses are', async () => {
  const senses = Array.from({ length: 8 }, (_, i) => `${i}`.repeat(1000));
  const node = await join(memoryLog(), 'a', { world: { senses }, pendingBytes: 170_000 });
  const zeros = new Array<number>(1366).fill(0);
  // One more than fit into one piece of a record; the names take 16 KB of each.
  for (const _ of [1, 2, 3]) await node.addMany({ x: zeros, y: zeros });
  await expect.poll(() => node.owned.size).toBe(4098);
  const ids = Uint32Array.from(node.owned);
  const range = Object.fromEntries(senses.map((sense) => [sense, new Float32Array(ids.length).fill(3)]));
  const { outbox } = participantOf(node);
  await expect.poll(() => outbox.isEmpty).toBe(true);
  expect(() => node.updateMany(ids, { range })).toThrow(code('TOO_MUCH'));
  expect(outbox.bytes).toBe(0);
});
