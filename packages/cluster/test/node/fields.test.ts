/** Fields of entities: how many there may be. */
import { afterEach, expect, it } from 'vitest';
import { memoryLog } from '../../src/index.ts';
import { haltNodes, joinNode as join } from '../joined-nodes.ts';

afterEach(haltNodes);

const fields = (count: number, prefix = 'f') =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, i]));

it('a set that would make more than 64 fields of an entity is refused at once, and changes nothing', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const id = await a.add({ x: 0, y: 0, fields: fields(63) });
  await expect.poll(() => b.world.has(id) && a.owned.has(id)).toBe(true);
  a.set(id, fields(64));
  await expect.poll(() => b.fieldsOf(id)).toEqual(fields(64));
  expect(() => a.set(id, { f0: 100, more: 1 })).toThrow(
    expect.objectContaining({ code: 'BAD_OPTION', details: expect.objectContaining({ value: 65 }) }),
  );
  a.set(id, { f0: 7 });
  await expect.poll(() => b.fieldsOf(id)).toEqual({ ...fields(64), f0: 7 });
  expect(a.self?.refused).toBe(0);
});

it('calls on their way that are too many only together are refused by all nodes, and counted', async () => {
  const log = memoryLog();
  const [a, b] = [await join(log, 'a'), await join(log, 'b')];
  const id = await a.add({ x: 0, y: 0 });
  await expect.poll(() => a.owned.has(id)).toBe(true);
  a.set(id, fields(40));
  a.set(id, fields(40, 'g'));
  await expect.poll(() => b.members.find(({ name }) => name === 'a')?.refused).toBe(1);
  expect(b.fieldsOf(id)).toEqual(fields(40));
});
