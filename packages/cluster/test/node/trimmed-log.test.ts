/** A log that keeps too little: records that nodes have not read yet are gone. */
import { afterEach, expect, it } from 'vitest';
import { type ClusterNode, memoryLog } from '../../src/index.ts';
import { haltNodes, joinNode as join, nodes } from '../joined-nodes.ts';

afterEach(haltNodes);

const text = (value: string) => new TextEncoder().encode(value);

it.each([1, 2])('the world goes on where none of its %i nodes could read on', async (count) => {
  const log = memoryLog({ maxBytes: 2000 });
  for (let i = 0; i < count; i++) await join(log, `n${i}`, { silenceTicks: 20 });
  const [a] = nodes as [ClusterNode];
  const hero = await a.add({ x: 1, y: 2, key: 'hero', state: text('kept') });
  await expect.poll(() => nodes.every((node) => node.world.has(hero))).toBe(true);
  // Within a turn, so that nobody reads the first of them before it is gone.
  for (let i = 0; i < 3; i++) void log.append(new Uint8Array(1900));
  await expect.poll(() => a.isLive).toBe(false);
  await expect.poll(() => nodes.every((node) => node.isLive)).toBe(true);
  for (const node of nodes) {
    expect(node.find('hero')).toBe(hero);
    expect([...node.world.position(hero)]).toEqual([1, 2]);
    expect(node.stateOf(hero)).toEqual(text('kept'));
  }
  await expect.poll(() => nodes.filter((node) => node.owned.has(hero)).length).toBe(1);
});
