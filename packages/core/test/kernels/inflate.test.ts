/** Inflate undoes what zlib deflates, in every form that DEFLATE has. */
import { constants, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inflate } from '../../src/kernels/inflate.ts';

const forms = [
  { level: 0 },
  { level: 1 },
  { level: 9 },
  { level: 9, strategy: constants.Z_FIXED },
  { level: 9, strategy: constants.Z_HUFFMAN_ONLY },
  { level: 9, strategy: constants.Z_RLE },
];

it.each(forms)('undoes zlib with %j', (form) => {
  const letters = fc.uint8Array({ maxLength: 3000, max: 7 });
  const anything = fc.uint8Array({ maxLength: 3000 });
  const repeated = fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 3000 }))
    .map(([part, times]) =>
      Uint8Array.from({ length: part.length * times }, (_, i) => part[i % part.length]!),
    );
  fc.assert(
    fc.property(fc.oneof(letters, anything, repeated), (bytes) => {
      expect(Buffer.compare(inflate(deflateRawSync(bytes, form), bytes.length), bytes)).toBe(0);
    }),
    { numRuns: 60, seed: 5 },
  );
});

it('takes several blocks, stored and not, one after the other', () => {
  const bytes = Uint8Array.from({ length: 200_000 }, (_, i) => (i * 2_654_435_761) >>> (i % 24));
  for (const form of forms)
    expect(Buffer.compare(inflate(deflateRawSync(bytes, form), bytes.length), bytes)).toBe(0);
});

it('breaks an invariant where it is cut short, or is shorter than was said', () => {
  const deflated = deflateRawSync(Buffer.from('perceived, and given a seat '.repeat(20)));
  expect(() => inflate(deflated.subarray(0, 20), 560)).toThrow(/broken invariant/);
  expect(() => inflate(deflated, 561)).toThrow(/broken invariant/);
});
