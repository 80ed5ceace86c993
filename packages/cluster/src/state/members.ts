/**
 * Who is in the world, by the log alone.
 *
 * A member is a name, a small number while it lives, and an incarnation that no other ever has: the position of its hello.
 * One that is gone keeps its number until the next mark, which gives away what it had.
 */
import type { Hello, Noted, Word64 } from '../records/record.ts';
import { FORMAT, isSameWord, OLDEST_FORMAT } from '../records/record.ts';

export const MEMBERS_MAX = 1024;
const DEPARTED_MAX = 1024;
export const NOTHING_NOTED: Noted = { tick: 0, digest: [0, 0] };

export interface Member {
  readonly number: number;
  readonly incarnation: number;
  readonly name: string;
  readonly nonce: Word64;
  readonly adopts: boolean;
  readonly formats: readonly [oldest: number, newest: number];
  /** Of its last record that counted. */
  seq: number;
  /** Ticks that were marked when it was heard last. */
  heardTick: number;
  /** Its records count no more; the next mark ends it. */
  isGone: boolean;
  /** Calls of its that were refused. */
  refused: number;
  /** The newest digest that it told. */
  noted: Noted;
}

/** What the first hello says, and all others must. */
export interface ClusterSettings {
  readonly settings: Word64;
  readonly tickMs: number;
  readonly silenceTicks: number;
  /** The nonce of that hello: tells a world from one that began later on the same log. */
  readonly origin: Word64;
}

/** Why a hello does not count: other settings, no common format, no room, written too long ago, known already. */
export type HelloRefusal = 'settings' | 'format' | 'full' | 'late' | 'known';

export interface Departed {
  readonly nonce: Word64;
  readonly tick: number;
  /** Of its last record that counted. */
  readonly seq: number;
}

/** The number of its next record. */
export function nextSeqOf({ seq }: Member): number {
  return (seq + 1) % 2 ** 32;
}

export class Members {
  /** What all go by; none before the first hello. */
  settings: ClusterSettings | undefined;
  /** The highest incarnation so far: positions come again where a log lost its end, incarnations do not. */
  lastIncarnation = 0;
  /** Those gone not long ago: a hello of theirs that comes twice brings nobody back. */
  departed: Departed[] = [];
  readonly #byNumber: (Member | undefined)[] = [];

  /** All that are not ended, those gone since the last mark included; ascending by incarnation. */
  all(): Member[] {
    const members = this.#byNumber.filter((member) => member !== undefined);
    return members.sort((first, second) => first.incarnation - second.incarnation);
  }

  live(): Member[] {
    return this.all().filter((member) => !member.isGone);
  }

  byNumber(number: number): Member | undefined {
    return this.#byNumber[number];
  }

  liveByIncarnation(incarnation: number): Member | undefined {
    return this.#byNumber.find((member) => member?.incarnation === incarnation && !member.isGone);
  }

  liveByName(name: string): Member | undefined {
    return this.#byNumber.find((member) => member?.name === name && !member.isGone);
  }

  /** Why a hello that came at `tick` does not count; `undefined` when it does. */
  refusalOf(hello: Hello, tick: number): HelloRefusal | undefined {
    const { settings } = this;
    if (settings !== undefined && !isSameWord(settings.settings, hello.settings)) return 'settings';
    if (settings !== undefined && tick - hello.tick > settings.silenceTicks) return 'late';
    const hasNonce = ({ nonce }: { nonce: Word64 }) => isSameWord(nonce, hello.nonce);
    if (this.all().some(hasNonce) || this.departed.some(hasNonce)) return 'known';
    const ranges = [...this.live().map(({ formats }) => formats), hello.formats];
    const oldest = Math.max(OLDEST_FORMAT, ...ranges.map(([from]) => from));
    const newest = Math.min(FORMAT, ...ranges.map(([, to]) => to));
    if (oldest > newest) return 'format';
    return this.#freeNumber() === undefined ? 'full' : undefined;
  }

  /** Takes in the writer of a hello that counts. */
  add(hello: Hello, position: number, tick: number): Member {
    const { name, nonce, adopts, formats, settings, tickMs, silenceTicks } = hello;
    this.settings ??= { settings, tickMs, silenceTicks, origin: nonce };
    this.lastIncarnation = Math.max(position, this.lastIncarnation + 1);
    const member: Member = {
      number: this.#freeNumber() as number,
      incarnation: this.lastIncarnation,
      name,
      nonce,
      adopts,
      formats,
      seq: 0,
      heardTick: tick,
      isGone: false,
      refused: 0,
      noted: NOTHING_NOTED,
    };
    this.#byNumber[member.number] = member;
    return member;
  }

  /** Puts back one that was stored. */
  restore(member: Member): void {
    this.#byNumber[member.number] = member;
  }

  /** Ends those gone: their numbers are free. */
  endGone(tick: number): void {
    const oldest = tick - (this.settings?.silenceTicks ?? 0);
    this.departed = this.departed.filter((each) => each.tick >= oldest);
    for (const member of this.all()) {
      if (!member.isGone) continue;
      this.departed.push({ nonce: member.nonce, tick, seq: member.seq });
      this.#byNumber[member.number] = undefined;
    }
    this.departed.splice(0, this.departed.length - DEPARTED_MAX);
  }

  #freeNumber(): number | undefined {
    for (let number = 0; number < MEMBERS_MAX; number++) {
      if (this.#byNumber[number] === undefined) return number;
    }
    return undefined;
  }
}

/** How columns name a member; nobody is 0. */
export function codeOf(member: Member): number {
  return member.number + 1;
}
