/**
 * How every binary frame of the feed begins (little-endian, as are all machines that run JavaScript today):
 *
 *   0 u32 magic 'UMWF'   4 u16 version   6 u16 kind   8 u32 bytes in all   12 u32 tick   16 .. its own fields
 *
 * Columns of four-byte values lie at offsets divisible by four, so a reader takes views and copies nothing.
 */

/** Goes up with every change of a layout; a page and a feed that differ do not understand each other. */
export const FEED_VERSION = 9;

export const FRAME_KINDS = { population: 1, tick: 2, focus: 3, structure: 4, churn: 5 } as const;

/** Bytes before a frame's own fields. */
const FRAME_HEADER_BYTES = 16;

const MAGIC = 0x46574d55; // the bytes 'UMWF'

/** A frame of so many bytes with its header written and everything else 0. */
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
 * The frame in `bytes`, or undefined when its header is none or another's. A view of `bytes`, unless these begin at
 * an odd place, when they are copied once.
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

/** The next length that is divisible by four. */
export function padded(byteLength: number): number {
  return (byteLength + 3) & ~3;
}

/** Text as UTF-8, at most so many bytes of it, cut between two characters. */
export function encodedText(text: string, maxBytes: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(maxBytes);
  return bytes.subarray(0, new TextEncoder().encodeInto(text, bytes).written);
}

/** Total: bytes that are no UTF-8 become replacement characters. */
export function decodedText(view: DataView<ArrayBuffer>, offset: number, byteLength: number): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + offset, byteLength);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
