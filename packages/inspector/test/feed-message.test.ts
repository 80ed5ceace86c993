/**
 * The text messages: what a page may say, and that nothing else is taken.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FeedMessage,
  PAGE_MESSAGE_MAX_BYTES,
  type PageMessage,
  readFeedMessage,
  readPageMessage,
  writeMessage,
} from '../src/feed-message.ts';

const fromPage: PageMessage[] = [
  { type: 'play' },
  { type: 'pause' },
  { type: 'step' },
  { type: 'speed', factor: 0.25 },
  { type: 'select', id: 0xffffffff },
  { type: 'hover', id: 0 },
  { type: 'taken', frames: Number.MAX_SAFE_INTEGER },
];

const fromFeed: FeedMessage[] = [
  { type: 'pace', paused: true, speed: 2 },
  {
    type: 'greeting',
    version: 1,
    title: 'A city',
    kinds: ['player', 'car'],
    bounds: { minX: -1, minY: -2, maxX: 3, maxY: 4, minZ: 0, maxZ: 9 },
    tickSeconds: 0.05,
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
    '{"type":"taken","frames":1e300}',
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
        expect(readFeedMessage(JSON.stringify({ ...message, [name]: undefined }))).toBeUndefined();
        expect(readFeedMessage(JSON.stringify({ ...message, [name]: { a: 1 } }))).toBeUndefined();
      }
    }
  });

  it('is refused with bounds that are the wrong way round', () => {
    const greeting = fromFeed[1] as FeedMessage & { bounds: object };
    const bounds = { ...greeting.bounds, minX: 5 };
    expect(readFeedMessage(JSON.stringify({ ...greeting, bounds }))).toBeUndefined();
  });
});
