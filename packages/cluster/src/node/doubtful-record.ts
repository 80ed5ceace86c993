/**
 * The record that was on its way when a node lost its place in the world, and had to copy a state. It may have counted before
 * that state was made, or may still come late: only the log tells. What needs no ownership is said again when it is sure that
 * nobody heard it, and by then the node is another member: else a message would come twice, and an add would make two entities.
 *
 *   its member had said it, or says it now         it counted: nothing is said again
 *   its member is gone, and had not                nobody heard it: said again
 *   its member is gone for so long that no state   not known: nothing is said again
 *   remembers it
 */
import { ByteReader } from 'umwelt/bytes';
import { ITEMS } from '../records/calls.ts';
import { isSameWord } from '../records/record.ts';
import { type Member, type Members, nextSeqOf } from '../state/members.ts';
import type { Parcel } from './outbox.ts';

export class DoubtfulRecord {
  readonly parcel: Parcel;
  readonly #member: Member;
  readonly #seq: number;
  #isHeard = false;

  /** `member`: who sent it, as it was then: the record is its next. */
  constructor(member: Member, parcel: Parcel) {
    this.parcel = parcel;
    this.#member = member;
    this.#seq = nextSeqOf(member);
  }

  /** Whether it counted, as far as the log was applied. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  isOf({ incarnation }: Member): boolean {
    return incarnation === this.#member.incarnation;
  }

  /** A record of its member counted. */
  heard(seq: number): void {
    if (seq === this.#seq) this.#isHeard = true;
  }

  /** Judges anew, by a state that was copied. Whether it is settled: its member is gone. */
  judge(members: Members): boolean {
    const { incarnation, nonce } = this.#member;
    const member = members.all().find((each) => each.incarnation === incarnation);
    const departed = members.departed.find((each) => isSameWord(each.nonce, nonce));
    const seq = (member ?? departed)?.seq;
    // Numbers go round.
    this.#isHeard = seq === undefined || (seq - this.#seq) >>> 0 < 2 ** 31;
    return member === undefined || member.isGone;
  }

  /** The numbers of its adds. */
  get requests(): number[] {
    const { adds = [] } = this.parcel.lists;
    return adds.map((bytes) => ITEMS.adds.read(new ByteReader(bytes, 'BAD_RECORD')).request);
  }
}
