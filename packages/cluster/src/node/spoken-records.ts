/** The records that a node writes: its hello, and as a member its calls, its bye and its marks. */
import type { ByteWriter } from 'umwelt/bytes';
import type { Formats } from '../records/formats.ts';
import { NOBODY, type Word64, writeHello, writeNoted, writeRecord } from '../records/record.ts';
import { type Member, nextSeqOf } from '../state/members.ts';
import type { Replica } from '../state/replica.ts';
import type { JoinSettings } from './join-options.ts';
import type { Parcel } from './parcel.ts';

/** Writes the record by which a node asks to be a member, the same bytes each time. `tick`: the newest that the node knows. */
export function helloRecord(
  settings: JoinSettings,
  { nonce, formats, tick }: { readonly nonce: Word64; readonly formats: Formats; readonly tick: number },
): () => Uint8Array {
  const hello = { ...settings, nonce, formats, tick };
  const bytes = writeRecord('hello', NOBODY, (writer) => writeHello(writer, hello));
  return () => bytes;
}

/** Writes the member's record that marks the next tick. It writes none while its bye is under way: that would be the mark of nobody. */
export function markRecord(self: Member, { tick, noted, members }: Replica): Uint8Array {
  const speaker = { ...self, member: self.number, seq: 0 };
  const write = (writer: ByteWriter) => {
    writer.u32(tick + 1);
    writeNoted(writer, noted);
  };
  return writeRecord('mark', speaker, write, members.format);
}

/**
 * Writes the member's next record: the parcel, the format and whether it is the bye as they are at the time of the call, and the same
 * bytes again while they are the same.
 */
export function nextRecord(
  self: Member,
  { noted, members }: Replica,
  parcel: Parcel,
  isBye: () => boolean,
): () => Uint8Array {
  const speaker = { ...self, member: self.number, seq: nextSeqOf(self) };
  let bytes: Uint8Array | undefined;
  let written = '';
  return () => {
    const { format } = members;
    const kind = isBye() ? 'bye' : 'calls';
    const version = `${kind} ${format} ${parcel.withdrawn.length}`;
    if (bytes !== undefined && written === version) return bytes;
    const write = (writer: ByteWriter) => {
      if (kind === 'bye') return;
      writeNoted(writer, noted);
      parcel.write(writer, format);
    };
    bytes = writeRecord(kind, speaker, write, format);
    written = version;
    return bytes;
  };
}
