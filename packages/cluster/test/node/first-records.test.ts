/** What the log tells right after a node's hello reaches the listeners that are added when `joinWorld` has resolved. */
import { afterEach, expect, it } from 'vitest';
import { type Log, memoryLog } from '../../src/index.ts';
import { haltNodes, joinNode as join } from '../joined-nodes.ts';

afterEach(haltNodes);

/** The same log, which tells this node many records at a time, in one turn of the event loop. */
function inBatches(log: Log, milliseconds: number): Log {
  return {
    append: (bytes) => log.append(bytes),
    follow: async (from, take, lost) => {
      let waiting: [position: number, bytes: Uint8Array][] = [];
      const timer = setInterval(() => {
        const batch = waiting;
        waiting = [];
        for (const [position, bytes] of batch) take(position, bytes);
      }, milliseconds);
      const stop = await log.follow(from, (position, bytes) => waiting.push([position, bytes]), lost);
      return () => {
        clearInterval(timer);
        stop();
      };
    },
    read: (position) => log.read(position),
    last: async () => (await log.last?.()) ?? 0,
    ask: (bytes) => log.ask(bytes),
    answer: (how) => log.answer(how),
  };
}

it('what comes in one turn with the hello of a node is told to listeners that are added after joining', async () => {
  const log = memoryLog();
  const a = await join(log, 'a');
  const id = await a.add({ x: 0, y: 0, state: Uint8Array.of(7) });
  const c = await join(log, 'c', { adopts: false });
  await a.leave();
  await expect.poll(() => c.ownerOf(id)).toBeUndefined();
  let sent = 0;
  c.on('tick', () => c.ownerOf(id)?.name === 'b' && c.send(id, Uint8Array.of(sent++)));

  const b = await join(inBatches(log, 100), 'b');
  const gained: unknown[] = [];
  const heard: number[] = [];
  b.on('gain', (...what) => gained.push(what));
  b.on('message', (_id, [value = -1]) => heard.push(value));
  await expect.poll(() => heard.length).toBeGreaterThan(20);
  expect(gained).toEqual([[id, Uint8Array.of(7), 'orphaned']]);
  expect(heard).toEqual(Array.from(heard, (_, index) => index));
});

it('a node that is halted by one of the held records applies no further one', async () => {
  const log = memoryLog();
  const a = await join(log, 'a');
  const b = await join(inBatches(log, 300), 'b');
  let ticks = 0;
  let haltedAt: number | undefined;
  b.on('tick', () => {
    if (++ticks < 3) return;
    b.halt();
    haltedAt = b.world.tickCount;
  });
  await expect.poll(() => haltedAt).toBeDefined();
  const { tickCount } = a.world;
  await expect.poll(() => a.world.tickCount).toBeGreaterThan(tickCount + 40);
  expect(b.world.tickCount).toBe(haltedAt);
});

it('a node that is halted in the turn in which it joined is told nothing', async () => {
  const log = memoryLog();
  const a = await join(log, 'a');
  const b = await join(inBatches(log, 100), 'b');
  const told: string[] = [];
  for (const event of ['tick', 'simulate', 'members'] as const) b.on(event, () => told.push(event));
  const { tickCount } = a.world;
  b.halt();
  await expect.poll(() => a.world.tickCount).toBeGreaterThan(tickCount + 40);
  expect(told).toEqual([]);
});
