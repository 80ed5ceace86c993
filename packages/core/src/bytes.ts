/** How umwelt writes and reads bytes, for packages that send calls on a world elsewhere: the names of `umwelt/bytes`. */
export { ByteReader } from './recording/bytes/byte-reader.ts';
export { ByteWriter, type ColumnArray } from './recording/bytes/byte-writer.ts';
export { checksumOf } from './recording/bytes/checksum.ts';
export { loadPatch, savePatch } from './recording/stored-patch.ts';
