/** The record that the kernels of searched watchers read: no two of its words lie in one place, however many senses and groups there are. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PERCEPTION_WORDS } from '../../src/kernels/layouts/perception.ts';

const MAX_SENSES = 8;

/** How many words a name stands for; 1 for all others. */
const WORDS: Readonly<Record<string, number>> = {
  NOW_STATE: PERCEPTION_WORDS,
  LAST_STATE: PERCEPTION_WORDS,
  OWN_RANGES: MAX_SENSES,
  TRAVEL: 2,
  QUOTA_COUNTS: 32,
  STEP: 2,
  FARTHEST: 2,
  QUOTA_OUTSIDE: 32,
  QUOTA_KEPT: 32,
  CLASS_PLAIN: 33,
  CLASS_SEATED: 33,
  CLASS_WORST: 33,
  CLASS_BEST: 33,
};

test('no two words of the record are one', () => {
  const file = new URL('../../src/kernels/layouts/seat-search.ts', import.meta.url);
  const text = readFileSync(file, 'utf8');
  const [words = '', rest = ''] = text.split('export const JOB_WORDS = ');
  const owners = new Map<number, string>();
  const names = [...words.matchAll(/export const (\w+) = (\d+);/g)];
  expect(names.length).toBeGreaterThan(65);
  for (const [, name = '', first] of names) {
    for (let word = Number(first); word < Number(first) + (WORDS[name] ?? 1); word++) {
      expect(owners.get(word), `word ${word}, of ${name}`).toBeUndefined();
      owners.set(word, name);
    }
  }
  expect(Math.max(...owners.keys())).toBeLessThan(Number.parseInt(rest, 10));
  for (const name of Object.keys(WORDS)) expect([...owners.values()]).toContain(name);
});
