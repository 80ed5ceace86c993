/**
 * What a node counts while it applies the log: sums since its start, some 100 ns for a record. node/node-metrics.ts turns them into
 * metrics.
 */
import type { GoneReason } from '../state/events.ts';
import type { Member } from '../state/members.ts';

/** Counts of one member, by name: they continue if it comes back under the same name. */
export interface MemberFigures {
  records: number;
  bytes: number;
}

/** Maximum number of members reported: those heard last. */
const NAMES_MAX = 1024;
const WINDOW_MS = 30_000;

export class NodeFigures {
  records = 0;
  bytes = 0;
  /** Noise, and records that only a live member may write: forged, or too late. */
  strangeRecords = 0;
  ticks = 0;
  /** Milliseconds spent on all records, ticks included; and on ticks alone. */
  applyMs = 0;
  tickMs = 0;
  /** How often this node's state differed from that of two others. */
  differed = 0;
  readonly goneBy = new Map<GoneReason, number>();
  /** The member heard longest ago first. */
  readonly members = new Map<string, MemberFigures>();
  #tickingMs = 0;
  #markedMs: number | undefined;
  /** When it last applied a mark, or began to follow. */
  #aliveMs = 0;
  #windowMs = 0;
  #gapMs = 0;
  #formerGapMs = 0;

  record(byteLength: number, member: Member | undefined, isStrange: boolean): void {
    this.records++;
    this.bytes += byteLength;
    if (isStrange) this.strangeRecords++;
    if (member === undefined) return;
    const { name } = member;
    const figures = this.members.get(name) ?? { records: 0, bytes: 0 };
    figures.records++;
    figures.bytes += byteLength;
    // Put last, so that the one to forget is the first.
    this.members.delete(name);
    if (this.members.size === NAMES_MAX) this.members.delete(this.members.keys().next().value as string);
    this.members.set(name, figures);
  }

  gone(_member: Member, why: GoneReason): void {
    this.goneBy.set(why, (this.goneBy.get(why) ?? 0) + 1);
  }

  /** A tick begins. Its time is taken here: figures of the world cost up to a fifth of a tick. */
  ticking(nowMs: number): void {
    this.#tickingMs = nowMs;
  }

  ticked(nowMs: number): void {
    this.ticks++;
    this.tickMs += nowMs - this.#tickingMs;
    if (nowMs - this.#windowMs > WINDOW_MS) {
      this.#formerGapMs = this.#gapMs;
      this.#gapMs = 0;
      this.#windowMs = nowMs;
    }
    if (this.#markedMs !== undefined) this.#gapMs = Math.max(this.#gapMs, nowMs - this.#markedMs);
    this.#markedMs = nowMs;
    this.#aliveMs = nowMs;
  }

  /** It follows anew, or not any more: the time until the next mark is no gap between marks. */
  pause(nowMs: number): void {
    this.#markedMs = undefined;
    this.#aliveMs = nowMs;
  }

  /** For how long no tick was marked. */
  silentMs(nowMs: number): number {
    return nowMs - this.#aliveMs;
  }

  /** The longest time between two marks in the last 30 to 60 seconds, or since the last one: the next may never come. */
  longestGapMs(nowMs: number): number {
    return Math.max(this.#gapMs, this.#formerGapMs, nowMs - (this.#markedMs ?? nowMs));
  }
}
