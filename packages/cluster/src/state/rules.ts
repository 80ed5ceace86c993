/**
 * The rules by which records count, each a function of its own and nothing else: no clock, no chance, no network. All
 * replicas go by the same ones, so all come to the same state. The simulation breaks them one at a time, and must notice.
 */
import type { EntityId, World } from 'umwelt';
import { type Member, nextSeqOf } from './members.ts';
import { mixed } from './mixed.ts';

export interface Rules {
  /** R1: of the records of a live member only the next one counts, so that sending one again is harmless. */
  isNext(member: Member, seq: number): boolean;
  /** R1: a member that came back is another one; what its former self still had under way does not count. */
  isSame(member: Member, incarnation: number): boolean;
  /** R2. Both are codes of members: see entity-table.ts. */
  mayChange(owner: number, caller: number): boolean;
  /** Every tick is marked once, whoever says so and how often. */
  isNextMark(tick: number, lastTick: number): boolean;
  /** Silence is counted in ticks of the log: where the log stands still nobody is silent. */
  isSilent(member: Member, tick: number, silenceTicks: number): boolean;
  /** Who takes over an entity: the highest hash, so that all agree and few move when members change. */
  adopterOf(id: EntityId, adopters: readonly Member[]): Member | undefined;
  /** Between two showers a watcher rests, so that it begins anew everywhere alike. */
  readonly restsBetweenShowers: boolean;
  /** Puts a watcher to rest, and wakes it. */
  rest(world: World, id: EntityId): void;
  wake(world: World, id: EntityId): void;
  /** What an entity's owner kept with it goes to the next one. */
  readonly keepsGoAlong: boolean;
  /** The position that a copied state is at. */
  storedPosition(position: number): number;
}

export const RULES: Rules = {
  isNext: (member, seq) => seq === nextSeqOf(member),
  isSame: (member, incarnation) => member.incarnation === incarnation,
  mayChange: (owner, caller) => owner === caller,
  isNextMark: (tick, lastTick) => tick === lastTick + 1,
  isSilent: (member, tick, silenceTicks) => tick - member.heardTick > silenceTicks,
  adopterOf,
  restsBetweenShowers: true,
  rest: (world, id) => world.update(id, { watches: false }),
  wake: (world, id) => world.update(id, { watches: true }),
  keepsGoAlong: true,
  storedPosition: (position) => position,
};

function adopterOf(id: EntityId, adopters: readonly Member[]): Member | undefined {
  let best: Member | undefined;
  let highest = -1;
  for (const member of adopters) {
    const weight = weightOf(id, member.incarnation);
    // Incarnations ascend, so of equal weights the older member's counts.
    if (weight > highest) [highest, best] = [weight, member];
  }
  return best;
}

/** How much an entity draws to a member, 32 bits: the finaliser of MurmurHash3 over both. */
export function weightOf(id: number, incarnation: number): number {
  const low = mixed((incarnation % 2 ** 32) ^ Math.imul(Math.floor(incarnation / 2 ** 32), 0x9e3779b1));
  return mixed(Math.imul(id, 0x85ebca77) ^ low) >>> 0;
}
