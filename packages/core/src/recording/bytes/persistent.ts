/**
 * What a part of a world does to be in its snapshot: it writes and reads itself, the two side by side.
 *
 * `load` is called once, on a part that is new, with what lies below it loaded already. It trusts nothing: what it reads
 * must satisfy every invariant that the part's own methods rely on, or it throws by `reader.check`. What can be computed
 * from the rest is not written.
 */
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';

export interface Persistent {
  save(writer: ByteWriter): void;
  load(reader: ByteReader): void;
}
