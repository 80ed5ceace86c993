/**
 * How mistakes are looked at: the call must throw its code and details, and change nothing.
 *
 * That nothing changed is asked of a twin: two worlds are built by the same calls, one of them gets the faulty call as
 * well, and from then on both must say the same about everything, the next ids and the next reports included.
 */
import { expect } from 'vitest';
import { UmweltError, type UmweltErrorCode, World, type WorldOptions } from '../../src/index.ts';

export const OPTIONS: WorldOptions = { senses: ['sight', 'hearing'] };

/** What a faulty call must be told. Details that are not listed are not looked at. */
export interface Fault {
  readonly code: UmweltErrorCode;
  readonly details?: { index?: number; id?: number; field?: string; value?: unknown };
}

/** A world with a past and something pending; the same one every time. */
export function settledWorld(options: WorldOptions): {
  world: World;
  ids: number[];
  stale: number;
  ghost: number;
} {
  const world = new World(options);
  const place = (x: number, more = {}) => world.add({ x, y: 0, z: 0, range: 5, ...more });
  const ids = [place(0), place(1), place(2, { range: { hearing: 3 } }), place(3, { marker: false })];
  const stale = place(4);
  world.tick();
  world.remove(stale);
  world.tick();
  world.move(ids[0], 0.5, 0, 0);
  world.touch(ids[1]);
  const ghost = place(5);
  world.remove(ghost);
  return { world, ids, stale, ghost };
}

/** Everything a world says of itself, then three ticks of everything. */
function account(world: World): unknown {
  const present = [...world.ids()];
  const now = () =>
    [...world.ids()].map((id) => [
      id,
      ...world.position(id),
      [...world.visibleTo(id)],
      [...world.watchersOf(id)],
    ]);
  const state = [world.size, world.tickCount, world.lastChanges.tick, world.lastChanges.hash(), now()];
  const ticks = [1, 2, 3].map((x) => {
    const { removed } = world.tick();
    const id = world.add({ x, y: 1, z: 0, range: 9 });
    return [[...removed], world.lastChanges.hash(), id, now()];
  });
  return { present, state, ticks };
}

/** The call must throw this fault and leave the world as its twin that was spared the call. */
export function expectFault(
  call: (setting: ReturnType<typeof settledWorld>) => unknown,
  { code, details = {} }: Fault,
  options: WorldOptions = OPTIONS,
): void {
  const setting = settledWorld(options);
  let thrown: unknown;
  try {
    call(setting);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(UmweltError);
  const { code: gotCode, details: gotDetails, message, name } = thrown as UmweltError;
  expect(gotCode).toBe(code);
  expect(gotDetails).toMatchObject(details);
  expect(name).toBe('UmweltError');
  expect(message).toMatch(/\w{3}.*(expected|removed)/);
  expect(account(setting.world)).toEqual(account(settledWorld(options).world));
}

export function expectOptionFault(options: unknown, fault: Fault): void {
  expect(() => new World(options as WorldOptions)).toThrow(UmweltError);
  try {
    new World(options as WorldOptions);
  } catch (error) {
    expect((error as UmweltError).code).toBe(fault.code);
    expect((error as UmweltError).details).toMatchObject(fault.details ?? {});
  }
}
