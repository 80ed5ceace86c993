/**
 * Dynamic layering: a crowd that grew too large for one place is split into copies of it that do not see each other, and
 * merged again when it is quiet. Among few a player sees the few; among many, still few.
 *
 * A copy is a channel: entities meet when theirs are equal or one is 0. Those who join are spread over channels 1 and up,
 * as even as need be; those who do not stay in 0 and meet everyone. Where somebody is, is written in the world alone, so a
 * snapshot has it, and channels made on a restored world go on where the others were.
 *
 * Rules in `channels/`: how many channels (`channel-options`), who joined (`membership`), who moves (`settlement`).
 * Cost: `join` O(channels), `leave` O(1), `balance` O(those joined), and more where somebody moves.
 */
import {
  boundsFor,
  type ChannelOptions,
  type ChannelRules,
  channelCountFor,
  isCrowded,
  MAX_CHANNEL,
  resolveChannelOptions,
} from './channels/channel-options.ts';
import { Membership } from './channels/membership.ts';
import { Placement } from './channels/placement.ts';
import { Settlement } from './channels/settlement.ts';
import { loadChannels, type StoredChannels, saveChannels } from './channels/stored-channels.ts';
import type { EntityId } from './entities/entity-ids.ts';
import type { EntityStore } from './entities/entity-store.ts';
import { badOption, UmweltError } from './errors.ts';
import { checkOpen, storeOf, World } from './world.ts';

/**
 * Copies of a crowd: entities that join are spread over channels, which meet nobody of another, and which split and merge with the
 * size of the crowd. Those that have not joined are in channel 0 and meet everyone.
 */
export class Channels {
  readonly #world: World;
  readonly #store: EntityStore;
  readonly #rules: ChannelRules;
  readonly #members = new Membership();
  /** Numbers of the open channels, ascending. With `choose`, 1 to as many as the crowd calls for. */
  #open: number[] = [1];
  /** By channel: those joined in it, as of the last count and what came and went since. */
  #counts = new Uint32Array(16);
  /** By group: one of its members, who tells where the others are. */
  readonly #guides = new Map<number, EntityId>();
  /** By group: where one that is too large for a single call is going. */
  readonly #destinations = new Map<number, number>();
  #isDisposed = false;

  /**
   * Takes charge of those who are in channels above 0 already, as after `World.restore`. One world is for one `Channels`.
   * Throws `BAD_OPTION`, `UNKNOWN_GROUP`, `DISPOSED`. Cost: O(entities).
   */
  constructor(world: World, options: ChannelOptions) {
    if (!(world instanceof World)) throw badOption('world', world, 'a World');
    this.#world = world;
    this.#store = storeOf(world);
    this.#rules = resolveChannelOptions(this.#store.settings, options);
    for (const id of world.ids()) if (this.#channelAt(id) > 0) this.#members.add(id);
    this.#count();
    this.#open = this.#rules.choose === undefined ? this.#inUse() : [1];
    this.#openMore(this.#members.size);
  }

  /**
   * The channels that `snapshot` wrote, on the world as it was then, such as the one that `World.restore` makes of its snapshot of the
   * same moment: from then on they do what the others do. The options are to be the same. Throws `BAD_SNAPSHOT`, and as `new
   * Channels`.
   */
  static restore(world: World, bytes: Uint8Array, options: ChannelOptions): Channels {
    const channels = new Channels(world, options);
    channels.#load(loadChannels(bytes));
    return channels;
  }

  /** Channels that are open now, empty ones included; at least 1. */
  get channelCount(): number {
    return this.#open.length;
  }

  /** Those who joined. One who was removed from the world counts until the next `balance`. */
  get size(): number {
    return this.#members.size;
  }

  /**
   * Puts the entity into a channel: its group's, where one of the group has joined; else the emptiest that has somebody in
   * it and room, else one that is opened. With `choose`, the one it says. One who has joined stays where it is. Throws
   * `BAD_ID`, `STALE_ID`, and `BAD_OPTION` for a choice that is no channel.
   */
  join(id: EntityId): void {
    this.#checkFor(id);
    if (this.#members.has(id)) return;
    // Only a full count may open a channel: who was removed needs none.
    if (this.#mustOpen(this.#members.size + 1)) this.#count();
    const before = this.#open;
    if (this.#mustOpen(this.#members.size + 1)) this.#openMore(this.#members.size + 1);
    try {
      const channel = this.#rules.choose === undefined ? this.#placeFor(id) : this.#choiceFor(id);
      this.#world.update(id, { channel });
      this.#members.add(id);
      this.#countIn(channel);
    } catch (error) {
      this.#open = before;
      throw error;
    }
  }

  /** Lets the entity go, back to channel 0. One who has not joined stays as it is. Throws `BAD_ID`, `STALE_ID`. */
  leave(id: EntityId): void {
    this.#checkFor(id);
    if (!this.#members.has(id)) return;
    const channel = this.#channelAt(id);
    this.#world.update(id, { channel: 0 });
    this.#members.delete(id);
    if (channel < this.#counts.length && this.#counts[channel] > 0) this.#counts[channel]--;
  }

  /** The channel the entity is in now, 0 for one who has not joined. Throws `BAD_ID`, `STALE_ID`. */
  channelOf(id: EntityId): number {
    this.#checkFor(id);
    return this.#channelAt(id);
  }

  /**
   * Forgets who was removed, splits or merges where the size of the crowd calls for it, brings groups together and evens
   * out: at most `movesPerTick` moves, whose number it answers. To be called before each tick; the tick reports what comes
   * of it. A crowd that stands still is at rest after finitely many calls.
   */
  balance(): number {
    this.#check();
    // A crowd at rest asks nothing else of it.
    checkOpen(this.#world);
    const isWhole = this.#count();
    const { size } = this.#members;
    if (this.#rules.choose !== undefined) {
      this.#open = numbersTo(channelCountFor(size, this.#open.length, this.#rules));
      return 0;
    }
    this.#openMore(size);
    this.#close(size);
    const bounds = boundsFor(size, this.#open.length, this.#rules);
    const isEven = this.#open.every((channel) => {
      const count = this.#countOf(channel);
      return count <= bounds.most && count >= bounds.least;
    });
    if (isWhole) this.#destinations.clear();
    if (isWhole && isEven && this.#openSize() === size) return 0;
    const placement = this.#placement();
    for (const group of this.#destinations.keys()) {
      if (!placement.divided.some((company) => company.group === group)) this.#destinations.delete(group);
    }
    const moves = new Settlement(placement, bounds, this.#rules.movesPerTick, this.#destinations).run();
    for (const [id, channel] of moves) {
      this.#counts[this.#channelAt(id)]--;
      this.#world.update(id, { channel });
      this.#countIn(channel);
    }
    return moves.size;
  }

  /**
   * All that the world does not have of them, for `Channels.restore`: who joined, which channels are open, and where groups are
   * going. Without it, channels made on a restored world are those that have somebody in them. Cost: 4 bytes one who joined.
   */
  snapshot(): Uint8Array {
    this.#check();
    return saveChannels({
      members: this.#members.all(),
      open: this.#open,
      counts: this.#counts,
      guides: this.#guides,
      destinations: this.#destinations,
    });
  }

  /** Ends it. Whoever joined stays where it is, so that others can take over; to empty the channels, `leave` first. */
  dispose(): void {
    this.#isDisposed = true;
  }

  #load({ members, open, counts, guides, destinations }: StoredChannels): void {
    for (const id of [...this.#members.all()]) this.#members.delete(id);
    for (const id of members) this.#members.add(id);
    this.#open = [...open];
    this.#counts = counts;
    this.#guides.clear();
    for (const [group, id] of guides) this.#guides.set(group, id);
    for (const [group, channel] of destinations) this.#destinations.set(group, channel);
  }

  /** Throws unless these are in use and the entity is present. */
  #checkFor(id: EntityId): void {
    this.#check();
    // Only who is present has a position.
    if (!this.#world.has(id)) this.#world.position(id);
  }

  #check(): void {
    if (this.#isDisposed)
      throw new UmweltError('DISPOSED', 'the channels were disposed of, expected ones in use');
  }

  #channelAt(id: EntityId): number {
    return this.#store.now.channels.at(id >>> 10);
  }

  #groupAt(id: EntityId): number {
    return this.#store.now.groups[this.#rules.kind].at(id >>> 10);
  }

  #countOf(channel: number): number {
    return channel < this.#counts.length ? this.#counts[channel] : 0;
  }

  #countIn(channel: number): void {
    if (channel >= this.#counts.length) {
      const larger = new Uint32Array(Math.max(channel + 1, this.#counts.length * 2));
      larger.set(this.#counts);
      this.#counts = larger;
    }
    this.#counts[channel]++;
  }

  /** Counts afresh, without those who were removed. Answers whether every group is in one channel. */
  #count(): boolean {
    this.#counts.fill(0);
    this.#guides.clear();
    let isWhole = true;
    for (const id of this.#members.settle((each) => this.#store.has(each))) {
      const channel = this.#channelAt(id);
      this.#countIn(channel);
      const group = this.#groupAt(id);
      if (group === 0) continue;
      const guide = this.#guides.get(group);
      if (guide === undefined) this.#guides.set(group, id);
      else if (this.#channelAt(guide) !== channel) isWhole = false;
    }
    return isWhole;
  }

  /** Those joined who are in open channels; the others are in closed ones, or were put elsewhere by hand. */
  #openSize(): number {
    return this.#open.reduce((sum, channel) => sum + this.#countOf(channel), 0);
  }

  #placement(): Placement {
    const placement = new Placement(this.#open);
    for (const id of this.#members.settle((each) => this.#store.has(each))) {
      placement.enter(id, this.#channelAt(id), this.#groupAt(id));
    }
    placement.complete();
    return placement;
  }

  #mustOpen(count: number): boolean {
    return this.#open.length < MAX_CHANNEL && isCrowded(count, this.#open.length, this.#rules);
  }

  /** Channels with somebody in them, ascending; the first where there is none. */
  #inUse(): number[] {
    const used: number[] = [];
    for (let channel = 1; channel < this.#counts.length; channel++) {
      if (this.#counts[channel] > 0) used.push(channel);
    }
    return used.length > 0 ? used : [1];
  }

  /** Opens what `count` call for: first what was closed and has the most left in it, then the lowest numbers. */
  #openMore(count: number): void {
    const needed = Math.max(this.#open.length, channelCountFor(count, this.#open.length, this.#rules));
    if (needed === this.#open.length) return;
    if (this.#rules.choose !== undefined) {
      this.#open = numbersTo(needed);
      return;
    }
    const isOpen = new Set(this.#open);
    const closing = this.#inUse().filter((channel) => !isOpen.has(channel) && this.#countOf(channel) > 0);
    closing.sort((one, other) => this.#countOf(other) - this.#countOf(one) || one - other);
    for (const channel of closing) if (isOpen.size < needed) isOpen.add(channel);
    for (let channel = 1; isOpen.size < needed; channel++) isOpen.add(channel);
    this.#open = [...isOpen].sort((one, other) => one - other);
  }

  /** Closes what so few can do without, the emptiest first: fewest have to move. An empty one goes as soon as it is not needed. */
  #close(count: number): void {
    const fitting = channelCountFor(count, this.#open.length, this.#rules);
    while (this.#open.length > 1) {
      const emptiest = this.#open.reduce((least, channel) =>
        this.#countOf(channel) <= this.#countOf(least) ? channel : least,
      );
      const isIdle = this.#countOf(emptiest) === 0 && !isCrowded(count, this.#open.length - 1, this.#rules);
      if (this.#open.length <= fitting && !isIdle) return;
      this.#open = this.#open.filter((channel) => channel !== emptiest);
    }
  }

  /** The channel for one who joins, without `choose`. */
  #placeFor(id: EntityId): number {
    const group = this.#groupAt(id);
    const guide = group === 0 ? undefined : this.#guideOf(group);
    if (group !== 0) this.#guides.set(group, guide ?? id);
    if (guide !== undefined) return this.#destinations.get(group) ?? this.#channelAt(guide);
    const { most } = boundsFor(this.#members.size + 1, this.#open.length, this.#rules);
    let best = this.#open[0];
    for (const channel of this.#open) if (this.#isBetter(channel, best, most)) best = channel;
    return best;
  }

  /** Room first, then company, then fewer; the lower of several. */
  #isBetter(channel: number, best: number, most: number): boolean {
    const count = this.#countOf(channel);
    const bestCount = this.#countOf(best);
    if (count < most !== bestCount < most) return count < most;
    if (count > 0 !== bestCount > 0 && count < most) return count > 0;
    return count < bestCount;
  }

  /** A member of the group who joined; the one known may have left, gone or changed groups. */
  #guideOf(group: number): EntityId | undefined {
    const isMember = (id: EntityId) =>
      this.#members.has(id) && this.#store.has(id) && this.#groupAt(id) === group;
    const known = this.#guides.get(group);
    if (known === undefined || isMember(known)) return known;
    return this.#members.settle((each) => this.#store.has(each)).find(isMember);
  }

  /** The channel that the user's rule says. */
  #choiceFor(id: EntityId): number {
    let length = this.#open.length + 1;
    for (let channel = this.#counts.length - 1; channel >= length; channel--) {
      if (this.#counts[channel] > 0) length = channel + 1;
    }
    const counts = new Uint32Array(length);
    counts.set(this.#counts.subarray(0, Math.min(length, this.#counts.length)));
    const choice = (this.#rules.choose as NonNullable<ChannelRules['choose']>)(id, counts);
    if (!Number.isInteger(choice) || choice < 1 || choice > MAX_CHANNEL) {
      throw badOption('choose', choice, `a channel, a whole number from 1 to ${MAX_CHANNEL}`);
    }
    return choice;
  }
}

function numbersTo(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}
