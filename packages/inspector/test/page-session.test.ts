/**
 * Connections that a page does not end itself: one that is gone without a word, one that reads nothing.
 */
import { EventEmitter } from 'node:events';
import { World } from 'umwelt';
import { beforeEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { Feed } from '../src/feed/feed.ts';
import { PageSession } from '../src/feed/page-session.ts';
import { readFeedFrame } from '../src/feed-frame.ts';

class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  pings = 0;
  sent = 0;
  isTerminated = false;
  lastTick = -1;

  send(data: string | Uint8Array<ArrayBuffer>): void {
    this.sent++;
    const frame = typeof data === 'string' ? undefined : readFeedFrame(data);
    if (frame?.kind === 'tick') this.lastTick = frame.tick;
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
    socket = new FakeSocket();
    const feed = new Feed(
      { world: new World(), kindOf: () => 0, nameOf: () => '', rangeOf: () => 0, rangesOf: () => [] },
      2,
    );
    session = new PageSession(socket as unknown as WebSocket, feed, () => true);
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
      const endMs = performance.now() + (id === first ? costMs : 0);
      while (performance.now() < endMs);
      return 0;
    };
    return new Feed(
      { world, kindOf, nameOf: () => '', rangeOf: () => 0, rangesOf: () => [] },
      2,
      isRecording,
    );
  }

  it('waits with the next frame four times as long as the last one took, and then sends the newest', async () => {
    const world = new World();
    const feed = dearFeed(world, 20_000, 30, false);
    const page = new PageSession(socket as unknown as WebSocket, feed, () => true);
    page.publish();
    const sentMs = performance.now();
    // Population and tick.
    expect(socket.sent).toBe(2);
    const status = { tickMs: 1, paused: false, speed: 1 };
    for (let tick = 0; tick < 5; tick++) {
      feed.publish(world.tick(), status, 0);
      page.publish();
    }
    expect(socket.sent).toBe(2);
    await expect.poll(() => socket.sent, { interval: 5 }).toBe(3);
    expect(performance.now() - sentMs).toBeGreaterThan(4 * (30 - 5) - 2);
    // The frame that was sent last is of the last tick.
    expect(socket.lastTick).toBe(5);
    socket.emit('close');
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
