/**
 * A member's answer about the status of the world: JSON, since people and other programs ask for it; writer and reader.
 *
 * It all comes from the log, so every member answers the same, except for `lagMs`. Cost: O(slots) per answer.
 */
import { UmweltError } from 'umwelt';
import { codeOf } from '../state/members.ts';
import type { Replica } from '../state/replica.ts';

/** The question that is sent to a member. */
export const STANDING_QUESTION: Uint8Array = Uint8Array.of(2);

/** One member, by the log. */
export interface MemberStanding {
  /** The name it joined with. */
  readonly name: string;
  /** A number that is unique for ever, also if a member comes back under its name. */
  readonly incarnation: number;
  /** Whether it takes over entities of members that are gone. */
  readonly adopts: boolean;
  /** Ticks since its last record. */
  readonly silentTicks: number;
  /** Number of its calls that were refused since it joined. */
  readonly refused: number;
  /** Number of entities that it owns. */
  readonly owned: number;
  /** Number of watchers whose views it shows. */
  readonly shown: number;
  /** Numbers of the oldest and the newest format of records that it reads; absent if the member that answered does not know. */
  readonly formats?: readonly [oldest: number, newest: number];
}

/** The status of a world, by the log. */
export interface WorldStanding {
  /** Name of the member that answered. */
  readonly answeredBy: string;
  /** How far that member was behind the log, in milliseconds. */
  readonly lagMs: number;
  /** Number of marked ticks. */
  readonly tick: number;
  /** Position of the last record that it applied. */
  readonly position: number;
  /** Milliseconds per tick. */
  readonly tickMs: number;
  /** A member without a record for more than this many ticks is gone. */
  readonly silenceTicks: number;
  /** Number of entities in the whole world. */
  readonly entities: number;
  /** Number of entities without an owner. */
  readonly orphans: number;
  /**
   * Number of the format of the members' records: the highest that all of them read; absent if the member that answered does
   * not know.
   */
  readonly format?: number;
  /** Oldest member first. */
  readonly members: readonly MemberStanding[];
}

/** By member code, and 0 for none: how many entities it owns, and how many watchers it shows. */
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
    format: members.format,
    members: live.map((member) => ({
      name: member.name,
      incarnation: member.incarnation,
      adopts: member.adopts,
      silentTicks: tick - member.heardTick,
      refused: member.refused,
      owned: owned.get(codeOf(member)) ?? 0,
      shown: shown.get(codeOf(member)) ?? 0,
      formats: member.formats,
    })),
  };
  return new TextEncoder().encode(JSON.stringify(standing));
}

const WORLD_NUMBERS = ['lagMs', 'tick', 'position', 'tickMs', 'silenceTicks', 'entities', 'orphans'] as const;
const MEMBER_NUMBERS = ['incarnation', 'silentTicks', 'refused', 'owned', 'shown'] as const;

/** Throws `BAD_SNAPSHOT` for bytes that are no such answer, and never anything else. */
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
  if (standing.format !== undefined && !Number.isFinite(standing.format)) throw none();
  for (const each of standing.members) {
    const member = fieldsOf(each);
    const isOne = typeof member.name === 'string' && typeof member.adopts === 'boolean';
    if (!isOne || !hasNumbers(member, MEMBER_NUMBERS) || !areFormats(member.formats)) throw none();
  }
  return found as WorldStanding;
}

function areFormats(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 2 && value.every(Number.isFinite));
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function hasNumbers(fields: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  return names.every((name) => Number.isFinite(fields[name]));
}

function none(): UmweltError {
  return new UmweltError('BAD_SNAPSHOT', 'the answer is no status of a world');
}
