/**
 * The joined entities by channel, sorted into units that can move: single entities, and groups, which move only
 * whole.
 *
 * Built from the world whenever entities have to move, and updated while the moves are decided. A channel that is not
 * open must be emptied: it was closed, or entities were put into it by hand.
 *
 * Memory and cost: O(joined entities).
 */
import type { EntityId } from '../entities/entity-ids.ts';

/** The joined members of one group. */
export interface Company {
  readonly group: number;
  readonly members: EntityId[];
  /** The channel of each member. */
  readonly channels: number[];
}

/** One channel and the entities in it. */
export interface Channel {
  readonly number: number;
  readonly isOpen: boolean;
  /** Number of entities in it, including members of groups that are in several channels. */
  size: number;
  /** Entities without a group; the last one moves first. */
  readonly singles: EntityId[];
  /** Groups that are completely in it. */
  readonly companies: Company[];
}

export class Placement {
  /** The open channels, ascending. */
  readonly open: readonly Channel[];
  /** By number, including channels that must be emptied. */
  readonly channels = new Map<number, Channel>();
  /** Groups that are in several channels, ascending. */
  readonly divided: Company[] = [];
  readonly #companies = new Map<number, Company>();

  /** `open`: the numbers of the open channels, ascending. */
  constructor(open: readonly number[]) {
    this.open = open.map((number) => this.#addChannel(number, true));
  }

  /** Adds one entity; `group` 0 means none. Call `complete` after the last. */
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

  /** Sorts the groups into those in a single channel and those in several. */
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

  /** Channels that must be emptied, ascending. */
  closing(): Channel[] {
    return [...this.channels.values()]
      .filter(({ isOpen }) => !isOpen)
      .sort((one, other) => one.number - other.number);
  }

  /** The open channel with the fewest entities; on a tie, the lowest number. */
  emptiest(): Channel {
    return this.open.reduce((least, channel) => (channel.size < least.size ? channel : least));
  }

  #addChannel(number: number, isOpen: boolean): Channel {
    const channel = { number, isOpen, size: 0, singles: [], companies: [] };
    this.channels.set(number, channel);
    return channel;
  }
}
