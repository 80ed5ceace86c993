/**
 * What waits for a page's next frame: everything, up to a limit that is told.
 */
import { World } from 'umwelt';
import { beforeEach, describe, expect, it } from 'vitest';
import { SelectionLog } from '../src/feed/selection-log.ts';
import { FOCUS_EVENTS_MAX } from '../src/focus-frame.ts';

let world: World;
let watcher: number;
let log: SelectionLog;

beforeEach(() => {
  world = new World();
  watcher = world.add({ x: 0, y: 0, range: 10 });
  world.tick();
  log = new SelectionLog(false);
  log.begin(watcher, world.tickCount);
});

/** One comes into sight, in a tick of its own. */
function come(): number {
  const id = world.add({ x: 1, y: 0 });
  log.note(world.tick());
  return id;
}

describe('the log of the selected', () => {
  it('gives everything once', () => {
    const ids = [come(), come()];
    world.remove(ids[0] as number);
    log.note(world.tick());
    const first = log.take();
    expect([...first.ticks]).toEqual([2, 3, 4]);
    expect([...first.areEnters]).toEqual([1, 1, 0]);
    expect([...first.ids]).toEqual([...ids, ids[0]]);
    expect(first).toMatchObject({ sinceTick: 1, unknownTicks: 0, enteredTotal: 2, leftTotal: 1 });
    const second = log.take();
    expect(second.ids.length).toBe(0);
    expect(second).toMatchObject({ enteredTotal: 2, leftTotal: 1 });
  });

  it('takes a report that is published twice for one', () => {
    come();
    log.note(world.lastChanges);
    expect(log.take().enteredTotal).toBe(1);
  });

  it('keeps what it was given when the next tick overwrites its lists', () => {
    const ids = Array.from({ length: 40 }, come);
    expect([...log.take().ids]).toEqual(ids);
  });

  it('begins anew when another is selected', () => {
    come();
    log.begin(watcher, world.tickCount);
    expect(log.take()).toMatchObject({ sinceTick: 2, enteredTotal: 0 });
    log.begin(0, world.tickCount);
    come();
    expect(log.take().ids.length).toBe(0);
  });

  it('keeps the newest where there are too many, and counts all', () => {
    const many = FOCUS_EVENTS_MAX - 1;
    world.addMany({ x: new Float32Array(many), y: new Float32Array(many) });
    log.note(world.tick());
    const last = [come(), come(), come()];
    const { ids, ticks, enteredTotal } = log.take();
    expect(enteredTotal).toBe(many + 3);
    expect(ids.length).toBe(FOCUS_EVENTS_MAX);
    expect([...ids.slice(-3)]).toEqual(last);
    expect([...ticks]).toEqual([...ticks].sort((a, b) => a - b));
    world.addMany({ x: new Float32Array(2 * FOCUS_EVENTS_MAX), y: new Float32Array(2 * FOCUS_EVENTS_MAX) });
    log.note(world.tick());
    expect(log.take().ids.length).toBe(FOCUS_EVENTS_MAX);
  });

  it('tells of ticks that were not published', () => {
    come();
    world.tick();
    world.tick();
    come();
    expect(log.take()).toMatchObject({ sinceTick: 1, unknownTicks: 2, enteredTotal: 2 });
  });

  it('knows from another tick on when the world goes back', () => {
    come();
    const bytes = world.snapshot();
    come();
    expect(log.take()).toMatchObject({ sinceTick: 1, enteredTotal: 2 });
    // To the same tick, lived otherwise, and to one before.
    for (const extraTicks of [0, 3]) {
      for (let i = 0; i < extraTicks; i++) come();
      world = World.restore(bytes);
      const id = come();
      const { sinceTick, enteredTotal, ids } = log.take();
      expect({ sinceTick, enteredTotal, ids: [...ids] }).toEqual({
        sinceTick: 2,
        enteredTotal: 1,
        ids: [id],
      });
    }
  });

  it('knows from the tick that a recording leapt to', () => {
    log = new SelectionLog(true);
    log.begin(watcher, world.tickCount);
    come();
    world.tick();
    come();
    expect(log.take()).toMatchObject({ sinceTick: 3, unknownTicks: 0, enteredTotal: 1 });
  });

  it('counts from tick 0 when a recording goes back to it, and on', () => {
    const [before, replayed] = [new World(), new World()];
    log = new SelectionLog(true);
    log.begin(watcher, 20);
    log.note(before.lastChanges);
    expect(log.take()).toMatchObject({ sinceTick: 0, enteredTotal: 0 });
    replayed.add({ x: 0, y: 0, range: 10 });
    replayed.add({ x: 1, y: 0 });
    log.note(replayed.tick());
    expect(log.take()).toMatchObject({ sinceTick: 0, unknownTicks: 0, enteredTotal: 1 });
  });
});
