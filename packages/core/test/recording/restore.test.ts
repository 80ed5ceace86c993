/** What a restored world is, what it takes to restore one, and what may be given that differs. */
import { describe, expect, test } from 'vitest';
import { Channels, type RestoreOptions, UmweltError, World } from '../../src/index.ts';
import { blindDetector } from './blind-detector.ts';

function codeOf(bytes: Uint8Array, options?: RestoreOptions): string {
  try {
    World.restore(bytes, options);
    return 'restored';
  } catch (error) {
    if (error instanceof UmweltError) return error.code;
    throw error;
  }
}

/** A watcher and a row of markers at 1, 2, 3, ... to its right. */
function rowOf(world: World, count: number): number {
  const watcher = world.add({ x: 0, y: 0, range: 100, marker: false });
  for (let x = 1; x <= count; x++) world.add({ x, y: 0 });
  return watcher;
}

describe('a restored world', () => {
  test('reports nobody that clients already know', () => {
    const world = new World();
    rowOf(world, 10);
    world.tick();
    const again = World.restore(world.snapshot());
    const { enteredCount, leftCount, updatedCount, viewCount } = again.tick();
    expect({ enteredCount, leftCount, updatedCount, viewCount }).toEqual({
      enteredCount: 0,
      leftCount: 0,
      updatedCount: 0,
      viewCount: 0,
    });
  });

  test('has its heap made once, of about the size that it needs', () => {
    const interests = { default: { leaveMargin: 5, cap: 1000 } };
    const world = new World({ interests });
    const side = 60;
    const ids: number[] = [];
    for (let i = 0; i < side * side; i++)
      ids.push(world.add({ x: i % side, y: Math.floor(i / side), range: 6 }));
    world.tick();
    for (const id of ids) world.move(id, world.position(id)[0] * 1.3, world.position(id)[1] * 1.3);
    world.tick();
    const bytes = world.snapshot();
    const { WebAssembly } = globalThis as unknown as { WebAssembly: { Memory: new (of: object) => object } };
    const { Memory } = WebAssembly;
    let made = 0;
    WebAssembly.Memory = class extends Memory {
      constructor(of: object) {
        super(of);
        made++;
      }
    };
    try {
      const { memoryBytes } = World.restore(bytes).stats();
      // What a world without anybody begins with, and that which holds everybody.
      expect(made).toBeLessThanOrEqual(3);
      expect(memoryBytes).toBeLessThan(4 * bytes.length);
    } finally {
      WebAssembly.Memory = Memory;
    }
  });

  test('has the smallest cells and range ratios that a world may have', () => {
    const world = new World({ rangeShape: 'box', rangeRatio: [1e-6, 1e6], cellSize: [1e-6, 1e12] });
    rowOf(world, 3);
    world.tick();
    const again = World.restore(world.snapshot());
    expect(again.snapshot()).toEqual(world.snapshot());
  });

  test('relates as before after a tick that failed, where a watcher was to be told no more', () => {
    const interests = { default: { admit: () => true } };
    const world = new World({ interests });
    const watcher = rowOf(world, 3);
    world.tick();
    const before = [...world.visibleTo(watcher)];
    world.update(watcher, { updates: false });
    const failing = {
      admit: () => {
        throw new Error('a mishap');
      },
    };
    world.setInterest('default', failing);
    expect(() => world.tick()).toThrow('a mishap');
    const again = World.restore(world.snapshot(), { interests });
    expect([...again.visibleTo(watcher)]).toEqual(before);
    expect(again.tick().viewCount).toBe(0);
  });

  test.each(['pin', 'block'] as const)('is restored after a %s of a watcher without a cap ended', (tie) => {
    for (const memoryTicks of [0, 20, 100]) {
      const world = new World({ interests: { default: { memoryTicks } } });
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const marker = world.add({ x: 5, y: 0 });
      world.tick();
      world[tie](watcher, marker);
      world.tick();
      world[`un${tie}`](watcher, marker);
      world.tick();
      const again = World.restore(world.snapshot());
      for (const each of [world, again]) each.update(watcher, { cap: 1 });
      expect(again.tick().hash()).toBe(world.tick().hash());
      expect([...again.visibleTo(watcher)]).toEqual([marker]);
    }
  });

  test('knows who watches whom before its first tick, told at rates or not, however often it is asked', () => {
    const world = new World({ interests: { default: { updateRates: [[1, 4]] } } });
    const watcher = rowOf(world, 30);
    world.tick();
    const again = World.restore(world.snapshot());
    for (const marker of world.visibleTo(watcher)) expect([...again.watchersOf(marker)]).toEqual([watcher]);
  });

  test('reports to a watcher that got no updates as the other world does, whatever rates a pin of it had', () => {
    const world = new World({ interests: { default: { leaveMargin: 1 } } });
    const watcher = world.add({ x: 0, y: 0, range: 5, updates: false });
    const marker = world.add({ x: 3, y: 0 });
    world.pin(watcher, marker, '', { everyTicks: 2 });
    world.tick();
    world.unpin(watcher, marker);
    world.tick();
    // Something crosses: now the watcher needs no row.
    world.add({ x: 2, y: 2 });
    world.tick();
    const again = World.restore(world.snapshot());
    for (const each of [world, again]) each.update(watcher, { updates: true });
    for (let tick = 0; tick < 6; tick++) expect(again.tick().hash()).toBe(world.tick().hash());
    for (const each of [world, again]) each.pin(watcher, marker, '', { everyTicks: 4 });
    for (let tick = 0; tick < 8; tick++) {
      for (const each of [world, again]) each.touch(marker);
      expect(again.tick().hash(), `tick ${tick}`).toBe(world.tick().hash());
    }
  });

  test('has its ticks counted on, and no report yet', () => {
    const world = new World();
    rowOf(world, 3);
    world.tick();
    world.tick();
    const again = World.restore(world.snapshot());
    expect([again.tickCount, again.lastChanges.tick, again.lastChanges.enteredCount]).toEqual([2, 2, 0]);
    expect(again.tick().tick).toBe(3);
  });

  test('knows stale ids, and names those removed since the last tick in its next', () => {
    const world = new World();
    const watcher = rowOf(world, 3);
    world.tick();
    world.remove(1025);
    const again = World.restore(world.snapshot());
    expect(() => again.move(1025, 0, 0)).toThrow('names an entity that was removed');
    const changes = again.tick();
    expect([...changes.removed]).toEqual([1025]);
    expect([...(changes.of(watcher)?.left ?? [])]).toEqual([1025]);
  });

  test('is independent of the one that was stored', () => {
    const world = new World();
    const watcher = rowOf(world, 3);
    world.tick();
    const again = World.restore(world.snapshot());
    world.removeMany(world.ids());
    world.tick();
    expect(again.visibleTo(watcher).length).toBe(3);
  });

  test('has pins that hold until their last reason goes', () => {
    const world = new World();
    const watcher = world.add({ x: 0, y: 0, range: 1 });
    const far = world.add({ x: 1000, y: 0 });
    world.pin(watcher, far, 'quest');
    world.pin(watcher, far, 'target');
    world.tick();
    const again = World.restore(world.snapshot());
    again.unpin(watcher, far, 'quest');
    again.tick();
    expect(again.related(watcher, far)).toBe(true);
    again.unpin(watcher, far, 'target');
    again.tick();
    expect(again.related(watcher, far)).toBe(false);
  });

  test('has its channels, which new Channels take up', () => {
    const options = { target: 5, tolerance: 0.2 };
    const world = new World();
    const channels = new Channels(world, options);
    for (let i = 0; i < 20; i++) channels.join(world.add({ x: i, y: 0, range: 5 }));
    channels.balance();
    world.tick();
    const again = World.restore(world.snapshot());
    const adopted = new Channels(again, options);
    for (const id of world.ids()) expect(adopted.channelOf(id)).toBe(channels.channelOf(id));
  });

  test('is stored by a listener as of the tick that called it', () => {
    const world = new World();
    rowOf(world, 2);
    const stored: Uint8Array[] = [];
    world.on('enter', () => stored.push(world.snapshot()));
    world.tick();
    const again = World.restore(stored[0]);
    expect(again.tickCount).toBe(1);
    expect(again.tick().enteredCount).toBe(0);
  });
});

describe('functions', () => {
  const byId = { cap: 2, rank: (_watcher: number, marker: number) => -marker };

  test('of interests must be given again', () => {
    const world = new World({ interests: { default: byId, calm: { admit: () => true } } });
    const bytes = world.snapshot();
    const { rank } = byId;
    expect(codeOf(bytes)).toBe('UNKNOWN_INTEREST');
    expect(codeOf(bytes, { interests: { default: byId } })).toBe('UNKNOWN_INTEREST');
    expect(codeOf(bytes, { interests: { default: { rank: 'nearest' }, calm: { admit: () => true } } })).toBe(
      'UNKNOWN_INTEREST',
    );
    expect(codeOf(bytes, { interests: { default: { rank }, calm: { admit: () => true } } })).toBe('restored');
  });

  test('given again decide as before', () => {
    const interests = { default: byId };
    const world = new World({ interests });
    const watcher = rowOf(world, 5);
    world.tick();
    const again = World.restore(world.snapshot(), { interests });
    for (const one of [world, again]) one.add({ x: 50, y: 0 });
    expect(again.tick().hash()).toBe(world.tick().hash());
    expect(again.visibleTo(watcher).length).toBe(2);
  });

  test('of an interest that was replaced are not asked for, and what they ranked is not made up', () => {
    const world = new World({ interests: { default: { ...byId, admit: () => true } } });
    const watcher = rowOf(world, 5);
    world.tick();
    world.setInterest('default', { cap: 2 });
    const bytes = world.snapshot();
    const again = World.restore(bytes);
    expect(again.snapshot()).toEqual(bytes);
    const cut = [...world.ids()].filter((id) => id !== watcher && !world.related(watcher, id));
    expect(cut.length).toBe(3);
    for (const id of cut) {
      const { place: _, rank, lastSeatedRank, sentence, ...rest } = world.explain(watcher, id);
      const explained = again.explain(watcher, id);
      expect(rank).toBe(-id);
      expect(explained).toEqual({ ...rest, sentence: explained.sentence });
      expect(explained.sentence).toBe(
        `not related: cut by cap: 2 seats, distance ${rest.distance}, ranked by a function that was not stored`,
      );
    }
    // Given by that name is what replaces it, whose function may be another one.
    const other = World.restore(bytes, { interests: { default: { cap: 2, rank: () => 7 } } });
    for (const id of cut) expect(other.explain(watcher, id)).toEqual(again.explain(watcher, id));
    expect(again.tick().hash()).toBe(world.tick().hash());
    for (const id of cut) expect(again.explain(watcher, id)).toEqual(world.explain(watcher, id));
  });

  test('of a detector of the user’s own must be given again, or another detector', () => {
    const bytes = new World({ detector: blindDetector }).snapshot();
    expect(codeOf(bytes)).toBe('UNKNOWN_DETECTOR');
    expect(codeOf(bytes, { detector: blindDetector })).toBe('restored');
    expect(codeOf(bytes, { detector: 'tower' })).toBe('restored');
  });
});

describe('an interest that is given and differs', () => {
  test('is taken up with the next tick, as by setInterest', () => {
    const world = new World({ interests: { default: { cap: 4 } } });
    const watcher = rowOf(world, 6);
    world.tick();
    const again = World.restore(world.snapshot(), { interests: { default: { cap: 2 }, new: { cap: 1 } } });
    expect(again.visibleTo(watcher).length).toBe(4);
    world.setInterest('default', { cap: 2 });
    expect(again.tick().hash()).toBe(world.tick().hash());
    expect(again.visibleTo(watcher).length).toBe(2);
    again.update(watcher, { interest: 'new' });
    again.tick();
    expect(again.visibleTo(watcher).length).toBe(1);
  });
});

describe('a world with cells', () => {
  const cells = { granularity: 'cell', cellSize: 10 } as const;

  test('is restored with its detector, or one of the same rule only', () => {
    const bytes = new World({ ...cells, detector: 'tower' }).snapshot();
    expect(World.restore(bytes).stats().detector).toBe('tower');
    expect(World.restore(bytes, { detector: 'cross-list' }).stats().detector).toBe('cross-list');
    expect(codeOf(bytes, { detector: 'nine-grid' })).toBe('UNSUPPORTED');
    expect(codeOf(bytes, { detector: 'sweep' })).toBe('UNSUPPORTED');
  });

  test('goes on as the other', () => {
    const world = new World({ ...cells, detector: 'nine-grid' });
    rowOf(world, 30);
    world.tick();
    const again = World.restore(world.snapshot());
    for (const one of [world, again]) for (const id of one.ids()) one.move(id, id % 37, id % 11);
    expect(again.tick().hash()).toBe(world.tick().hash());
  });
});

describe('options', () => {
  const bytes = new World().snapshot();

  test.each([
    [{ listeners: [] }, 'BAD_OPTION'],
    [{ interests: [] }, 'BAD_OPTION'],
    [{ interests: new Map() }, 'BAD_OPTION'],
    [{ interests: { other: [] } }, 'BAD_OPTION'],
    [[], 'BAD_OPTION'],
    [{ interests: { default: { cap: -1 } } }, 'BAD_OPTION'],
    [{ kernels: 'fast' }, 'BAD_OPTION'],
    [{ detector: 'magic' }, 'UNKNOWN_DETECTOR'],
    [null, 'BAD_OPTION'],
  ])('%j are %s', (options, code) => {
    expect(codeOf(bytes, options as RestoreOptions)).toBe(code);
  });
});
