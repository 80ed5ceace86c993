/** The record by which a node asks to be a member. */
import { FORMAT, NOBODY, OLDEST_FORMAT, type Word64, writeHello, writeRecord } from '../records/record.ts';
import type { JoinSettings } from './join-options.ts';

/** `tick`: the newest that the node knows. */
export function helloRecord(settings: JoinSettings, nonce: Word64, tick: number): Uint8Array {
  const formats = [OLDEST_FORMAT, FORMAT] as const;
  return writeRecord('hello', NOBODY, (writer) => writeHello(writer, { ...settings, nonce, formats, tick }));
}
