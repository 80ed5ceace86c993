/** Brute force of changed pairs reports what brute force reports, or larger scripts would be compared with something wrong. */
import { expect, test } from 'vitest';
import { runSeeds, type ScriptSize } from '../../src/conformance/index.ts';
import { changedPairs, pairsOf } from './changed-pairs.ts';
import { firstFailingSeed } from './failing-seed.ts';

test.each<[kind: string, size: ScriptSize, scripts: number]>([
  ['small', { operations: 250, entities: 14 }, 20],
  ['larger', { operations: 800, entities: 150 }, 2],
  ['with attachments', { operations: 250, entities: 14, attachments: true }, 10],
  ['with all in use at once', { operations: 250, entities: 20, together: true }, 10],
])('random scripts, %s, are reported as by brute force', (_, size, scripts) => {
  runSeeds(620_000, scripts, size, { detector: changedPairs, against: 'brute-force' });
});

test('where only a changed x counts as a change, they are not', () => {
  const sideways = pairsOf(({ last, now, slotCount }) =>
    Uint8Array.from({ length: slotCount }, (_, slot) => Number(last.x[slot] !== now.x[slot])),
  );
  const trial = { detector: sideways, against: 'brute-force' } as const;
  expect(firstFailingSeed({ operations: 250, entities: 14 }, trial, 20)).toBeGreaterThan(0);
});
