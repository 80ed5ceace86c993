/**
 * What a client has been told and should know, as bytes, and back: its rows, who left, and where its frames stand.
 *
 * Messages are not stored: they are for those who are there, and nobody is while a server begins anew.
 */
import type { ClientView } from '../views/client-view.ts';
import type { ByteReader } from '../wire/byte-reader.ts';
import type { ByteWriter } from '../wire/byte-writer.ts';

/** Columns of 32 bits a row, beside id, flags, senses and level. */
const ROW_TICKS = ['sentTick', 'enteredTick', 'sensedTick', 'waitingTick', 'shown'] as const;

export function writeView(writer: ByteWriter, view: ClientView): void {
  const { rows } = view;
  for (const value of [view.watcher, view.own, view.focus]) writer.varint(value);
  for (const value of [view.frameNumber, view.lastTick, view.ackedTick]) writer.varint(value);
  writer.byte((view.isOwnNews ? 1 : 0) | (view.mustResync ? 2 : 0));
  writer.varint(rows.count);
  let previous = 0;
  for (let row = 0; row < rows.count; row++) {
    writer.varint(rows.ids[row]! - previous);
    previous = rows.ids[row]!;
    writer.byte(rows.flags[row]!);
    writer.byte(rows.senses[row]!);
    writer.byte(rows.level[row]!);
    for (const name of ROW_TICKS) writer.varint(rows[name][row]!);
  }
  view.departures.write(writer);
}

/** Into a view that has nothing yet. Whose relations it shows is answered: its watcher is the caller's to attach. */
export function readView(reader: ByteReader, view: ClientView): number {
  const { rows } = view;
  const [watcher, own, focus] = [reader.varint(), reader.varint(), reader.varint()];
  view.frameNumber = reader.varint();
  view.lastTick = reader.varint();
  view.ackedTick = reader.varint();
  const flags = reader.byte();
  const count = reader.varint();
  let id = 0;
  for (let i = 0; i < count; i++) {
    id += reader.varint();
    const row = rows.append(id);
    rows.flags[row] = reader.byte();
    rows.senses[row] = reader.byte();
    rows.level[row] = reader.byte();
    for (const name of ROW_TICKS) rows[name][row] = reader.varint();
  }
  rows.compact();
  view.departures.read(reader);
  view.adopt(own, focus);
  view.isOwnNews = (flags & 1) !== 0;
  view.mustResync = (flags & 2) !== 0;
  return watcher;
}
