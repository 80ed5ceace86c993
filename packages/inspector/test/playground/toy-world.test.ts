/** The playground's world: what a visitor sets is what it does, and whoever is held stays where he is put. */
import { expect, it } from 'vitest';
import { readSettings } from '../../playground/settings.ts';
import { ToyWorld } from '../../playground/toy-world.ts';

const settings = readSettings('#n=400');

/** The players: those whose range a visitor sets. */
function players({ world, kindOf }: ToyWorld, toy: ToyWorld): number[] {
  return [...world.ids()].filter((id) => kindOf.call(toy, id) === 0);
}

it('senses and seats are changed live', () => {
  const toy = new ToyWorld(settings);
  const [player] = players(toy, toy) as [number];
  const before = [...toy.world.ranges(player)];
  toy.set({ ...settings, sight: 2, hearing: 0 });
  expect([...toy.world.ranges(player)]).toEqual([(before[0] as number) * 2, 0]);
  toy.set({ ...settings, sight: 3, cap: 4 });
  toy.step();
  for (const id of players(toy, toy)) expect(toy.world.visibleTo(id).length).toBeLessThanOrEqual(4);
  expect(players(toy, toy).some((id) => toy.world.outranked(id).total > 0)).toBe(true);
  toy.set({ ...settings, sight: 3, cap: 101 });
  toy.step();
  expect(players(toy, toy).every((id) => toy.world.outranked(id).total === 0)).toBe(true);
});

it('another detector reports the same', () => {
  const [one, other] = [new ToyWorld(settings), new ToyWorld(settings)];
  one.step();
  other.step();
  other.set({ ...settings, detector: 'quadtree' });
  for (let i = 0; i < 5; i++) expect(other.step().hash()).toBe(one.step().hash());
  expect(other.world.stats().detector).toBe('quadtree');
});

it('whoever is held stays where he is put, within the town, and walks on when let go', () => {
  const toy = new ToyWorld(settings);
  const [player] = players(toy, toy) as [number];
  const { maxX, maxY } = toy.simulation.bounds;
  toy.hold(player, 3, 4);
  for (let i = 0; i < 3; i++) toy.step();
  expect([...toy.world.position(player)]).toEqual([3, 4]);
  toy.hold(player, 1e9, 1e9);
  toy.step();
  expect([...toy.world.position(player)]).toEqual([Math.fround(maxX), Math.fround(maxY)]);
  toy.hold(0, 0, 0);
  for (let i = 0; i < 3; i++) toy.step();
  const [x, y] = toy.world.position(player) as unknown as [number, number];
  expect(Math.hypot(x - maxX, y - maxY)).toBeLessThan(2);
});
