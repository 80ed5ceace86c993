/** Those who enter come in portions, nearest first, where one frame may bring only so many. */
import { World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { FrameDesk, type Seat } from './frame-desk.ts';
import { GatewayStage } from './gateway-stage.ts';

const SENSES = ['sight'];
const FIELDS = { 'any-count': { type: 'int' } } as const;

/** A client that has nobody yet, and so many at distances of 1, 2, 3, ..., in no order of ids. */
function crowd(count: number): { desk: FrameDesk; world: World; ids: number[]; seat: Seat } {
  const world = new World({ senses: SENSES });
  const watcher = world.add({ x: 0, y: 0, range: 1000, marker: false });
  const ids: number[] = [];
  for (let i = 0; i < count; i++) {
    const distance = 1 + ((i * 7) % count);
    ids[distance - 1] = world.add({ x: distance, y: 0 });
  }
  const desk = new FrameDesk(world, { positionStep: 0.5, fields: FIELDS }, SENSES);
  return { desk, world, ids, seat: desk.seat(watcher, 0) };
}

function next({ desk, seat }: { desk: FrameDesk; seat: Seat }, entersMax: number): string[] {
  desk.tick();
  seat.wired.receive(desk.frame(seat, undefined, entersMax));
  return seat.wired.told.splice(0);
}

describe('a frame that may bring ten', () => {
  it('brings the ten nearest, and the next ones those after them', () => {
    const stage = crowd(36);
    for (let frame = 0; frame < 4; frame++) {
      const told = next(stage, 10);
      const expected = stage.ids.slice(frame * 10, frame * 10 + 10).map((id) => `enter ${id}`);
      expect(told.sort()).toEqual(expected.sort());
    }
    expect(next(stage, 10)).toEqual([]);
    expect(stage.desk.actual(stage.seat).sort()).toEqual(stage.desk.expected(stage.seat).sort());
  });

  it('tells of all leaves, and of all changes of those that the client has', () => {
    const stage = crowd(40);
    next(stage, 10);
    const [first, second, ...others] = stage.ids.slice(0, 10);
    stage.world.move(first!, 5000, 0);
    stage.world.remove(second!);
    for (const id of others) stage.desk.columns.set(id, { 'any-count': 7 });
    for (const id of others) stage.world.touch(id);
    const told = next(stage, 10);
    expect(told.filter((line) => line.startsWith('leave'))).toHaveLength(2);
    expect(told.filter((line) => line.startsWith('update'))).toHaveLength(8);
    expect(told.filter((line) => line.startsWith('enter'))).toHaveLength(10);
  });

  it('spends few bytes on the most urgent, whether they enter or have changed, and goes on without more that enter', () => {
    const stage = crowd(10);
    next(stage, 6);
    const nearest = stage.ids.slice(0, 6);
    for (const id of nearest) stage.desk.columns.set(id, { 'any-count': 7 });
    stage.desk.tick();
    // Changes wait for one tick, those at 7 to 10 for two: by waiting time and distance 1, 2, 3, 7, then 4 and 8, which may not enter.
    stage.seat.wired.receive(stage.desk.frame(stage.seat, 72, 1));
    const [first, second, third, fourth] = nearest;
    const told = stage.seat.wired.told.splice(0);
    expect(told.sort()).toEqual(
      [`enter ${stage.ids[6]}`, ...[first, second, third, fourth].map((id) => `update ${id}`)].sort(),
    );
  });

  it('lets nobody wait for ever, though nearer ones come all the time', () => {
    const stage = crowd(20);
    const last = stage.ids.at(-1)!;
    let frames = 0;
    // As many come in each tick as a frame may bring, each of them nearer than anybody who waits.
    for (; !stage.seat.wired.client.entities.has(last) && frames < 400; frames++) {
      for (let i = 0; i < 5; i++) stage.world.add({ x: 0.6, y: i / 100 });
      next(stage, 5);
    }
    expect(frames).toBeGreaterThan(5);
    // It is 40 steps away and others wait four frames: then it has waited longer, by its distance, than any of them.
    expect(frames).toBeLessThan(40 * (20 / 5 + 1));
  });

  it('brings a parent before its child, and the child no later than its turn after it', () => {
    const stage = crowd(30);
    const [child] = stage.ids;
    const parent = stage.ids.at(-1)!;
    stage.world.attach(child!, parent, { x: -29 });
    const told = next(stage, 2);
    expect(told).toEqual([`enter ${parent}`, `enter ${child}`]);
  });

  it('brings its own entity, and one that a message is about, though nine nearer ones wait', () => {
    const stage = crowd(20);
    const own = stage.ids.at(-1)!;
    const speaker = stage.ids.at(-2)!;
    stage.seat.view.setOwn(own, stage.world.tickCount);
    stage.seat.view.queue({ marker: speaker, bytes: Uint8Array.of(1) });
    const told = next(stage, 2);
    expect(told).toEqual([
      ...[own, speaker].sort((a, b) => a - b).map((id) => `enter ${id}`),
      `message ${speaker} 1`,
    ]);
  });
});

it('a gateway brings so many a frame as its limits say, and tells what waits in its metrics', async () => {
  const stage = await new GatewayStage({ limits: { entersPerFrame: 7 } }).listen();
  const watcher = stage.world.add({ x: 0, y: 0, range: 100 });
  for (let i = 1; i <= 20; i++) stage.world.add({ x: i, y: 0 });
  const player = await stage.joinedPlayer(watcher);
  const sizes = Array.from({ length: 4 }, () => {
    stage.tick();
    return player.client.entities.size;
  });
  expect(sizes).toEqual([7, 14, 21, 21]);
  expect(await stage.count('deferred_total')).toBe(14 + 7);
  expect(stage.isEqual(player, watcher)).toBe(true);
});

describe('one that waits to enter', () => {
  it('is inside of no band that it left with the client, though no frame ever brought it', () => {
    const world = new World({ senses: SENSES, interests: { default: { leaveMargin: 4 } } });
    const watcher = world.add({ x: 0, y: 0, range: 100, marker: false });
    const near = world.add({ x: 1, y: 0 });
    const other = world.add({ x: 9, y: 0 });
    const appearance = {
      positionStep: 0.5,
      nearDistance: 10,
      fields: { 'near-health': { type: 'uint', audience: 'near' } },
    } as const;
    const desk = new FrameDesk(world, appearance, SENSES);
    desk.columns.set(other, { 'near-health': 7 });
    const seat = desk.seat(watcher, 0);
    const stage = { desk, world, seat };
    expect(next(stage, 1)).toEqual([`enter ${near}`]);
    world.move(other, 500, 0);
    expect(next(stage, 1)).toEqual([]);
    // Within the margin of the band, and not within the band.
    world.move(other, 12, 0);
    expect(next(stage, 1)).toEqual([`enter ${other}`]);
    expect(seat.wired.client.entities.get(other)?.fields).toEqual({});
    expect(desk.actual(seat).sort()).toEqual(desk.expected(seat).sort());
  });
});

it('a crowd that enters with long names and a message of each fits a frame that the client takes in', async () => {
  const stage = await new GatewayStage({
    appearance: { positionStep: 0.5, fields: { about: { type: 'string', max: 1024 } } },
  }).listen();
  const watcher = stage.world.add({ x: 0, y: 0, range: 1000 });
  const player = await stage.joinedPlayer(watcher);
  stage.tick();
  player.told.length = 0;
  for (let i = 0; i < 1500; i++) {
    const id = stage.world.add({ x: i, y: 0 });
    stage.gateway.set(id, { about: 'x'.repeat(1000) });
    stage.gateway.broadcast(id, Uint8Array.of(1));
  }
  stage.tick();
  // Those within reach are 1,001, of some 1,012 bytes each; their frame may have 262,144.
  expect(player.told.filter((line) => line.startsWith('message'))).toHaveLength(259);
  expect(await stage.count('messages_lost_total')).toBe(742);
  for (let i = 0; i < 200; i++) stage.tick();
  expect(player.told.filter((line) => line.startsWith('enter'))).toHaveLength(1001);
  expect(player.client.state).toBe('open');
});

it('one that enters with a message is not lost among known ones that change long names and have messages', async () => {
  const stage = await new GatewayStage({
    appearance: { positionStep: 0.5, fields: { about: { type: 'string', max: 1024 } } },
  }).listen();
  const watcher = stage.world.add({ x: 0, y: 0, range: 1000 });
  const player = await stage.joinedPlayer(watcher);
  const ids = Array.from({ length: 1000 }, (_, i) => stage.world.add({ x: i, y: 0 }));
  for (const id of ids) stage.gateway.set(id, { about: 'a' });
  for (let i = 0; i < 50; i++) stage.tick();
  expect(player.client.entities.size).toBe(1001);
  player.told.length = 0;
  for (const id of ids) {
    stage.gateway.set(id, { about: 'x'.repeat(1000) });
    stage.gateway.broadcast(id, Uint8Array.of(1));
  }
  const late = stage.world.add({ x: 5, y: 5 });
  stage.gateway.set(late, { about: 'b' });
  stage.gateway.broadcast(late, Uint8Array.of(2));
  stage.tick();
  expect(player.told.filter((line) => line.startsWith('enter'))).toEqual([`enter ${late}`]);
  const messages = player.told.filter((line) => line.startsWith('message'));
  expect(messages.toSorted()).toEqual(
    [...ids.map((id) => `message ${id}: 1`), `message ${late}: 2`].toSorted(),
  );
  expect(await stage.count('messages_lost_total')).toBe(0);
  // Changes of the known ones take 1,007 bytes each: 260 fit what the late one left of 262,144. One more always goes.
  const changed = (): number =>
    ids.filter((id) => player.client.entities.get(id)?.fields['about'] !== 'a').length;
  expect(changed()).toBe(261);
  for (let i = 0; i < 200; i++) stage.tick();
  expect(changed()).toBe(1000);
  expect(player.client.state).toBe('open');
});
