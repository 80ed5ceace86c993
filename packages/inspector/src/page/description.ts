/**
 * The world around the selected entity in words: asked for while a person has it open, and renewed by the feed.
 */
import type { DescriptionNews, PageMessage } from '../feed-message.ts';
import type { Store } from './store.ts';

export class Description {
  readonly #store: Store;
  readonly #send: (message: PageMessage) => void;
  /** Whether it is open, also while nobody is selected. */
  isWanted = false;
  #id = 0;

  constructor(store: Store, send: (message: PageMessage) => void) {
    this.#store = store;
    this.#send = send;
  }

  /** Opened, or closed. */
  want(isWanted: boolean): void {
    if (isWanted === this.isWanted) return;
    this.isWanted = isWanted;
    this.#ask();
  }

  /** Another is selected; 0: nobody. */
  select(id: number): void {
    this.#id = id;
    if (this.isWanted) this.#ask();
  }

  /** After a break the feed knows nothing of it. */
  resume(): void {
    if (this.isWanted && this.#id !== 0) this.#ask();
  }

  take(news: DescriptionNews): void {
    if (this.isWanted && news.id === this.#id) this.#store.set({ description: news });
  }

  #ask(): void {
    this.#store.set({ description: undefined });
    this.#send({ type: 'describe', id: this.isWanted ? this.#id : 0 });
  }
}
