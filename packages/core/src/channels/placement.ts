/**
 * Who of a crowd is in which channel, sorted into what can be moved: singles one by one, a group only whole.
 *
 * Made anew from the world whenever somebody has to move, and carried along while the moves are decided. A channel that is
 * not open is one to be emptied: it was closed, or somebody was put into it by hand.
 *
 * Memory and cost: O(those joined).
 */
import type { EntityId } from '../entities/entity-ids.ts';

/** The members of one group who joined. */
export interface Company {
  readonly group: number;
  readonly members: EntityId[];
  /** The channel of each member. */
  readonly channels: number[];
}

/** One channel and who is in it. */
export interface Channel {
  readonly number: number;
  readonly isOpen: boolean;
  /** All who are in it, members of groups that are in several channels too. */
  size: number;
  /** Those of no group; the last is the first to be moved. */
  readonly singles: EntityId[];
  /** Groups that are wholly in it. */
  readonly companies: Company[];
}

export class Placement {
  /** The open channels, ascending. */
  readonly open: readonly Channel[];
  /** By number, those to be emptied included. */
  readonly channels = new Map<number, Channel>();
  /** Groups that are in several channels, ascending. */
  readonly divided: Company[] = [];
  readonly #companies = new Map<number, Company>();

  /** `open`: the numbers of the open channels, ascending. */
  constructor(open: readonly number[]) {
    this.open = open.map((number) => this.#addChannel(number, true));
  }

  /** Enters one; `group` 0 is none. Call `complete` after the last. */
  enter(id: EntityId, channelNumber: number, group: number): void {
    const channel = this.channels.get(channelNumber) ?? this.#addChannel(channelNumber, false);
    channel.size++;
    if (group === 0) {
      channel.singles.push(id);
      return;
    }
    let company = this.#companies.get(group);
    if (company === undefined) {
      company = { group, members: [], channels: [] };
      this.#companies.set(group, company);
    }
    company.members.push(id);
    company.channels.push(channelNumber);
  }

  /** Sorts the groups into those that are together and those that are not. */
  complete(): void {
    const companies = [...this.#companies.values()].sort((one, other) => one.group - other.group);
    for (const company of companies) {
      const home = company.channels[0];
      if (company.channels.every((number) => number === home)) this.channelOf(home).companies.push(company);
      else this.divided.push(company);
    }
  }

  channelOf(number: number): Channel {
    return this.channels.get(number) as Channel;
  }

  /** Those to be emptied, ascending. */
  closing(): Channel[] {
    return [...this.channels.values()]
      .filter(({ isOpen }) => !isOpen)
      .sort((one, other) => one.number - other.number);
  }

  /** The open channel with the fewest in it, the lowest of several. */
  emptiest(): Channel {
    return this.open.reduce((least, channel) => (channel.size < least.size ? channel : least));
  }

  #addChannel(number: number, isOpen: boolean): Channel {
    const channel = { number, isOpen, size: 0, singles: [], companies: [] };
    this.channels.set(number, channel);
    return channel;
  }
}
