/**
 * The text messages: what a page may say, and that nothing else is taken.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FeedMessage,
  NAMES_ASKED_MAX,
  PAGE_MESSAGE_MAX_BYTES,
  type PageMessage,
  readFeedMessage,
  readPageMessage,
  writeMessage,
} from '../src/feed-message.ts';
import { FEED_VERSION } from '../src/frame-header.ts';

const fromPage: PageMessage[] = [
  { type: 'play' },
  { type: 'pause' },
  { type: 'step' },
  { type: 'speed', factor: 0.25 },
  { type: 'select', id: 0xffffffff },
  { type: 'hover', id: 0 },
  { type: 'taken', frames: Number.MAX_SAFE_INTEGER, structures: Number.MAX_SAFE_INTEGER },
  { type: 'detector', name: `"${'\\'.repeat(62)}"` },
  { type: 'structure', window: { minX: -1e30 / 3, minY: -1e30 / 7, maxX: 1e30 / 3, maxY: 1e30 / 7 } },
  { type: 'structure' },
  { type: 'explain', id: 0xffffffff },
  { type: 'describe', id: 0xffffffff },
  { type: 'seek', tick: 0xffffffff },
  { type: 'names', ids: new Array(NAMES_ASKED_MAX).fill(0xffffffff) },
];

const fromFeed: FeedMessage[] = [
  { type: 'pace', paused: true, speed: 2 },
  {
    type: 'greeting',
    version: FEED_VERSION,
    title: 'A city',
    kinds: ['player', 'car'],
    senses: ['sight', 'hearing'],
    isDriven: true,
    hasNames: true,
    bounds: { minX: -1, minY: -2, maxX: 3, maxY: 4, minZ: 0, maxZ: 9 },
    tickSeconds: 0.05,
    rangeShape: 'box',
    rangeRatio: [1, 0.5],
    detectors: ['sweep', 'tower'],
  },
  {
    type: 'greeting',
    version: FEED_VERSION,
    title: 'A city, recorded',
    kinds: [],
    senses: ['sight'],
    isDriven: false,
    hasNames: false,
    bounds: { minX: 0, minY: 0, maxX: 1, maxY: 1 },
    tickSeconds: 0.05,
    rangeShape: 'circle',
    rangeRatio: [1, 1],
    detectors: [],
    recording: { firstTick: 7, lastTick: 0xffffffff, isComplete: false },
  },
  { type: 'description', tick: 7, id: 1025, text: 'two\nlines' },
  { type: 'description', tick: 7, id: 1025 },
  {
    type: 'names',
    names: [
      [1025, 'Mira Okafor'],
      [2049, ''],
    ],
  },
  { type: 'seek', tick: 250, progress: 0.5 },
  { type: 'seek', tick: 0, progress: 1 },
  { type: 'detector', name: 'sweep' },
  { type: 'detector', name: 'sweep', refusal: 'tower: not for this world' },
  { type: 'explanation', tick: 7, from: 1025, to: 2049 },
  {
    type: 'explanation',
    tick: 7,
    from: 1025,
    to: 2049,
    forth: {
      related: false,
      rule: 'cap',
      sentence: 'not related: cut by cap',
      senses: ['sight'],
      distance: 41.25,
      reach: 50,
      margin: 0,
      seats: 50,
      place: 63,
      rank: 41.25,
      lastSeatedRank: 37.5,
      weight: 1,
    },
    back: {
      related: true,
      rule: 'always',
      sentence: 'related',
      senses: [],
      distance: 1,
      reach: 0,
      margin: 5,
    },
  },
];

describe('a message from a page', () => {
  it.each(fromPage)('is read as it was written: $type', (message) => {
    const text = writeMessage(message);
    expect(text.length).toBeLessThanOrEqual(PAGE_MESSAGE_MAX_BYTES);
    expect(readPageMessage(text)).toEqual(message);
  });

  it.each([
    '',
    'null',
    '[]',
    '"play"',
    '{',
    '{}',
    '{"type":"quit"}',
    '{"type":["play"]}',
    '{"type":"constructor"}',
    '{"type":"speed"}',
    '{"type":"speed","factor":0}',
    '{"type":"speed","factor":-1}',
    '{"type":"speed","factor":1e9}',
    '{"type":"speed","factor":"2"}',
    '{"type":"select"}',
    '{"type":"select","id":-1}',
    '{"type":"select","id":1.5}',
    '{"type":"select","id":4294967296}',
    '{"type":"hover","id":null}',
    '{"type":"names"}',
    '{"type":"names","ids":[-1]}',
    '{"type":"names","ids":{"length":1}}',
    '{"type":"names","ids":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}',
    '{"type":"explain"}',
    '{"type":"explain","id":-1}',
    '{"type":"seek"}',
    '{"type":"seek","tick":-1}',
    '{"type":"seek","tick":0.5}',
    '{"type":"seek","tick":4294967296}',
    '{"type":"seek","tick":"7"}',
    '{"type":"taken","frames":1e300,"structures":0}',
    '{"type":"taken","frames":1}',
    '{"type":"detector"}',
    '{"type":"detector","name":""}',
    '{"type":"detector","name":"a\\u0007"}',
    '{"type":"detector","name":"\\ud800"}',
    `{"type":"detector","name":"${'x'.repeat(65)}"}`,
    '{"type":"structure","window":null}',
    '{"type":"structure","window":[0,0,1,1]}',
    '{"type":"structure","window":{"minX":0,"minY":0,"maxX":1}}',
    '{"type":"structure","window":{"minX":2,"minY":0,"maxX":1,"maxY":1}}',
    '{"type":"structure","window":{"minX":0,"minY":0,"maxX":1e31,"maxY":1}}',
    `{"type":"play","more":"${'x'.repeat(PAGE_MESSAGE_MAX_BYTES)}"}`,
  ])('is refused: %s', (text) => {
    expect(readPageMessage(text)).toBeUndefined();
  });

  it('is never taken from text of chance, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readPageMessage(text)).toBeUndefined();
      }),
    );
  });

  it('loses what else it carries', () => {
    expect(readPageMessage('{"type":"step","__proto__":{"id":1},"id":2}')).toEqual({ type: 'step' });
  });
});

describe('a message from the feed', () => {
  it.each(fromFeed)('is read as it was written: $type', (message) => {
    expect(readFeedMessage(writeMessage(message))).toEqual(message);
  });

  it('is refused when a member is missing or of another type', () => {
    for (const message of fromFeed) {
      for (const name of Object.keys(message)) {
        const isOptional = ['refusal', 'recording', 'text'].includes(name);
        const without = readFeedMessage(JSON.stringify({ ...message, [name]: undefined }));
        if (!isOptional) expect(without).toBeUndefined();
        expect(readFeedMessage(JSON.stringify({ ...message, [name]: { a: 1 } }))).toBeUndefined();
      }
    }
  });

  it.each([
    ['bounds that are the wrong way round', { bounds: { minX: 5, minY: 0, maxX: 3, maxY: 4 } }],
    ['a shape that there is not', { rangeShape: 'star' }],
    ['a ratio of one number', { rangeRatio: [1] }],
    ['a ratio below 0', { rangeRatio: [1, -1] }],
    ['detectors that have no names', { detectors: ['sweep', ''] }],
    ['a recording that is none', { recording: null }],
    ['a recording without its end', { recording: { firstTick: 0, isComplete: true } }],
    [
      'a recording that ends before it begins',
      { recording: { firstTick: 3, lastTick: 2, isComplete: true } },
    ],
    ['a recording of too many ticks', { recording: { firstTick: 0, lastTick: 2 ** 32, isComplete: true } }],
    ['a recording complete in a way', { recording: { firstTick: 0, lastTick: 2, isComplete: 1 } }],
  ])('is refused with %s', (_, patch) => {
    expect(readFeedMessage(JSON.stringify({ ...fromFeed[1], ...patch }))).toBeUndefined();
  });

  it('on a seek is refused when it is no tick or no share', () => {
    for (const patch of [
      { tick: -1 },
      { tick: 1.5 },
      { progress: 1.01 },
      { progress: -0.1 },
      { progress: null },
    ]) {
      expect(
        readFeedMessage(JSON.stringify({ type: 'seek', tick: 1, progress: 0.5, ...patch })),
      ).toBeUndefined();
    }
  });

  it('is known for foreign when it is a greeting of another version, whatever else that says', () => {
    expect(
      readFeedMessage(JSON.stringify({ type: 'greeting', version: FEED_VERSION + 1, more: [] })),
    ).toEqual({
      type: 'foreign',
      version: FEED_VERSION + 1,
    });
  });

  it('is refused when what it explains is not whole', () => {
    const whole = fromFeed.at(-1) as Extract<FeedMessage, { type: 'explanation' }>;
    const { forth } = whole;
    for (const name of Object.keys(forth ?? {})) {
      const isOptional = ['seats', 'place', 'rank', 'lastSeatedRank', 'weight'].includes(name);
      const patched = (value: unknown) =>
        readFeedMessage(JSON.stringify({ ...whole, forth: { ...forth, [name]: value } }));
      expect(patched({})).toBeUndefined();
      expect(patched(undefined) === undefined).toBe(!isOptional);
    }
  });
});
