/** Channels by their sentences: who shares a copy of the world with whom. */
import { describe, expect, test, vi } from 'vitest';
import { type ChannelOptions, Channels, type ChooseFunction, World } from '../../src/index.ts';
import { errorOf, Gathering } from './gathering.ts';

const TEN: ChannelOptions = { target: 10, tolerance: 0.2 };

describe('splitting and merging', () => {
  test('a crowd up to the target and the tolerance shares one channel', () => {
    const crowd = new Gathering(TEN);
    crowd.comeMany(12);
    expect(crowd.rest()).toBe(0);
    expect(crowd.counts()).toEqual({ 1: 12 });
  });

  test('one more opens a second channel, and nobody is alone in it', () => {
    const crowd = new Gathering(TEN);
    crowd.comeMany(13);
    crowd.rest();
    // An even share is 6.5; less the tolerance, 5.
    expect(crowd.sizes()).toEqual([8, 5]);
    expect(crowd.channels.channelCount).toBe(2);
  });

  test('a crowd that comes at once is spread as it comes', () => {
    const crowd = new Gathering(TEN);
    crowd.comeMany(120);
    expect(crowd.sizes()).toEqual(Array(10).fill(12));
    expect(crowd.moved()).toBe(0);
  });

  test('two channels merge below the target less the tolerance, and not before', () => {
    const crowd = new Gathering(TEN);
    crowd.comeMany(13);
    crowd.rest();
    for (const id of crowd.ids.slice(0, 5)) crowd.remove(id);
    expect(crowd.ids.length).toBe(8);
    crowd.rest();
    expect(crowd.channels.channelCount).toBe(2);
    crowd.remove(crowd.ids[0]);
    crowd.rest();
    expect(crowd.sizes()).toEqual([7]);
    expect(crowd.channels.channelCount).toBe(1);
  });

  test('a crowd that wavers about a threshold neither splits nor merges again', () => {
    const crowd = new Gathering(TEN);
    crowd.comeMany(13);
    crowd.rest();
    for (let i = 0; i < 50; i++) {
      crowd.remove(crowd.ids.at(-1) as number);
      crowd.channels.balance();
      expect(crowd.channels.channelCount).toBe(2);
      crowd.come();
      crowd.channels.balance();
      expect(crowd.channels.channelCount).toBe(2);
    }
  });

  test('a merge empties the channel with the fewest in it', () => {
    const crowd = new Gathering(TEN);
    crowd.comeMany(24);
    expect(crowd.counts()).toEqual({ 1: 12, 2: 12 });
    const inFirst = crowd.ids.filter((id) => crowd.channels.channelOf(id) === 1);
    const inSecond = crowd.ids.filter((id) => crowd.channels.channelOf(id) === 2);
    for (const id of inFirst.slice(2)) crowd.remove(id);
    for (const id of inSecond.slice(5)) crowd.remove(id);
    expect(crowd.rest()).toBe(2);
    expect(crowd.counts()).toEqual({ 2: 7 });
  });

  test('a channel whose people all left is closed without a move when the others have room', () => {
    const crowd = new Gathering(TEN);
    crowd.comeMany(24);
    for (const id of crowd.ids.filter((each) => crowd.channels.channelOf(each) === 1)) crowd.remove(id);
    expect(crowd.rest()).toBe(0);
    expect(crowd.counts()).toEqual({ 2: 12 });
    expect(crowd.channels.channelCount).toBe(1);
  });

  test('a channel that was left by most is filled up, to an even share less the tolerance', () => {
    const crowd = new Gathering(TEN);
    crowd.comeMany(24);
    const first = crowd.ids.filter((id) => crowd.channels.channelOf(id) === 1);
    for (const id of first.slice(1)) crowd.remove(id);
    // 13 in two channels: 5 at least.
    expect(crowd.rest()).toBe(4);
    expect(crowd.counts()).toEqual({ 1: 5, 2: 8 });
  });

  test('who joins goes to the channel with the fewest in it', () => {
    const crowd = new Gathering(TEN);
    crowd.comeMany(24);
    for (const id of crowd.ids.filter((each) => crowd.channels.channelOf(each) === 2).slice(0, 2)) {
      crowd.channels.leave(id);
    }
    expect(crowd.channels.channelOf(crowd.come())).toBe(2);
  });

  test('no call moves more than movesPerTick, and all calls together what one would', () => {
    const script = (movesPerTick: number) => {
      const crowd = new Gathering({ target: 100, tolerance: 0, movesPerTick });
      crowd.comeMany(101);
      return crowd;
    };
    const whole = script(Number.POSITIVE_INFINITY).rest();
    expect(whole).toBe(49);
    const crowd = script(7);
    const moves = Array.from({ length: 8 }, () => crowd.moved());
    expect(moves).toEqual([7, 7, 7, 7, 7, 7, 7, 0]);
  });

  test('16 moves a call is the default', () => {
    const crowd = new Gathering({ target: 100, tolerance: 0 });
    crowd.comeMany(101);
    expect(crowd.moved()).toBe(16);
  });

  test('a world where nobody joined has nothing to balance', () => {
    const { channels } = new Gathering(TEN);
    expect(channels.balance()).toBe(0);
    expect([channels.channelCount, channels.size]).toEqual([1, 0]);
  });
});

describe('groups', () => {
  test('who joins goes where its group is', () => {
    const crowd = new Gathering(TEN);
    crowd.comeMany(20);
    const first = crowd.come(7);
    crowd.comeMany(15);
    const second = crowd.come(7);
    expect(crowd.channels.channelOf(second)).toBe(crowd.channels.channelOf(first));
  });

  test('number 0 is no group', () => {
    const crowd = new Gathering({ target: 1, tolerance: 0 });
    crowd.comeMany(3, 0);
    expect(crowd.sizes()).toEqual([1, 1, 1]);
  });

  test('a group larger than the target stays whole, and others make room', () => {
    const crowd = new Gathering(TEN);
    crowd.comeMany(8);
    const guild = crowd.comeMany(30, 5);
    crowd.rest();
    expect(crowd.sizes(guild)).toEqual([30]);
    expect(crowd.channels.channelCount).toBe(4);
    const others = crowd.ids.filter((id) => !guild.includes(id));
    expect(crowd.where(others)).not.toContain(crowd.channels.channelOf(guild[0]));
  });

  test('two who become a group come together with one move', () => {
    const crowd = new Gathering(TEN);
    crowd.comeMany(24);
    const one = crowd.ids.find((id) => crowd.channels.channelOf(id) === 1) as number;
    const other = crowd.ids.find((id) => crowd.channels.channelOf(id) === 2) as number;
    crowd.remove(crowd.ids.find((id) => id !== one && crowd.channels.channelOf(id) === 1) as number);
    crowd.world.update(one, { group: 3 });
    crowd.world.update(other, { group: 3 });
    expect(crowd.rest()).toBe(1);
    // There is room in the first channel, and none in the second.
    expect(crowd.where([one, other])).toEqual([1, 1]);
  });

  test('a group that fits the budget moves in one piece', () => {
    const crowd = new Gathering({ target: 20, tolerance: 0, movesPerTick: 10 });
    const parties = [1, 2, 3, 4].map((group) => crowd.comeMany(6, group));
    for (let calls = 0; calls < 10; calls++) {
      crowd.channels.balance();
      for (const party of parties) expect(crowd.sizes(party)).toEqual([6]);
    }
    expect(crowd.sizes()).toEqual([12, 12]);
  });

  test('a group larger than the budget moves a part each call, and to one place', () => {
    const crowd = new Gathering({ target: 20, tolerance: 0, movesPerTick: 4 });
    const one = crowd.comeMany(10, 1);
    crowd.comeMany(10, 2);
    crowd.come();
    const sizes = [];
    for (let calls = 0; calls < 4; calls++) {
      expect(crowd.moved()).toBeLessThanOrEqual(4);
      sizes.push(crowd.sizes(one));
    }
    expect(sizes).toEqual([[6, 4], [8, 2], [10], [10]]);
  });

  test('the kind of groups can be named; other kinds do not matter', () => {
    const world = new World({ groups: ['party', 'guild'] });
    const channels = new Channels(world, { target: 1, tolerance: 0, groupKind: 'guild' });
    const place = (group: Record<string, number>) => {
      const id = world.add({ x: 0, y: 0, group });
      channels.join(id);
      return channels.channelOf(id);
    };
    const first = place({ party: 1, guild: 9 });
    expect(place({ party: 2, guild: 9 })).toBe(first);
    expect(place({ party: 1, guild: 8 })).not.toBe(first);
  });

  test('a group is found again when the one who led it left', () => {
    const crowd = new Gathering(TEN);
    const leader = crowd.come(4);
    const follower = crowd.come(4);
    crowd.comeMany(20);
    crowd.remove(leader);
    crowd.comeMany(10);
    expect(crowd.channels.channelOf(crowd.come(4))).toBe(crowd.channels.channelOf(follower));
  });
});

describe('joining and leaving', () => {
  test('who has not joined is in channel 0', () => {
    const { world, channels } = new Gathering(TEN);
    expect(channels.channelOf(world.add({ x: 0, y: 0 }))).toBe(0);
  });

  test('who leaves is in channel 0 again', () => {
    const crowd = new Gathering(TEN);
    const id = crowd.come();
    expect(crowd.channels.channelOf(id)).toBe(1);
    crowd.channels.leave(id);
    expect(crowd.channels.channelOf(id)).toBe(0);
    crowd.channels.balance();
    expect(crowd.channels.channelOf(id)).toBe(0);
    expect(crowd.channels.size).toBe(0);
  });

  test('joining twice is joining once, leaving without having joined is nothing', () => {
    const crowd = new Gathering(TEN);
    const id = crowd.come();
    crowd.channels.join(id);
    expect(crowd.channels.size).toBe(1);
    const outsider = crowd.world.add({ x: 0, y: 0, channel: 5 });
    crowd.channels.leave(outsider);
    expect(crowd.channels.channelOf(outsider)).toBe(5);
  });

  test('who leaves and joins again counts once', () => {
    const crowd = new Gathering(TEN);
    const id = crowd.come();
    crowd.channels.leave(id);
    crowd.channels.join(id);
    crowd.channels.balance();
    expect(crowd.channels.size).toBe(1);
  });

  test('who goes in and out for ever counts once, and others stay joined', () => {
    const crowd = new Gathering(TEN);
    const [one, other] = crowd.comeMany(2);
    for (let i = 0; i < 5000; i++) {
      crowd.channels.leave(one);
      crowd.channels.join(one);
    }
    expect(crowd.channels.size).toBe(2);
    crowd.channels.balance();
    expect(crowd.channels.size).toBe(2);
    expect(crowd.where([one, other])).toEqual([1, 1]);
  });

  test('who was removed is forgotten by itself', () => {
    const crowd = new Gathering(TEN);
    crowd.comeMany(24);
    for (const id of crowd.ids.slice(3)) crowd.remove(id);
    crowd.rest();
    expect(crowd.channels.size).toBe(3);
    expect(crowd.sizes()).toEqual([3]);
  });

  test('those who were removed open no channel', () => {
    const crowd = new Gathering(TEN);
    crowd.comeMany(12);
    for (const id of crowd.ids.slice()) crowd.remove(id);
    crowd.comeMany(12);
    expect(crowd.counts()).toEqual({ 1: 12 });
  });

  test('a channel set by hand is put right at the next balance', () => {
    const crowd = new Gathering(TEN);
    const [one, other] = crowd.comeMany(2);
    crowd.world.update(one, { channel: 0 });
    crowd.world.update(other, { channel: 900 });
    expect(crowd.moved()).toBe(2);
    expect(crowd.where()).toEqual([1, 1]);
  });
});

describe('perception', () => {
  test('among many one sees those of the own channel, and who has not joined sees all', () => {
    const crowd = new Gathering(TEN);
    const camera = crowd.world.add({ x: 0, y: 0, range: 10, marker: false });
    crowd.comeMany(24);
    crowd.channels.balance();
    crowd.world.tick();
    for (const id of crowd.ids) expect(crowd.world.visibleTo(id).length).toBe(11);
    expect(crowd.world.visibleTo(camera).length).toBe(24);
  });

  test('who moves to another channel gets one surroundings for the other in the next tick', () => {
    const crowd = new Gathering(TEN);
    crowd.comeMany(13);
    const before = crowd.where();
    crowd.world.tick();
    crowd.channels.balance();
    const changes = crowd.world.tick();
    const movers = crowd.ids.filter((id, i) => crowd.channels.channelOf(id) !== before[i]);
    // From a channel of 12 to one of 5.
    expect(movers.length).toBe(4);
    for (const id of movers) {
      expect(changes.of(id)?.left.length).toBe(8);
      expect(changes.of(id)?.entered.length).toBe(1);
    }
  });
});

describe('placed by a rule of one’s own', () => {
  test('everyone is where the rule says, and stays', () => {
    const crowd = new Gathering({ ...TEN, choose: (id) => 1 + ((id >>> 10) % 3) });
    crowd.comeMany(30);
    expect(crowd.counts()).toEqual({ 1: 10, 2: 10, 3: 10 });
    for (const id of crowd.ids.filter((each) => crowd.channels.channelOf(each) === 1)) crowd.remove(id);
    expect(crowd.moved()).toBe(0);
    expect(crowd.counts()).toEqual({ 2: 10, 3: 10 });
  });

  test('it is shown who is where, and as many channels as the crowd calls for', () => {
    const choose = vi.fn<ChooseFunction>((_id, counts) => counts.length - 1);
    const crowd = new Gathering({ target: 2, tolerance: 0, choose });
    crowd.comeMany(5);
    expect(choose.mock.calls.map(([, counts]) => [...counts])).toEqual([
      [0, 0],
      [0, 1],
      [0, 2, 0],
      [0, 2, 1],
      [0, 2, 2, 0],
    ]);
    expect(choose.mock.calls.map(([id]) => id)).toEqual(crowd.ids);
    expect(crowd.where()).toEqual([1, 1, 2, 2, 3]);
  });

  test('an answer that is no channel is BAD_OPTION, and nobody has joined', () => {
    for (const answer of [0, -1, 1.5, 65_536, Number.NaN, '1', undefined]) {
      const crowd = new Gathering({ ...TEN, choose: () => answer as number });
      const id = crowd.world.add({ x: 0, y: 0 });
      const error = errorOf(() => crowd.channels.join(id));
      expect(error.code).toBe('BAD_OPTION');
      expect(error.details).toEqual({ field: 'choose', value: answer });
      expect([crowd.channels.channelOf(id), crowd.channels.size]).toEqual([0, 0]);
    }
  });

  test('an error of the rule is thrown on, and nobody has joined', () => {
    const crowd = new Gathering({
      ...TEN,
      choose: () => {
        throw new RangeError('no idea');
      },
    });
    const id = crowd.world.add({ x: 0, y: 0 });
    expect(() => crowd.channels.join(id)).toThrow(RangeError);
    expect([crowd.channels.channelOf(id), crowd.channels.size]).toEqual([0, 0]);
  });
});

describe('taking over', () => {
  test('those in channels are adopted, and nobody moves', () => {
    const crowd = new Gathering(TEN);
    crowd.comeMany(40);
    crowd.comeMany(5, 3);
    crowd.rest();
    const before = crowd.where();
    crowd.channels.dispose();
    const heir = new Channels(crowd.world, TEN);
    expect(heir.size).toBe(45);
    expect(heir.balance()).toBe(0);
    expect(crowd.ids.map((id) => heir.channelOf(id))).toEqual(before);
  });

  test('an heir goes on as the one before it would have', () => {
    const [one, other] = [1, 2].map(() => {
      const crowd = new Gathering({ ...TEN, movesPerTick: 2 });
      crowd.comeMany(30);
      crowd.comeMany(9, 2);
      crowd.rest();
      return crowd;
    });
    const heir = new Channels(other.world, { ...TEN, movesPerTick: 2 });
    for (const channels of [one.channels, heir]) {
      const { ids } = channels === heir ? other : one;
      for (const id of ids.slice(0, 20)) channels.leave(id);
      for (let i = 0; i < 4; i++) channels.balance();
    }
    expect(other.ids.map((id) => heir.channelOf(id))).toEqual(one.where());
  });

  test('who was not in a channel is not adopted', () => {
    const world = new World();
    world.add({ x: 0, y: 0 });
    expect(new Channels(world, TEN).size).toBe(0);
  });
});
