/**
 * The messages of an answer that is sent in pieces: the pieces, the end, and what the asker sends back.
 *
 *   byte 0   kind: 1 piece, 2 end, 3 failed, 4 received, 5 stop
 *   byte 1   version: 1
 *   byte 2   0, 0
 *   byte 4   u32, little endian: for a piece its number from 0; for end and received a count of pieces
 *   byte 8   piece: its bytes, at most 256 KiB; failed: a reason in UTF-8
 *
 * Readers never throw: they return `undefined` for bytes that are no such message.
 */

export type PieceKind = 'piece' | 'end' | 'failed' | 'received' | 'stop';

export interface PieceMessage {
  readonly kind: PieceKind;
  readonly count: number;
  /** A view of the bytes that were read. */
  readonly body: Uint8Array;
}

/** Maximum bytes of one piece's body. */
export const PIECE_BYTES = 256 * 1024;

const VERSION = 1;
const HEADER_BYTES = 8;
const REASON_BYTES = 1024;
const kinds: readonly (PieceKind | undefined)[] = [undefined, 'piece', 'end', 'failed', 'received', 'stop'];
const NOTHING = new Uint8Array(0);

export function writePiece(kind: PieceKind, count = 0, body: Uint8Array = NOTHING): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + body.length);
  bytes[0] = kinds.indexOf(kind);
  bytes[1] = VERSION;
  new DataView(bytes.buffer).setUint32(4, count, true);
  bytes.set(body, HEADER_BYTES);
  return bytes;
}

export function writeFailed(reason: string): Uint8Array {
  return writePiece('failed', 0, new TextEncoder().encode(reason).subarray(0, REASON_BYTES));
}

export function readPiece(bytes: Uint8Array): PieceMessage | undefined {
  const kind = kinds[bytes[0] ?? 0];
  if (kind === undefined || bytes[1] !== VERSION) return undefined;
  if (bytes.length < HEADER_BYTES || bytes.length > HEADER_BYTES + PIECE_BYTES) return undefined;
  const count = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
  return { kind, count, body: bytes.subarray(HEADER_BYTES) };
}
