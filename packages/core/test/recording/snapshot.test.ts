/**
 * Restored worlds go on as the ones that were stored: random scripts, stored and restored at random moments, pending
 * changes and all, give the same hashes, ids and answers.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { createScript } from '../../src/conformance/script.ts';
import { type DetectorName, detectorNames, type RestoreOptions, World } from '../../src/index.ts';
import { searchShares } from '../../src/interest/seats/searched-watchers.ts';
import { ScriptPlay } from './script-play.ts';

const SCRIPTS = 25;
/** Nothing of a detector is stored: whether it starts from what was restored shows in a few. */
const scriptsWith = (detector: DetectorName) => (detector === 'sweep' ? SCRIPTS : 8);

/** Plays the script of a seed beside a world that is stored and restored now and then. */
function play(seed: number, detector: DetectorName, options: RestoreOptions): void {
  const random = new Random(seed ^ 0x5eed);
  const entities = random.pick([4, 12, 40]);
  const [interests, attachments] = [seed % 4 > 1, seed % 2 === 0];
  const script = createScript(seed, { operations: 160, entities, interests, attachments });
  const played = new ScriptPlay(script, (given) => [0, 1].map(() => new World({ ...given, detector })));
  const often = random.pick([0.03, 0.1, 0.4]);
  script.operations.forEach((operation, at) => {
    const where = `seed ${seed} detector ${detector} operation ${at} ${operation.kind}`;
    const difference = played.step(operation);
    if (difference !== undefined) throw new Error(`${where}: ${difference}`);
    if (!random.chance(often)) return;
    const bytes = played.worlds[1].snapshot();
    const restored = World.restore(bytes, { interests: played.interests, ...options });
    const again = restored.snapshot();
    // With another detector its name is another. Byte by byte an `expect` takes a millisecond.
    if (options.detector === undefined && Buffer.compare(again, bytes) !== 0)
      expect(again, `${where}: stored again`).toEqual(bytes);
    expect(restored.stats().relationCount).toBe(played.worlds[1].stats().relationCount);
    played.worlds[1] = restored;
    const otherwise = played.answers();
    if (otherwise !== undefined) throw new Error(`${where}, restored: ${otherwise}`);
  });
}

describe.each(detectorNames)('a world with %s', (detector) => {
  test('goes on as if it had not been stored and restored, whenever that is', () => {
    for (let seed = 1; seed <= scriptsWith(detector); seed++) play(seed, detector, {});
  });
});

describe('a world in which it takes few to be crowded', () => {
  const usual = { ...searchShares };
  beforeAll(() => void Object.assign(searchShares, { enter: 0.5, leave: 0.4, ofAll: 0 }));
  afterAll(() => void Object.assign(searchShares, usual));

  test('goes on as if it had not been stored and restored', () => {
    for (let seed = 3001; seed <= 3000 + SCRIPTS; seed++) play(seed, 'sweep', {});
  });
});

describe('what a restored world may have in place of its own', () => {
  test('TypeScript kernels', () => {
    for (let seed = 1001; seed <= 1000 + SCRIPTS; seed++) play(seed, 'sweep', { kernels: 'typescript' });
  });

  test('another detector', () => {
    for (let seed = 2001; seed <= 2000 + SCRIPTS; seed++) {
      play(seed, 'sweep', { detector: detectorNames[seed % detectorNames.length] });
    }
  });
});
