/**
 * Display names of entities. They come from the feed, only for entities that the page shows. Until a name has arrived, and
 * for entities without one, the kind and id are shown.
 *
 * At most `KEPT_MAX` are kept; the oldest are dropped, and requested again when needed. Names of removed entities stay while
 * there is room.
 */
import { NAMES_ASKED_MAX, type NamesNews, type PageMessage } from '../feed-message.ts';
import type { Crowd } from './crowd.ts';
import type { Store } from './store.ts';

const KEPT_MAX = 4096;
/** Names needed within this time are requested together. */
const GATHER_MS = 20;

export class Names {
  readonly #store: Store;
  readonly #crowd: Crowd;
  readonly #send: (message: PageMessage) => void;
  readonly #kept = new Map<number, string>();
  /** Requested, or about to be. */
  readonly #asked = new Set<number>();
  #waiting: number[] = [];

  constructor(store: Store, crowd: Crowd, send: (message: PageMessage) => void) {
    this.#store = store;
    this.#crowd = crowd;
    this.#send = send;
  }

  /** Another feed: the same ids may mean other entities. */
  begin(): void {
    this.#kept.clear();
    this.#asked.clear();
    this.#waiting = [];
    this.#tell();
  }

  of(id: number): string {
    const kept = this.#kept.get(id);
    if (kept !== undefined) return kept;
    const { greeting } = this.#store.state;
    if (greeting?.hasNames === true) this.#ask(id);
    const kind = this.#crowd.kinds[this.#crowd.indexOf(id)];
    return `${(kind === undefined ? undefined : greeting?.kinds[kind]) ?? 'entity'} ${id}`;
  }

  take({ names }: NamesNews): void {
    for (const [id, name] of names) {
      this.#asked.delete(id);
      this.#kept.set(id, name);
    }
    for (const id of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_MAX) break;
      this.#kept.delete(id);
    }
    this.#tell();
  }

  #ask(id: number): void {
    if (this.#asked.has(id)) return;
    this.#asked.add(id);
    if (this.#waiting.push(id) === 1) setTimeout(() => this.#sendWaiting(), GATHER_MS);
  }

  #sendWaiting(): void {
    const ids = this.#waiting.splice(0);
    for (let at = 0; at < ids.length; at += NAMES_ASKED_MAX)
      this.#send({ type: 'names', ids: ids.slice(at, at + NAMES_ASKED_MAX) });
  }

  #tell(): void {
    this.#store.set({ namesRevision: this.#store.state.namesRevision + 1 });
  }
}
