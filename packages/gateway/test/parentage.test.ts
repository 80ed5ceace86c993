/** Who is attached to whom, as clients of a gateway are told. */
import { World } from 'umwelt';
import { describe, expect, it, vi } from 'vitest';
import { FrameDesk, type Seat } from './frame-desk.ts';

const SENSES = ['sight'];

function deskWith(count: number): { desk: FrameDesk; world: World; ids: number[]; seat: Seat } {
  const world = new World({ senses: SENSES });
  const ids = Array.from({ length: count }, (_, i) => world.add({ x: i, y: 0, range: i === 0 ? 1000 : 0 }));
  const desk = new FrameDesk(world, { positionStep: 0.5, fields: {} }, SENSES);
  const seat = desk.seat(ids[0]!, 0);
  return { desk, world, ids, seat };
}

describe('a client of a world with attachments', () => {
  it('is told of parents before their children, though their slots are higher', () => {
    const { desk, world, ids, seat } = deskWith(4);
    const [, sword, rider, horse] = ids as [number, number, number, number];
    world.attach(sword, rider);
    world.attach(rider, horse);
    desk.tick();
    seat.wired.receive(desk.frame(seat));
    expect(seat.wired.told).toEqual([`enter ${horse}`, `enter ${rider}`, `enter ${sword}`]);
    const { entities } = seat.wired.client;
    expect(entities.get(sword)?.parent).toBe(entities.get(rider));
    expect(entities.get(rider)?.parent).toBe(entities.get(horse));
    expect(entities.get(horse)?.parent).toBeUndefined();
  });

  it('hears of an attachment though nothing else changes, whatever was attached before', () => {
    const { desk, world, ids, seat } = deskWith(5);
    const [, rider, horse, mule, squire] = ids as [number, number, number, number, number];
    const { entities } = seat.wired.client;
    const step = () => {
      desk.tick();
      seat.wired.receive(desk.frame(seat));
      return [rider, squire].map((id) => entities.get(id)?.parent?.id);
    };
    expect(step()).toEqual([undefined, undefined]);
    world.attach(rider, horse, { x: -1 });
    expect(step()).toEqual([horse, undefined]);
    expect(step()).toEqual([horse, undefined]);
    world.attach(squire, mule, { x: 1 });
    expect(step()).toEqual([horse, mule]);
    world.detach(rider);
    expect(step()).toEqual([undefined, mule]);
    world.detach(squire);
    expect(step()).toEqual([undefined, undefined]);
    expect(step()).toEqual([undefined, undefined]);
    world.attach(rider, mule, { x: -2 });
    expect(step()).toEqual([mule, undefined]);
    world.remove(mule);
    expect(step()).toEqual([undefined, undefined]);
  });

  it('of many that nobody has any more, is told as of the few that are left', () => {
    const world = new World({ senses: SENSES });
    const watcher = world.add({ x: 0, y: 0, range: 10 });
    const sword = world.add({ x: 1, y: 0 });
    world.attach(sword, watcher, { x: 1 });
    const desk = new FrameDesk(world, { positionStep: 0.5, fields: {} }, SENSES);
    const seat = desk.seat(watcher, watcher);
    const crowd = world.addMany({ x: new Float32Array(100), y: new Float32Array(100) });
    const away = Float32Array.from({ length: 100 }, () => 1000);
    const parentOf = vi.spyOn(World.prototype, 'parentOf');
    const asked: number[] = [];
    for (let tick = 0; tick < 6; tick++) {
      if (tick === 2) world.moveMany(crowd, away, away);
      if (tick === 5) world.detach(sword);
      parentOf.mockClear();
      desk.tick();
      seat.wired.receive(desk.frame(seat));
      asked.push(parentOf.mock.calls.length);
      expect(seat.wired.client.entities.get(sword)?.parent?.id).toBe(tick < 5 ? watcher : undefined);
    }
    parentOf.mockRestore();
    expect(asked.slice(1, 2)).toEqual([102]);
    expect(asked[4]).toBe(2);
  });

  it('looks at no attachment where a frame tells of none', () => {
    const { desk, world, ids, seat } = deskWith(50);
    const [watcher, horse, ...riders] = ids as [number, number, ...number[]];
    for (const rider of riders) world.attach(rider, horse);
    desk.tick();
    seat.wired.receive(desk.frame(seat));
    let looks = 0;
    for (const entity of seat.wired.client.entities.values()) {
      let { parent } = entity;
      Object.defineProperty(entity, 'parent', {
        get: () => {
          looks++;
          return parent;
        },
        set: (given) => {
          parent = given;
        },
      });
    }
    world.move(watcher, 1, 0);
    world.touch(horse);
    desk.tick();
    seat.wired.receive(desk.frame(seat));
    expect(looks).toBe(0);
    world.detach(riders[0]!);
    desk.tick();
    seat.wired.receive(desk.frame(seat));
    expect(looks).toBeGreaterThan(0);
    expect(seat.wired.client.entities.get(riders[0]!)?.parent).toBeUndefined();
  });

  it('hears of one that is let go, or goes over to another, as an update', () => {
    const { desk, world, ids, seat } = deskWith(4);
    const [, rider, horse, mule] = ids as [number, number, number, number];
    world.attach(rider, horse, { x: -1 });
    desk.tick();
    seat.wired.receive(desk.frame(seat));
    seat.wired.told.length = 0;
    world.attach(rider, mule, { x: -2 });
    desk.tick();
    seat.wired.receive(desk.frame(seat));
    expect(seat.wired.told).toEqual([`update ${rider}`]);
    expect(seat.wired.client.entities.get(rider)?.parent?.id).toBe(mule);
    world.detach(rider);
    desk.tick();
    seat.wired.receive(desk.frame(seat));
    expect(seat.wired.told).toEqual([`update ${rider}`, `update ${rider}`]);
    expect(seat.wired.client.entities.get(rider)?.parent).toBeUndefined();
    desk.tick();
    expect(desk.frame(seat).length).toBeLessThan(12);
  });

  it('hears at a resync of those whose parent is another than before, and of no others', () => {
    const { desk, world, ids, seat } = deskWith(5);
    const [, rider, horse, sword, mule] = ids as [number, number, number, number, number];
    world.attach(rider, horse, { x: -1 });
    world.attach(sword, rider, { x: 2 });
    const resync = (): void => {
      seat.view.mustResync = true;
      desk.tick();
      seat.wired.receive(desk.frame(seat));
    };
    resync();
    const changed: number[] = [];
    seat.wired.client.on('update', ({ id }, { parent }) => parent && changed.push(id));
    resync();
    expect(changed.splice(0)).toEqual([]);
    world.attach(rider, mule, { x: -3 });
    resync();
    expect(changed.splice(0)).toEqual([rider]);
    world.detach(rider);
    world.detach(sword);
    resync();
    expect(changed.sort()).toEqual([rider, sword]);
    expect(seat.wired.client.entities.get(sword)?.parent).toBeUndefined();
  });

  it('never has a child whose parent it is still to be told of, however few bytes a frame has', () => {
    const { desk, world, ids, seat } = deskWith(60);
    // Children lie lower, and each parent farther away than all children.
    for (let i = 1; i < 30; i++) world.attach(ids[i]!, ids[i + 30]!, { x: -40 });
    for (let frame = 0; frame < 80; frame++) {
      desk.tick();
      seat.wired.receive(desk.frame(seat, 40));
      const { entities } = seat.wired.client;
      for (const entity of entities.values()) {
        const parent = world.parentOf(entity.id);
        if (parent !== undefined) expect(entity.parent?.id, `frame ${frame}`).toBe(parent);
      }
    }
    expect(seat.wired.client.entities.size).toBe(59);
  });
});

describe('a frame that says who is attached', () => {
  const cases = { 'to itself': [3, 1], 'to somebody unknown': [3, 9], 'and is unknown': [30, 1] } as const;

  it.each(Object.entries(cases))('%s is malformed, and the connection ends', (_, [slot, parent]) => {
    const { desk, seat } = deskWith(5);
    desk.tick();
    seat.wired.receive(desk.frame(seat));
    const isSelf = slot === 3 && parent === 1;
    const bytes = [2, 8, 2, 2, 0, 0, 0, 0, 0, 0, slot + 1, isSelf ? slot : parent, 0];
    seat.wired.receive(Uint8Array.from(bytes));
    expect(seat.wired.events).toBeUndefined();
  });
});
