/**
 * The header of every binary frame of the feed (little-endian, as all machines that run JavaScript today):
 *
 *   0 u32 magic 'UMWF'   4 u16 version   6 u16 kind   8 u32 total bytes   12 u32 tick   16 .. the frame's own fields
 *
 * Columns of four-byte values start at offsets divisible by four, so a reader uses views and copies nothing.
 */

/** Increases with every change of a layout; a page and a feed with different versions do not understand each other. */
export const FEED_VERSION = 10;

export const FRAME_KINDS = {
  population: 1,
  tick: 2,
  focus: 3,
  structure: 4,
  churn: 5,
  populationChange: 6,
} as const;

/** Bytes before a frame's own fields. */
const FRAME_HEADER_BYTES = 16;

const MAGIC = 0x46574d55; // the bytes 'UMWF'

/** A frame of that length with its header written and all else 0. */
export function beginFrame(kind: number, byteLength: number, tick: number): DataView<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(byteLength));
  view.setUint32(0, MAGIC, true);
  view.setUint16(4, FEED_VERSION, true);
  view.setUint16(6, kind, true);
  view.setUint32(8, byteLength, true);
  view.setUint32(12, tick, true);
  return view;
}

/**
 * The frame in `bytes`, or undefined if the header is invalid or of another version. It is a view of `bytes`; only if `bytes`
 * are not aligned to four bytes they are copied once.
 */
export function openFrame(bytes: Uint8Array<ArrayBuffer>): DataView<ArrayBuffer> | undefined {
  if (bytes.byteLength < FRAME_HEADER_BYTES) return undefined;
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const view = new DataView(aligned.buffer, aligned.byteOffset, aligned.byteLength);
  const isOurs = view.getUint32(0, true) === MAGIC && view.getUint16(4, true) === FEED_VERSION;
  return isOurs && view.getUint32(8, true) === view.byteLength ? view : undefined;
}

export function frameKind(view: DataView): number {
  return view.getUint16(6, true);
}

export function frameTick(view: DataView): number {
  return view.getUint32(12, true);
}

/** `byteLength` rounded up to a multiple of four. */
export function padded(byteLength: number): number {
  return (byteLength + 3) & ~3;
}

/** Text as UTF-8, at most `maxBytes`, cut between two characters. */
export function encodedText(text: string, maxBytes: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(maxBytes);
  return bytes.subarray(0, new TextEncoder().encodeInto(text, bytes).written);
}

/** Never throws: bytes that are no UTF-8 become replacement characters. */
export function decodedText(view: DataView<ArrayBuffer>, offset: number, byteLength: number): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + offset, byteLength);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
