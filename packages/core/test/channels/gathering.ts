/** A world with a crowd in channels, for tests: who came when, and who is where. */
import {
  type ChannelOptions,
  Channels,
  type EntityId,
  UmweltError,
  World,
  type WorldOptions,
} from '../../src/index.ts';

export class Gathering {
  readonly world: World;
  readonly channels: Channels;
  /** Everyone who was added and not removed here, in that order. */
  readonly ids: EntityId[] = [];

  constructor(options: ChannelOptions, worldOptions: WorldOptions = {}) {
    this.world = new World(worldOptions);
    this.channels = new Channels(this.world, options);
  }

  /** Adds one and lets it join. */
  come(group = 0): EntityId {
    const id = this.world.add({ x: 0, y: 0, range: 10, group });
    this.channels.join(id);
    this.ids.push(id);
    return id;
  }

  comeMany(count: number, group = 0): EntityId[] {
    return Array.from({ length: count }, () => this.come(group));
  }

  remove(id: EntityId): void {
    this.world.remove(id);
    this.ids.splice(this.ids.indexOf(id), 1);
  }

  /** How many of the ids are in each channel, by channel. */
  counts(ids: readonly EntityId[] = this.ids): Record<number, number> {
    const counts: Record<number, number> = {};
    for (const id of ids) {
      const channel = this.channels.channelOf(id);
      counts[channel] = (counts[channel] ?? 0) + 1;
    }
    return counts;
  }

  /** How many are in each channel that has anybody, descending. */
  sizes(ids: readonly EntityId[] = this.ids): number[] {
    return Object.values(this.counts(ids)).sort((one, other) => other - one);
  }

  /** The channels of the ids. */
  where(ids: readonly EntityId[] = this.ids): number[] {
    return ids.map((id) => this.channels.channelOf(id));
  }

  /** Balances once and answers how many of those present changed channels. */
  moved(): number {
    const before = this.where();
    this.channels.balance();
    return this.where().filter((channel, i) => channel !== before[i]).length;
  }

  /** Balances until nobody moves; answers how many moves that took. */
  rest(): number {
    let total = 0;
    for (let calls = 0; calls < 10_000; calls++) {
      const moved = this.channels.balance();
      if (moved === 0) return total;
      total += moved;
    }
    throw new Error('the crowd never comes to rest');
  }
}

/** The error of ours that an action throws. */
export function errorOf(action: () => unknown): UmweltError {
  try {
    action();
  } catch (error) {
    if (error instanceof UmweltError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
