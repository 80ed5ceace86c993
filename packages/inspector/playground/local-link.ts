/**
 * Both ends of a feed in one page: what would be a connection is a call.
 *
 * A message is delivered when whoever sent it is done, as over a network: neither end is called back while it speaks.
 */
import type { FeedHost } from '../src/feed/feed-host.ts';
import type { PageSocket } from '../src/feed/page-socket.ts';
import { type PageMessage, writeMessage } from '../src/feed-message.ts';
import { type FeedLink, type FeedListener, FeedReader } from '../src/page/feed-link.ts';

type Data = string | Uint8Array<ArrayBuffer>;
type OnMessage = (data: { toString(): string }, isBinary: boolean) => void;

export class LocalLink implements FeedLink {
  readonly #reader: FeedReader;
  /** Told when the page's end is open: a host may then be joined. */
  readonly #onOpen: () => void;
  #end: HostEnd | undefined;

  constructor(listener: FeedListener, onOpen: () => void) {
    this.#reader = new FeedReader(listener);
    this.#onOpen = onOpen;
  }

  open(): void {
    queueMicrotask(this.#onOpen);
  }

  /** The page looks at this host's world from now on, and no longer at the one before. */
  join(host: FeedHost): void {
    this.#end?.terminate();
    this.#reader.begin();
    this.#end = new HostEnd((data) => {
      this.#reader.take(typeof data === 'string' ? data : data.buffer);
    });
    host.join(this.#end);
  }

  send(message: PageMessage): void {
    this.#end?.deliver(writeMessage(message));
  }

  confirm(): void {
    this.send(this.#reader.taken);
  }
}

/** The host's end. */
class HostEnd implements PageSocket {
  readonly OPEN = 1;
  readyState = 1;
  readonly bufferedAmount = 0;
  readonly #take: (data: Data) => void;
  #onMessage: OnMessage | undefined;
  readonly #onClose: (() => void)[] = [];

  constructor(take: (data: Data) => void) {
    this.#take = take;
  }

  /** What the page says. */
  deliver(text: string): void {
    queueMicrotask(() => {
      if (this.readyState === this.OPEN) this.#onMessage?.(text, false);
    });
  }

  send(data: Data): void {
    queueMicrotask(() => {
      if (this.readyState === this.OPEN) this.#take(data);
    });
  }

  close(): void {
    this.terminate();
  }

  ping(): void {
    // It is there as long as the page is.
  }

  terminate(): void {
    if (this.readyState !== this.OPEN) return;
    this.readyState = 3;
    for (const listener of this.#onClose) listener();
  }

  on(event: 'message' | 'pong' | 'close' | 'error', listener: OnMessage | (() => void)): void {
    if (event === 'message') this.#onMessage = listener as OnMessage;
    if (event === 'close') this.#onClose.push(listener as () => void);
  }
}
