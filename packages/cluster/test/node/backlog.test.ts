/** A log that stands still for a while: what gathers meanwhile, and what the game can do once it goes on. */
import { afterEach, expect, it } from 'vitest';
import { memoryLog } from '../../src/index.ts';
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
