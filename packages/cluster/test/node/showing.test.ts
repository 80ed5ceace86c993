/** Several nodes ask to show one watcher: who shows it, and what each is told. */
import { getEventListeners } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { type ClusterNode, type Log, memoryLog } from '../../src/index.ts';
import { participantOf } from '../../src/node/cluster-node.ts';
import { haltNodes, joinNode as join } from '../joined-nodes.ts';
import { bound, cuttable, late } from '../late-log.ts';
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

/** A node 'b' whose records the log does not take before `mend` is called; one of them is on its way. */
async function cutOff(log: Log) {
  const far = cuttable(log);
  const b = await join(far.log, 'b');
  const mend = far.cut();
  await ticks(b, 3);
  return { b, mend };
}

async function ticks(node: ClusterNode, count: number): Promise<void> {
  const from = node.world.tickCount;
  await expect.poll(() => node.world.tickCount).toBeGreaterThanOrEqual(from + count);
}

it('a node that was cut off does not take a view from the node to which the player has gone on', async () => {
  const log = memoryLog();
  const a = await join(log, 'a');
  const hero = await a.add({ x: 0, y: 0, range: 10 });
  const { b, mend } = await cutOff(log);
  await expect.poll(() => b.world.has(hero)).toBe(true);
  const hidden: number[] = [];
  a.on('hide', (id) => hidden.push(id));
  const gone = new AbortController();
  const asked = b.show(hero, { signal: gone.signal });
  const refused = expect(asked).rejects.toEqual(code('NOT_SHOWN'));
  await a.show(hero);
  gone.abort();
  await refused;
  await expect(b.show(hero, { signal: gone.signal })).rejects.toEqual(code('NOT_SHOWN'));
  const heard = new Promise<void>((resolve) => a.on('message', () => resolve()));
  b.send(hero, new Uint8Array(1));
  mend();
  await heard;
  await ticks(a, 3);
  expect([a.showerOf(hero)?.name, hidden]).toEqual(['a', []]);
});

it.each(['in the log', 'at rest'])(
  'a show whose signal aborts when it is %s is answered by the view, which its caller can hide',
  async (when) => {
    const a = await join(memoryLog(), 'a', { tickMs: 200, silenceTicks: 100 });
    const hero = await a.add({ x: 0, y: 0, range: 10 });
    await ticks(a, 1);
    const gone = new AbortController();
    const asked = a.show(hero, { signal: gone.signal });
    const isThere = () =>
      when === 'at rest' ? a.showerOf(hero)?.name === 'a' : participantOf(a).replica.askedShowers.has(hero);
    await expect.poll(isThere, { interval: 5 }).toBe(true);
    gone.abort();
    await asked;
    expect(a.showerOf(hero)?.name).toBe('a');
    a.hide(hero);
    await expect.poll(() => a.showerOf(hero)).toBeUndefined();
  },
);

it('a signal keeps no call that is over', async () => {
  const a = await join(memoryLog(), 'a');
  const hero = await a.add({ x: 0, y: 0, range: 10 });
  const { signal } = new AbortController();
  for (let i = 0; i < 3; i++) await a.show(hero, { signal });
  expect(getEventListeners(signal, 'abort').length).toBe(0);
});

it('a show that is taken back leaves those of others, and what the node shows already', async () => {
  const log = memoryLog();
  const a = await join(log, 'a');
  const [hero, other] = await a.addMany({ x: [0, 1], y: [0, 0], range: 10 });
  const { b, mend } = await cutOff(log);
  await expect.poll(() => b.world.size).toBe(2);
  const gone = new AbortController();
  const first = b.show(hero!, { signal: gone.signal });
  const second = b.show(hero!);
  gone.abort();
  await expect(first).rejects.toEqual(code('NOT_SHOWN'));
  mend();
  await second;
  expect(b.showerOf(hero!)?.name).toBe('b');
  const soon = new AbortController();
  const hidden: number[] = [];
  b.on('hide', (id) => hidden.push(id));
  const again = b.show(hero!, { signal: soon.signal });
  soon.abort();
  await expect(again).rejects.toEqual(code('NOT_SHOWN'));
  await b.show(other!);
  expect([b.showerOf(hero!)?.name, hidden]).toEqual(['b', []]);
});

it('a show that is taken back while the node is no member is not made once it is back', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const hero = await a.add({ x: 0, y: 0, range: 10 });
  await a.show(hero);
  const own = await b.add({ x: 1, y: 0 });
  await expect.poll(() => b.owned.has(own)).toBe(true);
  const gone = new AbortController();
  const shown = new Promise<void>((resolve, reject) => {
    b.on('lose', () => b.show(hero, { signal: gone.signal }).then(resolve, reject));
    b.on('lose', () => gone.abort());
  });
  const { number, incarnation } = participantOf(b).self!;
  void log.append(goneRecord(number, incarnation));
  await expect(shown).rejects.toEqual(code('NOT_SHOWN'));
  await expect.poll(() => b.isLive).toBe(true);
  await b.add({ x: 2, y: 0 });
  expect(a.showerOf(hero)?.name).toBe('a');
});

it('a show that is taken back on its way is not made again by a node that was dropped before it was in the log', async () => {
  const log = memoryLog();
  const a = await join(log, 'a');
  const hero = await a.add({ x: 0, y: 0, range: 10 });
  const far = cuttable(log);
  const b = await join(far.log, 'b');
  await expect.poll(() => b.world.has(hero)).toBe(true);
  const mend = far.cut();
  const gone = new AbortController();
  const refused = expect(b.show(hero, { signal: gone.signal })).rejects.toEqual(code('NOT_SHOWN'));
  await ticks(b, 3);
  await a.show(hero);
  gone.abort();
  const { number, incarnation } = participantOf(b).self!;
  void log.append(goneRecord(number, incarnation));
  await expect.poll(() => b.isLive).toBe(false);
  mend();
  await refused;
  await expect.poll(() => b.isLive).toBe(true);
  await b.add({ x: 2, y: 0 });
  expect(a.showerOf(hero)?.name).toBe('a');
});

it.each([false, true])(
  'a show that is taken back while the log refuses its record is not in what the log takes later; the first one arrived: %s',
  async (hasArrived) => {
    const log = memoryLog();
    const a = await join(log, 'a');
    const [hero, other] = await a.addMany({ x: [0, 1], y: [0, 0], range: 10 });
    let isCut = false;
    const far: Log = {
      ...bound(log),
      append: async (bytes) => {
        if (!isCut) return log.append(bytes);
        if (hasArrived) void log.append(bytes);
        throw new Error('the connection broke');
      },
    };
    const b = await join(far, 'b');
    await expect.poll(() => b.world.size).toBe(2);
    // Both are in the next record.
    isCut = true;
    const gone = new AbortController();
    const first = b.show(hero!, { signal: gone.signal });
    const outcome = first.then(
      () => 'shown',
      (error) => error.code,
    );
    const second = b.show(other!);
    if (hasArrived) await expect.poll(() => a.showerOf(hero!)?.name).toBe('b');
    else await ticks(b, 80);
    await a.show(hero!);
    gone.abort();
    b.send(hero!, new Uint8Array(1));
    const heard = new Promise<void>((resolve) => a.on('message', () => resolve()));
    isCut = false;
    await Promise.all([second, heard]);
    await ticks(a, 3);
    expect(await outcome).toBe(hasArrived ? 'shown' : 'NOT_SHOWN');
    expect([a.showerOf(hero!)?.name, a.showerOf(other!)?.name]).toEqual(['a', 'b']);
  },
);

it('a watcher is shown and removed in one tick, and nothing is refused but the show', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const id = await a.add({ x: 0, y: 0, range: 10 });
  await expect.poll(() => a.owned.size).toBe(1);
  const shown = [a.show(id)];
  a.remove(id);
  shown.push(a.show(id));
  const hidden: number[] = [];
  a.on('hide', (watcher) => hidden.push(watcher));
  await Promise.all(shown.map((each) => expect(each).rejects.toEqual(code('NOT_SHOWN'))));
  expect(hidden).toEqual([id]);
  const { tickCount } = b.world;
  await expect.poll(() => b.world.tickCount).toBeGreaterThan(tickCount + 2);
  expect(b.members.map(({ refused }) => refused)).toEqual([0, 0]);
  // What is shown later is told as ever.
  const other = await a.add({ x: 0, y: 0, range: 10 });
  await a.show(other);
  expect(a.showerOf(other)?.name).toBe('a');
});
