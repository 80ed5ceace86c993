/**
 * Ticks in each of which something is changed or asked: how long they take, and a hash of all that was reported and answered, by which
 * a world is compared with one that computes by the definition.
 */
import type { World, WorldOptions } from 'umwelt';
import { coreWaitMs } from '../measure/core-wait.ts';

/** Of the world that others are compared with. */
export const JUDGE: WorldOptions = { detector: 'brute-force', kernels: 'typescript', threads: 1 };

/** `act`: makes tick number `k`, with its calls and questions, and returns the answers: ids, or numbers. */
export function judgedTicks(
  world: World,
  ticks: number,
  act: (k: number) => Iterable<ArrayLike<number>>,
): { times: number[]; hash: string } {
  const times: number[] = [];
  let sum = 0n;
  for (let k = 0; k < ticks; k++) {
    const beganMs = performance.now() - coreWaitMs();
    const answers = act(k);
    times.push(performance.now() - coreWaitMs() - beganMs);
    sum = sum * 31n + BigInt(`0x${world.lastChanges.hash()}`);
    for (const answer of answers)
      for (let i = 0; i < answer.length; i++) sum = sum * 31n + BigInt(Math.round(answer[i]!));
    sum = BigInt.asUintN(64, sum);
  }
  return { times, hash: sum.toString(16).padStart(16, '0') };
}
