/**
 * Answers in binary: the service's writer, and a reader as a caller would have it.
 */
import type { EntityId } from 'umwelt';
import type { Answer, Refused, ViewRow, ViewsHeader, Welcome } from './answer.ts';
import type { Key } from './key.ts';
import type { KeyedWorld } from './keyed-world.ts';
import { MessageReader, MessageWriter } from './message-bytes.ts';
import type { RefusedCommand } from './refusal.ts';
import {
  LISTS,
  MORE,
  REASON_BYTES_MAX,
  REFUSED,
  RESYNC,
  SERVE_VERSION,
  SERVE_VERSION_OLDEST,
  VIEWS,
  WELCOME,
} from './serve-format.ts';
import type { ViewsWriter } from './views-writer.ts';

/** Maximum markers per row: longer lists are split into several rows, so that no message grows far beyond its size. */
const ROW_MARKERS_MAX = 4096;
const FLAGS_AT = 1;
const NAME_BYTES_MAX = 1024;

export function writeWelcome(welcome: Welcome): Buffer {
  const writer = new MessageWriter();
  writer.byte(WELCOME);
  writer.byte(welcome.version);
  writer.byte(welcome.dimensions);
  writer.float64(welcome.rate);
  writer.uint32(welcome.tick);
  writer.uint32(welcome.messageBytesMax);
  writer.uint32(welcome.entitiesMax);
  writer.byte(welcome.senses.length);
  for (const sense of welcome.senses) writer.text(sense);
  return writer.take();
}

export function writeRefused({ batch, total, commands }: Refused): Buffer {
  const writer = new MessageWriter();
  writer.byte(REFUSED);
  writer.uint32(batch);
  writer.uint32(total);
  for (const { index, code, reason } of commands) {
    writer.uint32(index);
    writer.text(code);
    writer.text(reason);
  }
  return writer.take();
}

/** Views of one tick for one caller, in messages of about `partBytes`. */
export class BinaryViewsWriter implements ViewsWriter {
  readonly #keyed: KeyedWorld;
  readonly #header: ViewsHeader;
  readonly #partBytes: number;
  readonly #writer = new MessageWriter();
  readonly #parts: Buffer[] = [];
  #takenBytes = 0;

  constructor(keyed: KeyedWorld, header: ViewsHeader, partBytes: number) {
    this.#keyed = keyed;
    this.#header = header;
    this.#partBytes = partBytes;
    this.#begin();
  }

  get byteLength(): number {
    return this.#takenBytes + this.#writer.length;
  }

  row(list: number, watcher: EntityId, markers: Uint32Array, from: number, to: number): void {
    for (let start = from; start < to; start += ROW_MARKERS_MAX) {
      this.#rowPart(list, watcher, markers, start, Math.min(to, start + ROW_MARKERS_MAX));
      this.#endIfFull();
    }
  }

  finish(): Buffer[] {
    this.#end(0);
    return this.#parts;
  }

  #rowPart(list: number, watcher: EntityId, markers: Uint32Array, from: number, to: number): void {
    const keyed = this.#keyed;
    const writer = this.#writer;
    const hasSenses = list === ENTERED || list === SENSED;
    writer.byte(list);
    keyed.writeKey(watcher, writer);
    writer.uint32(to - from);
    for (let i = from; i < to; i++) {
      const marker = markers[i]!;
      keyed.writeKey(marker, writer);
      if (hasSenses) writer.byte(keyed.world.senses(watcher, marker));
    }
  }

  attached(watcher: EntityId, children: readonly EntityId[]): void {
    const keyed = this.#keyed;
    for (let start = 0; start < children.length; start += ROW_MARKERS_MAX) {
      const part = children.slice(start, start + ROW_MARKERS_MAX);
      const writer = this.#writer;
      writer.byte(ATTACHED);
      keyed.writeKey(watcher, writer);
      writer.uint32(part.length);
      for (const child of part) {
        keyed.writeKey(child, writer);
        const parent = keyed.world.parentOf(child);
        if (parent === undefined) writer.byte(NO_KEY);
        else keyed.writeKey(parent, writer);
      }
      this.#endIfFull();
    }
  }

  heard(watcher: EntityId, sounds: readonly Key[]): void {
    for (let start = 0; start < sounds.length; start += ROW_MARKERS_MAX) {
      const part = sounds.slice(start, start + ROW_MARKERS_MAX);
      this.#writer.byte(HEARD);
      this.#keyed.writeKey(watcher, this.#writer);
      this.#writer.uint32(part.length);
      for (const sound of part) this.#writer.key(sound);
      this.#endIfFull();
    }
  }

  #endIfFull(): void {
    if (this.#writer.length < this.#partBytes) return;
    this.#end(MORE);
    this.#begin();
  }

  #begin(): void {
    const { resync, tick, taken } = this.#header;
    this.#writer.byte(VIEWS);
    // Only the first part has the flag; later parts add to it.
    this.#writer.byte(resync && this.#parts.length === 0 ? RESYNC : 0);
    this.#writer.uint32(tick);
    this.#writer.uint32(taken);
  }

  #end(flag: number): void {
    const part = this.#writer.take();
    part[FLAGS_AT]! |= flag;
    this.#parts.push(part);
    this.#takenBytes += part.length;
  }
}

const ENTERED = LISTS.indexOf('entered');
const SENSED = LISTS.indexOf('sensed');
const ATTACHED = LISTS.indexOf('attached');
const HEARD = LISTS.indexOf('heard');
/** In place of a key: no key. */
const NO_KEY = 0;

/** The answer in `bytes`; undefined if they are none. */
export function readAnswer(bytes: Uint8Array): Answer | undefined {
  const reader = new MessageReader(bytes);
  const kind = reader.byte();
  const answer =
    kind === WELCOME
      ? readWelcome(reader)
      : kind === VIEWS
        ? readViews(reader)
        : kind === REFUSED
          ? readRefused(reader)
          : undefined;
  return reader.isAtEnd && !reader.isBroken ? answer : undefined;
}

function readWelcome(reader: MessageReader): Answer {
  const version = reader.byte();
  if (version < SERVE_VERSION_OLDEST || version > SERVE_VERSION) reader.breakOff('a known version');
  const dimensions = reader.byte() === 3 ? 3 : 2;
  const rate = reader.float64();
  const tick = reader.uint32();
  const messageBytesMax = reader.uint32();
  const entitiesMax = reader.uint32();
  const senses = Array.from({ length: reader.byte() }, () => reader.text(NAME_BYTES_MAX));
  return { is: 'welcome', version, dimensions, senses, rate, tick, messageBytesMax, entitiesMax };
}

function readViews(reader: MessageReader): Answer {
  const flags = reader.byte();
  const tick = reader.uint32();
  const taken = reader.uint32();
  const rows: ViewRow[] = [];
  while (!reader.isAtEnd) rows.push(readRow(reader));
  return { is: 'views', tick, taken, resync: (flags & RESYNC) !== 0, more: (flags & MORE) !== 0, rows };
}

function readRow(reader: MessageReader): ViewRow {
  const number = reader.byte();
  const list = LISTS[number];
  if (list === undefined) reader.breakOff('the number of a list');
  const watcher = reader.key();
  const count = reader.uint32();
  const markers: Key[] = [];
  const senses: number[] = [];
  const parents: (Key | undefined)[] = [];
  for (let i = 0; i < count && !reader.isBroken; i++) {
    markers.push(reader.key());
    if (number === ENTERED || number === SENSED) senses.push(reader.byte());
    if (number === ATTACHED) parents.push(reader.keyOrNone());
  }
  const row = { watcher, list: list ?? 'left', markers, senses };
  return number === ATTACHED ? { ...row, parents } : row;
}

function readRefused(reader: MessageReader): Answer {
  const batch = reader.uint32();
  const total = reader.uint32();
  const commands: RefusedCommand[] = [];
  while (!reader.isAtEnd) {
    const index = reader.uint32();
    commands.push({ index, code: reader.text(NAME_BYTES_MAX), reason: reader.text(REASON_BYTES_MAX) });
  }
  return { is: 'refused', batch, total, commands };
}
