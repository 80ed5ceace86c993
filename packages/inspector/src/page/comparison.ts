/**
 * Explanation of a pair: which entity the user compares with the selected one, and the feed's answer.
 *
 * The choice stays until another entity is picked or selected; the feed renews its answer with every tick.
 */
import type { ExplanationNews } from '../explanation-news.ts';
import type { PageMessage } from '../feed-message.ts';
import type { Intake } from './intake.ts';
import type { Store } from './store.ts';

export class Comparison {
  readonly #store: Store;
  readonly #intake: Intake;
  readonly #send: (message: PageMessage) => void;
  readonly #nameOf: (id: number) => string;

  constructor(
    store: Store,
    intake: Intake,
    send: (message: PageMessage) => void,
    nameOf: (id: number) => string,
  ) {
    this.#store = store;
    this.#intake = intake;
    this.#send = send;
    this.#nameOf = nameOf;
  }

  /** Compares an entity with the selected one; 0 for none. */
  pick(id: number): void {
    this.#store.set({ comparedId: id, explanation: undefined });
    this.#send({ type: 'explain', id });
  }

  /** Picks the next entity by distance from the selected one; after the farthest, the nearest. */
  pickNext(selectedId: number): void {
    const { crowd, playhead } = this.#intake;
    const between = crowd.between(playhead.tick);
    const place = new Float64Array(3);
    const [selected, picked] = [selectedId, this.#store.state.comparedId].map((id) => crowd.indexOf(id));
    if (selected === undefined || selected < 0) return;
    crowd.placeInto(selected, between, place);
    const [x, y] = place as unknown as [number, number];
    const distanceOf = (index: number): number => {
      crowd.placeInto(index, between, place);
      return Math.hypot((place[0] as number) - x, (place[1] as number) - y);
    };
    const order = Array.from({ length: crowd.count }, (_, index) => index)
      .filter((index) => index !== selected)
      .map((index) => ({ index, distance: distanceOf(index) }))
      .sort((one, other) => one.distance - other.distance || one.index - other.index);
    const next = order[(order.findIndex(({ index }) => index === picked) + 1) % order.length];
    if (next !== undefined) this.pick(crowd.ids[next.index] as number);
  }

  /** Clears the choice; the feed does so by itself when another entity is selected. */
  forget(): void {
    this.#store.set({ comparedId: 0, explanation: undefined });
  }

  /** After a reconnect the feed must be asked again. */
  resume(): void {
    const { comparedId } = this.#store.state;
    if (comparedId !== 0) this.#send({ type: 'explain', id: comparedId });
  }

  take(news: ExplanationNews, selectedId: number): void {
    const { comparedId, explanation } = this.#store.state;
    if (news.from !== selectedId || news.to !== comparedId) return;
    const isFirst = explanation === undefined && news.forth !== undefined;
    const pair = `${this.#nameOf(news.from)} to ${this.#nameOf(news.to)}`;
    this.#store.set({
      explanation: news,
      ...(isFirst ? { announcement: `${pair}: ${news.forth?.sentence}.` } : {}),
    });
  }
}
