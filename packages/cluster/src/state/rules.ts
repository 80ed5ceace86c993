/**
 * The rules by which records count, each a function of its own: no clock, no randomness, no network. All replicas use the
 * same rules, so all come to the same state. The simulation breaks them one at a time, and must notice.
 */
import type { EntityId, World } from 'umwelt';
import { type Member, nextSeqOf } from './members.ts';
import { mixed } from './mixed.ts';

export interface Rules {
  /** R1: of a live member's records only the next one counts, so sending a record again is harmless. */
  isNext(member: Member, seq: number): boolean;
  /** R1: a member that came back is a new member; records in flight from before do not count. */
  isSame(member: Member, incarnation: number): boolean;
  /** R2. Both arguments are codes of members: see entity-table.ts. */
  mayChange(owner: number, caller: number): boolean;
  /** Every tick is marked once, however many marks there are. */
  isNextMark(tick: number, lastTick: number): boolean;
  /** Silence is counted in ticks of the log: while the log has no marks, no member is silent. */
  isSilent(member: Member, tick: number, silenceTicks: number): boolean;
  /** The format of members' records when these members are left: the highest that all of them read, and never a lower one than before. */
  formatOf(live: readonly Member[], former: number): number;
  /** Whether a member's record of this format counts: each replica can read it, or none counts it. */
  isWritten(format: number, worldFormat: number): boolean;
  /** The member that takes over an entity: the highest hash, so that all replicas agree and few entities move when members change. */
  adopterOf(id: EntityId, adopters: readonly Member[]): Member | undefined;
  /** Between two showers a watcher stops watching for a tick, so that it starts anew alike on all nodes. */
  readonly restsBetweenShowers: boolean;
  /** `rest` makes a watcher stop watching; `wake` makes it start. */
  rest(world: World, id: EntityId): void;
  wake(world: World, id: EntityId): void;
  /** Kept state goes to an entity's next owner. */
  readonly keepsGoAlong: boolean;
  /** The position stored with a copied state. */
  storedPosition(position: number): number;
}

export const RULES: Rules = {
  isNext: (member, seq) => seq === nextSeqOf(member),
  isSame: (member, incarnation) => member.incarnation === incarnation,
  mayChange: (owner, caller) => owner === caller,
  isNextMark: (tick, lastTick) => tick === lastTick + 1,
  isSilent: (member, tick, silenceTicks) => tick - member.heardTick > silenceTicks,
  formatOf: (live, former) =>
    live.length === 0 ? former : Math.max(former, Math.min(...live.map(({ formats }) => formats[1]))),
  isWritten: (format, worldFormat) => format === worldFormat,
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
    // Incarnations ascend, so the older member wins a tie.
    if (weight > highest) [highest, best] = [weight, member];
  }
  return best;
}

/** Weight of an entity for a member, 32 bits: the finaliser of MurmurHash3 over both. */
export function weightOf(id: number, incarnation: number): number {
  const low = mixed((incarnation % 2 ** 32) ^ Math.imul(Math.floor(incarnation / 2 ** 32), 0x9e3779b1));
  return mixed(Math.imul(id, 0x85ebca77) ^ low) >>> 0;
}
