/**
 * When a simulation may end before its calm is over: nothing that went wrong is under way any more, and more of the same would
 * follow. What must hold is looked at as at the end of a whole calm: a cluster that does not settle runs that long.
 */
import type { SimulatedProcess } from './process.ts';
import type { SimulatedBroker } from './simulated-broker.ts';

/** All must be settled for so long: silence shows in 1.5 s, so no former member is in doubt, and replicas that differ in 3.2 s. */
export const SETTLED_MS = 4000;

/** Replicas are at most so many ticks apart. */
const APART_TICKS = 4;

/** Whether each process is a member, all know the same members and go on, and no record of an earlier time may still arrive. */
export function areSettled(
  processes: readonly SimulatedProcess[],
  { isUp, lateUntilMs }: SimulatedBroker,
  nowMs: number,
): boolean {
  if (!isUp || nowMs < lateUntilMs) return false;
  const names = namesOf(processes);
  const ticks = processes.map(({ participant }) => participant.replica.tick);
  if (Math.max(...ticks) - Math.min(...ticks) > APART_TICKS) return false;
  return processes.every(
    ({ isOver, isPaused, endpoint, participant }) =>
      !isOver &&
      !isPaused &&
      endpoint.isConnected &&
      participant.phase === 'live' &&
      namesOf(participant.replica.members.live()) === names,
  );
}

function namesOf(named: readonly { readonly name: string }[]): string {
  return named
    .map(({ name }) => name)
    .toSorted()
    .join(' ');
}
