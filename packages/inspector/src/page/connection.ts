/**
 * The page's end of the feed. Connects, reads, and connects again when the server has gone and come back,
 * waiting a quarter of a second at first and at most four. A server that was started anew may want another token than the
 * page has: that is asked for over HTTP, since a browser does not tell why a WebSocket was refused.
 */
import type { ExplanationNews } from '../explanation-news.ts';
import { type FeedFrame, readFeedFrame } from '../feed-frame.ts';
import {
  type DescriptionNews,
  type DetectorNews,
  type Greeting,
  type Pace,
  type PageMessage,
  readFeedMessage,
  type SeekNews,
  writeMessage,
} from '../feed-message.ts';

const RETRY_MIN_MS = 250;
const RETRY_MAX_MS = 4000;

export type ConnectionState = 'connecting' | 'live' | 'lost' | 'foreign' | 'locked';

export interface ConnectionListener {
  onState(state: ConnectionState): void;
  onGreeting(greeting: Greeting): void;
  onPace(pace: Pace): void;
  onDetector(news: DetectorNews): void;
  onSeek(news: SeekNews): void;
  onExplanation(news: ExplanationNews): void;
  onDescription(news: DescriptionNews): void;
  onFrame(frame: FeedFrame): void;
}

export class Connection {
  readonly #address: string;
  readonly #listener: ConnectionListener;
  #socket: WebSocket | undefined;
  #retryMs = RETRY_MIN_MS;
  #isLocked = false;
  #framesTaken = 0;
  #structuresTaken = 0;

  /** `address` is a ws: or wss: URL. */
  constructor(address: string, listener: ConnectionListener) {
    this.#address = address;
    this.#listener = listener;
  }

  open(): void {
    const socket = new WebSocket(this.#address);
    this.#socket = socket;
    this.#framesTaken = 0;
    this.#structuresTaken = 0;
    socket.binaryType = 'arraybuffer';
    socket.onmessage = (event) => this.#take(event.data);
    socket.onclose = () => {
      void this.#tellWhy();
      setTimeout(() => this.open(), this.#retryMs);
      this.#retryMs = Math.min(RETRY_MAX_MS, this.#retryMs * 1.6);
    };
  }

  /** Dropped while there is no connection. */
  send(message: PageMessage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(writeMessage(message));
  }

  /** Says that the page has drawn what it got, and the feed may send more. */
  confirm(): void {
    this.send({ type: 'taken', frames: this.#framesTaken, structures: this.#structuresTaken });
  }

  async #tellWhy(): Promise<void> {
    if (!this.#isLocked) this.#listener.onState('lost');
    const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
    this.#isLocked = answer?.status === 401;
    // By now it may be there again.
    if (this.#socket?.readyState === WebSocket.OPEN) return;
    this.#listener.onState(this.#isLocked ? 'locked' : 'lost');
  }

  #take(data: unknown): void {
    if (data instanceof ArrayBuffer) {
      const frame = readFeedFrame(new Uint8Array(data));
      if (frame?.kind === 'tick') this.#framesTaken++;
      if (frame?.kind === 'structure') this.#structuresTaken++;
      if (frame !== undefined) this.#listener.onFrame(frame);
      return;
    }
    const message = readFeedMessage(String(data));
    if (message?.type === 'pace') this.#listener.onPace(message);
    if (message?.type === 'detector') this.#listener.onDetector(message);
    if (message?.type === 'seek') this.#listener.onSeek(message);
    if (message?.type === 'explanation') this.#listener.onExplanation(message);
    if (message?.type === 'description') this.#listener.onDescription(message);
    if (message?.type === 'foreign') this.#listener.onState('foreign');
    if (message?.type !== 'greeting') return;
    this.#retryMs = RETRY_MIN_MS;
    this.#listener.onState('live');
    this.#listener.onGreeting(message);
  }
}
