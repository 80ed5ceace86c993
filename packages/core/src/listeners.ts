/**
 * Callbacks for what a tick reported, run when the tick is complete.
 *
 * The order is fixed: by watcher; within one left, entered, sensed, updated; ids ascending; listeners in order of
 * registration; when all that is told, who is watched no more, then who is from now on. Who is called is settled when the dispatch begins. A listener that throws keeps nobody from being
 * called; the first error is thrown at the end.
 */
import { NO_WATCHER, ReportCursor } from './changes.ts';
import type { EntityId } from './entities/entity-ids.ts';
import { badOption, isRecord, rejectUnknownKeys } from './errors.ts';
import { REPORT_KINDS, type Report, type ReportKind } from './reports/report.ts';
import type { WatchedLists } from './reports/watch-counts.ts';

/** What `on` may be asked for: a pair that entered, left, was updated, is perceived by other senses. */
export type WorldEvent = 'enter' | 'leave' | 'update' | 'sense';

/** What happens to a marker by itself: it has its first relation, or none any more. */
export type WatchEvent = 'watched' | 'unwatched';

/** Called with a marker that somebody perceives from now on, or nobody any more. */
export type WatchListener = (marker: EntityId) => void;

/** `senses`: bit i for `options.senses[i]`, as of the tick that reports; 0 on leave. */
export type EventListener = (watcher: EntityId, marker: EntityId, senses: number) => void;

/** What `on` takes besides. */
export interface ListenerOptions {
  /** Only watchers that go by this interest. */
  readonly interest?: string;
}

const OPTION_NAMES: ReadonlySet<string> = new Set(['interest']);

/** Throws `BAD_OPTION`. */
export function checkListenerOptions(options: unknown): void {
  if (!isRecord(options)) throw badOption('options', options, 'an object of ListenerOptions');
  rejectUnknownKeys(options, OPTION_NAMES, 'ListenerOptions');
}

/** By the order of `REPORT_KINDS`. */
const EVENTS: readonly WorldEvent[] = ['leave', 'enter', 'sense', 'update'];

/** In the order in which they are told: what may sleep goes before what wakes. */
const WATCH_EVENTS: readonly WatchEvent[] = ['unwatched', 'watched'];

/** Whether an event is one of a marker by itself. */
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
  /** Whether the watcher is among those the listener asked for. */
  readonly concerns: ((watcher: EntityId) => boolean) | undefined;
}

export class Listeners {
  /** By event; replaced whole on each change, so that a dispatch under way keeps the one it began with. */
  #registered: readonly (readonly Registration[])[] = [[], [], [], []];
  #watching: readonly WatchRegistration[] = [];

  /** Registers; answers how to undo it. `sensesOf` gives the mask where the report does not carry it. */
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
    const registration: Registration = { listener, sensesOf, concerns };
    this.#replace(kind, (list) => [...list, registration]);
    return () => this.#replace(kind, (list) => list.filter((each) => each !== registration));
  }

  /** As `add`, for what happens to a marker by itself. */
  addWatching(event: WatchEvent, listener: WatchListener): () => void {
    checkListener(listener);
    const registration = { event, listener };
    this.#watching = [...this.#watching, registration];
    return () => {
      this.#watching = this.#watching.filter((each) => each !== registration);
    };
  }

  /** Calls everyone for everything in the report, then throws the first error that came up. */
  dispatch(report: Report, lists: WatchedLists): void {
    const [registered, watching] = [this.#registered, this.#watching];
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

  #replace(kind: number, change: (list: readonly Registration[]) => readonly Registration[]): void {
    this.#registered = this.#registered.map((list, i) => (i === kind ? change(list) : list));
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
  // The columns stay readable while listeners change the world, even where the heap moves under them.
  const { offsets, markers, senses } = rows;
  const end = offsets[row + 1];
  let i = offsets[row];
  let next = 0;
  while (i < end) {
    // Tried by the row, which takes a third of the time that it takes by the call.
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
