/** How entities stand to others beside perception: parents, owners, and who is watched, told over the feed. */
import { World } from 'umwelt';
import { describe, expect, it, vi } from 'vitest';
import { standingOf } from '../src/feed/standing.ts';
import { Watched } from '../src/feed/watched.ts';
import { readFeedMessage, writeMessage } from '../src/feed-message.ts';
import { CHILDREN_MAX } from '../src/standing-news.ts';
import { createScene, look, start } from './scene.ts';

describe('an entity', () => {
  it('is told with its parent, its children, its owner and its groups', () => {
    const world = new World({ groups: ['party', 'owner'] });
    const horse = world.add({ x: 0, y: 0 });
    const riders = Array.from({ length: CHILDREN_MAX + 3 }, () => world.add({ x: 0, y: 0 }));
    for (const rider of riders) world.attach(rider, horse);
    const loot = world.add({ x: 5, y: 0, only: horse, onlyGroup: ['owner'], group: { owner: 7, party: 2 } });
    expect(standingOf(world, horse)).toEqual({
      type: 'standing',
      tick: 0,
      id: horse,
      parent: 0,
      children: riders.slice(0, CHILDREN_MAX),
      childCount: CHILDREN_MAX + 3,
      only: 0,
      groups: [],
    });
    expect(standingOf(world, riders[0] as number)).toMatchObject({ parent: horse, childCount: 0 });
    expect(standingOf(world, loot)).toMatchObject({ parent: 0, only: horse, groups: [['owner', 7]] });
    for (const id of [horse, riders[0] as number, loot, 0, 3.5, 0xffffffff])
      if (Number.isInteger(id))
        expect(readFeedMessage(writeMessage(standingOf(world, id)))).toEqual(standingOf(world, id));
  });

  it('is read only where every part of it makes sense', () => {
    const news = standingOf(new World(), 1);
    for (const wrong of [
      { parent: -1 },
      { children: [1, 2], childCount: 1 },
      { children: ['1'], childCount: 3 },
      { children: new Array(CHILDREN_MAX + 1).fill(1), childCount: 99 },
      { only: 0.5 },
      { groups: [['party']] },
      { groups: [[1, 'party']] },
      { groups: 'party' },
    ])
      expect(readFeedMessage(JSON.stringify({ ...news, ...wrong })), JSON.stringify(wrong)).toBeUndefined();
    expect(readFeedMessage(JSON.stringify(news))).toEqual(news);
  });

  it('is told of when it is selected, and with each tick', async () => {
    const { world, ids, options } = createScene();
    const client = look(await start(options));
    await client.frames(1);
    world.attach(ids[1], ids[0]);
    client.say({ type: 'select', id: ids[0] });
    await client.until(() => client.heard.some((each) => 'type' in each && each.type === 'standing'));
    expect(client.heard.find((each) => 'type' in each && each.type === 'standing')).toMatchObject({
      id: ids[0],
      children: [ids[1]],
    });
  });
});

describe('who is watched', () => {
  /** The ids that it says are watched. */
  function told(watched: Watched, world: World): number[] {
    const ids = world.ids();
    const found: number[] = [];
    watched.each(world, ids, (i) => found.push(ids[i] as number));
    return found;
  }
  const expected = (world: World) => [...world.ids()].filter((id) => world.watcherCount(id) > 0);

  it('is kept up by what ticks tell, also where some were not published', () => {
    const world = new World();
    const ids = [...world.addMany({ x: [0, 5, 100, 104, 300], y: [0, 0, 0, 0, 0] })];
    const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
    const watched = new Watched();
    world.tick();
    expect(told(watched, world)).toEqual(ids.slice(0, 2));
    for (const [i, x] of [100, 300, 0, 102, 3, 101].entries()) {
      world.move(watcher, x, 0);
      if (i === 2) world.remove(ids[0] as number);
      if (i === 4) world.tick();
      const changes = world.tick();
      if (i !== 3) watched.take(changes);
      expect(told(watched, world), `at ${x}`).toEqual(expected(world));
    }
    world.remove(watcher);
    watched.take(world.tick());
    expect(told(watched, world)).toEqual([]);
  });

  it('is another in a world that takes the place of the first, whose next tick it is', () => {
    const [first, second] = [0, 50].map((x) => {
      const world = new World();
      world.addMany({ x: [0, 50], y: [0, 0] });
      world.add({ x, y: 0, range: 10, marker: false });
      world.tick();
      return world;
    }) as [World, World];
    const watched = new Watched();
    expect(told(watched, first)).toEqual([first.ids()[0]]);
    watched.take(second.tick());
    expect(told(watched, second)).toEqual([second.ids()[1]]);
  });

  it('is right when the watcher of a marker was removed before the first look, and another one comes', () => {
    const world = new World();
    const [marker, other] = [0, 500].map((x) => world.add({ x, y: 0 }));
    const [first, second] = [5, 50].map((x) => world.add({ x, y: 0, range: 10, marker: false }));
    const watched = new Watched();
    world.tick();
    world.remove(first!);
    expect(told(watched, world)).toEqual([]);
    world.move(second!, 5, 0);
    watched.take(world.tick());
    expect(told(watched, world)).toEqual([marker]);
    // From then on without another full read.
    const whole = vi.spyOn(world, 'watchersOfMany');
    world.remove(other!);
    world.move(second!, 50, 0);
    watched.take(world.tick());
    expect(told(watched, world)).toEqual([]);
    expect(whole).not.toHaveBeenCalled();
  });

  it('has a new entity in a slot that a watched one had only when that is watched too', () => {
    const world = new World();
    const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
    const watched = new Watched();
    let crowd = world.addMany({ x: new Float32Array(3000), y: new Float32Array(3000) });
    world.tick();
    expect(told(watched, world).length).toBe(3000);
    const slots = new Set<number>();
    for (let round = 0; round < 4; round++) {
      for (const id of crowd) slots.add(world.slotOf(id));
      world.removeMany(crowd);
      crowd = world.addMany({
        x: new Float32Array(3000).fill(round === 3 ? 5 : 50),
        y: new Float32Array(3000),
      });
      watched.take(world.tick());
      expect(told(watched, world)).toEqual(expected(world));
    }
    for (const id of crowd) slots.delete(world.slotOf(id));
    // Without slots used again there would be four crowds of them.
    expect(slots.size).toBeLessThan(3 * 3000 + 1);
    world.remove(watcher);
    watched.take(world.tick());
    expect(told(watched, world)).toEqual([]);
  });

  it('is not kept up for those who do not look any more', () => {
    const world = new World();
    world.add({ x: 0, y: 0 });
    const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
    const watched = new Watched();
    world.tick();
    expect(told(watched, world).length).toBe(1);
    world.move(watcher, 50, 0);
    for (let tick = 0; tick < 150; tick++) watched.take(world.tick());
    expect(told(watched, world)).toEqual([]);
  });
});
