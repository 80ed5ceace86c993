/**
 * Sessions, budgets and messages, with real clients over lines in this process and a clock that the test moves.
 */
import { type Changes, type EntityId, World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { GatewayStage, type Player } from './gateway-stage.ts';

/** A watcher at the origin that sees 10 far, and others along the x axis, one a unit. */
async function crowd(count: number, options: ConstructorParameters<typeof GatewayStage>[0] = {}) {
  const stage = await new GatewayStage(options).listen();
  const watcher = stage.world.add({ x: 0, y: 0, range: 10 });
  const others = Array.from({ length: count }, (_, i) => stage.world.add({ x: (i % 9) + 1, y: 0 }));
  const player = await stage.joinedPlayer(watcher);
  return { stage, watcher, others, player };
}

function ids({ client }: Player): EntityId[] {
  return [...client.entities.keys()].sort((a, b) => a - b);
}

describe('a gateway', () => {
  it('shows each client what its watcher perceives, and its own', async () => {
    const { stage, watcher, others, player } = await crowd(3);
    stage.gateway.set(others[0]!, { hp: 5, gold: 7 });
    stage.gateway.set(watcher, { gold: 9 });
    stage.tick();
    expect(ids(player)).toEqual([watcher, ...others]);
    expect(player.client.entities.get(others[0]!)?.fields).toEqual({ hp: 5 });
    expect(player.client.own?.fields).toEqual({ hp: 0, gold: 9 });
    stage.world.move(others[0]!, 50, 0);
    stage.world.move(others[1]!, 2, 2);
    stage.gateway.set(others[2]!, { hp: 1 });
    player.told.length = 0;
    stage.tick();
    expect(player.told).toEqual([`leave ${others[0]}`]);
    expect(stage.isEqual(player, watcher)).toBe(true);
  });

  it('takes -0 for 0, which is no change', async () => {
    const appearance = {
      positionStep: 1,
      fields: { speed: { type: 'float32' }, turn: { type: 'int' } },
    } as const;
    const { stage, others, player } = await crowd(1, { appearance });
    const [other] = others as [EntityId];
    stage.tick();
    let updates = 0;
    player.client.on('update', () => updates++);
    stage.gateway.set(other, { speed: -0, turn: -0 });
    stage.tick();
    expect([updates, stage.gateway.get(other, 'speed'), stage.gateway.get(other, 'turn')]).toEqual([0, 0, 0]);
    stage.gateway.set(other, { speed: -1e-50 });
    stage.tick();
    expect(updates).toBe(0);
  });

  it('encodes an entity once for all who are told of it', async () => {
    const stage = await new GatewayStage().listen();
    const watchers = Array.from({ length: 20 }, (_, i) => stage.world.add({ x: i / 10, y: 0, range: 10 }));
    for (const watcher of watchers) await stage.joinedPlayer(watcher);
    stage.tick();
    const before = await stage.count('records_total');
    const told = await stage.count('entities_total{kind="updated"}');
    for (const watcher of watchers) stage.world.move(watcher, stage.world.position(watcher)[0]! + 1, 1);
    stage.tick();
    expect((await stage.count('records_total')) - before).toBe(20);
    expect((await stage.count('entities_total{kind="updated"}')) - told).toBe(400);
  });

  it('encodes an entity once for all who are told of it at a rate', async () => {
    const rates = [
      [0.5, 1],
      [1, 4],
    ] as const;
    const world = new World({ interests: { default: { updateRates: rates } } });
    const stage = await new GatewayStage({}, world).listen();
    const moving = Array.from({ length: 10 }, (_, i) => world.add({ x: i / 10, y: 0 }));
    // Half of them near enough to be told every tick.
    const watchers = Array.from({ length: 20 }, (_, i) =>
      world.add({ x: i < 10 ? 3 : 8, y: 0, range: 10, marker: false }),
    );
    const players = [];
    for (const watcher of watchers) players.push(await stage.joinedPlayer(watcher));
    for (let tick = 0; tick < 12; tick++) {
      const before = await stage.count('records_total');
      for (const id of moving) world.move(id, world.position(id)[0]!, tick % 2);
      stage.tick();
      // Of each the difference, and the whole for those who were told longer ago; one more of each who watches, at first.
      expect((await stage.count('records_total')) - before).toBeLessThanOrEqual(tick === 0 ? 30 : 20);
    }
    for (let tick = 0; tick < 4; tick++) stage.tick();
    for (const [i, player] of players.entries()) expect(stage.isEqual(player, watchers[i]!)).toBe(true);
  });

  it('tells nobody anything of a tick that it has published, and refuses an older one', async () => {
    const { stage, others, player } = await crowd(1);
    stage.tick();
    player.told.length = 0;
    stage.world.move(others[0]!, 50, 0);
    stage.gateway.publish(stage.world.lastChanges);
    stage.transport.deliver();
    expect([player.told, await stage.count('frames_total')]).toEqual([[], 1]);
    stage.tick();
    expect(player.told).toEqual([`leave ${others[0]}`]);
    const older = { ...stage.world.lastChanges, tick: 1 } as Changes;
    expect(() => stage.gateway.publish(older)).toThrow(/tick 1 was given; expected one after 2/);
    const elsewhere = new World();
    for (let tick = 0; tick < 3; tick++) elsewhere.tick();
    expect(() => stage.gateway.publish(elsewhere.lastChanges)).toThrow(
      /tick 3 was given; expected at most 2, the tick of this gateway's world/,
    );
    const beside = new World();
    for (let tick = 0; tick < 2; tick++) beside.tick();
    expect(() => stage.gateway.publish(beside.lastChanges)).toThrow(
      /the changes of another world at tick 2 were given; expected those of this gateway's world/,
    );
    stage.world.tick();
    expect(() => stage.gateway.publish(beside.tick())).toThrow(/another world at tick 3/);
    stage.gateway.publish(stage.world.lastChanges);
    stage.transport.deliver();
    expect(player.client.tick).toBe(3);
    stage.tick();
    expect(player.client.tick).toBe(4);
  });

  it('makes up for a tick that was not published', async () => {
    const { stage, watcher, others, player } = await crowd(4);
    stage.tick();
    stage.world.remove(others[0]!);
    stage.world.move(others[1]!, 3, 3);
    stage.world.tick();
    stage.world.move(others[2]!, 30, 3);
    stage.tick();
    expect(stage.isEqual(player, watcher)).toBe(true);
  });

  it('sends every frame after many ticks that were not published', async () => {
    const stage = await new GatewayStage().listen();
    const { world } = stage;
    const watcher = world.add({ x: 0, y: 0, range: 10 });
    const player = await stage.joinedPlayer(watcher);
    stage.tick();
    stage.tick();
    for (let tick = 0; tick < 60; tick++) world.tick();
    for (let tick = 63; tick < 90; tick++) {
      stage.tick();
      expect(player.client.tick).toBe(tick);
    }
  });

  it('has no value of a removed entity for another one that is given its id', async () => {
    const { world, gateway } = await new GatewayStage().listen();
    const first = world.add({ x: 0, y: 0 });
    gateway.set(first, { hp: 7 });
    gateway.publish(world.tick());
    world.remove(first);
    gateway.publish(world.tick());
    expect(gateway.get(first, 'hp')).toBe(7);
    // A slot is used again while more than 1024 are free, and has 1023 ids.
    const crowd = { x: new Float64Array(1100), y: new Float64Array(1100) };
    while (!world.has(first)) {
      const ids = world.addMany(crowd);
      if (!ids.includes(first)) world.removeMany(ids);
      gateway.publish(world.tick());
    }
    expect(gateway.get(first, 'hp')).toBe(0);
  });

  it('shows nobody once the watcher is gone, and another when it is attached', async () => {
    const { stage, watcher, player } = await crowd(2);
    stage.tick();
    stage.world.remove(watcher);
    stage.tick();
    expect(ids(player)).toEqual([]);
    const next = stage.world.add({ x: 1, y: 1, range: 3 });
    stage.joined[0]!.attach(next);
    stage.tick();
    expect(stage.isEqual(player, next)).toBe(true);
    expect(player.client.own?.id).toBe(next);
  });

  it.each(['set anew', 'another'])('tells what waited for its turn when the interest is %s', async (how) => {
    const slow = { updateRates: [[1, 200]] } as const;
    const world = new World({ interests: { default: slow, other: slow } });
    const stage = await new GatewayStage({}, world).listen();
    const watcher = world.add({ x: 0, y: 0, range: 10 });
    const other = world.add({ x: 1, y: 0 });
    const player = await stage.joinedPlayer(watcher);
    stage.tick();
    stage.tick();
    world.move(other, 5, 0);
    stage.tick();
    expect(player.client.entities.get(other)?.x).toBe(1);
    if (how === 'another') world.update(watcher, { interest: 'other' });
    else world.setInterest('default', slow);
    stage.tick();
    expect(world.lastChanges.updatedCount).toBe(0);
    expect(stage.isEqual(player, watcher)).toBe(true);
  });

  it('takes what listeners do to the world during the tick', async () => {
    const { stage, watcher, others, player } = await crowd(5);
    stage.tick();
    const stop = stage.world.on('update', (_watcher, marker) => {
      if (stage.world.has(marker)) stage.world.remove(marker);
    });
    const late = stage.world.add({ x: 2, y: 2 });
    stage.world.on('enter', (_watcher, marker) => {
      if (marker === late && stage.world.has(late)) stage.world.remove(late);
    });
    for (const id of others) stage.world.touch(id);
    stage.tick();
    stop();
    stage.tick();
    expect(ids(player)).toEqual([watcher]);
    expect(player.client.state).toBe('open');
  });

  it('shows where the tick had one that a listener moved, in case it is moved back before the next', async () => {
    const { stage, watcher, others, player } = await crowd(2);
    const [other] = others as [EntityId, EntityId];
    stage.tick();
    const x = () => player.client.entities.get(other)?.x;
    stage.world.on('update', (_, marker) => stage.world.move(marker, 9, 0));
    stage.world.move(other, 3, 0);
    stage.tick();
    expect(x()).toBe(3);
    stage.world.move(other, 3, 0);
    stage.tick();
    expect(x()).toBe(3);
    expect(stage.isEqual(player, watcher)).toBe(true);
  });

  it('sends a field that a listener sets in each tick', async () => {
    const { stage, watcher, others, player } = await crowd(1);
    const [other] = others as [EntityId];
    stage.tick();
    stage.world.on('update', (_, marker) => stage.gateway.set(marker, { hp: stage.world.tickCount }));
    const told = [];
    for (let tick = 2; tick < 6; tick++) {
      stage.world.move(other, tick, 0);
      stage.tick();
      told.push(player.client.entities.get(other)?.fields.hp);
    }
    expect(told).toEqual([2, 3, 4, 5]);
    expect(stage.isEqual(player, watcher)).toBe(true);
  });
});

describe('a message', () => {
  it('reaches who relates to the marker in that tick, and the marker itself', async () => {
    const world = new World({ senses: ['sight', 'hearing'] });
    const stage = await new GatewayStage({}, world).listen();
    const speaker = world.add({ x: 0, y: 0, range: 5 });
    const hearer = world.add({ x: 8, y: 0, range: { hearing: 10 } });
    const seer = world.add({ x: -8, y: 0, range: { sight: 10 } });
    const nobody = world.add({ x: 100, y: 0, range: 5 });
    const players = [];
    for (const watcher of [speaker, hearer, seer, nobody]) players.push(await stage.joinedPlayer(watcher));
    stage.gateway.broadcast(speaker, Uint8Array.of(1));
    stage.gateway.broadcast(speaker, Uint8Array.of(2), { sense: 'hearing' });
    stage.tick();
    // In the very frame in which the marker enters, and after it.
    expect(players[0]!.told).toEqual([`enter ${speaker}`, `message ${speaker}: 1`, `message ${speaker}: 2`]);
    expect(players[1]!.told).toEqual([
      `enter ${speaker}`,
      `enter ${hearer}`,
      `message ${speaker}: 1`,
      `message ${speaker}: 2`,
    ]);
    expect(players[2]!.told.filter((line) => line.startsWith('message'))).toEqual([`message ${speaker}: 1`]);
    expect(players[3]!.told).toEqual([`enter ${nobody}`]);
  });

  it('is not heard of a marker that is removed before the tick, nor by who is away', async () => {
    const { stage, others, player } = await crowd(2);
    stage.tick();
    stage.gateway.broadcast(others[0]!, Uint8Array.of(1));
    stage.world.remove(others[0]!);
    stage.tick();
    player.line.cut();
    stage.transport.deliver();
    stage.gateway.broadcast(others[1]!, Uint8Array.of(2));
    stage.tick();
    stage.clock.pass(1000);
    await stage.settle();
    stage.tick();
    expect(player.client.state).toBe('open');
    expect(player.told.filter((line) => line.startsWith('message'))).toEqual([]);
  });

  it('brings its marker with it, however short bytes are', async () => {
    const { stage, others, player } = await crowd(9, { limits: { bytesPerSecond: 1 } });
    stage.gateway.broadcast(others[8]!, Uint8Array.of(1));
    stage.tick();
    expect(player.told).toContain(`message ${others[8]}: 1`);
  });

  it('is refused when it is too long or for no sense', async () => {
    const { stage, others } = await crowd(1);
    expect(() => stage.gateway.broadcast(others[0]!, new Uint8Array(4097))).toThrow(/4097 bytes/);
    const wrong = () => stage.gateway.broadcast(others[0]!, new Uint8Array(1), { sense: 'smell' });
    expect(wrong).toThrow(/expected sight/);
  });

  it('comes in a frame that a client takes in, at the largest limits that there may be', async () => {
    const most = { frameBytesMax: 524_288, waitingBytesMax: 393_216, broadcastBytesMax: 393_216 };
    const { stage, others, player } = await crowd(1, { limits: most });
    stage.gateway.broadcast(others[0]!, new Uint8Array(393_216 - 4095));
    for (let i = 0; i < 4095; i++) stage.gateway.broadcast(others[0]!, new Uint8Array(1));
    stage.tick();
    expect(player.told.filter((line) => line.startsWith('message'))).toHaveLength(4096);
  });

  it('is lost and counted beyond what a frame may hold', async () => {
    const { stage, others, player } = await crowd(1, { limits: { waitingBytesMax: 10 } });
    for (let i = 0; i < 5; i++) stage.gateway.broadcast(others[0]!, new Uint8Array(4));
    stage.tick();
    expect(player.told.filter((line) => line.startsWith('message'))).toHaveLength(2);
    expect(await stage.count('messages_lost_total')).toBe(3);
  });
});

describe('a client whose bytes are short', () => {
  it('is told of the near and important first, and of everyone in the end', async () => {
    const { stage, watcher, others, player } = await crowd(9, { limits: { bytesPerSecond: 300 } });
    stage.tick();
    for (let tick = 0; tick < 40; tick++) stage.tick();
    expect(stage.isEqual(player, watcher)).toBe(true);
    stage.gateway.setImportance(others[7]!, 8);
    const counts = new Map<EntityId, number>();
    player.client.on('update', ({ id }) => counts.set(id, (counts.get(id) ?? 0) + 1));
    for (let tick = 0; tick < 400; tick++) {
      for (const [i, id] of others.entries()) stage.world.move(id, (i % 9) + 1, (tick % 2) * 0.5);
      stage.tick();
    }
    const told = others.map((id) => counts.get(id) ?? 0);
    expect(Math.min(...told)).toBeGreaterThan(10);
    expect(told[0]).toBeGreaterThan(3 * told[8]!);
    // At distance 8 with importance 8: as often as the nearest, within what rounding does.
    expect(told[7]).toBeGreaterThan(told[0]! / 2);
    expect(await stage.count('deferred_total')).toBeGreaterThan(0);
    for (let tick = 0; tick < 100; tick++) stage.tick();
    expect(stage.isEqual(player, watcher)).toBe(true);
  });

  it('hears of leaves at once', async () => {
    const { stage, watcher, others, player } = await crowd(9);
    stage.tick();
    stage.joined[0]!.budget.spend(1e9);
    stage.world.removeMany(Uint32Array.from(others));
    stage.tick();
    expect(ids(player)).toEqual([watcher]);
  });

  it('is sent no more than its rate over time', async () => {
    const { stage, others } = await crowd(9, { limits: { bytesPerSecond: 300 } });
    for (let tick = 0; tick < 20; tick++) stage.tick();
    const before = await stage.count('sent_bytes_total');
    for (let tick = 0; tick < 400; tick++) {
      for (const [i, id] of others.entries()) stage.world.move(id, (i % 9) + 1, (tick % 2) * 0.5);
      stage.tick();
    }
    // 20 s, one more saved up, and a header a frame whatever the rate.
    expect((await stage.count('sent_bytes_total')) - before).toBeLessThan(300 * 21 + 400 * 16);
  });
});

describe('a client that does not read', () => {
  const limits = { bufferedBytesMax: 200, behindMs: 10_000, bytesPerSecond: 1e6 };

  it('misses frames, and then gets one with all that they would have told', async () => {
    const { stage, watcher, others, player } = await crowd(9, { limits });
    stage.tick();
    player.line.stalled = true;
    const frames: number[] = [];
    player.client.on('frame', (tick) => frames.push(tick));
    for (let tick = 0; tick < 100; tick++) {
      for (const [i, id] of others.entries()) stage.world.move(id, ((i + tick) % 9) + 1, tick % 5);
      stage.tick();
    }
    stage.world.remove(others[3]!);
    stage.tick();
    expect(player.line.server.bufferedBytes).toBeLessThan(400);
    player.line.stalled = false;
    stage.transport.deliver();
    stage.tick();
    expect(frames.length).toBeLessThan(20);
    expect(stage.isEqual(player, watcher)).toBe(true);
  });

  it('is closed when it stays behind', async () => {
    const { stage, others, player } = await crowd(9, { limits });
    player.line.stalled = true;
    for (let tick = 0; tick < 260; tick++) {
      for (const id of others) stage.world.move(id, tick % 5, 1);
      stage.tick();
    }
    expect(await stage.closes('tooSlow')).toBe(1);
    expect(player.told).toContain('waiting 4006');
  });

  it('is behind where the network takes it all and the client acknowledges nothing', async () => {
    const { stage, watcher, others, player } = await crowd(9);
    stage.tick();
    // Delivered to nobody, and not buffered here either.
    const { server } = player.line;
    const lost: Uint8Array[] = [];
    const send = server.send;
    server.send = (bytes) => lost.push(bytes);
    for (let tick = 0; tick < 100; tick++) {
      for (const id of others) stage.world.move(id, tick % 5, 1);
      stage.tick();
    }
    expect(lost.length).toBeGreaterThanOrEqual(50);
    expect(lost.length).toBeLessThan(75);
    server.send = send;
    for (const bytes of lost) send(bytes);
    stage.transport.deliver();
    for (let tick = 0; tick < 20; tick++) stage.tick();
    expect(player.client.state).toBe('open');
    expect(stage.isEqual(player, watcher)).toBe(true);
    server.send = () => {};
    for (let tick = 0; tick < 300; tick++) stage.tick();
    expect(await stage.closes('tooSlow')).toBe(1);
  });

  it('is closed when messages pile up', async () => {
    const { stage, others, player } = await crowd(9, { limits: { ...limits, waitingBytesMax: 100 } });
    player.line.stalled = true;
    for (let tick = 0; tick < 60; tick++) {
      for (const id of others) stage.world.move(id, tick % 5, 1);
      stage.gateway.broadcast(others[0]!, new Uint8Array(20));
      stage.tick();
    }
    expect(await stage.closes('tooSlow')).toBe(1);
  });

  it('is told everything anew where too many have left', async () => {
    const { stage, watcher, others, player } = await crowd(0, { limits });
    stage.tick();
    const many = stage.world.addMany({ x: new Float32Array(5000), y: new Float32Array(5000) });
    stage.tick();
    for (let tick = 0; tick < 5; tick++) stage.tick();
    expect(player.client.entities.size).toBe(5001);
    player.line.stalled = true;
    for (let tick = 0; tick < 60; tick++) {
      stage.world.touch(watcher);
      stage.gateway.set(many[tick]!, { hp: tick + 1 });
      stage.tick();
    }
    stage.world.removeMany(many);
    stage.tick();
    player.line.stalled = false;
    stage.transport.deliver();
    stage.tick();
    expect(ids(player)).toEqual([watcher]);
    expect(others).toEqual([]);
  });
});
