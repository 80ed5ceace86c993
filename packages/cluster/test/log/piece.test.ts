/** The messages of an answer: what is written is read, and nothing else is. */
import { expect, it } from 'vitest';
import { PIECE_BYTES, type PieceKind, readPiece, writeFailed, writePiece } from '../../src/log/nats/piece.ts';

it.each<PieceKind>(['piece', 'end', 'failed', 'received', 'stop'])(
  'reads the %s that was written',
  (kind) => {
    const body = Uint8Array.of(1, 2, 3);
    // Payloads begin anywhere in a buffer.
    const bytes = new Uint8Array([9, 9, 9, ...writePiece(kind, 2 ** 32 - 1, body)]).subarray(3);
    const read = readPiece(bytes)!;
    expect([read.kind, read.count, ...read.body]).toEqual([kind, 2 ** 32 - 1, 1, 2, 3]);
  },
);

it('cuts a reason that is too long', () => {
  expect(readPiece(writeFailed('x'.repeat(5000)))?.body.length).toBe(1024);
});

it('takes nothing else for a message', () => {
  const whole = writePiece('piece', 0, new Uint8Array(PIECE_BYTES));
  expect(readPiece(whole)?.body.length).toBe(PIECE_BYTES);
  expect(readPiece(new Uint8Array([...whole, 0]))).toBeUndefined();
  for (let length = 0; length < 8; length++) expect(readPiece(whole.subarray(0, length))).toBeUndefined();
  for (const kind of [0, 6, 255]) expect(readPiece(Uint8Array.of(kind, 1, 0, 0, 0, 0, 0, 0))).toBeUndefined();
  expect(readPiece(Uint8Array.of(1, 2, 0, 0, 0, 0, 0, 0))).toBeUndefined();
});
