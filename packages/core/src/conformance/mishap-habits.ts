/**
 * Decides around which failing ticks of a random script a watcher changes its mind.
 *
 * Problem: what a tick fills for a watcher before it fails shows only if the watcher had none of it before, the tick fails for it, and
 * the change is taken back, or the watcher removed, before the next tick. Method: such sequences are put around some failing ticks. The
 * watcher is touched, so that `admit` is called for all its pairs. It uses a separate random stream, so that a script with a seed is
 * otherwise the same as without it.
 */
import type { Key, Operation, Script } from './operations.ts';
import { presentAfter } from './pause-habits.ts';
import type { PlainPatch } from './plain-interest.ts';
import { Random } from './random.ts';

/** Keeps this stream apart from the script's own. */
const STREAM = 0x315a9;
/** Around how many failing ticks of a script, at most. */
const COUNTS = [0, 0, 1, 2];
const CHANGES: readonly (readonly [PlainPatch, PlainPatch])[] = [
  [{ updates: false }, { updates: true }],
  [{ updates: true }, { updates: false }],
  [{ watches: false }, { watches: true }],
];
const ENDS = ['as before', 'removed', 'as it is'] as const;
const TICK: Operation = { kind: 'tick' };

/** For scripts with interests. */
export function withChangesOfMind(script: Script): Script {
  const random = new Random(script.seed ^ STREAM);
  const count = random.pick(COUNTS);
  if (count === 0) return script;
  const operations = [...script.operations];
  for (let i = 0; i < count; i++) {
    const mishaps = [...operations.keys()].filter((at) => operations[at].kind === 'failingTick');
    if (mishaps.length === 0) break;
    const at = random.pick(mishaps);
    const present = presentAfter(operations.slice(0, at));
    if (present.length === 0) continue;
    operations.splice(at, 1, ...changeOfMind(random, random.pick(present), present));
  }
  return { ...script, operations };
}

function changeOfMind(random: Random, key: Key, present: readonly Key[]): Operation[] {
  const [first, second] = random.pick(CHANGES);
  const update = (patch: PlainPatch): Operation => ({ kind: 'update', key, patch });
  const touches = present
    .filter((each) => each !== key && random.chance(0.5))
    .map((each): Operation => ({ kind: 'touch', key: each }));
  const ends: Record<(typeof ENDS)[number], Operation[]> = {
    'as before': [update(first)],
    removed: [{ kind: 'remove', key }],
    'as it is': [],
  };
  const failing: Operation = { kind: 'failingTick', calls: random.pick([0, 0, 0, 1, 3]) };
  return [
    ...[update(first), TICK, update(second), { kind: 'touch', key } as const, ...touches, failing],
    ...[...ends[random.pick(ENDS)], TICK],
  ];
}
