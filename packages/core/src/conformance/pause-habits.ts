/**
 * Decides where a random script pins a marker at a rate again, after a pause in which the watcher should have
 * forgotten the former rate, or should not.
 *
 * Problem: whether a watcher gets updates at rates depends on pins that it had long ago, so it takes a pin with a
 * rate, a pause, another pin, and a change at that very tick to see it. And what the model does not forget at rest
 * either, no comparison shows. Method: such sequences are inserted after some pins. In some of the pauses the whole
 * world rests for a tick and is then restored from a snapshot at rest, which the model is not. It uses a separate
 * random stream, so that a script with a seed is otherwise the same as without it.
 */
import type { Key, Operation, Script } from './operations.ts';
import { Random } from './random.ts';

/** Keeps this stream apart from the script's own. */
const STREAM = 0x9a05e;
/** How many pins of a script are renewed, at most. */
const COUNTS = [0, 0, 1, 2];
const PAUSES = [
  'none',
  'rest',
  'silence',
  'restored silence',
  'restore',
  'world at rest',
  'world at rest',
] as const;
/** Of a pin; 1 is no rate that delays anything. */
const RATES = [1, 2, 3, 4, 5];
/** A larger world does not rest: it is not compared with the model. */
const MOST_AT_REST = 60;
const TICK: Operation = { kind: 'tick' };

/** For scripts with interests. */
export function withRenewedPins(script: Script): Script {
  const random = new Random(script.seed ^ STREAM);
  const count = random.pick(COUNTS);
  if (count === 0) return script;
  const operations = [...script.operations];
  for (let i = 0; i < count; i++) {
    const pins = [...operations.keys()].filter((at) => operations[at].kind === 'pin');
    if (pins.length === 0) break;
    const from = random.pick(pins);
    const present = presentAfter(operations.slice(0, from));
    const pin = operations[from] as Extract<Operation, { kind: 'pin' }>;
    operations.splice(from + 1, 0, ...renewalOf(random, pin, present));
  }
  return { ...script, operations };
}

function renewalOf(
  random: Random,
  pin: Extract<Operation, { kind: 'pin' }>,
  present: readonly Key[],
): Operation[] {
  const { limits: _, ...bare } = pin;
  const [touch, atRate]: (() => Operation)[] = [
    () => ({ kind: 'touch', key: pin.marker }),
    () => ({ ...bare, limits: { ...pin.limits, everyTicks: random.pick(RATES) } }),
  ];
  const changes = (ticks: number) => Array.from({ length: ticks }, () => [touch(), TICK]).flat();
  const ends: readonly Operation[] = [bare, { ...bare, kind: 'unpin' }];
  const idle = Array.from({ length: random.below(5) }, () => TICK);
  return [
    ...[atRate(), ...changes(1 + random.below(2)), random.pick(ends)],
    ...pauseOf(random, pin.watcher, present),
    ...[bare, ...idle, atRate(), ...changes(2 + random.below(3))],
  ];
}

function pauseOf(random: Random, watcher: Key, present: readonly Key[]): Operation[] {
  const rest = (key: Key, isAwake: boolean): Operation => {
    return { kind: 'update', key, patch: { watches: isAwake } };
  };
  const silence = (updates: boolean): Operation => ({ kind: 'update', key: watcher, patch: { updates } });
  switch (random.pick(PAUSES)) {
    case 'none':
      return [TICK];
    case 'rest':
      return [rest(watcher, false), TICK, rest(watcher, true), TICK];
    case 'silence':
      return [silence(false), TICK, TICK, silence(true), TICK];
    case 'restored silence':
      return [silence(false), TICK, TICK, { kind: 'restore' }, silence(true), TICK];
    case 'restore':
      return [TICK, { kind: 'restore' }];
    case 'world at rest': {
      if (present.length > MOST_AT_REST) return [TICK];
      const all = (isAwake: boolean) => present.map((key) => rest(key, isAwake));
      return [...all(false), TICK, { kind: 'restoreAtRest' }, ...all(true), TICK];
    }
  }
}

/** The keys that are present after these operations. */
export function presentAfter(operations: readonly Operation[]): Key[] {
  const present = new Set<Key>();
  for (const operation of operations) {
    if (operation.kind === 'add') present.add(operation.key);
    else if (operation.kind === 'addMany') for (const key of operation.keys) present.add(key);
    else if (operation.kind === 'remove') present.delete(operation.key);
    else if (operation.kind === 'removeMany') for (const key of operation.keys) present.delete(key);
  }
  return [...present];
}
