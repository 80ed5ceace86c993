/** A cluster seen whole from outside: what an observer sees, and what its recording plays again. */
import { Replay } from 'umwelt';
import { afterEach, expect, it } from 'vitest';
import { type Log, memoryLog, observeWorld, type WorldObserver } from '../../src/index.ts';
import { haltNodes, joinNode } from '../joined-nodes.ts';
import { bound } from '../late-log.ts';

const observers: WorldObserver[] = [];
afterEach(() => {
  for (const observer of observers.splice(0)) observer.stop();
  haltNodes();
});

const WORLD = { senses: ['sight'], interests: { default: { leaveMargin: 2 } } };

const join = (log: Log, name: string) => joinNode(log, name, { world: WORLD });

async function observe(...given: Parameters<typeof observeWorld>): Promise<WorldObserver> {
  const observer = await observeWorld(...given);
  observers.push(observer);
  return observer;
}

it('an observer sees what all nodes show, and who owns and shows what', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const [one, other] = [await a.add({ x: 0, y: 0, range: 10 }), await b.add({ x: 3, y: 0, range: 10 })];
  await expect.poll(() => [a.world.size, b.world.size]).toEqual([2, 2]);
  await a.show(other);
  // Shown before it comes, and after.
  const observer = await observe({ log });
  await expect.poll(() => [...observer.world.visibleTo(other)]).toEqual([one]);
  await b.show(one);
  await expect.poll(() => [...observer.world.visibleTo(one)]).toEqual([other]);
  expect(observer.ownerOf(one)?.name).toBe('a');
  expect(observer.showerOf(one)?.name).toBe('b');
  expect(observer.members.map(({ name }) => name)).toEqual(['a', 'b']);
  // No member.
  expect(a.members.length).toBe(2);
  a.move(one, 100, 0);
  await expect.poll(() => [...observer.world.visibleTo(other)]).toEqual([]);
  expect([...a.world.visibleTo(other)]).toEqual([]);
});

it('what it records is played again, each tick with the hash that was recorded', async () => {
  const log = memoryLog();
  const a = await join(log, 'a');
  const ids = await a.addMany({ x: [0, 1, 2, 3], y: [0, 0, 0, 0], range: 2 });
  for (const id of ids) await a.show(id);
  const observer = await observe({ log });
  const pieces: Uint8Array[] = [];
  observer.record((bytes) => pieces.push(bytes.slice()));
  const from = observer.world.tickCount;
  let turn = 0;
  const stop = a.on('simulate', () => {
    turn++;
    for (const id of a.owned) a.move(id, Math.abs(((id >>> 10) * 3 + turn) % 9), 0);
    if (turn === 10) a.setInterest('default', { cap: 1 });
    if (turn === 15) a.hide(ids[0]!);
  });
  await expect.poll(() => observer.world.tickCount).toBeGreaterThan(from + 40);
  stop();
  observer.stop();
  const replay = new Replay(Buffer.concat(pieces));
  while (replay.step() !== undefined);
  expect(replay.difference).toBeUndefined();
  expect(replay.tick).toBeGreaterThanOrEqual(from + 40);
  expect([...replay.world.ids()]).toEqual([...ids]);
  expect(replay.world.stats().relationCount).toBeGreaterThan(0);
});

it('what users of an observer throw is told, and it goes on, with nothing lost of its recording', async () => {
  const log = memoryLog();
  const a = await join(log, 'a');
  const told: unknown[] = [];
  let ticks = 0;
  const observer = await observe({
    log,
    threw: (error) => told.push(error),
    ticked: () => {
      if (++ticks % 7 === 0) throw new Error('ticked');
    },
  });
  observer.world.on('enter', () => {
    throw new Error('entered');
  });
  const pieces: Uint8Array[] = [];
  let isFull = false;
  observer.record(
    (bytes) => {
      if (isFull) throw new Error('the disk is full');
      pieces.push(bytes.slice());
    },
    { snapshotBytes: 1 },
  );
  const from = observer.world.tickCount;
  const ids = await a.addMany({
    x: new Array(600).fill(0),
    y: Array.from({ length: 600 }, (_, i) => i),
    range: 1,
  });
  await a.show(ids[0]!);
  isFull = true;
  a.on('simulate', (tick) => {
    for (const [i, id] of ids.entries()) a.move(id, tick % 5, i);
  });
  await expect.poll(() => String(told)).toContain('the disk is full');
  isFull = false;
  await expect.poll(() => observer.world.tickCount).toBeGreaterThan(from + 20);
  expect(new Set(told.map(String))).toEqual(
    new Set(['Error: ticked', 'Error: entered', 'Error: the disk is full']),
  );
  expect(ticks).toBe(observer.world.tickCount - from);
  a.halt();
  observer.stop();
  const replay = new Replay(Buffer.concat(pieces));
  while (replay.step() !== undefined);
  expect(replay.difference).toBeUndefined();
  expect(replay.tick).toBe(observer.world.tickCount);
});

it('an observer with channels that the members do not have, or without theirs, says so', async () => {
  const channels = { target: 2, tolerance: 0.2 };
  const [log, other] = [memoryLog(), memoryLog()];
  const a = await joinNode(log, 'a', { channels });
  await joinNode(other, 'b');
  const differs = { code: 'SETTINGS_DIFFER', details: { field: 'channels' } };
  await expect(observe({ log })).rejects.toMatchObject(differs);
  await expect(observe({ log: other, channels })).rejects.toMatchObject(differs);
  const observer = await observe({ log, channels });
  for (const id of await a.addMany({ x: [0, 1, 2, 3], y: [0, 0, 0, 0] })) {
    await expect.poll(() => a.owned.has(id)).toBe(true);
    a.joinChannel(id);
  }
  await expect.poll(() => a.channelCount).toBe(2);
  const seen = ({ world }: { world: typeof observer.world | typeof a.world }) => [
    world.tickCount,
    world.stateHash(),
  ];
  await expect.poll(() => String(seen(observer)) === String(seen(a))).toBe(true);
});

it('what the caller does with its options after the call changes nothing', async () => {
  const log = memoryLog();
  const channels = { target: 2, tolerance: 0.2 };
  await joinNode(log, 'a', { channels });
  const given = { ...channels };
  const observed = observe({ log, channels: given });
  given.target = 3;
  await expect(observed).resolves.toBeDefined();
});

it('an observer whose channels or interests would show it another world than the nodes see says so', async () => {
  const log = memoryLog();
  const world = {
    groups: ['party', 'raid'],
    interests: {
      default: { cap: 3 },
      ranked: { cap: 2, rank: (_watcher: number, marker: number) => marker },
    },
  };
  const channels = { target: 2, tolerance: 0.2 };
  const a = await joinNode(log, 'a', { world, channels });
  a.setInterest('default', { cap: 4 });
  const others = [
    { ...channels, target: 3 },
    { ...channels, tolerance: 0.3 },
    { ...channels, movesPerTick: 1 },
    { ...channels, groupKind: 'raid' },
    { ...channels, choose: () => 1 },
  ];
  for (const other of others) {
    const differs = { code: 'SETTINGS_DIFFER', details: { field: 'channels' } };
    await expect(observe({ log, world, channels: other })).rejects.toMatchObject(differs);
  }
  const { default: usual, ranked } = world.interests;
  for (const interests of [
    { default: { cap: 5 }, ranked },
    { default: usual, ranked, more: {} },
  ]) {
    const differs = { code: 'SETTINGS_DIFFER', details: { field: 'interests' } };
    await expect(observe({ log, world: { interests }, channels })).rejects.toMatchObject(differs);
  }
  await expect(observe({ log, channels })).rejects.toMatchObject({ code: 'UNKNOWN_INTEREST' });
  const observer = await observe({ log, world: { interests: { ranked } }, channels });
  await expect.poll(() => observer.world.tickCount).toBeGreaterThan(10);
});

it('an observer of a world without members says so', async () => {
  await expect(observeWorld({ log: memoryLog() })).rejects.toMatchObject({ code: 'LOG_DOWN' });
});

it('an observer does not go on from a state whose records the log has lost', async () => {
  const log = memoryLog();
  await join(log, 'a');
  const without: Log = { ...bound(log), read: () => Promise.resolve(undefined) };
  await expect(observe({ log: without })).rejects.toMatchObject({
    code: 'LOG_DOWN',
    message: expect.stringContaining('does not go with the log'),
  });
});

it('an observer refuses views that there are not', async () => {
  const wrong = { log: memoryLog(), views: 'mine' as never };
  await expect(observe(wrong)).rejects.toMatchObject({ code: 'BAD_OPTION', details: { field: 'views' } });
});

it('an observer ends where the log begins anew with another state', async () => {
  const log = memoryLog();
  await join(log, 'a');
  const told: string[] = [];
  const observer = await observe({ log, ended: ({ code }) => told.push(code) });
  observer.begunAnew();
  observer.begunAnew();
  expect(told).toEqual(['LOG_DOWN']);
});

it('what `ended` throws is told, also where a broken connection hid that the log lost records', async () => {
  const log = memoryLog();
  await join(log, 'a');
  let [isLost, breaks] = [false, () => {}];
  const far: Log = {
    ...bound(log),
    read: async (position) => (isLost ? undefined : log.read(position)),
    follow: (from, take, lost) => {
      breaks = lost;
      return log.follow(from, take, lost);
    },
  };
  const told: unknown[] = [];
  const ended = (error: Error) => {
    throw error;
  };
  await observe({ log: far, ended, threw: (error) => told.push(error) });
  isLost = true;
  breaks();
  await expect
    .poll(() => told)
    .toMatchObject([{ code: 'LOG_DOWN', message: expect.stringContaining('lost records') }]);
});

it('an observer goes on after a broken connection, whatever the calls of its log reject with meanwhile', async () => {
  const log = memoryLog();
  await join(log, 'a');
  let [failures, breaks] = [0, () => {}];
  const failing = () => failures-- > 0;
  const far: Log = {
    ...bound(log),
    read: async (position) => {
      if (failing()) throw new Error('the socket was closed');
      return log.read(position);
    },
    follow: async (from, take, lost) => {
      if (failing()) throw new Error('the socket was closed');
      const stop = await log.follow(from, take, lost);
      breaks = () => {
        stop();
        lost();
      };
      return stop;
    },
  };
  const observer = await observe({ log: far });
  failures = 9;
  breaks();
  const from = observer.world.tickCount;
  await expect.poll(() => observer.world.tickCount).toBeGreaterThan(from + 10);
});

it.each(['stop', 'begunAnew'] as const)('a sink that throws at %s gets the rest later', async (end) => {
  const log = memoryLog();
  await join(log, 'a');
  const told: string[] = [];
  const observer = await observe({ log, ended: ({ code }) => told.push(code) });
  const pieces: Uint8Array[] = [];
  let isFull = false;
  observer.record((bytes) => {
    if (isFull) throw new Error('the disk is full');
    pieces.push(bytes.slice());
  });
  const from = observer.world.tickCount;
  await expect.poll(() => observer.world.tickCount).toBeGreaterThan(from);
  isFull = true;
  expect(() => observer[end]()).toThrow('the disk is full');
  expect(told).toEqual(end === 'stop' ? [] : ['LOG_DOWN']);
  isFull = false;
  observer.stop();
  const replay = new Replay(Buffer.concat(pieces));
  while (replay.step() !== undefined);
  expect(replay.tick).toBe(observer.world.tickCount);
});
