/**
 * The names of `umwelt/bytes`: how umwelt writes and reads bytes, for packages that send calls to a world elsewhere.
 */
export { ByteReader } from './bytes/byte-reader.ts';
export { ByteWriter, type ColumnArray } from './bytes/byte-writer.ts';
export { checksumOf } from './bytes/checksum.ts';
export { loadPatch, savePatch } from './recording/stored-patch.ts';
