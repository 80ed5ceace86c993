/**
 * What a member says of the world when it is asked how it stands: JSON, since people and other programs ask for it; writer
 * beside reader.
 *
 * All of it comes from the log, so any member says the same, but for `lagMs`, its own. Cost: O(slots) an answer.
 */
import { UmweltError } from 'umwelt';
import { codeOf } from '../state/members.ts';
import type { Replica } from '../state/replica.ts';

/** What a member is asked with. */
export const STANDING_QUESTION: Uint8Array = Uint8Array.of(2);

/** One member, by the log. */
export interface MemberStanding {
  /** As it joined. */
  readonly name: string;
  /** No other member ever has it. */
  readonly incarnation: number;
  /** Whether it takes over entities of members that are gone. */
  readonly adopts: boolean;
  /** Ticks since its last record. */
  readonly silentTicks: number;
  /** Calls of its that were refused since it came. */
  readonly refused: number;
  /** Entities that it owns. */
  readonly owned: number;
  /** Watchers whose views it shows. */
  readonly shown: number;
}

/** The world, by the log. */
export interface WorldStanding {
  /** The member that answered. */
  readonly answeredBy: string;
  /** How far it was behind the log, in milliseconds. */
  readonly lagMs: number;
  /** Ticks that were marked. */
  readonly tick: number;
  /** Of the last record that it applied. */
  readonly position: number;
  /** Milliseconds from tick to tick. */
  readonly tickMs: number;
  /** A member without a record for more ticks than that is gone. */
  readonly silenceTicks: number;
  /** Entities in the whole world. */
  readonly entities: number;
  /** Entities that nobody owns. */
  readonly orphans: number;
  /** The longest there first. */
  readonly members: readonly MemberStanding[];
}

/** By code of a member, and 0 for nobody: how many it owns, and shows. */
export function countsByCode({ table }: Replica): { owned: Map<number, number>; shown: Map<number, number> } {
  const { ids, owners, showers } = table;
  const [owned, shown] = [new Map<number, number>(), new Map<number, number>()];
  for (let slot = 0; slot < ids.length; slot++) {
    if (ids[slot] === 0) continue;
    owned.set(owners[slot], (owned.get(owners[slot]) ?? 0) + 1);
    shown.set(showers[slot], (shown.get(showers[slot]) ?? 0) + 1);
  }
  return { owned, shown };
}

export function writeStanding(replica: Replica, lagMs: number): Uint8Array {
  const { members, world, tick, position, selfCode } = replica;
  const { owned, shown } = countsByCode(replica);
  const live = members.live();
  const standing: WorldStanding = {
    answeredBy: live.find((member) => codeOf(member) === selfCode)?.name ?? '',
    lagMs: Math.round(lagMs),
    tick,
    position,
    tickMs: members.settings?.tickMs ?? 0,
    silenceTicks: members.settings?.silenceTicks ?? 0,
    entities: world.size,
    orphans: owned.get(0) ?? 0,
    members: live.map((member) => ({
      name: member.name,
      incarnation: member.incarnation,
      adopts: member.adopts,
      silentTicks: tick - member.heardTick,
      refused: member.refused,
      owned: owned.get(codeOf(member)) ?? 0,
      shown: shown.get(codeOf(member)) ?? 0,
    })),
  };
  return new TextEncoder().encode(JSON.stringify(standing));
}

const WORLD_NUMBERS = ['lagMs', 'tick', 'position', 'tickMs', 'silenceTicks', 'entities', 'orphans'] as const;
const MEMBER_NUMBERS = ['incarnation', 'silentTicks', 'refused', 'owned', 'shown'] as const;

/** Throws `BAD_SNAPSHOT` for what is none, whatever the bytes. */
export function readStanding(bytes: Uint8Array): WorldStanding {
  let found: unknown;
  try {
    found = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw none();
  }
  const standing = fieldsOf(found);
  if (!hasNumbers(standing, WORLD_NUMBERS) || typeof standing.answeredBy !== 'string') throw none();
  if (!Array.isArray(standing.members)) throw none();
  for (const each of standing.members) {
    const member = fieldsOf(each);
    const isOne = typeof member.name === 'string' && typeof member.adopts === 'boolean';
    if (!isOne || !hasNumbers(member, MEMBER_NUMBERS)) throw none();
  }
  return found as WorldStanding;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function hasNumbers(fields: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  return names.every((name) => Number.isFinite(fields[name]));
}

function none(): UmweltError {
  return new UmweltError('BAD_SNAPSHOT', 'what a member answered is not how its world stands');
}
