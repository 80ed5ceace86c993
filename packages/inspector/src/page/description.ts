/**
 * The surroundings of the selected entity in words: requested while the user has them open, and renewed by the feed.
 */
import type { DescriptionNews, PageMessage } from '../feed-message.ts';
import type { Store } from './store.ts';

export class Description {
  readonly #store: Store;
  readonly #send: (message: PageMessage) => void;
  /** Whether it is open, also while no entity is selected. */
  isWanted = false;
  #id = 0;

  constructor(store: Store, send: (message: PageMessage) => void) {
    this.#store = store;
    this.#send = send;
  }

  /** Opens or closes it. */
  want(isWanted: boolean): void {
    if (isWanted === this.isWanted) return;
    this.isWanted = isWanted;
    this.#ask();
  }

  /** Another entity is selected; 0: none. */
  select(id: number): void {
    this.#id = id;
    if (this.isWanted) this.#ask();
  }

  /** After a reconnect the feed must be asked again. */
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
