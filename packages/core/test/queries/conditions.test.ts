/** What a marker asks of those who meet it, read back as it is now. */
import { expect, test } from 'vitest';
import { World } from '../../src/index.ts';

test('a marker says what it needs, whose it is and which of its groups it is for', () => {
  const world = new World({ groups: ['party', 'guild'] });
  const owner = world.add({ x: 0, y: 0 });
  const plain = world.add({ x: 0, y: 0, group: { party: 3 } });
  expect(world.conditions(plain)).toEqual({ needs: 0, only: 0, onlyGroup: {} });
  const loot = world.add({ x: 0, y: 0, needs: 6, only: owner, onlyGroup: ['guild'], group: { guild: 9 } });
  expect(world.conditions(loot)).toEqual({ needs: 6, only: owner, onlyGroup: { guild: 9 } });
  world.update(loot, { onlyGroup: true, needs: -1, group: { party: 4 } });
  expect(world.conditions(loot)).toEqual({
    needs: 0xffffffff,
    only: owner,
    onlyGroup: { party: 4, guild: 9 },
  });
  world.remove(owner);
  world.update(loot, { onlyGroup: false });
  expect(world.conditions(loot)).toEqual({ needs: 0xffffffff, only: owner, onlyGroup: {} });
  expect(() => world.conditions(owner)).toThrow('names an entity that was removed');
});
