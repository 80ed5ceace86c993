// Example of: ByteWriter, ByteReader, ColumnArray, checksumOf, savePatch, loadPatch
import type { EntityPatch } from 'umwelt';
import { ByteReader, ByteWriter, type ColumnArray, checksumOf, loadPatch, savePatch } from 'umwelt/bytes';

const scores: ColumnArray = Uint32Array.of(3, 1, 2);
const patch: EntityPatch = { range: 30, layers: 5 };

const writer = new ByteWriter();
writer.text('match 7');
writer.column(scores);
writer.section('ptch', () => savePatch(writer, patch));
const bytes = writer.bytes.slice();

// Bytes from elsewhere may be damaged: every read is checked, and throws the code that the reader was given.
const reader = new ByteReader(bytes, 'BAD_SNAPSHOT');
console.log(reader.text(), reader.column('u32').length); // match 7 3
console.log(reader.section('ptch', () => loadPatch(reader)).range); // 30
reader.finish();

const [low] = checksumOf(bytes);
bytes[0]! ^= 1;
console.log(checksumOf(bytes)[0] === low); // false
