/**
 * The binary frames: what is written is what is read, and whatever is read is a frame or nothing.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHURN_CELLS_MAX, writeChurnFrame } from '../src/churn-frame.ts';
import { type FeedFrame, readFeedFrame, writeTickFrame } from '../src/feed-frame.ts';
import { FOCUS_EVENTS_MAX, FOCUS_LIST_MAX, FOCUS_RANGES_MAX, writeFocusFrame } from '../src/focus-frame.ts';
import { writePopulationChange, writePopulationFrame } from '../src/population-frame.ts';
import { focusFrames } from './focus-frames.ts';
import { tickFrame } from './tick-frames.ts';

const u32 = fc.nat({ max: 0xffffffff });
const f32 = fc.float({ noNaN: true, noDefaultInfinity: true });
const f64 = fc.double({ noNaN: true, min: -1e15, max: 1e15 });
const ids = fc.uniqueArray(u32, { maxLength: 60 }).map((list) => Uint32Array.from(list).sort());

const population = ids.chain((list) =>
  fc.record({
    tick: u32,
    populationVersion: u32,
    ids: fc.constant(list),
    kinds: fc.uint8Array({ minLength: list.length, maxLength: list.length }),
    watchers: fc.uint8Array({ minLength: list.length, maxLength: list.length, max: 1 }),
  }),
);

const change = fc.tuple(population, ids, u32).map(([frame, removed, baseVersion]) => ({
  ...frame,
  removed,
  baseVersion,
}));

const tick = fc
  .record({ count: fc.nat({ max: 60 }), dimensions: fc.constantFrom<2 | 3>(2, 3) })
  .chain(({ count, dimensions }) =>
    fc.record({
      tick: u32,
      populationVersion: u32,
      paused: fc.boolean(),
      speed: f32,
      tickMs: f32,
      timeMs: f64,
      enteredTotal: f64,
      leftTotal: f64,
      updatedTotal: f64,
      sensedTotal: f64,
      relations: f64,
      lingering: f64,
      waiting: f64,
      leaps: u32,
      dimensions: fc.constant(dimensions),
      positions: fc.float32Array({
        minLength: count * dimensions,
        maxLength: count * dimensions,
        noNaN: true,
      }),
      events: fc.uint8Array({ minLength: count, maxLength: count }),
    }),
  );

const churn = fc.nat({ max: 60 }).chain((count) =>
  fc.record({
    firstTick: u32,
    ticksPerCell: u32.map((ticks) => Math.max(1, ticks)),
    pairs: fc.float32Array({
      minLength: count,
      maxLength: count,
      noNaN: true,
      noDefaultInfinity: true,
      min: 0,
    }),
    known: fc.uint8Array({ minLength: count, maxLength: count }),
  }),
);

const written = fc.oneof(
  churn.map(writeChurnFrame),
  population.map(writePopulationFrame),
  change.map(writePopulationChange),
  tick.map(writeTickFrame),
  focusFrames.map(writeFocusFrame),
);

/** What a page relies on once a frame has been read. */
function expectSound(frame: FeedFrame): void {
  if (frame.kind === 'population') {
    expect(frame.kinds.length).toBe(frame.ids.length);
    expect(frame.watchers.length).toBe(frame.ids.length);
    expect([...frame.ids]).toEqual([...new Set(frame.ids)].sort((a, b) => a - b));
  } else if (frame.kind === 'population-change') {
    expect([frame.kinds.length, frame.watchers.length]).toEqual([frame.ids.length, frame.ids.length]);
    for (const list of [frame.ids, frame.removed])
      expect([...list]).toEqual([...new Set(list)].sort((a, b) => a - b));
  } else if (frame.kind === 'tick') {
    expect(frame.positions.length).toBe(frame.events.length * frame.dimensions);
    expect(Number.isFinite(frame.tickMs + frame.speed + frame.relations + frame.waiting + frame.timeMs)).toBe(
      true,
    );
  } else if (frame.kind === 'churn') {
    expect(frame.known.length).toBe(frame.pairs.length);
    expect(frame.pairs.length).toBeLessThanOrEqual(CHURN_CELLS_MAX);
    expect(frame.ticksPerCell).toBeGreaterThan(0);
    expect(frame.pairs.every((pairs) => pairs >= 0 && Number.isFinite(pairs))).toBe(true);
  } else if (frame.kind === 'focus') {
    expect(frame.ranges.length).toBeLessThanOrEqual(FOCUS_RANGES_MAX);
    for (const { range } of frame.ranges) expect(range).not.toBeNaN();
    for (const { total, ids } of [frame.perceives, frame.perceivedBy]) {
      expect(ids.length).toBeLessThanOrEqual(Math.min(total, FOCUS_LIST_MAX));
    }
    const { sinceTick, ticks, areEnters, ids, enteredTotal, leftTotal } = frame.events;
    expect(ticks.length).toBeLessThanOrEqual(Math.min(FOCUS_EVENTS_MAX, enteredTotal + leftTotal));
    expect([areEnters.length, ids.length]).toEqual([ticks.length, ticks.length]);
    expect([...ticks]).toEqual([...ticks].sort((a, b) => a - b));
    expect(ticks.every((tick) => tick >= sinceTick)).toBe(true);
    expect(areEnters.every((isEnter) => isEnter <= 1)).toBe(true);
  }
}

describe('a population frame', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(population, (frame) => {
        expect(readFeedFrame(writePopulationFrame(frame))).toEqual({ kind: 'population', ...frame });
      }),
    );
  });

  it('is refused when its ids do not ascend', () => {
    const columns = { kinds: new Uint8Array(2), watchers: new Uint8Array(2) };
    const frame = { tick: 1, populationVersion: 1, ids: Uint32Array.of(7, 7), ...columns };
    expect(readFeedFrame(writePopulationFrame(frame))).toBeUndefined();
  });
});

describe('a population change frame', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(change, (frame) => {
        expect(readFeedFrame(writePopulationChange(frame))).toEqual({ kind: 'population-change', ...frame });
      }),
    );
  });

  it('is refused when its ids do not ascend', () => {
    const columns = { kinds: new Uint8Array(2), watchers: new Uint8Array(2) };
    const frame = { tick: 1, populationVersion: 2, baseVersion: 1, removed: Uint32Array.of(1, 2) };
    const read = (removed: number[], ids: number[]) =>
      readFeedFrame(
        writePopulationChange({
          ...frame,
          ...columns,
          removed: Uint32Array.from(removed),
          ids: Uint32Array.from(ids),
        }),
      );
    expect(read([1, 2], [7, 8])).toBeDefined();
    expect(read([2, 1], [7, 8])).toBeUndefined();
    expect(read([1, 2], [8, 8])).toBeUndefined();
  });

  it('takes four bytes a removed entity and six another one', () => {
    const size = (removed: number, set: number) =>
      writePopulationChange({
        ...{ tick: 1, populationVersion: 2, baseVersion: 1 },
        removed: new Uint32Array(removed),
        ids: new Uint32Array(set),
        kinds: new Uint8Array(set),
        watchers: new Uint8Array(set),
      }).length;
    expect([size(0, 0), size(100, 0), size(100, 1000)]).toEqual([32, 432, 6432]);
  });
});

describe('a tick frame', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(tick, (frame) => {
        expect(readFeedFrame(writeTickFrame(frame))).toEqual({ kind: 'tick', ...frame });
      }),
    );
  });

  it('takes nine bytes an entity in two dimensions', () => {
    const size = (count: number) =>
      writeTickFrame(tickFrame({ positions: new Float32Array(count * 2), events: new Uint8Array(count) }))
        .length;
    expect(size(100_000) - size(0)).toBe(900_000);
  });
});

describe('a churn frame', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(churn, (frame) => {
        expect(readFeedFrame(writeChurnFrame(frame))).toEqual({ kind: 'churn', ...frame });
      }),
    );
  });

  it('is refused with too many cells, with cells of no tick, and with counts that are none', () => {
    const known = new Uint8Array(1);
    const frame = { firstTick: 0, ticksPerCell: 1, pairs: new Float32Array(1), known };
    expect(readFeedFrame(writeChurnFrame(frame))).toBeDefined();
    expect(readFeedFrame(writeChurnFrame({ ...frame, ticksPerCell: 0 }))).toBeUndefined();
    for (const pairs of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(readFeedFrame(writeChurnFrame({ ...frame, pairs: Float32Array.of(pairs) }))).toBeUndefined();
    }
    const count = CHURN_CELLS_MAX + 1;
    const many = { pairs: new Float32Array(count), known: new Uint8Array(count) };
    expect(readFeedFrame(writeChurnFrame({ ...frame, ...many }))).toBeUndefined();
  });
});

describe('the reader of frames', () => {
  it('takes bytes from an odd place', () => {
    fc.assert(
      fc.property(written, (bytes) => {
        const shifted = new Uint8Array(bytes.length + 1);
        shifted.set(bytes, 1);
        expect(readFeedFrame(shifted.subarray(1))).toEqual(readFeedFrame(bytes));
      }),
    );
  });

  it('answers nothing for bytes of chance', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(readFeedFrame(new Uint8Array(bytes))).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  it('answers nothing for a frame cut short or drawn out', () => {
    fc.assert(
      fc.property(written, fc.nat(), (bytes, at) => {
        expect(readFeedFrame(bytes.slice(0, at % bytes.length))).toBeUndefined();
        const longer = new Uint8Array(bytes.length + 1 + (at % 8));
        longer.set(bytes);
        expect(readFeedFrame(longer)).toBeUndefined();
      }),
    );
  });

  it('answers a sound frame or nothing when bytes are damaged', () => {
    let soundCount = 0;
    fc.assert(
      fc.property(
        written,
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 6 }),
        (bytes, hits) => {
          // Damage to the magic and the length is found at once; what comes after them is what needs proof.
          for (const [at, value] of hits) bytes[12 + (at % (bytes.length - 12))] = value;
          const frame = readFeedFrame(bytes);
          if (frame === undefined) return;
          soundCount++;
          expectSound(frame);
        },
      ),
      { numRuns: 5000 },
    );
    expect(soundCount).toBeGreaterThan(0);
  });

  it('refuses another version', () => {
    const bytes = writePopulationFrame({
      tick: 1,
      populationVersion: 1,
      ids: new Uint32Array(0),
      kinds: new Uint8Array(0),
      watchers: new Uint8Array(0),
    });
    expect(readFeedFrame(bytes)).toBeDefined();
    bytes[4] = (bytes[4] as number) + 1;
    expect(readFeedFrame(bytes)).toBeUndefined();
  });
});
