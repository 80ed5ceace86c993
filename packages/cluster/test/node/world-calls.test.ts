/** All that changes a world, as calls of a node that another node then has: each by what comes of it there. */
import { type Interest, RecordedWorld, World, type WorldOptions } from 'umwelt';
import { afterEach, describe, expect, it } from 'vitest';
import { type JoinOptions, type Log, memoryLog } from '../../src/index.ts';
import { ClusterNode, participantOf } from '../../src/node/cluster-node.ts';
import { digestOf } from '../../src/state/state-digest.ts';
import { loadReplica, storeReplica } from '../../src/state/stored-replica.ts';
import { haltNodes, joinNode } from '../joined-nodes.ts';
import { NODE_NAMES, WRITING_CALLS } from '../writing-calls.ts';

const WORLD: WorldOptions = { senses: ['sight', 'hearing'], groups: ['party', 'guild'] };

const join = (log: Log, name: string, options: Partial<JoinOptions> = {}) =>
  joinNode(log, name, { world: WORLD, ...options });

async function pair(options: Partial<JoinOptions> = {}): Promise<[ClusterNode, ClusterNode, Log]> {
  const log = memoryLog();
  return [await join(log, 'a', options), await join(log, 'b', options), log];
}

/** A watcher of `a` that `b` shows. */
async function watcher(a: ClusterNode, b: ClusterNode, more: object = {}): Promise<number> {
  const id = await a.add({ x: 0, y: 0, range: 100, ...more });
  await expect.poll(() => b.world.has(id)).toBe(true);
  await b.show(id);
  return id;
}

afterEach(haltNodes);

const code = (expected: string) => expect.objectContaining({ code: expected });
const seen = (node: ClusterNode, id: number) => [...node.world.visibleTo(id)];

describe('every method by which a world is changed', () => {
  it.each(WRITING_CALLS)('%s is one of a node', (name) => {
    const found = ClusterNode.prototype as unknown as Record<string, unknown>;
    expect(typeof found[NODE_NAMES[name] ?? name]).toBe('function');
  });

  it('is one that a recording has, too', () => {
    const recorded = Object.getOwnPropertyNames(RecordedWorld.prototype);
    expect(WRITING_CALLS.filter((name) => !recorded.includes(name))).toEqual([]);
  });
});

it('many are added, moved, changed and removed at once', async () => {
  const [a, b] = await pair();
  const hero = await watcher(a, b);
  const ids = await a.addMany({ x: [1, 2, 3], y: [0, 0, 0], layers: 3 });
  await expect.poll(() => seen(b, hero)).toEqual([...ids]);
  a.updateMany(
    Uint32Array.of(...ids),
    { gain: [0, 1, 0], layers: [1, 1, 1], channel: [0, 0, 5] },
    { count: 2 },
  );
  await expect.poll(() => seen(b, hero)).toEqual([ids[1], ids[2]]);
  a.updateMany(ids, { gain: { sight: [1, 1, 0] } });
  await expect.poll(() => seen(b, hero)).toEqual([ids[0], ids[1]]);
  a.moveMany(ids, [500, 500, 500], [0, 0, 0], undefined, undefined, { count: 1 });
  await expect.poll(() => seen(b, hero)).toEqual([ids[1]]);
  expect([...b.world.position(ids[2]!)]).toEqual([3, 0]);
  a.removeMany(Uint32Array.of(ids[0]!, ids[1]!, ids[1]!));
  await expect.poll(() => [a.world.size, b.world.size]).toEqual([2, 2]);
  // Gone for good at the next mark; not this node's any more before.
  expect(() => a.updateMany(ids, { range: [1, 2, 3] })).toThrow(
    expect.objectContaining({ code: expect.stringMatching(/^(STALE_ID|NOT_OWNED)$/u) }),
  );
  expect(() => a.updateMany(ids.subarray(2), { range: [-1] })).toThrow(code('BAD_RANGE'));
  expect(() => b.updateMany(ids.subarray(2), { range: [1] })).toThrow(code('NOT_OWNED'));
  expect(() => a.moveMany(ids.subarray(2), [0], [0], undefined, undefined, { count: 2 })).toThrow(
    code('BAD_OPTION'),
  );
  await expect(a.addMany({ x: [1], y: [1, 2] })).rejects.toThrow(code('BAD_OPTION'));
});

it('columns of moves are checked as a world checks them', async () => {
  const [a] = await pair();
  const ids = await a.addMany({ x: [1, 2], y: [0, 0] });
  await expect.poll(() => a.owned.size).toBe(2);
  const world = new World(WORLD);
  const twins = world.addMany({ x: [1, 2], y: [0, 0] });
  const two = [5, 6];
  const given: readonly (readonly [unknown, unknown, unknown?, unknown?])[] = [
    [[5], two],
    [two, [5, 6, 7]],
    [undefined, two],
    [two, null],
    [two, [5, Number.NaN]],
    [two, two, [0, 2]],
    [two, two, [0, 0.5]],
    [two, two, 'at'],
    [two, two, undefined, { count: 3 }],
    [two, two, undefined, { count: -1 }],
    [two, two, undefined, { teleport: 1 }],
    [two, two, undefined, { other: 1 }],
  ];
  for (const [x, y, at, options] of given) {
    const move = (target: { moveMany: World['moveMany'] }, of: Uint32Array) =>
      target.moveMany(of, x as number[], y as number[], undefined, at as number[], options as object);
    let expected: unknown;
    try {
      move(world, twins);
    } catch (error) {
      expected = (error as { code?: string }).code;
    }
    expect(expected).toMatch(/^BAD_/u);
    expect(() => move(a, ids), JSON.stringify([x, y, at, options])).toThrow(code(String(expected)));
  }
  expect(() => a.moveMany([1] as never, [1], [1])).toThrow(code('BAD_OPTION'));
});

it('the reach of one entity is no limit of another one', async () => {
  const [a, b] = await pair();
  const near = await a.add({ x: 0, y: 0, range: 5, maxReach: 4 });
  const far = await a.add({ x: 1, y: 0, range: 50, minReach: 10 });
  a.update(near, { minReach: { sight: 3 } });
  a.update(far, { maxReach: 20, minReach: 15 });
  a.update(near, { maxReach: { sight: 3.5 } });
  await expect(a.add({ x: 0, y: 0, minReach: 5, maxReach: 4 })).rejects.toThrow(code('BAD_RANGE'));
  // What contradicts the entity's own is found by all replicas.
  a.update(near, { minReach: 30 });
  await expect.poll(() => b.members[0]?.refused).toBe(1);
});

it('a teleport is told as left and entered by the node that shows who sees it', async () => {
  const [a, b] = await pair();
  const hero = await watcher(a, b);
  const [wizard, other] = await a.addMany({ x: [1, 2], y: [0, 0] });
  await expect.poll(() => seen(b, hero)).toEqual([wizard, other]);
  const told: string[] = [];
  b.on('tick', (changes) => {
    const view = changes.of(hero);
    if (view) told.push(`left ${view.left} entered ${view.entered} updated ${view.updated}`);
  });
  a.move(wizard!, 40, 0, undefined, { teleport: true });
  // Wherever it goes from there: it is one teleport.
  a.move(wizard!, 50, 0);
  await expect.poll(() => told).toEqual([`left ${wizard} entered ${wizard} updated `]);
  expect([...b.world.position(wizard!)]).toEqual([50, 0]);
  const both = Uint32Array.of(wizard!, other!);
  a.moveMany(both, [4, 5], [0, 0], undefined, undefined, { teleport: true });
  await expect.poll(() => told[1]).toBe(`left ${both} entered ${both} updated `);
  a.move(wizard!, 8, 0, undefined, { teleport: false });
  await expect.poll(() => told[2]).toBe(`left  entered  updated ${wizard}`);
  expect(() => a.move(wizard!, 8, 0, undefined, { teleport: 1 } as never)).toThrow(code('BAD_OPTION'));
  expect(() => a.moveMany(both, [4, 5], [0, 0], undefined, undefined, { teleprot: true } as never)).toThrow(
    code('BAD_OPTION'),
  );
});

it('a teleport is told as one although the entity is given away, or attached, in the same tick', async () => {
  const [a, b] = await pair();
  const hero = await watcher(a, b);
  const [given, rider, horse] = await a.addMany({ x: [1, 2, 3], y: [0, 0, 0] });
  await expect.poll(() => seen(b, hero)).toEqual([given, rider, horse]);
  const told: string[] = [];
  b.on('tick', (changes) => {
    const view = changes.of(hero);
    if (view) told.push(`left ${view.left} entered ${view.entered} updated ${view.updated}`);
  });
  a.move(given!, 40, 0, undefined, { teleport: true });
  a.give(given!, 'b');
  a.move(rider!, 50, 0, undefined, { teleport: true });
  a.attachEntity(rider!, horse!);
  const both = `${given},${rider}`;
  await expect.poll(() => told).toEqual([`left ${both} entered ${both} updated `]);
  expect([b.ownerOf(given!)?.name, b.world.parentOf(rider!)]).toEqual(['b', horse]);
  expect(b.members.map(({ refused }) => refused)).toEqual([0, 0]);
});

it('update and updateMany of one entity keep their order', async () => {
  const [a, b] = await pair();
  const [id, other] = [await a.add({ x: 0, y: 0 }), await a.add({ x: 0, y: 0 })];
  await expect.poll(() => b.world.has(other)).toBe(true);
  a.updateMany(Uint32Array.of(id), { range: [5] });
  a.update(id, { range: 7 });
  a.update(other, { range: 7 });
  a.updateMany(Uint32Array.of(other), { range: [5] });
  await b.show(id);
  await b.show(other);
  expect([b.world.ranges(id)[0], b.world.ranges(other)[0]]).toEqual([7, 5]);
});

it('an update of more than a record holds is made whole', async () => {
  const [a, b] = await pair();
  const count = 50_000;
  const ids: number[] = [];
  for (let from = 0; from < count; from += 25_000) {
    ids.push(...(await a.addMany({ x: new Float32Array(25_000), y: new Float32Array(25_000) })));
  }
  const column = new Float32Array(count).fill(3);
  a.updateMany(Uint32Array.from(ids), { range: column, gain: column, weight: column });
  const [first, last] = [ids[0]!, ids.at(-1)!];
  await b.show(first);
  await b.show(last);
  expect([b.world.ranges(first)[0], b.world.ranges(last)[0]]).toEqual([3, 3]);
  const [one, other] = [a, b].map((node) => participantOf(node).replica);
  await expect
    .poll(() => one!.tick === other!.tick && one!.world.stateHash() === other!.world.stateHash())
    .toBe(true);
});

it('a pin has its limits', async () => {
  const [a, b] = await pair();
  const hero = await watcher(a, b, { range: 1 });
  const far = await a.add({ x: 50, y: 0 });
  a.pin(hero, far, 'quest', { within: 60 });
  await expect.poll(() => seen(b, hero)).toEqual([far]);
  a.pin(hero, far, 'quest', { within: 40 });
  await expect.poll(() => seen(b, hero)).toEqual([]);
  a.pin(hero, far, 'map', { everyTicks: 3 });
  await expect.poll(() => seen(b, hero)).toEqual([far]);
  const told: number[] = [];
  b.on('tick', (changes) => {
    for (const view of changes) if (view.watcher === hero && view.updated.length > 0) told.push(changes.tick);
  });
  const stop = a.on('simulate', () => a.touch(far));
  await expect.poll(() => told.length).toBeGreaterThan(4);
  stop();
  // Once it is at its rate; the first may be of the tick in which it came.
  expect(told.slice(2).map((tick, i) => (tick - told[i + 1]!) % 3)).toEqual(told.slice(2).map(() => 0));
  expect(() => a.pin(hero, far, '', { within: -1 })).toThrow(code('BAD_RANGE'));
  expect(() => a.pin(hero, far, '', { everyTicks: 0 })).toThrow(code('BAD_OPTION'));
});

it('conditions of who meets whom are calls like others', async () => {
  const [a, b] = await pair();
  const hero = await watcher(a, b, { sees: 1 + 4, group: { guild: 7 } });
  const loot = await a.add({ x: 1, y: 0, only: hero });
  await expect.poll(() => seen(b, hero)).toEqual([loot]);
  a.update(loot, { only: loot });
  await expect.poll(() => seen(b, hero)).toEqual([]);
  a.update(loot, { only: 0, needs: 4 });
  await expect.poll(() => seen(b, hero)).toEqual([loot]);
  a.update(loot, { needs: 6 });
  await expect.poll(() => seen(b, hero)).toEqual([]);
  a.update(loot, { needs: 0, onlyGroup: ['guild'], group: { guild: 8 } });
  await expect.poll(() => b.fieldsOf(loot)).toEqual({});
  a.update(loot, { group: { guild: 7 } });
  await expect.poll(() => seen(b, hero)).toEqual([loot]);
  a.update(loot, { maxReach: 0.5 });
  await expect.poll(() => seen(b, hero)).toEqual([]);
  await expect(a.add({ x: 0, y: 0, only: 5 })).rejects.toThrow(code('BAD_ID'));
});

it('whoever is volatile is asked for anew in each tick, where the watcher is shown', async () => {
  let isAdmitted = true;
  const admit = () => isAdmitted;
  const [a, b] = await pair({ world: { ...WORLD, interests: { default: { admit } } } });
  const hero = await watcher(a, b);
  const thief = await a.add({ x: 1, y: 0, volatile: true });
  await expect.poll(() => seen(b, hero)).toEqual([thief]);
  isAdmitted = false;
  await expect.poll(() => seen(b, hero)).toEqual([]);
});

it('a child goes where its parent goes, whoever owns that', async () => {
  const [a, b] = await pair();
  const [horse, rider] = [await a.add({ x: 0, y: 0 }), await b.add({ x: 9, y: 9 })];
  await expect.poll(() => b.world.has(horse)).toBe(true);
  b.attachEntity(rider, horse, { x: 1, y: 2 });
  await expect.poll(() => a.world.parentOf(rider)).toBe(horse);
  a.move(horse, 100, 100);
  await expect.poll(() => [...a.world.position(rider)]).toEqual([101, 102]);
  b.detachEntity(rider);
  b.move(rider, 50, 60);
  await expect.poll(() => a.world.parentOf(rider)).toBeUndefined();
  await expect.poll(() => [...a.world.position(rider)]).toEqual([50, 60]);
  expect(a.members.map(({ refused }) => refused)).toEqual([0, 0]);
  expect(() => b.attachEntity(rider, horse, { x: Number.NaN })).toThrow(code('BAD_POSITION'));
  expect(() => b.attachEntity(rider, rider)).toThrow(code('BAD_ID'));
});

type Tied = 'attach' | 'detach' | 'move' | 'remove';

/** The same calls in a world of one process, by which a child and its parent come and go. */
const FAMILY_CALLS: readonly (readonly [string, readonly (readonly [Tied, 'horse' | 'rider'])[]])[] = [
  [
    'the parent is removed, and the child moved',
    [
      ['remove', 'horse'],
      ['move', 'rider'],
    ],
  ],
  [
    'the child is attached, and the parent removed',
    [
      ['detach', 'rider'],
      ['attach', 'rider'],
      ['remove', 'horse'],
    ],
  ],
  [
    'the child is attached, the parent removed, and the child moved',
    [
      ['detach', 'rider'],
      ['attach', 'rider'],
      ['remove', 'horse'],
      ['move', 'rider'],
    ],
  ],
  [
    'the child is attached, and removed',
    [
      ['attach', 'rider'],
      ['remove', 'rider'],
    ],
  ],
  [
    'the child is detached, and both are removed',
    [
      ['detach', 'rider'],
      ['remove', 'rider'],
      ['remove', 'horse'],
    ],
  ],
  [
    'the child is attached, and both are removed',
    [
      ['attach', 'rider'],
      ['remove', 'horse'],
      ['remove', 'rider'],
    ],
  ],
];

it.each(FAMILY_CALLS)('as in one world, in one tick: %s', async (_what, calls) => {
  const [a, b] = await pair();
  const world = new World(WORLD);
  const [horse, rider, ...twins] = [
    ...(await a.addMany({ x: [10, 90], y: [20, 90] })),
    ...world.addMany({ x: [10, 90], y: [20, 90] }),
  ] as [number, number, number, number];
  const ids = { horse: [horse, twins[0]], rider: [rider, twins[1]] };
  const offset = { x: 1, y: 2 };
  a.attachEntity(rider, horse, offset);
  world.attach(twins[1], twins[0], offset);
  await expect.poll(() => b.world.parentOf(rider)).toBe(horse);
  await expect.poll(() => a.owned.size).toBe(2);
  world.tick();
  for (const [call, whom] of calls) {
    const [id, twin] = ids[whom] as [number, number];
    if (call === 'attach') {
      a.attachEntity(id, horse, { x: 5, y: 5 });
      world.attach(twin, twins[0], { x: 5, y: 5 });
    } else if (call === 'detach') {
      a.detachEntity(id);
      world.detach(twin);
    } else if (call === 'move') {
      a.move(id, 50, 60);
      world.move(twin, 50, 60);
    } else {
      a.remove(id);
      world.remove(twin);
    }
  }
  world.tick();
  const placeOf = (of: Pick<World, 'has' | 'position'>, id: number) => of.has(id) && [...of.position(id)];
  const expected = twins.map((id) => placeOf(world, id));
  await expect.poll(() => [horse, rider].map((id) => placeOf(b.world, id))).toEqual(expected);
  const { tickCount } = b.world;
  await expect.poll(() => b.world.tickCount).toBeGreaterThan(tickCount + 2);
  expect([horse, rider].map((id) => placeOf(b.world, id))).toEqual(expected);
  expect(b.members.map(({ refused }) => refused)).toEqual([0, 0]);
});

it('an entity is changed in every way and removed in one tick, and nothing is refused', async () => {
  const [a, b] = await pair({ channels: { target: 2, tolerance: 0 } });
  const [id, other] = await a.addMany({ x: [1, 2], y: [0, 0], range: 10 });
  await expect.poll(() => a.owned.size).toBe(2);
  await a.show(id!);
  a.move(id!, 3, 3, undefined, { teleport: true });
  a.update(id!, { range: 5 });
  a.touch(id!);
  a.pin(id!, other!);
  a.block(other!, id!);
  a.joinChannel(id!);
  a.attachEntity(id!, other!);
  a.set(id!, { name: 'a' });
  a.keep(id!, Uint8Array.of(1));
  a.hide(id!);
  a.remove(id!);
  // As a world of one process: it has no such entity any more.
  for (const call of [
    () => a.pin(other!, id!),
    () => a.block(other!, id!),
    () => a.attachEntity(other!, id!),
  ])
    expect(call).toThrow(code('STALE_ID'));
  a.unpin(other!, id!);
  await expect.poll(() => b.world.has(id!)).toBe(false);
  const { tickCount } = b.world;
  await expect.poll(() => b.world.tickCount).toBeGreaterThan(tickCount + 2);
  expect(b.members.map(({ refused }) => refused)).toEqual([0, 0]);
});

it('a tie of an entity with itself is refused, and undone as in a world', async () => {
  const [a, b] = await pair();
  const id = await a.add({ x: 0, y: 0 });
  await expect.poll(() => a.owned.size).toBe(1);
  const world = new World(WORLD);
  const twin = world.add({ x: 0, y: 0 });
  for (const name of ['pin', 'block'] as const) {
    expect(() => world[name](twin, twin)).toThrow(code('BAD_ID'));
    expect(() => a[name](id, id)).toThrow(code('BAD_ID'));
  }
  for (const name of ['unpin', 'unblock'] as const) {
    expect(() => world[name](twin, twin)).not.toThrow();
    expect(() => a[name](id, id)).not.toThrow();
  }
  a.set(id, { name: 'a' });
  await expect.poll(() => b.fieldsOf(id)).toEqual({ name: 'a' });
  expect(b.members.map(({ refused }) => refused)).toEqual([0, 0]);
});

describe('setInterest', () => {
  const rank = (_: number, marker: number) => -marker;
  const options = { world: { ...WORLD, interests: { default: {}, chosen: { rank } } } };

  it('gives rules to the whole cluster, also those that nobody knew when it began', async () => {
    const [a, b, log] = await pair(options);
    a.setInterest('few', { cap: 1, incumbentBonus: 0 });
    const hero = await watcher(a, b, { interest: 'few' });
    const ids = await a.addMany({ x: [3, 2, 1], y: [0, 0, 0] });
    await expect.poll(() => seen(b, hero)).toEqual([ids[2]]);
    // Any node may, and one that joins later has them, too.
    b.setInterest('few', { cap: 2, quotas: [{ layers: 1, cap: Number.POSITIVE_INFINITY }], lingerTicks: 2 });
    await expect.poll(() => seen(b, hero)).toEqual([ids[1], ids[2]]);
    const c = await join(log, 'c', options);
    await c.show(hero);
    expect(seen(c, hero)).toEqual([ids[1], ids[2]]);
    c.setInterest('chosen', { rank, cap: 1 });
    a.update(hero, { interest: 'chosen' });
    await expect.poll(() => seen(c, hero)).toEqual([ids[2]]);
    const replicas = [a, b, c].map((node) => participantOf(node).replica);
    expect(replicas.map((replica) => replica.interests.size)).toEqual([2, 2, 2]);
  });

  it('says what is wrong', async () => {
    const [a] = await pair(options);
    const set = (name: string, interest: unknown) => () => a.setInterest(name, interest as Interest);
    expect(set('few', { cap: -1 })).toThrow(code('BAD_OPTION'));
    expect(set('few', { leaveMargin: -1 })).toThrow(code('BAD_RANGE'));
    expect(set('few', { mutual: true })).toThrow(code('UNSUPPORTED'));
    expect(set('few', { rank: () => 0 })).toThrow(code('BAD_OPTION'));
    expect(set('chosen', { admit: () => true })).toThrow(code('BAD_OPTION'));
    expect(set('chosen', { rank: (_: number, marker: number) => marker })).toThrow(code('BAD_OPTION'));
    expect(set('', {})).toThrow(code('BAD_OPTION'));
    expect(set('few', undefined)).toThrow(code('BAD_OPTION'));
    expect(() => a.update(1025, { interest: 'never' })).toThrow();
    await expect(a.add({ x: 0, y: 0, interest: 'never' })).rejects.toThrow(code('UNKNOWN_INTEREST'));
  });
});

describe('channels', () => {
  const channels = { target: 2, tolerance: 0 };

  it('are the same on all nodes, and one that joins later goes on with them', async () => {
    const [a, b, log] = await pair({ channels });
    const ids = await a.addMany({ x: [0, 0, 0, 0, 0], y: [0, 0, 0, 0, 0] });
    for (const id of ids) a.joinChannel(id);
    const of = (node: ClusterNode) => [...ids].map((id) => (node.world.has(id) ? node.channelOf(id) : -1));
    await expect.poll(() => of(b).toSorted()).toEqual([1, 1, 2, 2, 3]);
    a.leaveChannel(ids[0]!);
    const c = await join(log, 'c', { channels });
    await expect
      .poll(() => new Set([a, b, c].map((node) => `${of(node)} ${node.channelCount}`)).size)
      .toBe(1);
    await expect.poll(() => c.channelOf(ids[0]!)).toBe(0);
    expect(() => b.joinChannel(ids[0]!)).toThrow(code('NOT_OWNED'));
  });

  it('go along with a state that is copied', async () => {
    const [a] = await pair({ channels });
    for (const id of await a.addMany({ x: [0, 0, 0], y: [0, 0, 0] })) a.joinChannel(id);
    await expect.poll(() => a.channelCount).toBe(2);
    const { replica } = participantOf(a);
    const copy = loadReplica(storeReplica(replica), { world: WORLD, channels, views: 'own' });
    expect(digestOf(copy)).toEqual(digestOf(replica));
    expect(copy.channels?.size).toBe(3);
  });

  it('must be given alike to all nodes, and are refused where there are none', async () => {
    const [a, , log] = await pair({ channels });
    await expect(join(log, 'c')).rejects.toThrow(code('SETTINGS_DIFFER'));
    await expect(join(log, 'c', { channels: { ...channels, tolerance: 0.5 } })).rejects.toThrow(
      code('SETTINGS_DIFFER'),
    );
    await expect(join(log, 'c', { channels: { target: 0, tolerance: 1 } })).rejects.toThrow(
      code('BAD_OPTION'),
    );
    expect(a.channelCount).toBe(1);
    const [other] = await pair();
    const id = await other.add({ x: 0, y: 0 });
    expect(() => other.joinChannel(id)).toThrow(code('UNSUPPORTED'));
    expect(() => other.channelOf(id)).toThrow(code('UNSUPPORTED'));
  });
});
