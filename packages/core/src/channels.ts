/**
 * `Channels`: dynamic layering. When a crowd in one place grows too large, it is split into copies (channels) that do
 * not see each other. When the crowd shrinks, the channels are merged. So a player always sees a limited number of
 * others.
 *
 * Two entities meet if their channels are equal or one of them is 0. Entities that join are spread evenly over
 * channels 1 and up; the others stay in channel 0 and meet all. The channel of an entity is stored only in the world,
 * so a snapshot contains it, and channels created on a restored world continue from there.
 *
 * Parts in `channels/`: how many channels (`channel-options`), which entities joined (`membership`), which entities
 * move (`settlement`). Cost: `join` O(channels), `leave` O(1), `balance` O(joined entities), and more when entities
 * move.
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
 * Splits a crowd into channels. Entities that join are spread over channels; entities in different channels do not
 * meet. Channels open and close with the size of the crowd. Entities that have not joined are in channel 0 and meet all
 * others. After `dispose`, calls throw `DISPOSED`.
 */
export class Channels {
  readonly #world: World;
  readonly #store: EntityStore;
  readonly #rules: ChannelRules;
  readonly #members = new Membership();
  /** Numbers of the open channels, ascending. With `choose`: 1 to the number that the crowd calls for. */
  #open: number[] = [1];
  /** Joined entities by channel, as of the last count plus joins and leaves since. */
  #counts = new Uint32Array(16);
  /** By group: one of its members, from which the group's channel is read. */
  readonly #guides = new Map<number, EntityId>();
  /** By group: the destination of a group that is too large to move in a single call. */
  readonly #destinations = new Map<number, number>();
  #isDisposed = false;

  /**
   * Adopts entities that are already in channels above 0, as after `World.restore`. Create only one `Channels` per
   * world. Throws `BAD_OPTION`, `UNKNOWN_GROUP`, `DISPOSED`. Cost: O(entities).
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
   * Restores the channels from the bytes of `snapshot`. The world must be in the state of that moment, such as the
   * one that `World.restore` makes from a snapshot taken at the same time. From then on they behave as the originals.
   * Give the same options. Throws `BAD_SNAPSHOT`, and as `new Channels`.
   */
  static restore(world: World, bytes: Uint8Array, options: ChannelOptions): Channels {
    const channels = new Channels(world, options);
    channels.#load(loadChannels(bytes));
    return channels;
  }

  /** Number of open channels, empty ones included; at least 1. */
  get channelCount(): number {
    return this.#open.length;
  }

  /** Number of joined entities. An entity that was removed from the world counts until the next `balance`. */
  get size(): number {
    return this.#members.size;
  }

  /**
   * Puts the entity into a channel: that of its group, if a member of the group has joined; else the emptiest open
   * channel that is in use and has room; else a newly opened one. Joined entities that got a new group by `update`
   * count as its members from the next `balance` on, which brings the group together. With `choose`, the channel that
   * it returns. An entity that has already joined stays where it is. Throws `BAD_ID`, `STALE_ID`, and `BAD_OPTION` if
   * the choice is no channel.
   */
  join(id: EntityId): void {
    this.#checkFor(id);
    if (this.#members.has(id)) return;
    // Only an exact count may open a channel: removed entities need none.
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

  /**
   * Returns the entity to channel 0. An entity that has not joined is left unchanged. Throws `BAD_ID`, `STALE_ID`.
   */
  leave(id: EntityId): void {
    this.#checkFor(id);
    if (!this.#members.has(id)) return;
    const channel = this.#channelAt(id);
    this.#world.update(id, { channel: 0 });
    this.#members.delete(id);
    if (channel < this.#counts.length && this.#counts[channel] > 0) this.#counts[channel]--;
  }

  /** The entity's channel now; 0 if it has not joined. Throws `BAD_ID`, `STALE_ID`. */
  channelOf(id: EntityId): number {
    this.#checkFor(id);
    return this.#channelAt(id);
  }

  /**
   * Drops removed entities, opens or closes channels if the size of the crowd calls for it, brings groups together
   * and evens out the channels. Makes at most `movesPerTick` moves and returns how many it made. Call it before each
   * tick; the tick reports the results. For a crowd that does not change, it makes no more moves after a finite
   * number of calls.
   */
  balance(): number {
    this.#check();
    // For a crowd that needs no moves, no other call would check this.
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
   * The state that the world does not hold, as bytes for `Channels.restore`: which entities joined, which channels
   * are open, and where groups are going. Without it, channels created on a restored world are those that have
   * entities in them. Size: 4 bytes for each joined entity.
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

  /**
   * Ends this object. Joined entities stay where they are, so that another `Channels` can take over; to empty the
   * channels, call `leave` first.
   */
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

  /** Throws unless this object is in use and the entity is present. */
  #checkFor(id: EntityId): void {
    this.#check();
    // `position` throws the right error for an entity that is not present.
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

  /** Counts again, without removed entities. Returns whether every group is in a single channel. */
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

  /** Number of joined entities in open channels. The others are in closed channels, or were put elsewhere by hand. */
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

  /** Channels with entities in them, ascending; channel 1 if there is none. */
  #inUse(): number[] {
    const used: number[] = [];
    for (let channel = 1; channel < this.#counts.length; channel++) {
      if (this.#counts[channel] > 0) used.push(channel);
    }
    return used.length > 0 ? used : [1];
  }

  /**
   * Opens as many channels as `count` entities call for: first closed channels with the most entities left, then the
   * lowest numbers.
   */
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

  /**
   * Closes channels that `count` entities do not need, the emptiest first, so that the fewest move. An empty channel
   * closes as soon as it is not needed.
   */
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

  /** The channel for an entity that joins, without `choose`. */
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

  /**
   * Prefers a channel with room, then one that is in use, then the one with fewer entities; on a tie, the lower
   * number.
   */
  #isBetter(channel: number, best: number, most: number): boolean {
    const count = this.#countOf(channel);
    const bestCount = this.#countOf(best);
    if (count < most !== bestCount < most) return count < most;
    if (count > 0 !== bestCount > 0 && count < most) return count > 0;
    return count < bestCount;
  }

  /** A joined member of the group. The known member may have left, been removed or changed groups. */
  #guideOf(group: number): EntityId | undefined {
    const isMember = (id: EntityId) =>
      this.#members.has(id) && this.#store.has(id) && this.#groupAt(id) === group;
    const known = this.#guides.get(group);
    if (known === undefined || isMember(known)) return known;
    return this.#members.settle((each) => this.#store.has(each)).find(isMember);
  }

  /** The channel that the user's `choose` function returns. */
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
