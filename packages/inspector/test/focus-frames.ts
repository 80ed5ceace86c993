/** Focus frames of chance: everything that one may hold, for the suites of the frames. */
import fc from 'fast-check';
import {
  FOCUS_RANGES_MAX,
  type FocusEvents,
  type FocusFrame,
  type FocusList,
  HOLDS,
  type PerceivedList,
  type Seats,
} from '../src/focus-frame.ts';

const u32 = fc.nat({ max: 0xffffffff });
const f32 = fc.float({ noNaN: true, noDefaultInfinity: true });
const count = fc.nat({ max: 1000 });

const list: fc.Arbitrary<FocusList> = fc
  .tuple(fc.uniqueArray(u32, { maxLength: 60 }), count)
  .map(([some, more]) => ({ total: some.length + more, ids: Uint32Array.from(some).sort() }));

const perceived: fc.Arbitrary<PerceivedList> = fc
  .tuple(list, fc.infiniteStream(fc.nat({ max: 255 })))
  .map(([{ total, ids }, stream]) => ({
    total,
    ids,
    senses: Uint8Array.from(ids, () => stream.next().value as number),
    holds: Uint8Array.from(ids, () => (stream.next().value as number) % HOLDS.length),
  }));

const seats: fc.Arbitrary<Seats> = fc
  .record({
    seats: fc.option(fc.nat({ max: 0xfffffffe }), { nil: undefined }),
    seated: u32,
    outranked: fc.array(fc.tuple(u32, u32), { maxLength: 40 }),
    more: count,
  })
  .map(({ outranked, more, ...rest }) => ({
    ...rest,
    outrankedTotal: outranked.length + more,
    outranked: Uint32Array.from(outranked, ([id]) => id),
    places: Uint32Array.from(outranked, ([, place]) => place),
  }));

const senseName = fc.string({ maxLength: 40 }).map((name) => name.replaceAll('\n', ' '));
const ranges = fc.array(fc.record({ sense: senseName, range: f32 }), { maxLength: FOCUS_RANGES_MAX });

const event = fc.record({ ticksLater: fc.nat({ max: 3 }), isEnter: fc.boolean(), id: u32 });

const events: fc.Arbitrary<FocusEvents> = fc
  .record({
    list: fc.array(event, { maxLength: 40 }),
    sinceTick: fc.nat({ max: 1e9 }),
    unknownTicks: u32,
    missed: count,
  })
  .map(({ list, sinceTick, unknownTicks, missed }) => {
    let tick = sinceTick;
    return {
      sinceTick,
      unknownTicks,
      enteredTotal: list.filter(({ isEnter }) => isEnter).length + missed,
      leftTotal: list.filter(({ isEnter }) => !isEnter).length,
      ticks: Uint32Array.from(list, ({ ticksLater }) => (tick += ticksLater)),
      areEnters: Uint8Array.from(list, ({ isEnter }) => Number(isEnter)),
      ids: Uint32Array.from(list, ({ id }) => id),
    };
  });

export const focusFrames: fc.Arbitrary<Omit<FocusFrame, 'kind'>> = fc.record({
  tick: u32,
  id: u32,
  role: fc.constantFrom<'selected' | 'hovered'>('selected', 'hovered'),
  present: fc.boolean(),
  isAhead: fc.boolean(),
  x: f32,
  y: f32,
  z: f32,
  range: f32,
  margin: f32,
  ranges,
  perceives: perceived,
  perceivedBy: list,
  seats,
  events,
});
