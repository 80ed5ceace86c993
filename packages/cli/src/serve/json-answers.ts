/**
 * Answers as JSON, for reading by hand: the service's writer, and a reader as a caller would have it.
 *
 * A tick's views are one object per watcher, with its non-empty lists; perceived markers come with the names of the senses.
 */
import type { EntityId } from 'umwelt';
import type { Answer, Refused, ViewRow, ViewsHeader, Welcome } from './answer.ts';
import type { Key } from './key.ts';
import type { KeyedWorld } from './keyed-world.ts';
import { LIST_ORDER, LISTS, type ListName } from './serve-format.ts';
import type { ViewsWriter } from './views-writer.ts';

/** Approximate bytes per marker in a list: a key and the names of its senses. */
const ENTRY_BYTES = 48;
/** Maximum markers per row: longer lists are split into several messages, so that none grows far beyond its size. */
const ROW_MARKERS_MAX = 4096;

interface Perceived {
  readonly key: Key;
  readonly senses: readonly string[];
}

interface Hanging {
  readonly key: Key;
  /** null: no parent. */
  readonly to: Key | null;
}

interface ViewObject {
  readonly watcher: Key;
  left?: Key[];
  entered?: Perceived[];
  sensed?: Perceived[];
  updated?: Key[];
  gone?: Key[];
  attached?: Hanging[];
  heard?: Key[];
}

export function writeWelcomeText(welcome: Welcome): string {
  return JSON.stringify({ is: 'welcome', ...welcome });
}

export function writeRefusedText(refused: Refused): string {
  return JSON.stringify({ is: 'refused', ...refused });
}

/** Views of one tick for one caller, in messages of about `partBytes`. */
export class JsonViewsWriter implements ViewsWriter<string> {
  readonly #keyed: KeyedWorld;
  readonly #header: ViewsHeader;
  readonly #partBytes: number;
  readonly #parts: ViewObject[][] = [];
  #views = new Map<EntityId, ViewObject>();
  #bytes = 0;
  #endedBytes = 0;

  constructor(keyed: KeyedWorld, header: ViewsHeader, partBytes: number) {
    this.#keyed = keyed;
    this.#header = header;
    this.#partBytes = partBytes;
  }

  get byteLength(): number {
    return this.#bytes;
  }

  row(list: number, watcher: EntityId, markers: Uint32Array, from: number, to: number): void {
    for (let start = from; start < to; start += ROW_MARKERS_MAX) {
      this.#rowPart(list, watcher, markers.subarray(start, Math.min(to, start + ROW_MARKERS_MAX)));
      if (this.#bytes - this.#endedBytes >= this.#partBytes) this.#end();
    }
  }

  attached(watcher: EntityId, children: readonly EntityId[]): void {
    const keyed = this.#keyed;
    const view = this.#viewOf(watcher);
    const told = children.map((child): Hanging => {
      const parent = keyed.world.parentOf(child);
      return { key: keyed.keyAt(child), to: parent === undefined ? null : keyed.keyAt(parent) };
    });
    view.attached = [...(view.attached ?? []), ...told];
    this.#bytes += (children.length + 1) * ENTRY_BYTES;
    if (this.#bytes - this.#endedBytes >= this.#partBytes) this.#end();
  }

  heard(watcher: EntityId, sounds: readonly Key[]): void {
    const view = this.#viewOf(watcher);
    view.heard = [...(view.heard ?? []), ...sounds];
    this.#bytes += (sounds.length + 1) * ENTRY_BYTES;
    if (this.#bytes - this.#endedBytes >= this.#partBytes) this.#end();
  }

  finish(): string[] {
    if (this.#views.size > 0 || this.#parts.length === 0) this.#end();
    const last = this.#parts.length - 1;
    const { resync, ...header } = this.#header;
    return this.#parts.map((views, i) => {
      // Only the first part has `resync`; later parts add to it.
      const flags = { ...(resync && i === 0 ? { resync } : {}), ...(i < last ? { more: true } : {}) };
      return JSON.stringify({ is: 'views', ...header, ...flags, views });
    });
  }

  #rowPart(list: number, watcher: EntityId, markers: Uint32Array): void {
    const keyed = this.#keyed;
    const view = this.#viewOf(watcher);
    const name = LISTS[list];
    if (name === 'entered' || name === 'sensed') {
      const perceived = Array.from(markers, (marker) => this.#perceived(watcher, marker));
      view[name] = [...(view[name] ?? []), ...perceived];
    } else if (name !== undefined && name !== 'attached') {
      view[name] = [...(view[name] ?? []), ...Array.from(markers, (marker) => keyed.keyAt(marker))];
    }
    this.#bytes += (markers.length + 1) * ENTRY_BYTES;
  }

  #viewOf(watcher: EntityId): ViewObject {
    const view = this.#views.get(watcher) ?? { watcher: this.#keyed.keyAt(watcher) };
    this.#views.set(watcher, view);
    return view;
  }

  #perceived(watcher: EntityId, marker: EntityId): Perceived {
    const { world } = this.#keyed;
    const mask = world.senses(watcher, marker);
    const senses = world.senseNames.filter((_, bit) => (mask & (1 << bit)) !== 0);
    return { key: this.#keyed.keyAt(marker), senses };
  }

  #end(): void {
    this.#parts.push([...this.#views.values()]);
    this.#views = new Map();
    this.#endedBytes = this.#bytes;
  }
}

/** The answer in a text of the service's; `senses` are its world's. Throws for any other text. */
export function readAnswerText(text: string, senses: readonly string[]): Answer {
  const { views, ...rest } = JSON.parse(text);
  return rest.is === 'views' ? { resync: false, more: false, ...rest, rows: rowsOf(views, senses) } : rest;
}

function rowsOf(views: readonly ViewObject[], senseNames: readonly string[]): ViewRow[] {
  return LIST_ORDER.flatMap((list) =>
    views.filter((view) => view[list] !== undefined).map((view) => rowOf(view, list, senseNames)),
  );
}

function rowOf(view: ViewObject, list: ListName, senseNames: readonly string[]): ViewRow {
  const entries = (view[list] ?? []).map((entry) => (typeof entry === 'object' ? entry : { key: entry }));
  const senses = entries.flatMap((entry) =>
    'senses' in entry ? [entry.senses.reduce((mask, name) => mask | (1 << senseNames.indexOf(name)), 0)] : [],
  );
  const row = { watcher: view.watcher, list, markers: entries.map(({ key }) => key), senses };
  if (list !== 'attached') return row;
  return { ...row, parents: (view.attached ?? []).map(({ to }) => to ?? undefined) };
}
