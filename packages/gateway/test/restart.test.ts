/**
 * Servers that end and begin again, and clients who come back to them.
 */
import type { EntityId } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { GatewayStage, type Player } from './gateway-stage.ts';

/** A player whose connections go to whatever stage is there now. */
function wanderer(stages: { now: GatewayStage }, watcher: EntityId): Player {
  return stages.now.player(watcher, {
    openSocket: (url, events) => stages.now.transport.openSocket(url, events),
  });
}

describe('a client whose server begins anew', () => {
  it('takes nobody of the new world for somebody of the old one', async () => {
    const stages = { now: await new GatewayStage().listen() };
    const { clock, world } = stages.now;
    const watcher = world.add({ x: 0, y: 0, range: 10 });
    const wolf = world.add({ x: 1, y: 0 });
    const player = wanderer(stages, watcher);
    await stages.now.settle();
    stages.now.tick();
    const drawn = player.client.entities.get(wolf);
    expect(drawn?.x).toBe(1);
    await Promise.all([stages.now.gateway.drain(), stages.now.settle()]);
    stages.now = await new GatewayStage({ clock }).listen();
    // The same ids, for others.
    expect(stages.now.world.add({ x: 0, y: 0, range: 10 })).toBe(watcher);
    const chest = stages.now.world.add({ x: 7, y: 0 });
    expect(chest).toBe(wolf);
    player.told.length = 0;
    clock.pass(1000);
    await stages.now.settle();
    stages.now.tick();
    expect(player.told).toEqual([
      'connecting',
      `leave ${watcher}`,
      `leave ${wolf}`,
      'open',
      `enter ${watcher}`,
      `enter ${chest}`,
    ]);
    expect(player.client.entities.get(chest)).not.toBe(drawn);
    expect(stages.now.isEqual(player, watcher)).toBe(true);
  });
});
