/**
 * Bands: distances within which more of an entity is seen, with the margin and the rates that keep them quiet.
 */
import { type Interest, World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import type { AppearanceOptions } from '../src/index.ts';
import { GatewayStage } from './gateway-stage.ts';

const NEAR: AppearanceOptions = {
  positionStep: 0.01,
  nearDistance: 10,
  fields: { kind: { type: 'uint' }, hp: { type: 'uint', audience: 'near' } },
};
const BANDS: AppearanceOptions = {
  positionStep: 0.01,
  bands: { middle: 20, near: 10, far: { distance: 40, everyTicks: 5 } },
  fields: {
    kind: { type: 'uint' },
    hp: { type: 'uint', audience: 'near' },
    gear: { type: 'uint', audience: 'middle' },
    score: { type: 'uint', audience: 'far' },
  },
};

async function stageOf(appearance: AppearanceOptions, interest: Interest = {}) {
  const world = new World({ interests: { default: interest } });
  const stage = await new GatewayStage({ appearance }, world).listen();
  const watcher = world.add({ x: 0, y: 0, range: 100 });
  const other = world.add({ x: 50, y: 0 });
  const player = await stage.joinedPlayer(watcher);
  const fields = () => Object.keys(player.client.entities.get(other)?.fields ?? {}).sort();
  return { stage, world, watcher, other, player, fields };
}

/** How often a field comes or goes while the other jitters about the distance, as far as `by` from it. */
async function changesAt(distance: number, by: number, interest: Interest): Promise<number> {
  const { stage, world, other, fields } = await stageOf(NEAR, interest);
  let seed = 7;
  let changes = 0;
  let had = false;
  for (let tick = 0; tick < 200; tick++) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    world.move(other, distance + (seed / 2 ** 31 - 1) * by, 0);
    stage.tick();
    const has = fields().includes('hp');
    if (has !== had) changes++;
    had = has;
  }
  return changes;
}

describe('a field of a band', () => {
  it('does not come and go at the distance where the watcher has a margin', async () => {
    expect(await changesAt(10, 0.1, { leaveMargin: 5 })).toBe(1);
    // Without a margin it does: that is what the distance says.
    expect(await changesAt(10, 0.1, {})).toBeGreaterThan(20);
  });

  it('goes beyond the margin, and comes back only within the distance', async () => {
    const { stage, world, other, fields } = await stageOf(NEAR, { leaveMargin: 5 });
    const seenAt = (x: number): boolean => {
      world.move(other, x, 0);
      stage.tick();
      return fields().includes('hp');
    };
    const places = [10.01, 10, 12, 15, 15.01, 12, 10.01, 9.99, 15, 10.5, 15.5, 14];
    expect(places.map(seenAt)).toEqual([
      false,
      true,
      true,
      true,
      false,
      false,
      false,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('is held by the margin that its watcher goes by now', async () => {
    const { stage, world, other, fields, watcher } = await stageOf(NEAR, { leaveMargin: 5 });
    const seenAt = (x: number): boolean => {
      world.move(other, x, 0);
      stage.tick();
      return fields().includes('hp');
    };
    expect([9, 12].map(seenAt)).toEqual([true, true]);
    world.setInterest('default', { leaveMargin: 1 });
    expect([12, 10.5, 9, 10.5].map(seenAt)).toEqual([false, false, true, true]);
    world.setInterest('wide', { leaveMargin: 20 });
    world.update(watcher, { interest: 'wide' });
    expect([29, 31].map(seenAt)).toEqual([true, false]);
  });

  it('is not held for another that looks', async () => {
    const { stage, world, other, fields } = await stageOf(NEAR, { leaveMargin: 5 });
    world.move(other, 9, 0);
    stage.tick();
    expect(fields()).toEqual(['hp', 'kind']);
    // Twelve from the other, who was near the first only.
    const next = world.add({ x: 21, y: 0, range: 100 });
    stage.tick();
    stage.joined[0]!.attach(next);
    stage.tick();
    expect(fields()).toEqual(['kind']);
  });
});

describe('bands', () => {
  it('tell their fields as they are entered, and take them as they are left', async () => {
    const { stage, world, other, fields } = await stageOf(BANDS, { leaveMargin: 3 });
    const seenAt = (x: number): string => {
      world.move(other, x, 0);
      stage.tick();
      return fields().join(' ');
    };
    expect([50, 39, 41, 19, 22, 42, 44, 5, 12, 14, 24, 5].map(seenAt)).toEqual([
      'kind',
      'kind score',
      'kind score',
      'gear kind score',
      'gear kind score',
      'kind score',
      'kind',
      'gear hp kind score',
      'gear hp kind score',
      'gear kind score',
      'kind score',
      'gear hp kind score',
    ]);
  });

  it('tell changes at a rate of their own, and what is so at once who enters', async () => {
    const { stage, world, other, player, watcher } = await stageOf(BANDS);
    world.move(other, 30, 0);
    const late = world.add({ x: 80, y: 0, range: 100 });
    const latecomer = await stage.joinedPlayer(late);
    stage.tick();
    const seen: unknown[] = [0];
    const own: unknown[] = [];
    let told = 0;
    for (let tick = 1; tick <= 50; tick++) {
      stage.gateway.set(other, { score: tick });
      stage.gateway.set(watcher, { score: tick });
      stage.tick();
      const score = player.client.entities.get(other)?.fields.score;
      if (score !== seen.at(-1)) told++;
      seen.push(score);
      own.push(player.client.own?.fields.score);
      // At most five ticks late.
      expect(tick - Number(score)).toBeLessThan(5);
    }
    expect(told).toBe(10);
    expect(own).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    expect(latecomer.client.entities.get(other)?.fields).not.toHaveProperty('score');
    for (let tick = 51; tick <= 60; tick++) {
      stage.gateway.set(other, { score: tick });
      world.move(other, tick === 55 ? 45 : 30, 0);
      stage.tick();
      const scores = [player, latecomer].map(({ client }) => client.entities.get(other)?.fields.score);
      if (tick === 55) expect(scores).toEqual([undefined, 55]);
      if (tick === 56) expect(scores).toEqual([56, undefined]);
    }
    // What was set last is told though nothing else happens.
    for (let tick = 0; tick < 5; tick++) stage.tick();
    expect(player.client.entities.get(other)?.fields.score).toBe(60);
  });

  it('tell the owner at once, though it became the owner between a change and its turn', async () => {
    const { stage, world, watcher, other, player } = await stageOf(BANDS);
    world.move(other, 30, 0);
    stage.tick();
    while ((world.tickCount + 1 + (other >>> 10)) % 5 !== 1) stage.tick();
    stage.gateway.set(other, { score: 7 });
    // It is sent with another change: then its row is newer than the change that waits.
    world.move(other, 31, 0);
    stage.tick();
    const score = () => player.client.entities.get(other)?.fields.score;
    expect(score()).toBe(0);
    stage.joined[0]!.attach(watcher, other);
    stage.tick();
    expect(score()).toBe(7);
  });

  it('tell the owner at once of what a listener sets in each tick', async () => {
    const { stage, world, watcher, other, player } = await stageOf(BANDS);
    stage.tick();
    world.on('update', () => stage.gateway.set(watcher, { score: world.tickCount }));
    const told = [];
    for (let tick = 2; tick < 6; tick++) {
      world.move(other, 50, tick);
      stage.tick();
      told.push(player.client.own?.fields.score);
    }
    expect(told).toEqual([2, 3, 4, 5]);
  });

  it('tell everyone of changes at a rate, though bytes are short at each turn', async () => {
    const stage = await new GatewayStage({ appearance: BANDS, limits: { bytesPerSecond: 500 } }).listen();
    const { world, gateway } = stage;
    const watcher = world.add({ x: 0, y: 0, range: 100 });
    const others = Array.from({ length: 40 }, (_, i) => world.add({ x: 21 + i / 4, y: 0 }));
    const player = await stage.joinedPlayer(watcher);
    for (let tick = 1; tick <= 400; tick++) {
      for (const id of others) gateway.set(id, { score: tick });
      stage.tick();
      if (tick < 200) continue;
      const scores = others.map((id) => Number(player.client.entities.get(id)?.fields.score));
      expect(tick - Math.min(...scores)).toBeLessThan(40);
    }
  });

  it('touch nobody for what is not due, and nobody who is gone', async () => {
    const { stage, world, other } = await stageOf(BANDS);
    world.move(other, 30, 0);
    stage.tick();
    let updates = 0;
    for (let tick = 0; tick < 50; tick++) {
      stage.gateway.set(other, { score: tick });
      stage.tick();
      updates += world.lastChanges.updatedCount;
    }
    expect(updates).toBe(10);
    stage.gateway.set(other, { score: 99 });
    world.remove(other);
    for (let tick = 0; tick < 6; tick++) stage.tick();
  });

  it('are measured beyond the positions that can be sent, too', async () => {
    const { stage, world, watcher, other, fields, player } = await stageOf(NEAR);
    const limit = (2 ** 31 - 1) * 0.01;
    world.update(watcher, { range: 1e8 });
    world.move(watcher, 4e7, 0);
    const seenAt = (x: number): string[] => {
      world.move(other, x, 0);
      stage.tick();
      expect(player.client.entities.get(other)?.x).toBe(limit);
      return fields();
    };
    expect([6e7, 4e7 + 8, 4e7 + 12, 3e7].map(seenAt)).toEqual([['kind'], ['hp', 'kind'], ['kind'], ['kind']]);
    // What can be sent of it has not changed.
    const told: unknown[] = [];
    player.client.on('update', ({ id }) => told.push(id));
    expect([5e7, 6e7].map(seenAt)).toEqual([['kind'], ['kind']]);
    expect(told).toEqual([]);
  });

  it('are within any distance where it is infinite', async () => {
    const { stage, other, player } = await stageOf({
      positionStep: 0.01,
      bands: { any: { distance: Number.POSITIVE_INFINITY, everyTicks: 3 } },
      fields: { score: { type: 'uint', audience: 'any' } },
    });
    stage.tick();
    expect(player.client.entities.get(other)?.fields).toEqual({ score: 0 });
  });
});
