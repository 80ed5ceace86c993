/**
 * The view of a client in a snapshot: its rows, departures, and the state of its frames.
 *
 * Messages are not stored: they are for clients that are connected, and during a restart none is.
 */
import type { ClientRows } from '../views/client-rows.ts';
import type { ClientView } from '../views/client-view.ts';
import type { ByteReader } from '../wire/byte-reader.ts';
import type { ByteWriter } from '../wire/byte-writer.ts';

/** The 32-bit columns of the rows, except the id. */
function numbersOf(rows: ClientRows): readonly Uint32Array[] {
  return [rows.sentTick, rows.enteredTick, rows.sensedTick, rows.waitingTick, rows.shown];
}

function bytesOf(rows: ClientRows): readonly Uint8Array[] {
  return [rows.flags, rows.senses, rows.level];
}

export function writeView(writer: ByteWriter, view: ClientView): void {
  const { rows } = view;
  rows.forgetAnew(view.lastTick);
  for (const value of [view.watcher, view.own, view.focus]) writer.varint(value);
  for (const value of [view.frameNumber, view.lastTick, view.ackedTick]) writer.varint(value);
  const flags = [view.isOwnNews, view.mustResync, view.wasToldAttached, view.isHeld, view.isAstray];
  writer.byte(flags.reduce((sum, isSet, bit) => sum | (isSet ? 1 << bit : 0), 0));
  writer.varint(rows.count);
  let previous = 0;
  for (let row = 0; row < rows.count; row++) {
    writer.varint(rows.ids[row]! - previous);
    previous = rows.ids[row]!;
  }
  for (const column of bytesOf(rows)) writer.append(column, 0, rows.count);
  for (const column of numbersOf(rows)) {
    for (let row = 0; row < rows.count; row++) writer.varint(column[row]!);
  }
  view.departures.write(writer);
}

/** Reads into an empty view. Returns the watcher; the caller must attach it. */
export function readView(reader: ByteReader, view: ClientView, saysRemoved: boolean): number {
  const { rows } = view;
  const [watcher, own, focus] = [reader.varint(), reader.varint(), reader.varint()];
  view.frameNumber = reader.varint();
  view.lastTick = reader.varint();
  view.ackedTick = reader.varint();
  const flags = reader.byte();
  const count = reader.varint();
  for (let row = 0, id = 0; row < count; row++) {
    id += reader.varint();
    rows.append(id);
  }
  for (const column of bytesOf(rows)) column.set(reader.take(count));
  for (const column of numbersOf(rows)) {
    for (let row = 0; row < count; row++) column[row] = reader.varint();
  }
  view.departures.read(reader, saysRemoved);
  // After the departures: `compact` may mark some of them as removed.
  rows.compact();
  view.adopt(own, focus);
  view.isOwnNews = (flags & 1) !== 0;
  view.mustResync = (flags & 2) !== 0;
  view.wasToldAttached = (flags & 4) !== 0;
  if (view.wasToldAttached) view.attached = undefined;
  // Its rows are not those of the last tick: the next one reads the relations from the world.
  view.isHeld = (flags & 8) !== 0;
  // Earlier versions did not store it: they wrote 0.
  view.isAstray = (flags & 16) !== 0;
  return watcher;
}
