/** A gateway that is attached twice, and one that is attached again after a while. */
import { type ClusterNode, memoryLog, type ViewGateway } from '@umwelt/cluster';
import { UmweltError } from 'umwelt';
import { afterEach, expect, it } from 'vitest';
import { participantOf } from '../../src/node/cluster-node.ts';
import { haltNodes, joinNode as join } from '../joined-nodes.ts';

afterEach(haltNodes);

/** What a node tells a gateway. */
function gatewayOn({ world }: ClusterNode, watchers: readonly number[] = []) {
  const told: string[] = [];
  const sessions = new Set(
    watchers.map((watcher) => {
      const session = {
        watcher,
        release: () => {
          told.push(`release ${watcher}`);
          sessions.delete(session);
        },
      };
      return session;
    }),
  );
  const gateway: ViewGateway = {
    world,
    sessions,
    publish: () => {},
    set: (id, fields) => told.push(`set ${id} ${JSON.stringify(fields)}`),
    broadcast: (_marker, [value]) => told.push(`broadcast ${value}`),
    resync: () => told.push('resync'),
  };
  return { gateway, told };
}

const ticks = async ({ world }: ClusterNode, count: number) => {
  const from = world.tickCount;
  await expect.poll(() => world.tickCount).toBeGreaterThan(from + count);
};

it('a gateway that is attached is not attached again, and tells each broadcast once', async () => {
  const node = await join(memoryLog(), 'a');
  const id = await node.add({ x: 0, y: 0 });
  const { gateway, told } = gatewayOn(node);
  const detach = node.attach(gateway);
  expect(() => node.attach(gateway)).toThrow(
    expect.objectContaining({ code: 'BAD_OPTION', details: expect.objectContaining({ field: 'gateway' }) }),
  );
  node.broadcast(id, Uint8Array.of(1));
  await expect.poll(() => told).toContain('broadcast 1');
  await ticks(node, 2);
  detach();
  detach();
  node.broadcast(id, Uint8Array.of(2));
  await ticks(node, 3);
  node.attach(gateway);
  // The first attachment is over: its end is no end of this one.
  detach();
  node.broadcast(id, Uint8Array.of(3));
  await expect.poll(() => told).toContain('broadcast 3');
  expect(told.filter((each) => each.startsWith('broadcast'))).toEqual(['broadcast 1', 'broadcast 3']);
});

it.each(['own', 'all'] as const)(
  'a gateway that is attached again ends sessions whose watcher another node took, and starts over, with views %s',
  async (views) => {
    const log = memoryLog();
    const [a, b] = [await join(log, 'a', { views }), await join(log, 'b', { views })];
    const heroes = [...(await a.addMany({ x: [0, 1, 2, 3], y: [0, 0, 0, 0], range: 5 }))];
    const [kept, taken, removed, unshown] = heroes as [number, number, number, number];
    for (const id of [kept, taken, removed]) await a.show(id);
    const { gateway, told } = gatewayOn(a, [0, ...heroes]);
    const detach = a.attach(gateway);
    await expect.poll(() => a.owned.size).toBe(4);
    expect(told).toEqual([]);
    detach();
    await b.show(taken);
    a.remove(removed);
    a.set(kept, { health: 5 });
    await expect.poll(() => [a.world.has(removed), a.fieldsOf(kept)]).toEqual([false, { health: 5 }]);
    await expect.poll(() => a.showerOf(taken)?.name).toBe('b');
    expect(told).toEqual([]);
    a.attach(gateway);
    expect(told).toEqual(['resync', `release ${taken}`, `set ${kept} {"health":5}`]);
    // A gateway itself leaves the session of a removed watcher without one.
    expect([...gateway.sessions].map(({ watcher }) => watcher)).toEqual([0, kept, removed, unshown]);
  },
);

it('a session whose watcher is not in a state that was copied ends, since no call has removed it', async () => {
  const log = memoryLog();
  const [a] = [await join(log, 'a'), await join(log, 'b')];
  const [kept, lost] = [await a.add({ x: 0, y: 0, range: 5 }), await a.add({ x: 0, y: 0, range: 5 })];
  for (const id of [kept, lost]) await a.show(id);
  const { gateway, told } = gatewayOn(a, [0, kept, lost]);
  a.attach(gateway);
  a.remove(lost);
  await expect.poll(() => a.world.has(lost)).toBe(false);
  expect(told).toEqual([]);
  // A gateway has such a session only if it was never told of the removal.
  participantOf(a).enter();
  await expect.poll(() => told).toContain('resync');
  expect(told).toEqual([`release ${lost}`, 'resync']);
});

it('a gateway that was disposed of is disconnected, and the node goes on', async () => {
  const node = await join(memoryLog(), 'a');
  const id = await node.add({ x: 0, y: 0 });
  const { gateway, told } = gatewayOn(node);
  let published = 0;
  // As a Colyseus room's interest does after its room has ended.
  const publish = () => {
    published++;
    throw new UmweltError('DISPOSED', 'the interest of this room was disposed of');
  };
  const detach = node.attach({ ...gateway, publish });
  await ticks(node, 3);
  expect(published).toBe(1);
  detach();
  node.set(id, { health: 1 });
  await ticks(node, 3);
  expect(told).toEqual([]);
});
