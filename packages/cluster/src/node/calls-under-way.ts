/**
 * The calls of this node's record that is under way, and those of a record that was under way when a membership ended: which of them
 * counted, and which are sent again. participant.ts says when a record is written, and what the log says about it.
 */
import type { Calls } from '../records/calls.ts';
import type { Member, Members } from '../state/members.ts';
import { DoubtfulRecord } from './doubtful-record.ts';
import type { Holdings } from './holdings.ts';
import type { Outbox } from './outbox.ts';
import type { Parcel } from './parcel.ts';

export class CallsUnderWay {
  readonly #outbox: Outbox;
  readonly #holdings: Holdings;
  #parcel: Parcel | undefined;
  /** The record of an earlier membership. */
  #doubtful: DoubtfulRecord | undefined;

  constructor(outbox: Outbox, holdings: Holdings) {
    this.#outbox = outbox;
    this.#holdings = holdings;
  }

  /** Whether a record without calls is under way. */
  get areNone(): boolean {
    return this.#parcel?.isEmpty === true;
  }

  /** The calls of the next record, in the format of the world. */
  take(format: number): Parcel {
    this.#parcel = this.#outbox.take(format);
    return this.#parcel;
  }

  /** The record that is under way counted. */
  counted({ shows = [] }: Calls): void {
    if (this.#parcel !== undefined) this.#holdings.heard(this.#parcel, shows);
    this.#parcel = undefined;
  }

  /** The membership is over: what only an owner may call is dropped. */
  disown(self: Member): void {
    if (this.#parcel !== undefined) this.#doubtful = new DoubtfulRecord(self, this.#parcel);
    this.#parcel = undefined;
    this.#outbox.disown();
  }

  /** Whether it is the earlier member whose record was under way. */
  isOfFormer(member: Member): boolean {
    return this.#doubtful?.isOf(member) === true;
  }

  /** A record of that member counted. */
  countedOfFormer(seq: number): void {
    this.#doubtful?.heard(seq);
  }

  /** A state was copied. */
  judge(members: Members): void {
    if (this.#doubtful?.judge(members)) this.settle();
  }

  /** A record of an earlier membership can no longer count: calls that did not count and need no ownership are sent again. */
  settle(): void {
    const doubtful = this.#doubtful;
    this.#doubtful = undefined;
    if (doubtful?.isHeard === false) this.#outbox.sayAgain(doubtful.parcel);
    else if (doubtful !== undefined) this.#holdings.forgetAdds(doubtful.requests);
  }
}
