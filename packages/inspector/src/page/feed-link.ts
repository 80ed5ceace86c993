/**
 * The page's end of a feed, independent of transport: a WebSocket, or a world in this page.
 */
import type { ExplanationNews } from '../explanation-news.ts';
import { type FeedFrame, readFeedFrame } from '../feed-frame.ts';
import {
  type DescriptionNews,
  type DetectorNews,
  type Greeting,
  type NamesNews,
  type Pace,
  type PageMessage,
  readFeedMessage,
  type SeekNews,
} from '../feed-message.ts';
import type { StandingNews } from '../standing-news.ts';

export type ConnectionState = 'connecting' | 'live' | 'lost' | 'foreign' | 'locked';

export interface FeedListener {
  onState(state: ConnectionState): void;
  onGreeting(greeting: Greeting): void;
  onPace(pace: Pace): void;
  onDetector(news: DetectorNews): void;
  onSeek(news: SeekNews): void;
  onExplanation(news: ExplanationNews): void;
  onDescription(news: DescriptionNews): void;
  onStanding(news: StandingNews): void;
  onNames(news: NamesNews): void;
  onFrame(frame: FeedFrame): void;
}

export interface FeedLink {
  /** Called once; the listener gets everything from then on. */
  open(): void;
  /** Dropped while there is no connection. */
  send(message: PageMessage): void;
  /** Reports that the page has drawn what it got, so the feed may send more. */
  confirm(): void;
}

/** Reads messages, calls the listener, and counts the frames that the feed wants counted. */
export class FeedReader {
  readonly #listener: FeedListener;
  #frames = 0;
  #structures = 0;

  constructor(listener: FeedListener) {
    this.#listener = listener;
  }

  /** What has been processed since the connection began. */
  get taken(): PageMessage {
    return { type: 'taken', frames: this.#frames, structures: this.#structures };
  }

  /** A new connection. */
  begin(): void {
    this.#frames = 0;
    this.#structures = 0;
  }

  /** True for a greeting of this version. */
  take(data: unknown): boolean {
    if (data instanceof ArrayBuffer) {
      const frame = readFeedFrame(new Uint8Array(data));
      if (frame?.kind === 'tick') this.#frames++;
      if (frame?.kind === 'structure') this.#structures++;
      if (frame !== undefined) this.#listener.onFrame(frame);
      return false;
    }
    const listener = this.#listener;
    const message = readFeedMessage(String(data));
    if (message?.type === 'pace') listener.onPace(message);
    if (message?.type === 'detector') listener.onDetector(message);
    if (message?.type === 'seek') listener.onSeek(message);
    if (message?.type === 'explanation') listener.onExplanation(message);
    if (message?.type === 'standing') listener.onStanding(message);
    if (message?.type === 'description') listener.onDescription(message);
    if (message?.type === 'names') listener.onNames(message);
    if (message?.type === 'foreign') listener.onState('foreign');
    if (message?.type !== 'greeting') return false;
    listener.onState('live');
    listener.onGreeting(message);
    return true;
  }
}
