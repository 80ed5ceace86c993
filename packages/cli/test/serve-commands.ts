/** Random commands as callers would send them, right and wrong ones, over a handful of keys. */
import fc from 'fast-check';
import type { EntityPatch } from 'umwelt';
import type { Command } from '../src/serve/command.ts';
import { isKey, type Key } from '../src/serve/key.ts';

export const SENSES = ['sight', 'hearing'];

/** Any key, short and long. */
export const anyKey: fc.Arbitrary<Key> = fc.oneof(
  fc.maxSafeNat(),
  fc.nat(300),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 64 }).filter(isKey),
);

const fewKeys = fc.constantFrom<Key>(0, 1, 255, 256, 2 ** 53 - 1, 'a', '1', 'wölfin', 'x'.repeat(64));
const place = fc.integer({ min: -20, max: 20 });
const range = fc.constantFrom<NonNullable<EntityPatch['range']>>(
  0,
  5,
  12,
  { hearing: 8 },
  { sight: 3, hearing: 30 },
);
const gain = fc.constantFrom<NonNullable<EntityPatch['gain']>>(0, 0.5, 1, { sight: 0 }, { hearing: 2 });

const properties: fc.Arbitrary<EntityPatch> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ range, gain, marker: fc.boolean(), layers: fc.nat(3) }, { requiredKeys: [] }),
  },
  // What the world refuses.
  { weight: 1, arbitrary: fc.constantFrom({ range: -1 }, { interest: 'none' }, { gain: { taste: 1 } }) },
);

/** @param key of the commands; a few unless given, so that they meet. */
export function anyCommand(dimensions: 2 | 3, key: fc.Arbitrary<Key> = fewKeys): fc.Arbitrary<Command> {
  const where = fc
    .record({ key, x: place, y: place, z: place })
    .map(({ z, ...flat }) => (dimensions === 3 ? { ...flat, z } : flat));
  return fc.oneof(
    { weight: 6, arbitrary: where.map((at): Command => ({ do: 'put', ...at })) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(where, properties)
        .map(([at, given]): Command => ({ do: 'put', ...at, properties: given })),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('update' as const), key, properties }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('touch' as const, 'remove' as const, 'detach' as const),
        key,
      }),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({ key, to: key, x: fc.integer({ min: -2, max: 2 }), y: place, z: place })
        .map(({ z, ...flat }): Command => ({ do: 'attach', ...flat, ...(dimensions === 3 ? { z } : {}) })),
    },
  );
}
