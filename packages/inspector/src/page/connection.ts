/**
 * A feed over a WebSocket. It connects, and reconnects when the server has gone and come back; the wait between attempts
 * grows from a quarter of a second to four. A restarted server may require another token than the page has. The page checks
 * that over HTTP, since a browser does not tell why a WebSocket was refused.
 */
import { type PageMessage, writeMessage } from '../feed-message.ts';
import { type FeedLink, type FeedListener, FeedReader } from './feed-link.ts';

const RETRY_MIN_MS = 250;
const RETRY_MAX_MS = 4000;

export class Connection implements FeedLink {
  readonly #address: string;
  readonly #listener: FeedListener;
  readonly #reader: FeedReader;
  #socket: WebSocket | undefined;
  #retryMs = RETRY_MIN_MS;
  #isLocked = false;

  /** `address` is a ws: or wss: URL. */
  constructor(address: string, listener: FeedListener) {
    this.#address = address;
    this.#listener = listener;
    this.#reader = new FeedReader(listener);
  }

  open(): void {
    const socket = new WebSocket(this.#address);
    this.#socket = socket;
    this.#reader.begin();
    socket.binaryType = 'arraybuffer';
    socket.onmessage = (event) => {
      if (this.#reader.take(event.data)) this.#retryMs = RETRY_MIN_MS;
    };
    socket.onclose = () => {
      void this.#tellWhy();
      setTimeout(() => this.open(), this.#retryMs);
      this.#retryMs = Math.min(RETRY_MAX_MS, this.#retryMs * 1.6);
    };
  }

  send(message: PageMessage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(writeMessage(message));
  }

  confirm(): void {
    this.send(this.#reader.taken);
  }

  async #tellWhy(): Promise<void> {
    if (!this.#isLocked) this.#listener.onState('lost');
    const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
    this.#isLocked = answer?.status === 401;
    // The connection may be open again by now.
    if (this.#socket?.readyState === WebSocket.OPEN) return;
    this.#listener.onState(this.#isLocked ? 'locked' : 'lost');
  }
}
