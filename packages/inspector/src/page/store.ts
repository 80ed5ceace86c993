/**
 * What the page's elements show. The world's motion is not in here: it goes straight to the canvas.
 *
 * One object, replaced member by member; whoever reads a part of it is told when that part becomes another. The
 * figures in it change a few times a second, not with every tick.
 */
import { useEffect, useState } from 'preact/hooks';
import type { ChurnFrame } from '../churn-frame.ts';
import type { ExplanationNews } from '../explanation-news.ts';
import type { DescriptionNews, Greeting } from '../feed-message.ts';
import type { FocusFrame } from '../focus-frame.ts';
import type { StandingNews } from '../standing-news.ts';
import type { StructureFrame } from '../structure-frame.ts';
import type { ConnectionState } from './feed-link.ts';
import type { Lately } from './lately.ts';
import type { Theme } from './palette.ts';

export interface PageState {
  readonly connection: ConnectionState;
  readonly greeting: Greeting | undefined;
  readonly paused: boolean;
  readonly speed: number;
  readonly tick: number;
  /** Of a recording: the tick that was asked for and is not there yet, and how far the way to it has been gone, 0 to 1. */
  readonly seek: { readonly tick: number; readonly progress: number } | undefined;
  /** Of a recording: what came and went in each part of it, as far as it is known. */
  readonly strip: ChurnFrame | undefined;
  readonly entityCount: number;
  readonly watcherCount: number;
  readonly kindCounts: readonly number[];
  /** Of each kind, how many somebody relates to. */
  readonly watchedCounts: readonly number[];
  readonly relations: number;
  /** Of them, those that linger; and pairs that wait to enter. */
  readonly lingering: number;
  readonly waiting: number;
  readonly tickMs: number;
  /** Ticks of about the last minute that took longer than the time between two. */
  readonly ticksOver: number;
  /** Enter, leave and sense events in a second of the page's clock. */
  readonly eventsPerSecond: number;
  /** Relations that came or went, for each watcher and tick. */
  readonly churn: number;
  /** The name of the world's; empty until it is known. */
  readonly detector: string;
  /** Why the detector last asked for could not be had. */
  readonly detectorRefusal: string | undefined;
  readonly isStructureShown: boolean;
  /** The latest that has come, of the present detector; undefined while none is shown. */
  readonly structure: StructureFrame | undefined;
  readonly selected: FocusFrame | undefined;
  readonly selectedKind: number;
  /** From whom the selected hangs, who hangs from it, and whom it is for. */
  readonly standing: StandingNews | undefined;
  /** Goes up when what entities are called has become known. */
  readonly namesRevision: number;
  /** What has come and gone in the selected's view; undefined until the feed says since when that is known. */
  readonly lately: Lately | undefined;
  /** The one held against the selected, 0 for none, and why the two are related, or not. */
  readonly comparedId: number;
  readonly explanation: ExplanationNews | undefined;
  /** The world around the selected in words; undefined while nobody reads them. */
  readonly description: DescriptionNews | undefined;
  /** Whether the next entity that is clicked is to be held against the selected. */
  readonly isPickingOther: boolean;
  readonly hovered: FocusFrame | undefined;
  readonly hoveredKind: number;
  readonly isFollowing: boolean;
  /** The page follows somebody by itself, and nobody has touched it yet. */
  readonly isShownAround: boolean;
  readonly theme: Theme;
  readonly isByHeight: boolean;
  readonly isHelpOpen: boolean;
  readonly isPanelOpen: boolean;
  /** Why there is no picture; undefined when there is one. */
  readonly graphicsFault: string | undefined;
  /** CSS pixels for one world unit. */
  readonly scale: number;
  /** For those who hear the page. */
  readonly announcement: string;
}

/** Before anything has come. */
export function firstState(theme: Theme): PageState {
  return {
    connection: 'connecting',
    greeting: undefined,
    paused: false,
    speed: 1,
    tick: 0,
    seek: undefined,
    strip: undefined,
    entityCount: 0,
    watcherCount: 0,
    kindCounts: [],
    watchedCounts: [],
    relations: 0,
    lingering: 0,
    waiting: 0,
    tickMs: 0,
    ticksOver: 0,
    eventsPerSecond: 0,
    churn: 0,
    detector: '',
    detectorRefusal: undefined,
    isStructureShown: false,
    structure: undefined,
    selected: undefined,
    selectedKind: 0,
    standing: undefined,
    namesRevision: 0,
    lately: undefined,
    comparedId: 0,
    explanation: undefined,
    description: undefined,
    isPickingOther: false,
    hovered: undefined,
    hoveredKind: 0,
    isFollowing: false,
    isShownAround: false,
    theme,
    isByHeight: false,
    isHelpOpen: false,
    isPanelOpen: true,
    graphicsFault: undefined,
    scale: 1,
    announcement: '',
  };
}

export class Store {
  #state: PageState;
  readonly #listeners = new Set<() => void>();

  constructor(state: PageState) {
    this.#state = state;
  }

  get state(): PageState {
    return this.#state;
  }

  set(patch: Partial<PageState>): void {
    this.#state = { ...this.#state, ...patch };
    for (const listener of this.#listeners) listener();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** A part of the state; the element is drawn anew when it is no longer the same. */
export function usePart<T>(store: Store, part: (state: PageState) => T): T {
  const [, redraw] = useState(0);
  const value = part(store.state);
  useEffect(() => {
    let shown = part(store.state);
    // Between drawing and subscribing the state may have moved on.
    if (!Object.is(shown, value)) redraw((count) => count + 1);
    return store.subscribe(() => {
      const next = part(store.state);
      if (Object.is(next, shown)) return;
      shown = next;
      redraw((count) => count + 1);
    });
  }, [store]);
  return value;
}
