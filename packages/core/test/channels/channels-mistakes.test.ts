/** Mistakes with channels: what each is told, and that it changes nothing. */
import { expect, test } from 'vitest';
import { type ChannelOptions, Channels, World } from '../../src/index.ts';
import { errorOf, Gathering } from './gathering.ts';

const TEN: ChannelOptions = { target: 10, tolerance: 0.2 };

test.each([
  ['target', 0],
  ['target', 2.5],
  ['target', undefined],
  ['target', '10'],
  ['target', Number.POSITIVE_INFINITY],
  ['tolerance', -0.1],
  ['tolerance', 1.1],
  ['tolerance', Number.NaN],
  ['tolerance', undefined],
  ['movesPerTick', 0],
  ['movesPerTick', 1.5],
  ['movesPerTick', null],
  ['choose', 'nearest'],
])('%s: %s is BAD_OPTION, and says what was expected', (field, value) => {
  const error = errorOf(() => new Channels(new World(), { ...TEN, [field]: value } as ChannelOptions));
  expect(error.code).toBe('BAD_OPTION');
  expect(error.details).toEqual({ field, value });
  expect(error.message).toMatch(/^\w+: .* was given, expected a /);
});

test('options that are none, and members that there are not, are BAD_OPTION', () => {
  expect(errorOf(() => new Channels(new World(), undefined as unknown as ChannelOptions)).code).toBe(
    'BAD_OPTION',
  );
  const more = { ...TEN, targets: 3 };
  expect(errorOf(() => new Channels(new World(), more)).details).toEqual({ field: 'targets', value: 3 });
  expect(errorOf(() => new Channels({} as World, TEN)).details.field).toBe('world');
});

test('a kind of groups that the world does not have is UNKNOWN_GROUP', () => {
  expect(errorOf(() => new Channels(new World(), { ...TEN, groupKind: 'guild' })).code).toBe('UNKNOWN_GROUP');
});

test.each(['join', 'leave', 'channelOf'] as const)('%s of a removed entity is STALE_ID', (name) => {
  const crowd = new Gathering(TEN);
  const id = crowd.come();
  crowd.remove(id);
  for (const _ of ['before the tick that tells of it', 'after']) {
    expect(errorOf(() => crowd.channels[name](id))).toMatchObject({ code: 'STALE_ID', details: { id } });
    crowd.world.tick();
  }
});

test.each(['join', 'leave', 'channelOf'] as const)('%s of what was never an id is BAD_ID', (name) => {
  const { channels } = new Gathering(TEN);
  for (const id of [0, 77, -1, Number.NaN]) expect(errorOf(() => channels[name](id)).code).toBe('BAD_ID');
});

test('after dispose every call is DISPOSED, and everyone stays where it was', () => {
  const crowd = new Gathering(TEN);
  const id = crowd.come();
  const { channels } = crowd;
  channels.dispose();
  channels.dispose();
  for (const call of [
    () => channels.join(id),
    () => channels.leave(id),
    () => channels.channelOf(id),
    () => channels.balance(),
  ]) {
    expect(errorOf(call).code).toBe('DISPOSED');
  }
  expect(new Channels(crowd.world, TEN).channelOf(id)).toBe(1);
});

test('on a world that was disposed of every call is DISPOSED, whether or not it has anything to do', () => {
  for (const options of [TEN, { ...TEN, choose: () => 1 }]) {
    const crowd = new Gathering(options);
    const id = crowd.come();
    const { channels } = crowd;
    const outside = crowd.world.add({ x: 0, y: 0 });
    crowd.world.dispose();
    for (const call of [
      () => channels.join(id),
      () => channels.join(outside),
      () => channels.leave(id),
      () => channels.leave(outside),
      () => channels.channelOf(id),
      () => channels.balance(),
      () => new Channels(crowd.world, options),
    ]) {
      expect(errorOf(call).code).toBe('DISPOSED');
    }
  }
});
