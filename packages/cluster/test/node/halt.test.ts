/** A node that is halted: what waits is answered, what is called later is refused, and nothing goes on. */
import { afterEach, expect, it } from 'vitest';
import { type ClusterNode, type Log, memoryLog } from '../../src/index.ts';
import { SYSTEM } from '../../src/node/environment.ts';
import { nodeIn } from '../../src/node/join-world.ts';
import { readRecord } from '../../src/records/record.ts';
import { haltNodes, joinNode as join } from '../joined-nodes.ts';
import { late } from '../late-log.ts';
import { goneRecord } from '../record-makers.ts';

afterEach(haltNodes);

const code = (expected: string) => expect.objectContaining({ name: 'UmweltError', code: expected });
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

it('what waits for the log is answered, and no timer is left', async () => {
  const log = late(memoryLog(), 0);
  let timers = 0;
  const after = (milliseconds: number, call: () => void): (() => void) => {
    let isOn = true;
    const end = () => {
      if (isOn) timers--;
      isOn = false;
    };
    timers++;
    const cancel = SYSTEM.after(milliseconds, () => {
      end();
      call();
    });
    return () => {
      end();
      cancel();
    };
  };
  const node = nodeIn({ log, name: 'a', tickMs: 5 }, { ...SYSTEM, after });
  await node.enter();
  const hero = await node.add({ x: 0, y: 0, range: 5 });
  // From now on the log takes nothing.
  Object.assign(log, { append: () => new Promise(() => {}) });
  const startMs = performance.now();
  const answers = Promise.allSettled([node.add({ x: 1, y: 0 }), node.show(hero), node.leave()]);
  node.halt();
  const codes = (await answers).map((each) => each.status === 'rejected' && each.reason.code);
  expect(codes).toEqual(['LOG_DOWN', 'LOG_DOWN', 'LOG_DOWN']);
  await expect.poll(() => timers).toBe(0);
  expect(performance.now() - startMs).toBeLessThan(5000);
  await node.leave();
  node.halt();
});

it('what is called later is refused', async () => {
  const node = await join(memoryLog(), 'a');
  const [id, other] = (await node.addMany({ x: [0, 1], y: [0, 0] })) as unknown as [number, number];
  await expect.poll(() => node.owned.size).toBe(2);
  node.halt();
  expect([node.isLive, node.self, node.owned.size]).toEqual([false, undefined, 0]);
  const ids = Uint32Array.of(id);
  const owners: ((of: ClusterNode) => void)[] = [
    (of) => of.move(id, 1, 1),
    (of) => of.moveMany(ids, [1], [1]),
    (of) => of.update(id, { range: 1 }),
    (of) => of.updateMany(ids, { range: [1] }),
    (of) => of.touch(id),
    (of) => of.pin(id, other),
    (of) => of.attachEntity(id, other),
    (of) => of.keep(id, new Uint8Array(1)),
    (of) => of.set(id, { a: 1 }),
    (of) => of.give(id, 'a'),
    (of) => of.remove(id),
    (of) => of.removeMany(ids),
  ];
  for (const call of owners) expect(() => call(node)).toThrow(code('NOT_OWNED'));
  expect(() => node.send(id, new Uint8Array(1))).toThrow(code('LOG_DOWN'));
  expect(() => node.broadcast(id, new Uint8Array(1))).toThrow(code('LOG_DOWN'));
  expect(() => node.setInterest('near', { cap: 1 })).toThrow(code('LOG_DOWN'));
  await expect(node.add({ x: 0, y: 0 })).rejects.toThrow(code('LOG_DOWN'));
  await expect(node.addMany({ x: [0], y: [0] })).rejects.toThrow(code('LOG_DOWN'));
  await expect(node.show(id)).rejects.toThrow(code('LOG_DOWN'));
  expect([node.world.size, [...node.world.position(other)]]).toEqual([2, [1, 0]]);
});

/** Halts the node at the event. What it tells and writes after that. */
async function haltedAt(
  log: Log,
  node: ClusterNode,
  event: 'members' | 'lose' | 'gain' | 'message',
  cause: () => void,
): Promise<string[]> {
  const told: string[] = [];
  let isHalted = false;
  let end = Promise.resolve<number | undefined>(0);
  node.on(event, () => {
    if (isHalted) told.push(event);
    isHalted = true;
    end = log.last?.() ?? end;
    node.halt();
  });
  for (const later of ['tick', 'simulate', 'copy'] as const) {
    node.on(later, () => {
      if (isHalted) told.push(later);
    });
  }
  cause();
  await expect.poll(() => isHalted).toBe(true);
  const stop = await log.follow(
    ((await end) ?? 0) + 1,
    (_position, bytes) => told.push(readRecord(bytes).kind),
    () => {},
  );
  await pause(700);
  stop();
  return told;
}

it('a listener that halts the node at a mark is the last that is called, and it marks no more', async () => {
  const log = memoryLog();
  const a = await join(log, 'a', { silenceTicks: 20 });
  const b = await join(log, 'b');
  await expect.poll(() => a.members.length).toBe(2);
  expect(await haltedAt(log, a, 'members', () => b.halt())).toEqual([]);
});

it('a listener that halts the node when it is told of a loss keeps it from joining again', async () => {
  const log = memoryLog();
  const a = await join(log, 'a');
  const id = await a.add({ x: 0, y: 0 });
  await expect.poll(() => a.owned.has(id)).toBe(true);
  const { incarnation = 0 } = a.self ?? {};
  const told = await haltedAt(log, a, 'lose', () => void log.append(goneRecord(0, incarnation)));
  expect(told).toEqual([]);
  expect(a.isLive).toBe(false);
});

it('messages after the one at which a listener halts the node are not told', async () => {
  const log = memoryLog();
  const a = await join(log, 'a');
  const id = await a.add({ x: 0, y: 0 });
  const told = await haltedAt(log, a, 'message', () => {
    for (let i = 0; i < 3; i++) a.send(id, Uint8Array.of(i));
  });
  expect(told).toEqual([]);
});
