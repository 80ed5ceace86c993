/**
 * Connections that a page does not end itself: one that is gone without a word, one that reads nothing.
 */
import { EventEmitter } from 'node:events';
import { World } from 'umwelt';
import { beforeEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { Feed } from '../src/feed/feed.ts';
import { PageSession } from '../src/feed/page-session.ts';

class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  pings = 0;
  sent = 0;
  isTerminated = false;

  send(): void {
    this.sent++;
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
});
