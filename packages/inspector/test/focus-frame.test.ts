/**
 * The focus frame: lists and events that may be too long, ranges by sense, counts that are false.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFeedFrame } from '../src/feed-frame.ts';
import {
  FOCUS_EVENTS_MAX,
  FOCUS_LIST_MAX,
  HOLDS,
  OUTRANKED_MAX,
  type PerceivedList,
  writeFocusFrame,
} from '../src/focus-frame.ts';
import { focusFrames } from './focus-frames.ts';

const none = { total: 0, ids: new Uint32Array(0) };
const nobody = { ...none, senses: new Uint8Array(0), holds: new Uint8Array(0) };
const noSeats = {
  ...{ seats: undefined, seated: 0, outrankedTotal: 0 },
  ...{ outranked: new Uint32Array(0), places: new Uint32Array(0) },
};
const twoEvents = {
  ...{ sinceTick: 10, unknownTicks: 0, enteredTotal: 1, leftTotal: 1 },
  ...{ ticks: Uint32Array.of(11, 12), areEnters: Uint8Array.of(1, 0), ids: Uint32Array.of(5, 5) },
};

/** One that has a range and nobody in it. */
const alone = {
  ...{ tick: 1, id: 9, role: 'selected' as const, present: true, isAhead: false },
  ...{ x: 0, y: 0, z: 0, range: 1, margin: 0, ranges: [], perceives: nobody, perceivedBy: none },
  ...{ seats: noSeats, events: twoEvents },
};

/** Perceived by the first sense, all of them. */
function listed(ids: Uint32Array): PerceivedList {
  return {
    total: ids.length,
    ids,
    senses: new Uint8Array(ids.length).fill(1),
    holds: new Uint8Array(ids.length),
  };
}

describe('a focus frame', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(focusFrames, (frame) => {
        expect(readFeedFrame(writeFocusFrame(frame))).toEqual({ kind: 'focus', ...frame });
      }),
    );
  });

  it('carries the first ids of a list that is too long, and its total', () => {
    const many = Uint32Array.from({ length: FOCUS_LIST_MAX + 5 }, (_, i) => i + 1);
    const bytes = writeFocusFrame({ ...alone, perceives: listed(many) });
    const frame = readFeedFrame(bytes);
    if (frame?.kind !== 'focus') throw new Error('not read as a focus frame');
    expect(frame.perceives.total).toBe(FOCUS_LIST_MAX + 5);
    expect(frame.perceives.ids).toEqual(many.subarray(0, FOCUS_LIST_MAX));
  });
});

describe('those without a seat in a focus frame', () => {
  const cut = Uint32Array.from({ length: OUTRANKED_MAX + 4 }, (_, i) => i + 1);
  const seats = { seats: 3, seated: 3, outrankedTotal: cut.length, outranked: cut, places: cut };

  it('are cut where there are more than there may be, and the total stands', () => {
    const frame = readFeedFrame(writeFocusFrame({ ...alone, seats }));
    if (frame?.kind !== 'focus') throw new Error('not read as a focus frame');
    expect(frame.seats.outranked).toEqual(cut.subarray(0, OUTRANKED_MAX));
    expect(frame.seats.places).toEqual(cut.subarray(0, OUTRANKED_MAX));
    expect(frame.seats.outrankedTotal).toBe(cut.length);
  });

  it.each([
    ['a total below those that are told', 104, 2],
    ['more than there may be', 108, OUTRANKED_MAX + 1],
    ['those that are not in the frame', 108, 5],
  ])('are refused: %s', (_, at, value) => {
    const bytes = writeFocusFrame({
      ...alone,
      seats: { ...seats, outranked: cut.subarray(0, 4), outrankedTotal: 4 },
    });
    expect(readFeedFrame(bytes)).toBeDefined();
    new DataView(bytes.buffer).setUint32(at, value, true);
    expect(readFeedFrame(bytes)).toBeUndefined();
  });
});

it('a relation that came about in no way that there is refuses the frame', () => {
  const list = listed(Uint32Array.of(5));
  expect(readFeedFrame(writeFocusFrame({ ...alone, perceives: list }))).toBeDefined();
  list.holds[0] = HOLDS.length;
  expect(readFeedFrame(writeFocusFrame({ ...alone, perceives: list }))).toBeUndefined();
});

describe('the ranges in a focus frame', () => {
  it('are told by sense, with names that stay one line and end somewhere', () => {
    const given = Array.from({ length: 10 }, (_, i) => ({ sense: `${i}\n${'ö'.repeat(100)}`, range: i }));
    const frame = readFeedFrame(writeFocusFrame({ ...alone, ranges: given }));
    if (frame?.kind !== 'focus') throw new Error('not read as a focus frame');
    expect(frame.ranges).toEqual(
      given.slice(0, 8).map(({ range }) => ({ sense: `${range} ${'ö'.repeat(38)}`, range })),
    );
  });

  it.each([
    ['more than there may be', 84, 9],
    ['more than there are names', 84, 3],
    ['names that are not in the frame', 88, 64],
  ])('are refused: %s', (_, at, value) => {
    const sight = { sense: 'sight', range: 5 };
    const bytes = writeFocusFrame({ ...alone, ranges: [sight, { sense: 'smell', range: 2 }] });
    expect(readFeedFrame(bytes)).toBeDefined();
    new DataView(bytes.buffer).setUint32(at, value, true);
    expect(readFeedFrame(bytes)).toBeUndefined();
  });
});

describe('a focus frame whose counts are false', () => {
  it.each([
    ['more ids than there are', 2, 1],
    ['more ids than there may be', FOCUS_LIST_MAX + 1, FOCUS_LIST_MAX + 1],
    ['ids that are not in the frame', 3, 3],
  ])('is refused: %s', (_, count, total) => {
    const bytes = writeFocusFrame({ ...alone, perceives: listed(Uint32Array.of(5, 6)) });
    const header = new DataView(bytes.buffer);
    expect(readFeedFrame(bytes)).toBeDefined();
    header.setUint32(40, total, true);
    header.setUint32(44, count, true);
    expect(readFeedFrame(bytes)).toBeUndefined();
  });
});

describe('the events in a focus frame', () => {
  it('are cut where there are more than there may be, and the totals stand', () => {
    const count = FOCUS_EVENTS_MAX + 5;
    const ids = Uint32Array.from({ length: count }, (_, i) => i + 1);
    const columns = { ticks: new Uint32Array(count).fill(11), areEnters: new Uint8Array(count).fill(1), ids };
    const bytes = writeFocusFrame({ ...alone, events: { ...twoEvents, ...columns, enteredTotal: count } });
    const frame = readFeedFrame(bytes);
    if (frame?.kind !== 'focus') throw new Error('not read as a focus frame');
    expect(frame.events.ids).toEqual(ids.subarray(0, FOCUS_EVENTS_MAX));
    expect(frame.events.enteredTotal).toBe(count);
  });

  it.each([
    ['of a tick before the first', { ticks: Uint32Array.of(9, 12) }],
    ['that go back', { ticks: Uint32Array.of(13, 12) }],
    ['that neither enter nor leave', { areEnters: Uint8Array.of(1, 2) }],
    ['that are more than their totals', { enteredTotal: 0 }],
    ['with totals that are none', { leftTotal: Number.NaN }],
    ['with totals without end', { leftTotal: Number.POSITIVE_INFINITY }],
    ['with totals below nothing', { enteredTotal: 5, leftTotal: -1 }],
  ])('are refused: %s', (_, patch) => {
    expect(readFeedFrame(writeFocusFrame(alone))).toBeDefined();
    const bytes = writeFocusFrame({ ...alone, events: { ...twoEvents, ...patch } });
    expect(readFeedFrame(bytes)).toBeUndefined();
  });
});
