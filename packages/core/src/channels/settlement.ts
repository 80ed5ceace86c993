/**
 * Decides which entities move, so that a crowd is well placed with the fewest moves.
 *
 * It works in this order: groups that are in several channels come together; channels that are not open are emptied;
 * the open channels are brought within bounds. Each move of the last kind is the one that corrects most for each
 * entity moved, and a move that corrects nothing is not made. The total deviation falls with each move, so the
 * process ends, and a crowd that does not change needs no more moves. If all entities are singles, the number of
 * moves is the least possible: each entity leaves a channel that is too full, or enters one that is too empty, or
 * both. With groups the task is bin packing; this method is greedy and never exchanges two groups.
 *
 * A group that fits the budget of a call moves in one piece. A larger group moves a part in each call, before all
 * others, to its destination, and is in two channels meanwhile.
 *
 * Cost: O(moves * (channels + groups)).
 */
import type { EntityId } from '../entities/entity-ids.ts';
import { assert } from '../errors.ts';
import type { Bounds } from './channel-options.ts';
import type { Channel, Company, Placement } from './placement.ts';

/** A possible move, and what it corrects for each entity moved. */
interface Offer {
  readonly from: Channel;
  /** `undefined`: one of the singles. */
  readonly company: Company | undefined;
  readonly relief: number;
}

export class Settlement {
  readonly #placement: Placement;
  readonly #bounds: Bounds;
  readonly #movesPerCall: number;
  /** By group: the destination of a group that is in several channels. The caller keeps it from call to call. */
  readonly #destinations: Map<number, number>;
  /** The new channel of each moved entity, and its original channel. */
  readonly #moves = new Map<EntityId, number>();
  readonly #origins = new Map<EntityId, number>();
  #movesLeft: number;

  constructor(placement: Placement, bounds: Bounds, movesPerCall: number, destinations: Map<number, number>) {
    this.#placement = placement;
    this.#bounds = bounds;
    this.#movesPerCall = movesPerCall;
    this.#movesLeft = movesPerCall;
    this.#destinations = destinations;
  }

  /**
   * The moves of one call: the new channel by id. An entity that moves twice within the call is in it once, so there
   * are at most `movesPerCall` moves, and none leads back to where it began.
   */
  run(): ReadonlyMap<EntityId, number> {
    this.#unite();
    this.#empty();
    this.#even();
    return this.#moves;
  }

  #unite(): void {
    const { divided } = this.#placement;
    const isUnderWay = ({ group }: Company) => this.#destinations.has(group);
    // Groups that are under way come first. Otherwise two large groups would take turns and both stay divided longer.
    for (const company of [...divided.filter(isUnderWay), ...divided.filter((each) => !isUnderWay(each))]) {
      if (this.#movesLeft === 0) return;
      const bound = this.#placement.channels.get(this.#destinations.get(company.group) ?? 0);
      const to = bound?.isOpen === true ? bound : this.#cheapestFor(company);
      const missing = company.channels.filter((number) => number !== to.number).length;
      if (isUnderWay(company) || this.#fits(missing)) this.#bring(company, to);
    }
  }

  #empty(): void {
    for (const channel of this.#placement.closing()) {
      const largestFirst = [...channel.companies].sort(
        (one, other) => other.members.length - one.members.length || one.group - other.group,
      );
      for (const company of largestFirst) {
        if (this.#movesLeft === 0) return;
        if (this.#fits(company.members.length)) this.#bring(company, this.#placement.emptiest());
      }
      while (channel.singles.length > 0 && this.#movesLeft > 0) {
        this.#moveSingle(channel, this.#placement.emptiest());
      }
    }
  }

  #even(): void {
    while (this.#movesLeft > 0) {
      const to = this.#placement.emptiest();
      const offer = this.#bestOffer(to);
      if (offer === undefined) return;
      if (offer.company === undefined) {
        this.#moveSingle(offer.from, to);
      } else {
        // The best move waits for a call with room for it; worse ones do not go first.
        if (!this.#fits(offer.company.members.length)) return;
        this.#bring(offer.company, to);
      }
    }
  }

  /**
   * The move to `to` that corrects most for each entity moved; on a tie, from the fullest channel. The emptiest
   * channel is the best destination for any move, so no other destination is tried.
   */
  #bestOffer(to: Channel): Offer | undefined {
    let best: Offer | undefined;
    for (const from of this.#placement.open) {
      if (from === to) continue;
      const offer = this.#offerOf(from, to);
      if (offer === undefined) continue;
      const isBetter =
        best === undefined ||
        offer.relief > best.relief ||
        (offer.relief === best.relief && from.size > best.from.size);
      if (isBetter) best = offer;
    }
    return best;
  }

  /**
   * If moving a single entity corrects nothing, moving a group does not either: the correction per entity only falls
   * with their number.
   */
  #offerOf(from: Channel, to: Channel): Offer | undefined {
    const single = this.#relief(from, to, 1);
    if (single <= 0) return undefined;
    if (from.singles.length > 0) return { from, company: undefined, relief: single };
    let best: Offer | undefined;
    for (const company of from.companies) {
      const size = company.members.length;
      const relief = this.#relief(from, to, size) / size;
      if (relief > (best?.relief ?? 0)) best = { from, company, relief };
    }
    return best;
  }

  /** By how much the deviation falls if `count` entities go from one channel to the other. */
  #relief(from: Channel, to: Channel, count: number): number {
    const before = this.#amiss(from.size) + this.#amiss(to.size);
    return before - this.#amiss(from.size - count) - this.#amiss(to.size + count);
  }

  #amiss(size: number): number {
    return Math.max(0, size - this.#bounds.most) + Math.max(0, this.#bounds.least - size);
  }

  /**
   * The channel in which a divided group comes together with the fewest moves, counting entities that must make room
   * for it.
   */
  #cheapestFor(company: Company): Channel {
    const costOf = ({ number, size }: Channel) => {
      const comers = company.channels.filter((at) => at !== number).length;
      return comers + Math.max(0, size + comers - this.#bounds.most);
    };
    return this.#placement.open.reduce((best, channel) => (costOf(channel) < costOf(best) ? channel : best));
  }

  /**
   * Whether `count` entities may start to move now: all at once, or in parts if they are too many for any one call.
   */
  #fits(count: number): boolean {
    return count <= this.#movesLeft || count > this.#movesPerCall;
  }

  /** Moves as many members of the group as the budget allows; the others follow in later calls. */
  #bring(company: Company, to: Channel): void {
    const from = this.#placement.channelOf(company.channels[0]);
    let isWhole = true;
    company.members.forEach((id, i) => {
      if (company.channels[i] === to.number) return;
      if (this.#movesLeft === 0) {
        isWhole = false;
        return;
      }
      this.#move(id, this.#placement.channelOf(company.channels[i]), to);
      company.channels[i] = to.number;
    });
    const index = from.companies.indexOf(company);
    if (index >= 0) from.companies.splice(index, 1);
    if (isWhole) {
      to.companies.push(company);
      this.#destinations.delete(company.group);
    } else {
      this.#destinations.set(company.group, to.number);
    }
  }

  #moveSingle(from: Channel, to: Channel): void {
    const id = from.singles.pop();
    assert(id !== undefined, 'a single that is to move is there');
    to.singles.push(id);
    this.#move(id, from, to);
  }

  #move(id: EntityId, from: Channel, to: Channel): void {
    from.size--;
    to.size++;
    this.#movesLeft--;
    const origin = this.#origins.get(id) ?? from.number;
    this.#origins.set(id, origin);
    if (to.number === origin) this.#moves.delete(id);
    else this.#moves.set(id, to.number);
  }
}
