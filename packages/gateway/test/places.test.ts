/**
 * Messages from places: to whom they go, with which frame, and how much of them there may be.
 */
import { type UmweltError, World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { GatewayStage, type Player } from './gateway-stage.ts';

const BANG = Uint8Array.of(1, 2, 3);

async function staged(world = new World(), options: ConstructorParameters<typeof GatewayStage>[0] = {}) {
  const stage = await new GatewayStage(options, world).listen();
  const heard: string[] = [];
  const listen = async (watcher: number, name: string): Promise<Player> => {
    const player = await stage.joinedPlayer(watcher);
    player.client.on('messageAt', ({ x, y, z }, bytes) =>
      heard.push(`${name} ${x} ${y} ${z}: ${[...bytes]}`),
    );
    return player;
  };
  return { stage, world, heard, listen };
}

describe('a message from a place', () => {
  it('goes to each client whose watcher would perceive it, with the next frame', async () => {
    const { stage, world, heard, listen } = await staged();
    const near = world.add({ x: 0, y: 0, range: 10 });
    const far = world.add({ x: 30, y: 0, range: 10 });
    await listen(near, 'near');
    await listen(far, 'far');
    stage.tick();
    stage.gateway.broadcastAt({ x: 3.26, y: -4 }, BANG);
    expect(heard).toEqual([]);
    stage.tick();
    expect(heard).toEqual(['near 3.5 -4 0: 1,2,3']);
    stage.gateway.broadcastAt({ x: 15, y: 0, minReach: 15 }, Uint8Array.of(9));
    stage.gateway.broadcastAt({ x: 15, y: 0, minReach: 15, gain: 0 }, Uint8Array.of(8));
    stage.gateway.broadcastAt({ x: 30, y: 0, layers: 2 }, Uint8Array.of(7));
    stage.tick();
    stage.tick();
    expect(heard.slice(1)).toEqual(['near 15 0 0: 9', 'far 15 0 0: 9']);
  });

  it('is for who perceives the place as of the frame that brings it', async () => {
    const { stage, world, heard, listen } = await staged();
    const [one, other] = [world.add({ x: 0, y: 0, range: 10 }), world.add({ x: 50, y: 0, range: 10 })];
    await listen(one, 'one');
    await listen(other, 'other');
    stage.tick();
    stage.gateway.broadcastAt({ x: 0, y: 0 }, BANG);
    world.move(one, 90, 0);
    world.move(other, 5, 0);
    stage.tick();
    expect(heard).toEqual(['other 0 0 0: 1,2,3']);
  });

  it('has three coordinates in three dimensions, and comes after those of entities', async () => {
    const { stage, world, heard, listen } = await staged(new World({ dimensions: 3 }));
    const watcher = world.add({ x: 0, y: 0, z: 0, range: 10 });
    const speaker = world.add({ x: 1, y: 0, z: 0 });
    const player = await listen(watcher, 'w');
    player.client.on('message', ({ id }) => heard.push(`message ${id}`));
    player.client.on('frame', (tick) => heard.push(`frame ${tick}`));
    stage.gateway.broadcastAt({ x: 1, y: 2, z: -3 }, BANG);
    stage.gateway.broadcast(speaker, BANG);
    stage.tick();
    expect(heard).toEqual([`message ${speaker}`, 'w 1 2 -3: 1,2,3', 'frame 1']);
  });

  it('is as it was when it was given', async () => {
    const { stage, world, heard, listen } = await staged();
    await listen(world.add({ x: 0, y: 0, range: 10 }), 'w');
    const [place, bytes] = [{ x: 1, y: 1, gain: { sight: 1 } }, Uint8Array.of(5)];
    stage.gateway.broadcastAt(place, bytes);
    place.x = 500;
    place.gain.sight = 0;
    bytes[0] = 6;
    stage.tick();
    expect(heard).toEqual(['w 1 1 0: 5']);
  });

  it('is bounded as the others are, together with them', async () => {
    const { stage, world, heard, listen } = await staged(new World(), { limits: { waitingBytesMax: 10 } });
    const watcher = world.add({ x: 0, y: 0, range: 10 });
    const player = await listen(watcher, 'w');
    stage.tick();
    player.told.length = 0;
    stage.gateway.broadcast(watcher, BANG);
    for (let i = 0; i < 4; i++) stage.gateway.broadcastAt({ x: 0, y: 0 }, BANG);
    stage.tick();
    expect([heard.length, player.told.length]).toEqual([2, 1]);
    expect(await stage.count('messages_lost_total')).toBe(2);
  });

  it('is lost with others where more wait for a tick than any server should have', async () => {
    const { stage, world, heard, listen } = await staged();
    await listen(world.add({ x: 0, y: 0, range: 10 }), 'w');
    stage.tick();
    for (let i = 0; i < 66_000; i++) stage.gateway.broadcastAt({ x: 900, y: 0 }, new Uint8Array(0));
    stage.gateway.broadcastAt({ x: 0, y: 0 }, BANG);
    stage.tick();
    expect(heard).toEqual([]);
    expect(await stage.count('messages_lost_total')).toBe(66_001 - 65_536);
    stage.gateway.broadcastAt({ x: 0, y: 0 }, BANG);
    stage.tick();
    expect(heard).toEqual(['w 0 0 0: 1,2,3']);
  });

  it('may be as far away as positions are told', async () => {
    const { stage, world, heard, listen } = await staged();
    await listen(world.add({ x: 1e12, y: 0, range: 1e12 }), 'w');
    stage.gateway.broadcastAt({ x: 1e12, y: -1e12 }, BANG);
    stage.tick();
    const most = (2 ** 31 - 1) / 2;
    expect(heard).toEqual([`w ${most} ${-most} 0: 1,2,3`]);
  });

  it.each<[string, object, string]>([
    ['no place', { x: Number.NaN, y: 0 }, 'BAD_POSITION'],
    ['a place without y', { x: 0 }, 'BAD_POSITION'],
    ['a negative gain', { x: 0, y: 0, gain: -1 }, 'BAD_GAIN'],
    ['a sense that is none', { x: 0, y: 0, senses: ['smell'] }, 'UNKNOWN_SENSE'],
    ['a member that is none', { x: 0, y: 0, range: 3 }, 'BAD_OPTION'],
  ])('is refused at once with %s', async (_, place, code) => {
    const { stage, heard } = await staged();
    let error: unknown;
    try {
      stage.gateway.broadcastAt(place as { x: number; y: number }, BANG);
    } catch (thrown) {
      error = thrown;
    }
    expect((error as UmweltError | undefined)?.code).toBe(code);
    expect(() => stage.gateway.broadcastAt({ x: 0, y: 0 }, new Uint8Array(4097))).toThrow(/4097 bytes/);
    stage.tick();
    expect(heard).toEqual([]);
  });
});
