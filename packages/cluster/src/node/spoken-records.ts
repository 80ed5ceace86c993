/** The records that a node sends until it sees them in the log: its hello, and its calls and its bye as a member. */
import {
  FORMAT,
  NOBODY,
  type Noted,
  OLDEST_FORMAT,
  type Word64,
  writeHello,
  writeNoted,
  writeRecord,
} from '../records/record.ts';
import { type Member, nextSeqOf } from '../state/members.ts';
import type { JoinSettings } from './join-options.ts';
import type { Parcel } from './outbox.ts';

/** Writes the record by which a node asks to be a member, the same bytes each time. `tick`: the newest that the node knows. */
export function helloRecord(settings: JoinSettings, nonce: Word64, tick: number): () => Uint8Array {
  const hello = { ...settings, nonce, formats: [OLDEST_FORMAT, FORMAT] as const, tick };
  const bytes = writeRecord('hello', NOBODY, (writer) => writeHello(writer, hello));
  return () => bytes;
}

/** Writes the member's next record: the parcel as it is at the time of the call, and the same bytes again while it is the same. */
export function nextRecord(self: Member, noted: Noted, parcel: Parcel, isBye: boolean): () => Uint8Array {
  const speaker = { ...self, member: self.number, seq: nextSeqOf(self) };
  if (isBye) {
    const bye = writeRecord('bye', speaker, () => {});
    return () => bye;
  }
  let bytes: Uint8Array | undefined;
  let withdrawn = 0;
  return () => {
    if (bytes !== undefined && withdrawn === parcel.withdrawn.length) return bytes;
    withdrawn = parcel.withdrawn.length;
    bytes = writeRecord('calls', speaker, (writer) => {
      writeNoted(writer, noted);
      parcel.write(writer);
    });
    return bytes;
  };
}
