/**
 * Connections that a page does not end itself: one that is gone without a word, one that reads nothing.
 */
import { EventEmitter } from 'node:events';
import { World } from 'umwelt';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { Feed } from '../src/feed/feed.ts';
import { PageSession } from '../src/feed/page-session.ts';
import { type FeedFrame, readFeedFrame } from '../src/feed-frame.ts';
import { Crowd } from '../src/page/crowd.ts';

class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  pings = 0;
  sent = 0;
  isTerminated = false;
  lastTick = -1;
  readonly frames: FeedFrame[] = [];

  send(data: string | Uint8Array<ArrayBuffer>): void {
    this.sent++;
    const frame = typeof data === 'string' ? undefined : readFeedFrame(data);
    if (frame?.kind === 'tick') this.lastTick = frame.tick;
    if (frame !== undefined) this.frames.push(frame);
  }

  ping(): void {
    this.pings++;
  }

  terminate(): void {
    this.isTerminated = true;
  }
}

describe('a page session', () => {
  let socket: FakeSocket;
  let session: PageSession;

  beforeEach(() => {
    vi.useFakeTimers();
    socket = new FakeSocket();
    const feed = new Feed(
      { world: new World(), kindOf: () => 0, nameOf: () => '', rangeOf: () => 0, rangesOf: () => [] },
      2,
    );
    session = new PageSession(socket as unknown as WebSocket, feed, () => true);
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it('goes on while the page answers', () => {
    for (let i = 0; i < 5; i++) {
      session.probe();
      socket.emit('pong');
    }
    expect(socket.pings).toBe(5);
    expect(socket.isTerminated).toBe(false);
  });

  it('ends when the page has not answered by the next probe', () => {
    session.probe();
    socket.emit('pong');
    session.probe();
    expect(socket.isTerminated).toBe(false);
    session.probe();
    expect(socket.isTerminated).toBe(true);
  });

  it('goes on while the page says anything, or still reads what was sent before the probe', () => {
    session.probe();
    socket.emit('message', JSON.stringify({ type: 'taken', frames: 0, structures: 0 }), false);
    socket.bufferedAmount = 9_000_000;
    session.probe();
    expect(socket.isTerminated).toBe(false);
    socket.bufferedAmount = 4_000_000;
    session.probe();
    expect(socket.isTerminated).toBe(false);
    session.probe();
    expect(socket.isTerminated).toBe(true);
  });

  it('ends a page that has a frame to draw only at the fifth probe without an answer', () => {
    session.publish();
    for (let i = 0; i < 4; i++) session.probe();
    expect([socket.pings, socket.isTerminated]).toEqual([4, false]);
    session.probe();
    expect([socket.pings, socket.isTerminated]).toEqual([4, true]);
  });

  it('sends no frames to a page that is far behind, and ends when it reads nothing at all', () => {
    session.publish();
    expect(socket.sent).toBe(2);
    socket.bufferedAmount = 5 << 20;
    session.publish();
    expect(socket.sent).toBe(2);
    session.sendText('told in words');
    expect(socket.sent).toBe(3);
    socket.bufferedAmount = 129 << 20;
    session.sendText('told in words');
    expect(socket.sent).toBe(3);
    expect(socket.isTerminated).toBe(true);
  });

  /** A feed of a world of so many, whose first frame takes `costMs` more than else. */
  function dearFeed(world: World, count: number, costMs: number, isRecording: boolean): Feed {
    const [first] = world.addMany({ x: new Float32Array(count), y: new Float32Array(count) });
    const kindOf = (id: number) => {
      if (id === first) vi.advanceTimersByTime(costMs);
      return 0;
    };
    return new Feed(
      { world, kindOf, nameOf: () => '', rangeOf: () => 0, rangesOf: () => [] },
      2,
      isRecording,
    );
  }

  it('waits with the next frame four times as long as the last one took, and then sends the newest', () => {
    const world = new World();
    const feed = dearFeed(world, 20_000, 30, false);
    const page = new PageSession(socket as unknown as WebSocket, feed, () => true);
    page.publish();
    // Population and tick.
    expect(socket.sent).toBe(2);
    const status = { tickMs: 1, paused: false, speed: 1 };
    for (let tick = 0; tick < 5; tick++) {
      feed.publish(world.tick(), status, 0);
      page.publish();
    }
    // Five of the 30 milliseconds are free.
    vi.advanceTimersByTime(4 * (30 - 5) - 1);
    expect(socket.sent).toBe(2);
    vi.advanceTimersByTime(1);
    expect(socket.sent).toBe(3);
    // The frame that was sent last is of the last tick.
    expect(socket.lastTick).toBe(5);
    socket.emit('close');
  });

  it('sends of a large population only what has changed, to a page that has the version before', () => {
    const world = new World();
    const ids = world.addMany({ x: new Float32Array(20_010), y: new Float32Array(20_010) });
    const kinds = new Map<number, number>();
    const kindOf = (id: number) => kinds.get(id) ?? 0;
    const feed = new Feed({ world, kindOf, nameOf: () => '', rangeOf: () => 0, rangesOf: () => [] }, 2, true);
    const page = new PageSession(socket as unknown as WebSocket, feed, () => true);
    const crowd = new Crowd();
    const tick = (frames: number) => {
      feed.publish(world.tick(), { tickMs: 1, paused: false, speed: 1 }, 0);
      page.publish();
      socket.emit('message', JSON.stringify({ type: 'taken', frames, structures: 0 }), false);
      for (const frame of socket.frames.splice(0)) {
        if (frame.kind === 'tick') expect(crowd.takeTick(frame)).toBe(true);
        else if (frame.kind === 'population' || frame.kind === 'population-change') {
          kindsSent.push(frame.kind);
          crowd.takePopulation(frame);
        }
      }
      expect(crowd.ids).toEqual(world.ids());
      expect(crowd.kinds).toEqual(Uint8Array.from(world.ids(), kindOf));
    };
    const kindsSent: string[] = [];
    tick(1);
    world.removeMany(ids.subarray(3, 6));
    kinds.set(world.add({ x: 0, y: 0 }), 2);
    tick(2);
    tick(3);
    world.remove(ids[0]!);
    tick(4);
    expect(kindsSent).toEqual(['population', 'population-change', 'population-change']);
    const late = new FakeSocket();
    new PageSession(late as unknown as WebSocket, feed, () => true).publish();
    expect(late.frames.map(({ kind }) => kind)).toEqual(['population', 'tick']);
  });

  it('waits with no frame of a recording, which runs only to be looked at', () => {
    const world = new World();
    const feed = dearFeed(world, 20_000, 30, true);
    const page = new PageSession(socket as unknown as WebSocket, feed, () => true);
    page.publish();
    feed.publish(world.tick(), { tickMs: 1, paused: false, speed: 1 }, 0);
    page.publish();
    expect(socket.sent).toBe(3);
  });

  it('waits with no frame of a small world', () => {
    const world = new World();
    const feed = dearFeed(world, 19_999, 30, false);
    const page = new PageSession(socket as unknown as WebSocket, feed, () => true);
    page.publish();
    feed.publish(world.tick(), { tickMs: 1, paused: false, speed: 1 }, 0);
    page.publish();
    expect(socket.sent).toBe(3);
  });
});
