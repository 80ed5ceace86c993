/**
 * When structure frames go out: asked for, taken in, and not too often.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StructureStream } from '../src/feed/structure-stream.ts';

const here = { minX: 0, minY: 0, maxX: 1, maxY: 1 };
const there = { minX: 5, minY: 5, maxX: 6, maxY: 6 };

describe('a structure stream', () => {
  let asked: (typeof here)[];
  let sent: number;
  let isOpen: boolean;
  let costMs: number;
  let stream: StructureStream;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    asked = [];
    sent = 0;
    isOpen = true;
    costMs = 0;
    stream = new StructureStream({
      frameOf: (window) => {
        asked.push(window as typeof here);
        vi.advanceTimersByTime(costMs);
        return new Uint8Array(1);
      },
      send: () => {
        if (isOpen) sent++;
        return isOpen;
      },
    });
  });
  afterEach(() => {
    stream.close();
    vi.useRealTimers();
  });

  /** So long of ticks, 50 ms apart, with a page that takes in everything at once. */
  function play(ms: number): void {
    for (let at = 0; at < ms; at += 50) {
      vi.advanceTimersByTime(50);
      stream.renew();
      stream.taken(sent);
    }
  }

  it('sends nothing until it is asked, and then at once', () => {
    play(1000);
    expect(asked).toEqual([]);
    stream.ask(here);
    expect(asked).toEqual([here]);
    expect(sent).toBe(1);
  });

  it('sends a few frames a second while ticks go on', () => {
    stream.ask(here);
    stream.taken(1);
    play(10_000);
    expect(sent).toBe(51);
  });

  it('sends fewer when they cost much: a twentieth of the time at most', () => {
    costMs = 40;
    stream.ask(here);
    stream.taken(1);
    play(16_000);
    expect(sent).toBeGreaterThan(15);
    expect(sent).toBeLessThanOrEqual(22);
  });

  it('keeps whoever moves about waiting for less than that', () => {
    costMs = 40;
    stream.ask(here);
    stream.taken(1);
    vi.advanceTimersByTime(50);
    stream.ask(there);
    vi.advanceTimersByTime(250);
    expect(asked).toEqual([here, there]);
  });

  it('sends nothing more when the page wants none', () => {
    stream.ask(here);
    stream.taken(1);
    stream.ask(undefined);
    play(1000);
    expect(sent).toBe(1);
  });

  it('waits for the page to take in what it got', () => {
    stream.ask(here);
    for (let i = 0; i < 20; i++) {
      vi.advanceTimersByTime(50);
      stream.renew();
    }
    expect(sent).toBe(1);
    stream.taken(1);
    expect(sent).toBe(2);
  });

  it('believes no page that claims more than it was sent', () => {
    stream.ask(here);
    stream.taken(1_000_000);
    for (let i = 0; i < 40; i++) {
      vi.advanceTimersByTime(50);
      stream.renew();
    }
    expect(sent).toBe(2);
  });

  it('answers for the newest window, soon, though no tick comes', () => {
    stream.ask(here);
    stream.taken(1);
    for (let i = 0; i < 50; i++) stream.ask(i === 49 ? there : here);
    expect(sent).toBe(1);
    vi.advanceTimersByTime(250);
    expect(asked.slice(1)).toEqual([there]);
    stream.taken(2);
    vi.advanceTimersByTime(5000);
    expect(sent).toBe(2);
  });

  it('tells of another detector at once', () => {
    stream.ask(here);
    stream.taken(1);
    stream.replace();
    expect(sent).toBe(2);
  });

  it('keeps what was due for when the connection is free again', () => {
    isOpen = false;
    stream.ask(here);
    expect(sent).toBe(0);
    isOpen = true;
    play(300);
    expect(sent).toBeGreaterThan(0);
  });

  it('does nothing more once closed', () => {
    stream.ask(here);
    stream.taken(1);
    stream.renew();
    stream.close();
    vi.advanceTimersByTime(1000);
    stream.renew();
    expect(sent).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
