/** Nodes on a log in memory, in real time: the API, from joining to leaving. */
import { UmweltError } from 'umwelt';
import { afterEach, expect, it } from 'vitest';
import {
  type Checkpoints,
  type ClusterNode,
  type JoinOptions,
  joinWorld,
  type Log,
  memoryLog,
} from '../../src/index.ts';
import { participantOf } from '../../src/node/cluster-node.ts';
import { SYSTEM } from '../../src/node/environment.ts';
import { nodeIn } from '../../src/node/join-world.ts';
import { FORMATS } from '../../src/records/formats.ts';
import { haltNodes, joinNode, nodes } from '../joined-nodes.ts';
import { bound, late } from '../late-log.ts';
import { anewRecord, goneRecord, helloRecord } from '../record-makers.ts';

afterEach(haltNodes);

const join = (log: Log, name: string, options: Partial<JoinOptions> = {}) =>
  joinNode(log, name, { silenceTicks: 40, ...options });

const text = (value: string) => new TextEncoder().encode(value);
const code = (expected: string) => expect.objectContaining({ code: expected });
const nextTick = (node: ClusterNode) =>
  new Promise<void>((resolve) => {
    const stop = node.on('tick', () => {
      stop();
      resolve();
    });
  });

it('two nodes hold one world, and each shows what its own watchers perceive', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const hero = await a.add({ x: 0, y: 0, range: 10, key: 'hero:1' });
  const wolf = await b.add({ x: 3, y: 4 });
  await expect.poll(() => [a.find('hero:1'), b.find('hero:1')]).toEqual([hero, hero]);
  await b.show(hero);
  expect([...b.world.visibleTo(hero)]).toEqual([wolf]);
  expect(() => a.world.visibleTo(hero)).toThrow(code('NOT_SHOWN'));
  expect(a.ownerOf(hero)?.name).toBe('a');
  expect(a.showerOf(hero)?.name).toBe('b');
  b.move(wolf, 30, 40);
  await expect.poll(() => [...b.world.visibleTo(hero)]).toEqual([]);
  expect([...a.world.position(wolf)]).toEqual([30, 40]);
  expect('move' in a.world).toBe(false);
});

it('only the owner may change an entity; a key is taken once in the whole cluster', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const [first, second] = await Promise.allSettled([
    a.add({ x: 0, y: 0, key: 'hero' }),
    b.add({ x: 1, y: 0, key: 'hero' }),
  ]);
  const outcomes = [first, second].map((each) =>
    each.status === 'fulfilled' ? 'made' : (each.reason as UmweltError).code,
  );
  expect(outcomes.sort()).toEqual(['KEY_TAKEN', 'made']);
  const id = await a.add({ x: 0, y: 0 });
  await expect.poll(() => b.world.has(id)).toBe(true);
  expect(() => b.move(id, 1, 1)).toThrow(code('NOT_OWNED'));
  expect(() => a.move(id, Number.NaN, 1)).toThrow(code('BAD_POSITION'));
  expect(() => a.update(id, { range: -1 })).toThrow(code('BAD_RANGE'));
  expect(() => a.update(id, { watches: true } as never)).toThrow(code('BAD_OPTION'));
  expect(() => a.move(5, 1, 1)).toThrow(code('BAD_ID'));
});

it('who is there hears of members that come and go', async () => {
  const log = memoryLog();
  const a = await join(log, 'a');
  const heard: string[] = [];
  a.on('members', () => heard.push(a.members.map(({ name }) => name).join()));
  const b = await join(log, 'b');
  await expect.poll(() => heard).toEqual(['a,b']);
  await b.leave();
  await expect.poll(() => heard).toEqual(['a,b', 'a']);
});

it('an entity that was given to a member that is gone stays', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const id = await a.add({ x: 0, y: 0 });
  await expect.poll(() => a.owned.has(id)).toBe(true);
  const lost: number[] = [];
  a.on('lose', (lostId) => lost.push(lostId));
  const { number, incarnation } = participantOf(b).self!;
  b.halt();
  void log.append(goneRecord(number, incarnation));
  a.give(id, 'b');
  expect(a.owned.has(id)).toBe(false);
  await expect.poll(() => a.owned.has(id)).toBe(true);
  a.move(id, 7, 8);
  await expect.poll(() => [...a.world.position(id)]).toEqual([7, 8]);
  expect(lost).toEqual([]);
});

it('an entity that was given to a member that is gone stays, also where other calls never end', async () => {
  const log = memoryLog();
  const [a, b] = [await join(late(log, 30), 'a'), await join(log, 'b')];
  const id = await a.add({ x: 0, y: 0 });
  await expect.poll(() => a.owned.has(id)).toBe(true);
  const { number, incarnation } = participantOf(b).self!;
  // As a node with many clients has them: there is always one on its way, and one that waits.
  const inputs = setInterval(() => a.send(id, text('input')), 1);
  try {
    b.halt();
    void log.append(goneRecord(number, incarnation));
    a.give(id, 'b');
    expect(a.owned.has(id)).toBe(false);
    await expect.poll(() => a.owned.has(id)).toBe(true);
  } finally {
    clearInterval(inputs);
  }
  a.move(id, 7, 8);
  await expect.poll(() => [...a.world.position(id)]).toEqual([7, 8]);
});

it('a given entity goes with its state, and messages follow it', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const heard: string[] = [];
  b.on('gain', (id, state, why) => heard.push(`gain ${id} ${new TextDecoder().decode(state)} ${why}`));
  b.on('message', (id, bytes, from) =>
    heard.push(`message ${id} ${new TextDecoder().decode(bytes)} ${from.name}`),
  );
  const id = await a.add({ x: 0, y: 0, state: text('one') });
  await expect.poll(() => a.owned.has(id)).toBe(true);
  a.keep(id, text('two'));
  a.give(id, 'b');
  a.send(id, text('hello'));
  expect(() => a.move(id, 1, 1)).toThrow(code('NOT_OWNED'));
  // What it may not change any more is none of those it goes over to change them.
  expect(a.owned.has(id)).toBe(false);
  await expect.poll(() => b.owned.has(id)).toBe(true);
  expect(heard).toEqual([`gain ${id} two given`, `message ${id} hello a`]);
  expect(a.owned.size).toBe(0);
});

it('who is silent is gone, and the others adopt what it had, with its state', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const ids: number[] = [];
  for (let i = 0; i < 20; i++) ids.push(await a.add({ x: i, y: 0, state: text(`${i}`) }));
  const gained = new Map<number, string>();
  b.on('gain', (id, state, why) => gained.set(id, `${why} ${new TextDecoder().decode(state)}`));
  a.halt();
  await expect.poll(() => b.owned.size).toBe(20);
  expect(b.members.map(({ name }) => name)).toEqual(['b']);
  expect(gained.get(ids[7]!)).toBe('orphaned 7');
});

it('who leaves gives all away first', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const ids = [await a.add({ x: 0, y: 0 }), await a.add({ x: 1, y: 0 })];
  await expect.poll(() => a.owned.size).toBe(2);
  await a.leave();
  await nextTick(b);
  await expect.poll(() => [...b.owned].sort()).toEqual(ids.sort());
  expect(b.members.map(({ name }) => name)).toEqual(['b']);
  await expect(a.add({ x: 0, y: 0 })).rejects.toThrow(code('LOG_DOWN'));
});

it('one that joins late copies the state, keys, fields and kept bytes', async () => {
  const log = memoryLog();
  const a = await join(log, 'a');
  const id = await a.add({ x: 7, y: 0, key: 'k', state: text('s') });
  a.set(id, { name: 'Ann', health: 3, isAway: false });
  await expect.poll(() => a.fieldsOf(id)).toEqual({ name: 'Ann', health: 3, isAway: false });
  const b = await join(log, 'b');
  expect(b.find('k')).toBe(id);
  expect(b.fieldsOf(id)).toEqual({ name: 'Ann', health: 3, isAway: false });
  expect(new TextDecoder().decode(b.stateOf(id))).toBe('s');
  expect(b.world.tickCount).toBeGreaterThan(0);
});

it('a node of other settings is refused, and one with mutual interests needs all views', async () => {
  const log = memoryLog();
  await join(log, 'a', { world: { senses: ['sight'] } });
  await expect(join(log, 'b', { world: { senses: ['smell'] } })).rejects.toThrow(code('SETTINGS_DIFFER'));
  await expect(join(log, 'c', { views: 'all' })).rejects.toThrow(code('SETTINGS_DIFFER'));
  await expect(join(log, 'd', { world: { interests: { default: { mutual: true } } } })).rejects.toThrow(
    code('UNSUPPORTED'),
  );
  await join(log, 'e', { world: { dimensions: 2, detector: 'quadtree' } });
});

it('all nodes dead, the next one goes on from the checkpoint and the log since', async () => {
  const log = memoryLog({ maxBytes: 20_000 });
  const stored: Uint8Array[] = [];
  const checkpoints = {
    save: (state: Uint8Array) => Promise.resolve(void stored.push(state)),
    newest: () => Promise.resolve(stored.at(-1)),
  };
  const a = await join(log, 'a', { checkpoints, checkpointMs: 40 });
  const id = await a.add({ x: 1, y: 2, key: 'hero', state: text('kept') });
  const before = stored.length;
  await expect.poll(() => stored.length).toBeGreaterThan(before + 2);
  // The log begins later by now.
  await expect.poll(async () => log.read(1)).toBeUndefined();
  a.halt();
  await expect(join(log, 'b', { patienceMs: 300 })).rejects.toThrow(code('LOG_DOWN'));
  const c = await join(log, 'c', { checkpoints });
  expect(c.find('hero')).toBe(id);
  await expect.poll(() => c.owned.has(id)).toBe(true);
  expect(new TextDecoder().decode(c.stateOf(id))).toBe('kept');
});

it('calls beyond what may wait are refused, and those before them stand', async () => {
  const log = memoryLog();
  const a = await join(log, 'a', { pendingBytes: 10_000 });
  const id = await a.add({ x: 0, y: 0 });
  await expect.poll(() => a.owned.has(id)).toBe(true);
  const heard: number[] = [];
  a.on('message', (_id, bytes) => heard.push(bytes[0]!));
  a.send(id, new Uint8Array(6000).fill(1));
  expect(() => a.send(id, new Uint8Array(6000).fill(2))).toThrow(code('TOO_MUCH'));
  expect(() => a.keep(id, new Uint8Array(16 * 1024 + 1))).toThrow(code('BAD_OPTION'));
  await expect.poll(() => heard).toEqual([1]);
});

it('four mebibytes of calls go out in records of their own', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const id = await b.add({ x: 0, y: 0 });
  await expect.poll(() => a.world.has(id)).toBe(true);
  let heard = 0;
  b.on('message', () => heard++);
  for (let i = 0; i < 40; i++) a.send(id, new Uint8Array(100_000));
  await expect.poll(() => heard).toBe(40);
});

it('a listener that throws disturbs neither the others nor the node', async () => {
  const log = memoryLog();
  const faults: unknown[] = [];
  const node = nodeIn({ log, tickMs: 5 }, { ...SYSTEM, fault: (error) => faults.push(error) });
  nodes.push(node);
  await node.enter();
  let ticks = 0;
  node.on('tick', () => {
    throw new Error('of the game');
  });
  const stop = node.on('tick', () => ticks++);
  await expect.poll(() => ticks).toBeGreaterThan(3);
  expect(String(faults[0])).toContain('of the game');
  stop();
  expect(() => node.on('tock' as never, (() => {}) as never)).toThrow(code('BAD_OPTION'));
});

it('hiding is nothing where there is nothing to hide: of another node, again, and after it left', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const id = await a.add({ x: 0, y: 0, range: 5 });
  await a.show(id);
  await expect.poll(() => b.showerOf(id)?.name).toBe('a');
  b.hide(id);
  await nextTick(b);
  await nextTick(b);
  expect(a.showerOf(id)?.name).toBe('a');
  a.hide(id);
  a.hide(id);
  await expect.poll(() => b.showerOf(id)).toBeUndefined();
  expect([a.self?.refused, b.self?.refused]).toEqual([0, 0]);
  await a.show(id);
  a.halt();
  expect(() => a.hide(id)).not.toThrow();
});

it('who shows a watcher is told no more when another asks for it, and its promise is refused', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const hero = await a.add({ x: 0, y: 0, range: 10 });
  await expect.poll(() => b.world.has(hero)).toBe(true);
  await a.show(hero);
  await b.show(hero);
  expect(a.showerOf(hero)?.name).toBe('b');
  await expect.poll(() => a.showerOf(hero)?.name).toBe('b');
  b.hide(hero);
  await expect.poll(() => a.showerOf(hero)).toBeUndefined();
  await expect(a.show(77)).rejects.toThrow(code('BAD_ID'));
});

it('options that are none are refused before anything begins', async () => {
  const log = memoryLog();
  const bad: Partial<Record<keyof JoinOptions, unknown>>[] = [
    { name: '' },
    { views: 'some' },
    { tickMs: 0 },
    { adopts: 1 },
    { silenceTicks: 0.5 },
    { log: {} },
    { nonsense: 1 } as never,
  ];
  for (const options of bad) {
    await expect(joinWorld({ log, ...options } as never), JSON.stringify(options)).rejects.toThrow(
      code('BAD_OPTION'),
    );
  }
});

it('a state of another version is refused at once, be it of a node or of a checkpoint', async () => {
  let checkpoint: Uint8Array | undefined;
  const checkpoints: Checkpoints = {
    save: async (state) => {
      checkpoint = state.slice();
    },
    newest: async () => checkpoint,
  };
  const a = await join(memoryLog(), 'a', { checkpoints });
  await nextTick(a);
  await expect.poll(() => checkpoint).toBeDefined();
  checkpoint![4]! += 1;
  const refused = { code: 'UNSUPPORTED', message: expect.stringMatching(/of version \d+, expected \d+/) };
  await expect(join(memoryLog(), 'b', { checkpoints })).rejects.toMatchObject(refused);
  const log = memoryLog();
  await join(log, 'c');
  const ofAnotherVersion: Log = {
    ...late(log, 0),
    ask: async () => [checkpoint] as unknown as AsyncIterable<Uint8Array>,
  };
  await expect(join(ofAnotherVersion, 'd')).rejects.toMatchObject(refused);
});

/** Of nobody: in every version they are of the first format, so no node has written these. */
const FOREIGN: readonly (readonly [string, Uint8Array])[] = [
  ['hello', helloRecord().with(0, 2)],
  ['gone', goneRecord(0, 1).with(0, 2)],
  ['anew', anewRecord().with(0, 3)],
];

it.each(FOREIGN)(
  'a %s of another format keeps no node from joining, wherever it is in the log',
  async (_kind, bytes) => {
    let checkpoint: Uint8Array | undefined;
    const checkpoints: Checkpoints = {
      save: async (state) => {
        checkpoint ??= state.slice();
      },
      newest: async () => checkpoint,
    };
    const log = memoryLog();
    await log.append(text('hello, this is no record'));
    await log.append(bytes);
    const a = await join(log, 'a', { checkpoints });
    const hero = await a.add({ x: 1, y: 2 });
    await log.append(bytes);
    await nextTick(a);
    const b = await join(log, 'b');
    expect([b.world.has(hero), a.isLive]).toEqual([true, true]);
    await expect.poll(() => checkpoint).toBeDefined();
    haltNodes();
    // Nobody answers now, with a checkpoint and without.
    await log.append(bytes);
    const c = await join(log, 'c', { checkpoints });
    expect([...c.world.position(hero)]).toEqual([1, 2]);
    haltNodes();
    await log.append(bytes);
    const d = await join(log, 'd');
    expect([...d.world.position(hero)]).toEqual([1, 2]);
  },
);

it('a forged anew delays a node that nobody answers, and it goes on from the world that there was', async () => {
  const log = memoryLog();
  const a = await join(log, 'a');
  const hero = await a.add({ x: 1, y: 2 });
  haltNodes();
  await log.append(anewRecord());
  const b = await join(log, 'b', { patienceMs: 10_000 });
  expect([...b.world.position(hero)]).toEqual([1, 2]);
  const c = await join(log, 'c');
  expect([...c.world.position(hero)]).toEqual([1, 2]);
});

it('a checkpoint that is no state is said to be the reason why a node could not join', async () => {
  const checkpoints: Checkpoints = {
    save: async () => {},
    newest: async () => Uint8Array.of(1, 2, 3, 4, 5, 6),
  };
  await expect(join(memoryLog(), 'a', { checkpoints, patienceMs: 1000 })).rejects.toMatchObject({
    code: 'BAD_SNAPSHOT',
    message: expect.stringMatching(/could not join within 1000 ms.*the state of a cluster/),
  });
});

it('a member that is taken for gone joins again where the world is full', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a', { silenceTicks: 4000 }), await join(log, 'b')];
  const failed: UmweltError[] = [];
  a.on('failed', (error) => failed.push(error));
  const { settings } = participantOf(a).settings;
  for (let i = 2; i < 1024; i++) {
    const hello = { nonce: [i, 0], name: `n${i}`, settings, silenceTicks: 4000, formats: FORMATS } as const;
    void log.append(helloRecord(hello));
  }
  await expect.poll(() => a.members.length).toBe(1024);
  await expect(join(log, 'c')).rejects.toThrow(code('CAPACITY'));
  const { incarnation = 0 } = a.self ?? {};
  // Its number is free from the next mark on, and its hello comes before.
  void log.append(goneRecord(0, incarnation));
  await expect.poll(() => a.self?.incarnation ?? 0).toBeGreaterThan(incarnation);
  expect(failed).toEqual([]);
  expect(b.members.length).toBe(1024);
});

it.each<[string, Partial<Log>, RegExp]>([
  ['takes no record', { append: () => Promise.reject(new Error('may not publish')) }, /may not publish/],
  ['has lost what the members know', { read: () => Promise.resolve(undefined) }, /does not go with the log/],
])('a node that cannot join since the log %s says why', async (_what, change, why) => {
  const log = memoryLog();
  await join(log, 'a');
  const joined = join({ ...bound(log), ...change }, 'b', { patienceMs: 500 });
  await expect(joined).rejects.toMatchObject({ code: 'LOG_DOWN', message: expect.stringMatching(why) });
});

it('a node that cannot join since the log is cut off and no member answers says so', async () => {
  const log = memoryLog({ maxBytes: 2000 });
  await join({ ...bound(log), answer: () => () => {} }, 'a');
  await expect.poll(() => log.read(1)).toBeUndefined();
  await expect(join(log, 'b', { patienceMs: 500 })).rejects.toMatchObject({
    code: 'LOG_DOWN',
    message: expect.stringMatching(/no member answers with a state/),
  });
});

it('a node joins by the log alone where a member is there that never answers', async () => {
  const log = memoryLog();
  const dead = await join(log, 'dead');
  const id = await dead.add({ x: 0, y: 0, key: 'hero' });
  dead.halt();
  // A broker that has not noticed its death yet sends it all questions.
  const ask = () => Promise.reject(new UmweltError('LOG_DOWN', 'no sign of life'));
  const node = await join({ ...bound(log), ask }, 'b', { patienceMs: 6000 });
  expect(node.find('hero')).toBe(id);
  await expect.poll(() => node.owned.has(id)).toBe(true);
});

it('options that the caller changes after it joined change nothing, also where the node copies a state', async () => {
  const log = memoryLog();
  const world = { interests: { few: { cap: 3 } } };
  const channels = { target: 100, tolerance: 0.5 };
  const [a, b] = [await join(log, 'a', { world, channels }), await join(log, 'b', { world, channels })];
  const xs = [0, 1, 2, 3, 4, 5];
  await a.addMany({ x: xs, y: xs });
  const hero = await a.add({ x: 0, y: 0, range: 50, interest: 'few' });
  await expect.poll(() => b.world.has(hero)).toBe(true);
  await b.show(hero);
  await expect.poll(() => b.world.visibleTo(hero).length).toBe(3);
  world.interests.few.cap = 6;
  Object.assign(channels, { target: 0 });
  let copies = 0;
  b.on('copy', () => copies++);
  participantOf(b).enter();
  await expect.poll(() => [copies, b.isLive]).toEqual([1, true]);
  await b.show(hero);
  expect(b.world.visibleTo(hero).length).toBe(3);
});
