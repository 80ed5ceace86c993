/**
 * A record that was in flight when the node lost its membership and had to copy a state. It may have counted before that state
 * was made, or may still arrive late; only the log tells. Calls that need no ownership are sent again, once it is certain that
 * the record did not count; by then the node is another member. Sending too early would deliver a message twice, and an add
 * would make two entities.
 *
 *   the record of its member counted               nothing is sent again
 *   its member is gone, the record did not count   sent again
 *   its member is gone for so long that no state   unknown: nothing is sent again
 *   remembers it
 */
import { isSameWord } from '../records/record.ts';
import { type Member, type Members, nextSeqOf } from '../state/members.ts';
import { itemsOf, type Parcel } from './parcel.ts';

export class DoubtfulRecord {
  readonly parcel: Parcel;
  readonly #member: Member;
  readonly #seq: number;
  #isHeard = false;

  /** `member`: the sender as it was then; the record has its next number. */
  constructor(member: Member, parcel: Parcel) {
    this.parcel = parcel;
    this.#member = member;
    this.#seq = nextSeqOf(member);
  }

  /** Whether the record counted, as far as the log was applied. */
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

  /** Decides again from a copied state. True if that is final: its member is gone. */
  judge(members: Members): boolean {
    const { incarnation, nonce } = this.#member;
    const member = members.all().find((each) => each.incarnation === incarnation);
    const departed = members.departed.find((each) => isSameWord(each.nonce, nonce));
    const seq = (member ?? departed)?.seq;
    // Sequence numbers wrap around.
    this.#isHeard = seq === undefined || (seq - this.#seq) >>> 0 < 2 ** 31;
    return member === undefined || member.isGone;
  }

  /** The request numbers of its adds. */
  get requests(): number[] {
    return itemsOf(this.parcel, 'adds').map(({ request }) => request);
  }
}
