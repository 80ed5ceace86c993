/**
 * The state that the page's elements show. The world's motion is not part of it: that goes straight to the canvas.
 *
 * It is one object whose members are replaced; a subscriber to a part is notified when that part changes. Figures in it change
 * a few times per second, not with every tick.
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
  /** Whether a tick frame has arrived since the greeting; before the first, there are no figures. */
  readonly hasTick: boolean;
  /** Recordings only: the requested tick that is not reached yet, and the progress towards it, 0 to 1. */
  readonly seek: { readonly tick: number; readonly progress: number } | undefined;
  /** Recordings only: pairs that entered and left in each part, as far as known. */
  readonly strip: ChurnFrame | undefined;
  readonly entityCount: number;
  readonly watcherCount: number;
  readonly kindCounts: readonly number[];
  /** By kind: how many entities at least one watcher relates to. */
  readonly watchedCounts: readonly number[];
  readonly relations: number;
  /** Relations that linger; and pairs that wait to enter. */
  readonly lingering: number;
  readonly waiting: number;
  readonly tickMs: number;
  /** Ticks of about the last minute that took longer than the time between two ticks. */
  readonly ticksOver: number;
  /** Enter, leave and sense events per second of the page's clock. */
  readonly eventsPerSecond: number;
  /** Relations that entered or left, per watcher and tick. */
  readonly churn: number;
  /** Name of the world's detector; empty until it is known. */
  readonly detector: string;
  /** Why the last requested detector was refused. */
  readonly detectorRefusal: string | undefined;
  readonly isStructureShown: boolean;
  /** The latest structure of the present detector; undefined while none is shown. */
  readonly structure: StructureFrame | undefined;
  /** The entity that the user selected, 0 for none; and what the feed said about it: undefined until that arrives. */
  readonly selectedId: number;
  readonly selected: FocusFrame | undefined;
  readonly selectedKind: number;
  /** Parent, children and conditions of the selected entity. */
  readonly standing: StandingNews | undefined;
  /** Increases when names have arrived. */
  readonly namesRevision: number;
  /** Events of the selected entity's view; undefined until the feed has told since when it counts. */
  readonly lately: Lately | undefined;
  /** The entity compared with the selected one, 0 for none, and the explanation. */
  readonly comparedId: number;
  readonly explanation: ExplanationNews | undefined;
  /** The selected entity's surroundings in words; undefined while they are closed. */
  readonly description: DescriptionNews | undefined;
  /** Whether the next clicked entity is compared with the selected one. */
  readonly isPickingOther: boolean;
  readonly hovered: FocusFrame | undefined;
  readonly hoveredKind: number;
  readonly isFollowing: boolean;
  /** The page follows an entity by itself, and the user has done nothing yet. */
  readonly isShownAround: boolean;
  readonly theme: Theme;
  readonly isByHeight: boolean;
  readonly isHelpOpen: boolean;
  readonly isPanelOpen: boolean;
  /** Why nothing can be drawn; undefined if drawing works. */
  readonly graphicsFault: string | undefined;
  /** CSS pixels per world unit. */
  readonly scale: number;
  /** Text for screen readers. */
  readonly announcement: string;
}

/** The state before anything has arrived. */
export function firstState(theme: Theme): PageState {
  return {
    connection: 'connecting',
    greeting: undefined,
    paused: false,
    speed: 1,
    tick: 0,
    hasTick: false,
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
    selectedId: 0,
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

/** What is said of an entity that is not in the world. In a recording it may come later. */
export function absence({ greeting }: PageState): string {
  return greeting?.recording === undefined ? 'No longer in the world.' : 'Not in the world at this tick.';
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

/** A part of the state; the element is redrawn when it changes. */
export function usePart<T>(store: Store, part: (state: PageState) => T): T {
  const [, redraw] = useState(0);
  const value = part(store.state);
  useEffect(() => {
    let shown = part(store.state);
    // The state may have changed between drawing and subscribing.
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
