/**
 * The chunks of a recording. Each has its own checksum, so a recording that is cut short is valid up to its last
 * whole chunk. The format is described in docs/recording.md.
 *
 *   recording:  | 'umwr' | version u16 | 0 u16 | chunk | chunk | ...
 *   chunk:      | tag | body bytes u32 | tick f64: the count of ticks after it | checksum u64 of both | body, padded to 4 |
 *
 *   SNAP        a snapshot; the first chunk is one
 *   CALL        calls, and the ticks between them
 *   NOTE        data of the recording program: see note.ts
 *   ENDS        empty: the recording was closed
 */
import { ByteReader } from '../bytes/byte-reader.ts';
import { ByteWriter, tagOf } from '../bytes/byte-writer.ts';
import { checksumOf } from '../bytes/checksum.ts';
import { shown, UmweltError } from '../errors.ts';

export type ChunkTag = 'SNAP' | 'CALL' | 'NOTE' | 'ENDS';

/** One chunk of a recording. */
export interface Chunk {
  readonly tag: ChunkTag;
  /** Number of ticks that the world has done after it. */
  readonly tick: number;
  /** A window on the recording. */
  readonly body: Uint8Array;
}

const MAGIC = 'umwr';
const VERSION = 4;
const CHUNK_HEADER_BYTES = 24;
const TAGS: readonly ChunkTag[] = ['SNAP', 'CALL', 'NOTE', 'ENDS'];

/** The first bytes of a recording. */
export function recordingHeader(): Uint8Array {
  const writer = new ByteWriter(8);
  writer.u32(tagOf(MAGIC));
  writer.u16(VERSION);
  writer.u16(0);
  return writer.bytes.slice();
}

/** A chunk as bytes. */
export function chunkBytes({ tag, tick, body }: Chunk): Uint8Array {
  const writer = new ByteWriter(CHUNK_HEADER_BYTES + body.length + 4);
  const [low, high] = checksumWith(tick, body);
  writer.u32(tagOf(tag));
  writer.u32(body.length);
  writer.f64(tick);
  writer.u32(low);
  writer.u32(high);
  writer.elements(body);
  while (writer.length % 4 !== 0) writer.u8(0);
  return writer.bytes.slice();
}

/** Checksum of both tick and body of a chunk: a change in either is detected. */
function checksumWith(tick: number, body: Uint8Array): readonly [low: number, high: number] {
  const writer = new ByteWriter(8);
  writer.f64(tick);
  const [tickLow, tickHigh] = checksumOf(writer.bytes);
  const [low, high] = checksumOf(body);
  return [(low ^ tickLow) >>> 0, (high ^ tickHigh) >>> 0];
}

/**
 * The whole chunks of a recording, checked. Throws `BAD_TRACE`, except if the recording was cut short after its first
 * chunk.
 */
export function readChunks(bytes: Uint8Array): Chunk[] {
  if (!(bytes instanceof Uint8Array))
    throw badRecording(`${shown(bytes)} was given, expected a Uint8Array with the bytes of a recording`);
  const reader: ByteReader = new ByteReader(bytes, 'BAD_TRACE');
  if (reader.left < 8 || reader.u32() !== tagOf(MAGIC))
    throw badRecording('the bytes are no recording of a world');
  const version = reader.u16();
  if (version !== VERSION) {
    throw badRecording(`the recording has version ${version}, expected ${VERSION}`);
  }
  reader.check(reader.u16() === 0, '0');
  const chunks: Chunk[] = [];
  while (reader.left >= CHUNK_HEADER_BYTES) {
    const found = reader.u32();
    const bodyBytes = reader.u32();
    const tick = reader.f64();
    const [low, high] = [reader.u32(), reader.u32()];
    const paddedBytes = Math.ceil(bodyBytes / 4) * 4;
    if (paddedBytes > reader.left) break;
    const padded = reader.window(paddedBytes);
    const body = padded.subarray(0, bodyBytes);
    const tag = TAGS.find((one) => tagOf(one) === found);
    const previous = chunks.at(-1);
    const isInOrder =
      previous === undefined ? tag === 'SNAP' : previous.tag !== 'ENDS' && tick >= previous.tick;
    reader.check(tag !== undefined && isInOrder && Number.isSafeInteger(tick), 'a chunk');
    const [lowFound, highFound] = checksumWith(tick, body);
    if (low !== lowFound || high !== highFound) {
      throw badRecording(`the recording was altered: chunk ${chunks.length} is not what its checksum says`);
    }
    const isPadded = padded.subarray(bodyBytes).every((byte) => byte === 0);
    reader.check(isPadded, 'zeros up to a whole word');
    chunks.push({ tag, tick, body });
  }
  if (chunks.length === 0) throw badRecording('the recording ends before its first snapshot');
  return chunks;
}

function badRecording(message: string): UmweltError {
  return new UmweltError('BAD_TRACE', message);
}
