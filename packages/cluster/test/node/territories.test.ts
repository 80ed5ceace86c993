/** Entities by tile: all nodes agree, few change hands, and one that jitters on a border does not. */
import type { EntityId } from 'umwelt';
import { afterEach, expect, it } from 'vitest';
import { type ClusterNode, type Log, memoryLog, Territories } from '../../src/index.ts';
import { haltNodes, joinNode } from '../joined-nodes.ts';
import { Random } from '../simulation/random.ts';

const TILE = 10;

afterEach(haltNodes);

async function join(log: Log, name: string, adopts = true) {
  const node = await joinNode(log, name, { adopts, silenceTicks: 40 });
  return { node, territories: new Territories(node, { tileSize: TILE }) };
}

type Joined = Awaited<ReturnType<typeof join>>;

/** Whether all are with the member that their tile names. */
function isSettled({ node, territories }: Joined): boolean {
  const { world } = node;
  return [...world.ids()].every((id) => {
    const [x = 0, y = 0] = world.position(id);
    return node.ownerOf(id)?.name === territories.memberAt(x, y);
  });
}

function owners({ node }: Joined): Map<EntityId, string> {
  return new Map([...node.world.ids()].map((id) => [id, node.ownerOf(id)?.name ?? '']));
}

const nextTick = (node: ClusterNode) =>
  new Promise<void>((resolve) => {
    const stop = node.on('tick', () => {
      stop();
      resolve();
    });
  });

it('what stands in a tile is with one member; when one comes or goes only its tiles change hands', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  await join(log, 'viewer', false);
  const random = new Random(1);
  const place = () => ({ x: random.between(-60, 60), y: random.between(-60, 60) });
  const ids = await Promise.all(Array.from({ length: 200 }, () => a.node.add(place())));
  await expect.poll(() => isSettled(a) && a.node.owned.size + b.node.owned.size === 200).toBe(true);
  expect(Math.min(a.node.owned.size, b.node.owned.size)).toBeGreaterThan(50);
  const before = owners(a);

  const c = await join(log, 'c');
  await expect.poll(() => isSettled(c) && c.node.owned.size > 0).toBe(true);
  expect(c.node.owned.size).toBeGreaterThan(30);
  const after = owners(a);
  expect(ids.filter((id) => after.get(id) !== before.get(id)).every((id) => after.get(id) === 'c')).toBe(
    true,
  );

  c.node.halt();
  await expect.poll(() => [...owners(a).values()].includes('c') === false && isSettled(a)).toBe(true);
  // All that it had is where it was before it came, and nothing else was ever given.
  expect(owners(a)).toEqual(before);
});

it('one that jitters about a border stays, and beyond the hysteresis it goes once', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  await expect.poll(() => a.node.members.length).toBe(2);
  // A tile of the one beside a tile of the other.
  const { territories } = a;
  const rows = Array.from({ length: 100 }, (_, index) => index * TILE + 5);
  const row = rows.find((y) => territories.memberAt(5, y) === 'a' && territories.memberAt(15, y) === 'b')!;
  const id = await a.node.add({ x: 5, y: row });
  await expect.poll(() => a.node.owned.has(id)).toBe(true);
  let gives = 0;
  for (const { node } of [a, b]) node.on('lose', () => gives++);
  const jitter = async (node: ClusterNode) => {
    for (let i = 0; i < 20; i++) {
      node.move(id, i % 2 === 0 ? 9.3 : 10.7, row);
      await nextTick(node);
    }
  };
  await jitter(a.node);
  expect(gives).toBe(0);
  a.node.move(id, 11.2, row);
  await expect.poll(() => b.node.owned.has(id)).toBe(true);
  // It counts to that tile now, and comes back only from well beyond the border.
  await jitter(b.node);
  expect(gives).toBe(1);
});

it('more than one tick may give go with the next ones, and stop ends it', async () => {
  const log = memoryLog();
  const a = await join(log, 'a');
  await Promise.all(
    Array.from({ length: 6000 }, (_, i) =>
      a.node.add({ x: (i % 100) * TILE, y: Math.floor(i / 100) * TILE }),
    ),
  );
  await expect.poll(() => a.node.owned.size).toBe(6000);
  const b = await join(log, 'b');
  await expect.poll(() => isSettled(b) && a.node.owned.size + b.node.owned.size === 6000).toBe(true);
  a.territories.stop();
  b.territories.stop();
  const [id] = a.node.owned;
  a.node.move(id!, -1e6, 1e6);
  await nextTick(a.node);
  await nextTick(a.node);
  expect(a.node.owned.has(id!)).toBe(true);
});

it('places beyond all tiles count to the outermost ones, and options that are none are refused', async () => {
  const a = await join(memoryLog(), 'a');
  expect(a.territories.memberAt(1e30, -1e30)).toBe('a');
  expect(a.territories.hysteresis).toBe(1);
  const made = (options: unknown) => () => new Territories(a.node, options as never);
  const refused = expect.objectContaining({ code: 'BAD_OPTION' });
  expect(made({ tileSize: 0 })).toThrow(refused);
  expect(made({ tileSize: 5, hysteresis: -1 })).toThrow(refused);
  expect(made({ tileSize: 5, size: 1 })).toThrow(refused);
  for (const place of [[Number.NaN, 0], [0], ['5', 5]] as [number, number][]) {
    const at = () => a.territories.memberAt(...place);
    expect(at).toThrow(expect.objectContaining({ code: 'BAD_POSITION' }));
  }
});

it('names no member that is gone, to a listener that was there before it and after it has stopped', async () => {
  const log = memoryLog();
  const a = await joinNode(log, 'a', { silenceTicks: 40 });
  const told: (string | undefined)[] = [];
  const places = Array.from({ length: 40 }, (_, i) => i * TILE);
  let territories: Territories | undefined;
  a.on('members', () => told.push(...places.map((x) => territories?.memberAt(x, 0))));
  territories = new Territories(a, { tileSize: TILE });
  const b = await join(log, 'b');
  await expect.poll(() => a.members.length).toBe(2);
  expect(places.map((x) => territories.memberAt(x, 0))).toContain('b');
  told.length = 0;
  b.node.halt();
  await expect.poll(() => told.length).toBe(places.length);
  expect(told.join('')).toBe('a'.repeat(places.length));
  expect(places.map((x) => territories.memberAt(x, 0))).not.toContain('b');
  territories.stop();
  await joinNode(log, 'c');
  await expect.poll(() => a.members.length).toBe(2);
  expect(places.map((x) => territories.memberAt(x, 0))).toContain('c');
});
