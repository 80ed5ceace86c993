/**
 * A page without a page: connects to a feed, keeps what comes, says what it is told to.
 */
import WebSocket from 'ws';
import { type FeedFrame, readFeedFrame } from '../src/feed-frame.ts';
import { type FeedMessage, type PageMessage, readFeedMessage, writeMessage } from '../src/feed-message.ts';

export type Heard = FeedFrame | FeedMessage;

export class FeedClient {
  readonly heard: Heard[] = [];
  closeCode: number | undefined;
  readonly socket: WebSocket;
  #wake: () => void = () => {};

  /** `url`: the page's. `path`: of the feed, as the page asks for it unless given. */
  constructor(url: string, headers: Record<string, string> = {}, path = `/feed${new URL(url).search}`) {
    this.socket = new WebSocket(new URL(path, url.replace('http', 'ws')), { headers });
    this.socket.on('message', (data: Buffer, isBinary) => {
      const message = isBinary ? readFeedFrame(new Uint8Array(data)) : readFeedMessage(data.toString());
      if (message === undefined || ('type' in message && message.type === 'foreign')) {
        throw new Error('the feed said what its own reader does not understand');
      }
      this.heard.push(message);
      this.#wake();
    });
    this.socket.on('close', (code) => {
      this.closeCode = code;
      this.#wake();
    });
    this.socket.on('error', () => this.#wake());
  }

  say(message: PageMessage): void {
    this.socket.send(writeMessage(message));
  }

  taken(): void {
    this.say({ type: 'taken', frames: this.all('tick').length, structures: this.all('structure').length });
  }

  all<K extends Heard extends infer M ? (M extends { kind: infer T } ? T : never) : never>(
    kind: K,
  ): Extract<FeedFrame, { kind: K }>[] {
    return this.heard.filter((message) => 'kind' in message && message.kind === kind) as Extract<
      FeedFrame,
      { kind: K }
    >[];
  }

  /** Waits until it holds; the test's own time limit is the limit. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async frames(count: number): Promise<void> {
    await this.until(() => this.all('tick').length >= count);
  }

  /** All that was sent before has been taken up by the server: it answers in order. */
  async settled(): Promise<void> {
    const pong = new Promise((resolve) => this.socket.once('pong', resolve));
    this.socket.ping();
    await pong;
  }
}
