/**
 * The state of a cluster's world, as a pure function of the log: no clock, no randomness, no network.
 *
 * Every node holds one. Records are applied in log order, each completely or not at all. Bytes that are no record, and records
 * that do not count, change nothing and throw nothing, so all replicas agree whatever the log holds. `chain` is a checksum of
 * all records so far: two replicas with the same chain have applied the same log.
 *
 * Cost: some 30 ns for another node's move, its share of the tick included; see the other files for the rest.
 */
import {
  type Changes,
  type ChannelOptions,
  Channels,
  type EntityId,
  UmweltError,
  World,
  type WorldOptions,
} from 'umwelt';
import { checksumOf } from 'umwelt/bytes';
import type { InterestCall } from '../records/calls.ts';
import { FORMATS, type Formats } from '../records/formats.ts';
import {
  type ClusterRecord,
  isOfNobody,
  isSameWord,
  type Noted,
  readRecord,
  type Word64,
} from '../records/record.ts';
import { applyCalls } from './appliers.ts';
import { EntityTable } from './entity-table.ts';
import type { OwnerReason, ReplicaEvents } from './events.ts';
import { applyMark } from './mark.ts';
import { codeOf, type Member, Members, NOTHING_NOTED } from './members.ts';
import type { ReplicaState } from './replica-state.ts';
import { RULES, type Rules } from './rules.ts';
import { digestOf } from './state-digest.ts';

/** The state's digest is noted every so many ticks. */
const NOTED_TICKS = 64;

/** Number of recent records whose checksums are kept. One is not enough: a mark may come again, byte for byte, at its old place. */
export const RECENT = 8;

export interface RecentRecord {
  readonly position: number;
  readonly checksum: Word64;
}

export interface ReplicaOptions {
  readonly world: WorldOptions;
  readonly channels?: ChannelOptions | undefined;
  readonly views: 'own' | 'all';
  /** Class of a restored world. Default `World`. */
  readonly Made?: typeof World;
  readonly events?: ReplicaEvents;
  readonly rules?: Rules;
  /** Which formats of records it reads. Default: those of this version. */
  readonly formats?: Formats;
}

export class Replica implements ReplicaState {
  readonly world: World;
  readonly options: WorldOptions;
  readonly channels: Channels | undefined;
  readonly interests = new Map<string, InterestCall>();
  readonly views: 'own' | 'all';
  readonly events: ReplicaEvents;
  readonly rules: Rules;
  readonly formats: Formats;
  readonly table = new EntityTable();
  readonly members = new Members();
  readonly askedShowers = new Map<EntityId, number>();
  seesAll = false;
  selfCode = 0;
  resting: EntityId[] = [];
  hasOrphans = false;
  /** Position of the last applied record; 0 before the first. */
  position = 0;
  /** Position of the last 'anew' record; 0 for none. */
  anewPosition = 0;
  chain: Word64 = [0, 0];
  /** The newest applied records: the log must still hold them for this state to be valid. */
  recent: RecentRecord[] = [];
  noted: Noted = NOTHING_NOTED;
  /** Number of log entries that were no record. */
  garbageCount = 0;

  /** Uses a restored world and channels, or makes new ones. Throws what `new World` throws. */
  constructor(
    { world, channels, views, events = {}, rules = RULES, formats = FORMATS }: ReplicaOptions,
    restored?: World,
    restoredChannels?: Channels,
  ) {
    this.world = restored ?? new World(world);
    this.options = world;
    this.channels = restoredChannels ?? (channels && new Channels(this.world, channels));
    this.views = views;
    this.events = events;
    this.rules = rules;
    this.formats = formats;
  }

  /** Number of marked ticks. */
  get tick(): number {
    return this.world.tickCount;
  }

  /** Applies the record at the next position, or at the first position that a log still has. */
  apply(position: number, bytes: Uint8Array): void {
    const checksum = checksumOf(bytes);
    this.position = position;
    this.chain = chained(this.chain, checksum);
    this.recent.push({ position, checksum });
    if (this.recent.length > RECENT) this.recent.shift();
    const record = recordOf(bytes, this.formats);
    const member = record && this.#speakerOf(record);
    const isStrange = member === undefined && (record === undefined || !isOfNobody(record));
    this.events.record?.(bytes.length, member, isStrange);
    if (record === undefined) this.garbageCount++;
    else this.#applyRecord(position, record);
  }

  /** Continues after an 'anew' record that restarts the log from this state. */
  beginAt(position: number, bytes: Uint8Array): void {
    const checksum = checksumOf(bytes);
    this.position = position;
    this.anewPosition = position;
    this.chain = chained(this.chain, checksum);
    this.recent = [{ position, checksum }];
  }

  giveTo(id: EntityId, owner: number, why: OwnerReason): void {
    const slot = id >>> 10;
    const from = this.table.owners[slot];
    if (from === owner) return;
    this.table.owners[slot] = owner;
    if (!this.rules.keepsGoAlong) this.table.dropKept(id);
    this.events.owner?.(id, from, owner, why);
  }

  settleFormat(): void {
    if (this.members.settleFormat(this.rules.formatOf)) this.events.format?.(this.members.format);
  }

  #applyRecord(position: number, record: ClusterRecord): void {
    switch (record.kind) {
      case 'hello':
        this.#applyHello(position, record.hello);
        break;
      case 'gone': {
        const member = this.members.byNumber(record.member);
        if (member?.incarnation === record.incarnation) this.#end(member, 'told');
        this.settleFormat();
        break;
      }
      case 'anew': {
        const { anew } = record;
        if (anew.seen < this.anewPosition) break;
        this.anewPosition = position;
        this.events.anew?.(anew, position);
        break;
      }
      case 'mark': {
        const member = this.#speakerOf(record);
        if (member === undefined || !this.#isWritten(record)) break;
        member.heardTick = this.tick;
        if (this.rules.isNextMark(record.tick, this.tick)) this.#applyMark(record.tick);
        break;
      }
      default:
        this.#applySpoken(record);
    }
  }

  /** Calls and bye: each counts once, see R1. */
  #applySpoken(record: Extract<ClusterRecord, { kind: 'calls' | 'bye' }>): void {
    const member = this.#speakerOf(record);
    if (member === undefined || !this.#isWritten(record) || !this.rules.isNext(member, record.seq)) return;
    member.seq = record.seq;
    member.heardTick = this.tick;
    if (record.kind === 'bye') {
      this.#end(member, 'bye');
      this.settleFormat();
      return;
    }
    if (record.noted.tick > 0) member.noted = record.noted;
    this.events.calls?.(member, record.seq, record.calls);
    applyCalls(this, member, record.calls);
  }

  #applyHello(position: number, hello: Extract<ClusterRecord, { kind: 'hello' }>['hello']): void {
    const refusal = this.members.refusalOf(hello, this.tick);
    if (refusal !== undefined) {
      this.events.hello?.(hello, refusal);
      return;
    }
    const former = this.members.liveByName(hello.name);
    if (former !== undefined) this.#end(former, 'replaced');
    const isFirst = this.members.settings === undefined;
    // A separate statement: as an argument of an optional call it would not be evaluated without a listener.
    const member = this.members.add(hello, position, this.tick);
    // In the marks until the first digest: without it, those of two young worlds may be the same bytes at the same positions.
    if (isFirst) this.noted = { tick: 0, digest: hello.nonce };
    this.events.hello?.(hello, member);
    this.settleFormat();
  }

  #applyMark(tick: number): void {
    applyMark(this, tick);
    this.channels?.balance();
    this.events.ticking?.();
    const changes = this.#tickWorld(tick);
    if (tick % NOTED_TICKS === 0) this.noted = { tick, digest: digestOf(this) };
    this.events.tick?.(changes);
  }

  #tickWorld(tick: number): Changes {
    try {
      return this.world.tick();
    } catch (error) {
      // If the tick counts nevertheless, the world is as the log says, and the rest of the mark must be done, too.
      if (this.tick !== tick || this.events.tickThrew === undefined) throw error;
      this.events.tickThrew(error);
      return this.world.lastChanges;
    }
  }

  #speakerOf({ member: number, incarnation }: ClusterRecord): Member | undefined {
    const member = this.members.byNumber(number);
    if (member === undefined || member.isGone || !this.rules.isSame(member, incarnation)) return undefined;
    return member;
  }

  /** A record under way when the format rose counts for nobody; its writer writes it again. */
  #isWritten({ format }: ClusterRecord): boolean {
    return this.rules.isWritten(format, this.members.format);
  }

  #end(member: Member, why: 'bye' | 'told' | 'replaced'): void {
    if (member.isGone) return;
    member.isGone = true;
    this.events.gone?.(member, why);
  }
}

/** Whether two other members sent the same digest of a tick, and this replica's differs. */
export function isOutvoted({ members, noted, selfCode }: Replica): boolean {
  const others = members
    .all()
    .filter((member) => codeOf(member) !== selfCode && member.noted.tick === noted.tick && noted.tick > 0);
  return others.some(
    (first) =>
      !isSameWord(first.noted.digest, noted.digest) &&
      others.some((second) => second !== first && isSameWord(first.noted.digest, second.noted.digest)),
  );
}

/** The chain with one more record. */
export function chained([low, high]: Word64, [first, second]: Word64): Word64 {
  const next = (Math.imul((low ^ first) >>> 0, 0x9e3779b1) + second) >>> 0;
  const other = (Math.imul(((high << 13) | (high >>> 19)) ^ second, 0x85ebca6b) + next) >>> 0;
  return [next, other];
}

function recordOf(bytes: Uint8Array, formats: Formats): ClusterRecord | undefined {
  try {
    return readRecord(bytes, formats);
  } catch (error) {
    if (error instanceof UmweltError && error.code === 'BAD_RECORD') return undefined;
    throw error;
  }
}
