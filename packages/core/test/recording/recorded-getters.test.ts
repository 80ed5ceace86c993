/**
 * A recording of calls whose objects have getters, as classes have them: it holds what the world was given, also where
 * a getter answers otherwise when it is read again, or calls the world.
 */
import { expect, test } from 'vitest';
import { RecordedWorld, Replay } from '../../src/index.ts';

/** Records the calls and a tick, and replays them. */
function replayOf(calls: (world: RecordedWorld) => void): Replay {
  const world = new RecordedWorld();
  const pieces: Uint8Array[] = [];
  world.record((piece) => pieces.push(piece));
  calls(world);
  world.tick();
  world.stopRecording();
  const replay = new Replay(new Uint8Array(Buffer.concat(pieces)));
  while (replay.step() !== undefined);
  return replay;
}

/** Answers 1, 2, 3 and so on. */
function counter(): () => number {
  let count = 0;
  return () => ++count;
}

test('a range, a gain by sense and a place that are others at each reading', () => {
  const next = counter();
  const { world, difference } = replayOf((recorded) => {
    const [a, b] = recorded.addMany({ x: [0, 3], y: [0, 0] });
    recorded.update(a, {
      get range() {
        return next() + 3;
      },
    });
    recorded.update(b, {
      gain: {
        get sight() {
          return next() === 2 ? 1 : 0;
        },
      },
    });
    recorded.add({
      get x() {
        return next();
      },
      y: 0,
    });
  });
  expect(difference).toBeUndefined();
  expect(world.visibleTo(1)).toEqual(Uint32Array.of(1025, 2049));
  expect(world.position(2049)).toEqual(Float32Array.of(3, 0));
});

test('an offset and the limits of a pin that are others at each reading', () => {
  const next = counter();
  const { world, difference } = replayOf((recorded) => {
    const [parent, child, watcher] = recorded.addMany({ x: [5, 0, 0], y: [0, 0, 0] });
    recorded.attach(child, parent, {
      get x() {
        return next();
      },
    });
    recorded.pin(watcher, parent, '', {
      get within() {
        return next() === 2 ? 5 : 1;
      },
    });
  });
  expect(difference).toBeUndefined();
  expect(world.position(1025)).toEqual(Float32Array.of(6, 0));
  expect(world.related(2049, 1)).toBe(true);
});

test('getters that call the world', () => {
  const { world, difference } = replayOf((recorded) => {
    const id = recorded.add({ x: 0, y: 0, interest: 'default' });
    recorded.update(id, {
      get range() {
        recorded.touch(id);
        return 7;
      },
    });
    recorded.setInterest('near', {
      get cap() {
        recorded.touch(id);
        return 2;
      },
    });
    recorded.update(id, { interest: 'near', needs: 3 });
  });
  expect(difference).toBeUndefined();
  expect(world.ranges(1)).toEqual(Float32Array.of(7));
  expect(world.conditions(1)).toMatchObject({ needs: 3 });
});

test('columns that a class inherits', () => {
  class Ranges {
    get range() {
      return [4, 5];
    }
  }
  const { world, difference } = replayOf((recorded) => {
    const ids = recorded.addMany({ x: [0, 5], y: [0, 0] });
    recorded.updateMany(ids, new Ranges());
  });
  expect(difference).toBeUndefined();
  expect(world.visibleTo(1025)).toEqual(Uint32Array.of(1));
});
