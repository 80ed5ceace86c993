/**
 * What a client has been told and should know, as bytes, and back: its rows, who left, and where its frames stand.
 *
 * Messages are not stored: they are for those who are there, and nobody is while a server begins anew.
 */
import type { ClientRows } from '../views/client-rows.ts';
import type { ClientView } from '../views/client-view.ts';
import type { ByteReader } from '../wire/byte-reader.ts';
import type { ByteWriter } from '../wire/byte-writer.ts';

/** Columns of 32 bits a row, beside the id. */
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
  writer.byte((view.isOwnNews ? 1 : 0) | (view.mustResync ? 2 : 0) | (view.wasToldAttached ? 4 : 0));
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

/** Into a view that has nothing yet. Whose relations it shows is answered: its watcher is the caller's to attach. */
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
  // After those that left: it may say of some that they are gone.
  rows.compact();
  view.adopt(own, focus);
  view.isOwnNews = (flags & 1) !== 0;
  view.mustResync = (flags & 2) !== 0;
  view.wasToldAttached = (flags & 4) !== 0;
  if (view.wasToldAttached) view.attached = undefined;
  return watcher;
}
