/** Who is teleported leaves a client and enters anew, in one frame: no line is drawn from the one place to the other. */
import { World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { FrameDesk, type Seat } from './frame-desk.ts';

const SENSES = ['sight'];
const TELEPORT = { teleport: true };

function deskOf(count: number): { desk: FrameDesk; world: World; ids: number[]; seat: Seat } {
  const world = new World({ senses: SENSES });
  const ids = Array.from({ length: count }, (_, i) => world.add({ x: i, y: 0, range: i === 0 ? 100 : 0 }));
  const desk = new FrameDesk(world, { positionStep: 0.5, fields: {} }, SENSES);
  const seat = desk.seat(ids[0]!, ids[0]!);
  desk.tick();
  seat.wired.receive(desk.frame(seat));
  seat.wired.told.length = 0;
  return { desk, world, ids, seat };
}

/** The next frame, and what its client tells of it. */
function next(desk: FrameDesk, { wired, ...rest }: Seat): string[] {
  wired.told.length = 0;
  wired.receive(desk.frame({ wired, ...rest }));
  return [...wired.told];
}

describe('one that is teleported', () => {
  it('leaves and enters in one frame, as an entity that was never elsewhere', () => {
    const { desk, world, ids, seat } = deskOf(4);
    const [, wizard, walker] = ids as [number, number, number];
    const before = seat.wired.client.entities.get(wizard);
    world.move(wizard, 40, 0, undefined, TELEPORT);
    world.move(walker, 3, 0);
    desk.tick();
    expect(next(desk, seat)).toEqual([`leave ${wizard}`, `enter ${wizard}`, `update ${walker}`]);
    const after = seat.wired.client.entities.get(wizard);
    expect(after).not.toBe(before);
    expect([after?.x, seat.wired.reasons.get(wizard)]).toEqual([40, 'out of range']);
    const shown = [new Set<number>(), new Set<number>()] as const;
    for (let ms = 0; ms <= 500; ms += 5) {
      seat.wired.client.interpolate(ms);
      shown[0].add(after!.shown.x);
      shown[1].add(seat.wired.client.entities.get(walker)!.shown.x);
    }
    expect([...shown[0]]).toEqual([40]);
    // The way of one that walked is drawn.
    expect(shown[1].size).toBeGreaterThan(2);
  });

  it('is told so by a later frame, where none could go out', () => {
    const { desk, world, ids, seat } = deskOf(3);
    const wizard = ids[1]!;
    world.move(wizard, 40, 0, undefined, TELEPORT);
    desk.tick();
    desk.hold(seat);
    world.move(wizard, 41, 0);
    desk.tick();
    expect(next(desk, seat)).toEqual([`leave ${wizard}`, `enter ${wizard}`]);
    expect(seat.wired.client.entities.get(wizard)?.x).toBe(41);
    desk.tick();
    expect(next(desk, seat)).toEqual([]);
  });

  it.each([
    ['walks away', 'out of range'],
    ['is removed', 'gone'],
  ])('and %s before a frame went out has only left', (what, reason) => {
    const { desk, world, ids, seat } = deskOf(3);
    const wizard = ids[1]!;
    world.move(wizard, 40, 0, undefined, TELEPORT);
    desk.tick();
    desk.hold(seat);
    if (what === 'is removed') world.remove(wizard);
    else world.move(wizard, 5000, 0);
    desk.tick();
    expect(next(desk, seat)).toEqual([`leave ${wizard}`]);
    expect(seat.wired.reasons.get(wizard)).toBe(reason);
  });

  it('takes who is attached to it along, and is their parent afterwards', () => {
    const { desk, world, ids, seat } = deskOf(4);
    const [, rider, horse, idle] = ids as [number, number, number, number];
    world.attach(rider, horse, { x: 1 });
    desk.tick();
    next(desk, seat);
    world.move(horse, 50, 0, undefined, TELEPORT);
    desk.tick();
    expect(next(desk, seat).slice(2)).toEqual([`enter ${horse}`, `enter ${rider}`]);
    const { entities } = seat.wired.client;
    expect(entities.get(rider)?.parent).toBe(entities.get(horse));
    expect(entities.get(idle)?.parent).toBeUndefined();
  });

  it('may be the one who looks: all that it still sees enters anew', () => {
    const { desk, world, ids, seat } = deskOf(3);
    world.move(ids[0]!, 20, 0, undefined, TELEPORT);
    desk.tick();
    const told = next(desk, seat);
    for (const id of ids.slice(1))
      expect(told).toEqual(expect.arrayContaining([`leave ${id}`, `enter ${id}`]));
    expect(seat.wired.client.entities.size).toBe(3);
  });

  it('is where it is to a client that missed the frame and comes back', () => {
    const { desk, world, ids, seat } = deskOf(3);
    const wizard = ids[1]!;
    const last = world.tickCount;
    world.move(wizard, 40, 0, undefined, TELEPORT);
    desk.tick();
    // Lost on the way.
    desk.frame(seat);
    seat.wired.reconnect();
    desk.welcome(seat, true);
    seat.view.resume(last, world.tickCount);
    desk.tick();
    next(desk, seat);
    expect([...seat.wired.client.entities.values()].map(({ id, x }) => [id, x])).toEqual(
      expect.arrayContaining([[wizard, 40]]),
    );
    world.move(wizard, 30, 0, undefined, TELEPORT);
    desk.tick();
    expect(next(desk, seat)).toEqual([`leave ${wizard}`, `enter ${wizard}`]);
  });

  it('is told as moved by who goes on from what the client is known to have', () => {
    const { desk, world, ids, seat } = deskOf(3);
    const wizard = ids[1]!;
    world.move(wizard, 40, 0, undefined, TELEPORT);
    desk.tick();
    desk.hold(seat);
    // As a snapshot does, in which there is no place for it.
    seat.view.rows.forgetAnew(world.tickCount);
    seat.view.rows.validate();
    expect(next(desk, seat)).toEqual([`update ${wizard}`]);
    expect(seat.wired.client.entities.get(wizard)?.x).toBe(40);
  });
});
