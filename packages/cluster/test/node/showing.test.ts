/** Several nodes ask to show one watcher: who shows it, and what each is told. */
import { afterEach, expect, it } from 'vitest';
import { memoryLog } from '../../src/index.ts';
import { participantOf } from '../../src/node/cluster-node.ts';
import { haltNodes, joinNode as join } from '../joined-nodes.ts';
import { late } from '../late-log.ts';
import { goneRecord } from '../record-makers.ts';

afterEach(haltNodes);

const code = (expected: string) => expect.objectContaining({ code: expected });

it('a node whose call comes last shows the watcher, though another showed it while the call was on its way', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(late(log, 40), 'b')];
  const hero = await a.add({ x: 0, y: 0, range: 10 });
  await expect.poll(() => b.world.has(hero)).toBe(true);
  const hidden: string[] = [];
  a.on('hide', () => hidden.push('a'));
  b.on('hide', () => hidden.push('b'));
  const asked = b.show(hero);
  await a.show(hero);
  expect(b.showerOf(hero)?.name ?? 'a').toBe('a');
  await asked;
  expect(b.showerOf(hero)?.name).toBe('b');
  await expect.poll(() => hidden).toEqual(['a']);
  b.hide(hero);
  await expect.poll(() => a.showerOf(hero)).toBeUndefined();
  expect(hidden).toEqual(['a', 'b']);
});

it('a node that asked to show a watcher that another took and left within a tick is told so', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a', { tickMs: 150 }), await join(log, 'b')];
  const hero = await a.add({ x: 0, y: 0, range: 10 });
  await expect.poll(() => b.world.has(hero)).toBe(true);
  await a.show(hero);
  const hidden: number[] = [];
  a.on('hide', (id) => hidden.push(id));
  b.on('simulate', () => {
    if (hidden.length > 0) return;
    b.show(hero).catch(() => {});
    b.hide(hero);
  });
  await expect.poll(() => hidden).toEqual([hero]);
  expect(a.showerOf(hero)).toBeUndefined();
  a.hide(hero);
  expect(hidden).toEqual([hero]);
});

it('a node that was told gone shows its watchers again, however many calls wait', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a', { pendingBytes: 1024 }), await join(log, 'b')];
  const heroes = await b.addMany({ x: [0, 1, 2], y: [0, 0, 0], range: 10 });
  await expect.poll(() => a.world.size).toBe(3);
  await Promise.all([...heroes].map((hero) => a.show(hero)));
  const heard: number[] = [];
  b.on('message', (id) => heard.push(id));
  let sent = 0;
  const stop = a.on('members', () => {
    stop();
    // As much as may wait, a byte at a time at last.
    for (const length of [100, 1, 0]) {
      try {
        for (;;) {
          a.send(heroes[0]!, new Uint8Array(length));
          sent++;
        }
      } catch (error) {
        expect(error).toEqual(code('TOO_MUCH'));
      }
    }
  });
  const { number, incarnation } = participantOf(a).self!;
  void log.append(goneRecord(number, incarnation));
  await expect.poll(() => heard.length).toBeGreaterThan(0);
  await expect.poll(() => [...heroes].map((hero) => b.showerOf(hero)?.name)).toEqual(['a', 'a', 'a']);
  expect(heard.length).toBe(sent);
});

it('a show that is called while the node is no member counts once it is back', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const hero = await b.add({ x: 0, y: 0, range: 10 });
  await b.show(hero);
  const own = await a.add({ x: 1, y: 0 });
  const shown = new Promise<void>((resolve, reject) => {
    // It is no member when it loses what it had.
    a.on('lose', (id) => {
      if (id === own) a.show(hero).then(resolve, reject);
    });
  });
  await expect.poll(() => a.owned.has(own)).toBe(true);
  const { number, incarnation } = participantOf(a).self!;
  void log.append(goneRecord(number, incarnation));
  await shown;
  expect(a.showerOf(hero)?.name).toBe('a');
  a.hide(hero);
  await expect.poll(() => b.showerOf(hero)).toBeUndefined();
});
