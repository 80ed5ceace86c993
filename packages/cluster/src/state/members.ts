/**
 * The members of the world, by the log alone.
 *
 * A member has a name, a small number while it lives, and a unique incarnation: the position of its hello. A member that is
 * gone keeps its number until the next mark, which gives its entities away.
 */
import { canRead, FIRST_FORMAT, type Formats } from '../records/formats.ts';
import type { Hello, Noted, Word64 } from '../records/record.ts';
import { isSameWord } from '../records/record.ts';

export const MEMBERS_MAX = 1024;
const DEPARTED_MAX = 1024;
export const NOTHING_NOTED: Noted = { tick: 0, digest: [0, 0] };

export interface Member {
  readonly number: number;
  readonly incarnation: number;
  readonly name: string;
  readonly nonce: Word64;
  readonly adopts: boolean;
  /** Which formats of records it reads. */
  readonly formats: Formats;
  /** Sequence number of its last record that counted. */
  seq: number;
  /** Tick at which its last record came. */
  heardTick: number;
  /** Its records do not count any more; the next mark removes it. */
  isGone: boolean;
  /** Number of its calls that were refused. */
  refused: number;
  /** The newest digest that it sent. */
  noted: Noted;
}

/** The first hello sets these; all later hellos must match. */
export interface ClusterSettings {
  readonly settings: Word64;
  readonly tickMs: number;
  readonly silenceTicks: number;
  /** The nonce of the first hello: distinguishes this world from one that began later on the same log. */
  readonly origin: Word64;
}

/** Why a hello does not count: other settings, another format than the world's, no room, written too long ago, known already. */
export type HelloRefusal = 'settings' | 'format' | 'full' | 'late' | 'known';

export interface Departed {
  readonly nonce: Word64;
  readonly tick: number;
  /** Sequence number of its last record that counted. */
  readonly seq: number;
}

/** Sequence number of its next record. */
export function nextSeqOf({ seq }: Member): number {
  return (seq + 1) % 2 ** 32;
}

export class Members {
  /** Settings of the world; `undefined` before the first hello. */
  settings: ClusterSettings | undefined;
  /** The format of all members' records from now on: the highest that all live members read. It never falls: see records/formats.ts. */
  format = FIRST_FORMAT;
  /** The highest incarnation so far. Positions repeat if a log lost its end; incarnations never do. */
  lastIncarnation = 0;
  /** Members that left recently: a second copy of their hello must not bring them back. */
  departed: Departed[] = [];
  readonly #byNumber: (Member | undefined)[] = [];
  /** `undefined` once members came or went: each mark asks for all of them several times. */
  #sorted: readonly Member[] | undefined;

  /** All members that are not removed yet, including those gone since the last mark; ascending by incarnation. */
  all(): readonly Member[] {
    this.#sorted ??= this.#byNumber
      .filter((member) => member !== undefined)
      .sort((first, second) => first.incarnation - second.incarnation);
    return this.#sorted;
  }

  live(): Member[] {
    return this.all().filter((member) => !member.isGone);
  }

  byNumber(number: number): Member | undefined {
    return this.#byNumber[number];
  }

  liveByIncarnation(incarnation: number): Member | undefined {
    return this.#byNumber.find((member) => member?.isGone === false && member.incarnation === incarnation);
  }

  liveByName(name: string): Member | undefined {
    return this.#byNumber.find((member) => member?.isGone === false && member.name === name);
  }

  /** Why a hello that came at `tick` does not count; `undefined` if it counts. */
  refusalOf(hello: Hello, tick: number): HelloRefusal | undefined {
    const { settings } = this;
    // First, since nodes of another version may not agree on what follows.
    if (settings !== undefined && !canRead(hello.formats, this.format)) return 'format';
    if (settings !== undefined && !isSameWord(settings.settings, hello.settings)) return 'settings';
    if (settings !== undefined && tick - hello.tick > settings.silenceTicks) return 'late';
    const hasNonce = ({ nonce }: { nonce: Word64 }) => isSameWord(nonce, hello.nonce);
    if (this.all().some(hasNonce) || this.departed.some(hasNonce)) return 'known';
    return this.#freeNumber() === undefined ? 'full' : undefined;
  }

  /** Adds the writer of a hello that counts. */
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
    this.restore(member);
    return member;
  }

  /** Members came or went. True if the format is another one now. */
  settleFormat(formatOf: (live: readonly Member[], former: number) => number): boolean {
    const former = this.format;
    this.format = formatOf(this.live(), former);
    return this.format !== former;
  }

  /** Restores a stored member. */
  restore(member: Member): void {
    this.#byNumber[member.number] = member;
    this.#sorted = undefined;
  }

  /** Removes gone members; their numbers are free again. */
  endGone(tick: number): void {
    const oldest = tick - (this.settings?.silenceTicks ?? 0);
    this.departed = this.departed.filter((each) => each.tick >= oldest);
    for (const member of this.all()) {
      if (!member.isGone) continue;
      this.departed.push({ nonce: member.nonce, tick, seq: member.seq });
      this.#byNumber[member.number] = undefined;
      this.#sorted = undefined;
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

/** The member's code in columns; 0 is no member. */
export function codeOf(member: Member): number {
  return member.number + 1;
}
