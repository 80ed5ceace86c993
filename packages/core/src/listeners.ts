/**
 * Calls listeners with what a tick reported, once the tick is complete.
 *
 * The order is fixed: by watcher; within a watcher left, entered, sensed, updated; ids ascending; listeners in order
 * of registration. After all pairs come the markers that are no longer watched, then those that became watched. The
 * set of listeners is fixed when the dispatch begins. If a listener throws, all others are still called; the first
 * error is thrown at the end.
 */
import { NO_WATCHER, ReportCursor } from './changes.ts';
import type { EntityId } from './entities/entity-ids.ts';
import { badOption, isRecord, rejectUnknownKeys } from './errors.ts';
import { REPORT_KINDS, type Report, type ReportKind } from './reports/report.ts';
import type { WatchedLists } from './reports/watch-counts.ts';

/** Events of pairs for `on`: a marker entered, left, was updated, or is perceived by other senses. */
export type WorldEvent = 'enter' | 'leave' | 'update' | 'sense';

/** Events of a marker alone: it got its first relation, or lost its last one. */
export type WatchEvent = 'watched' | 'unwatched';

/** Called with a marker that became watched, or is no longer watched. */
export type WatchListener = (marker: EntityId) => void;

/** Called with a pair. `senses`: bit i for `options.senses[i]`, as of the tick that reports; 0 on leave. */
export type EventListener = (watcher: EntityId, marker: EntityId, senses: number) => void;

/** Options of `on`. */
export interface ListenerOptions {
  /** Only watchers that have this interest in the reported tick. Default: all watchers. */
  readonly interest?: string;
}

const OPTION_NAMES: ReadonlySet<string> = new Set(['interest']);

/** Throws `BAD_OPTION`. */
export function checkListenerOptions(options: unknown): void {
  if (!isRecord(options)) throw badOption('options', options, 'an object of ListenerOptions');
  rejectUnknownKeys(options, OPTION_NAMES, 'ListenerOptions');
}

/** In the order of `REPORT_KINDS`. */
const EVENTS: readonly WorldEvent[] = ['leave', 'enter', 'sense', 'update'];

/** In dispatch order: markers that may sleep before markers that wake. */
const WATCH_EVENTS: readonly WatchEvent[] = ['unwatched', 'watched'];

/** Whether an event is one of a marker alone. */
export function isWatchEvent(event: unknown): event is WatchEvent {
  return (WATCH_EVENTS as readonly unknown[]).includes(event);
}

interface WatchRegistration {
  readonly event: WatchEvent;
  readonly listener: WatchListener;
}

interface Registration {
  readonly listener: EventListener;
  readonly sensesOf: (watcher: EntityId, marker: EntityId) => number;
  /** Whether the listener asked for this watcher. */
  readonly concerns: ((watcher: EntityId) => boolean) | undefined;
}

/**
 * The listeners of an event in order of registration. A list that was taken stays as it is, so that a running dispatch keeps the listeners
 * it began with. Cost: O(1) to add or remove one, so that each of thousands of clients can have its own; a copy of all where a list is taken
 * after a change.
 */
class Registered<T> {
  readonly #all = new Set<T>();
  #list: readonly T[] | undefined;

  /** Returns the function that removes it. */
  add(registration: T): () => void {
    this.#all.add(registration);
    this.#list = undefined;
    return () => {
      if (this.#all.delete(registration)) this.#list = undefined;
    };
  }

  get list(): readonly T[] {
    this.#list ??= [...this.#all];
    return this.#list;
  }
}

export class Listeners {
  /** By event. */
  readonly #registered = EVENTS.map(() => new Registered<Registration>());
  readonly #watching = new Registered<WatchRegistration>();

  /**
   * Registers a listener; returns the function that removes it. `sensesOf` gives the mask if the report does not
   * contain it.
   */
  add(
    event: WorldEvent,
    listener: EventListener,
    sensesOf: Registration['sensesOf'],
    concerns?: (watcher: EntityId) => boolean,
  ): () => void {
    const kind = EVENTS.indexOf(event);
    if (kind < 0) {
      throw badOption('event', event, "'enter', 'leave', 'update', 'sense', 'watched' or 'unwatched'");
    }
    checkListener(listener);
    return (this.#registered[kind] as Registered<Registration>).add({ listener, sensesOf, concerns });
  }

  /** As `add`, for events of a marker alone. */
  addWatching(event: WatchEvent, listener: WatchListener): () => void {
    checkListener(listener);
    return this.#watching.add({ event, listener });
  }

  /** Calls all listeners for everything in the report, then throws the first error. */
  dispatch(report: Report, lists: WatchedLists): void {
    const registered = this.#registered.map(({ list }) => list);
    const watching = this.#watching.list;
    const errors: unknown[] = [];
    if (registered.some((list) => list.length > 0)) dispatchPairs(report, registered, errors);
    for (const event of watching.length > 0 ? WATCH_EVENTS : []) {
      dispatchMarkers(
        lists[event],
        watching.filter((each) => each.event === event),
        errors,
      );
    }
    if (errors.length > 0) throw errors[0];
  }
}

function checkListener(listener: unknown): void {
  if (typeof listener !== 'function') throw badOption('listener', listener, 'a function');
}

function dispatchMarkers(markers: Uint32Array, list: readonly WatchRegistration[], errors: unknown[]): void {
  for (const marker of markers) {
    for (const { listener } of list) {
      try {
        listener(marker);
      } catch (error) {
        errors.push(error);
      }
    }
  }
}

function dispatchPairs(
  report: Report,
  registered: readonly (readonly Registration[])[],
  errors: unknown[],
): void {
  const cursor = new ReportCursor(report);
  for (let watcher = cursor.next(); watcher !== NO_WATCHER; watcher = cursor.next()) {
    for (let kind = 0; kind < REPORT_KINDS.length; kind++) {
      const list = registered[kind] as readonly Registration[];
      const row = cursor[REPORT_KINDS[kind] as ReportKind];
      if (row < 0 || list.length === 0) continue;
      const concerned = list.some(({ concerns }) => concerns !== undefined)
        ? list.filter(({ concerns }) => concerns === undefined || concerns(watcher))
        : list;
      dispatchRow(report, kind, row, watcher, concerned, errors);
    }
  }
}

function dispatchRow(
  report: Report,
  kind: number,
  row: number,
  watcher: EntityId,
  list: readonly Registration[],
  errors: unknown[],
): void {
  const rows = report[REPORT_KINDS[kind] as (typeof REPORT_KINDS)[number]];
  const isLeave = EVENTS[kind] === 'leave';
  // The columns stay readable while listeners change the world, even if the heap moves.
  const { offsets, markers, senses } = rows;
  const end = offsets[row + 1];
  let i = offsets[row];
  let next = 0;
  while (i < end) {
    // One `try` per row takes a third of the time of one `try` per call.
    try {
      for (; i < end; i++, next = 0) {
        const marker = markers[i];
        for (; next < list.length; next++) {
          const { listener, sensesOf } = list[next];
          const mask = isLeave ? 0 : senses === undefined ? sensesOf(watcher, marker) : senses[i];
          listener(watcher, marker, mask);
        }
      }
    } catch (error) {
      if (errors.length === 0) errors.push(error);
      next++;
    }
  }
}
