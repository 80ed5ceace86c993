/**
 * What a game says of a client that it lets in, and what becomes of it when that is wrong or said again.
 */
import { UmweltError, World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import type { Admission } from '../src/index.ts';
import { GatewayStage } from './gateway-stage.ts';

const NOTHING = new Uint8Array(0);

/** All views are another process's. */
class ElsewhereWorld extends World {
  override visibleTo(watcher: number): Uint32Array {
    throw new UmweltError('NOT_SHOWN', `the view of ${watcher} is shown by another node`, { id: watcher });
  }
}

describe('an admission that cannot be', () => {
  /** A game that adds a body for each client and removes it as the client leaves. */
  async function hosted(
    wrong: Partial<Admission>,
    options: ConstructorParameters<typeof GatewayStage>[0] = {},
    world = new World(),
  ) {
    const left: unknown[] = [];
    const stage = await new GatewayStage(
      {
        authenticate: () => ({ watcher: world.add({ x: 0, y: 0, range: 5 }), data: 'somebody', ...wrong }),
        onLeave: ({ watcher, data }, reason) => {
          left.push([data, reason]);
          if (watcher !== 0) world.remove(watcher);
        },
        ...options,
      },
      world,
    ).listen();
    const player = stage.player('anyone');
    await stage.settle();
    return { stage, world, left, player };
  }

  it('with an own that is stale is told to onLeave, with its watcher', async () => {
    const { stage, world, left, player } = await hosted({ own: 5 * 1024 + 1 });
    expect(left).toEqual([['somebody', 'released']]);
    expect(world.size).toBe(0);
    expect(player.told).toEqual(['waiting 1011']);
    expect([...stage.gateway.sessions]).toEqual([]);
    expect(await stage.count('faults_total{hook="authenticate"}')).toBe(1);
  });

  it('with a watcher that is stale is told to onLeave', async () => {
    const { left, player } = await hosted({ watcher: 5 * 1024 + 1 });
    expect(left).toEqual([['somebody', 'released']]);
    expect(player.told).toEqual(['waiting 1011']);
  });

  it('with a token that is none is told to onLeave', async () => {
    const { world, left } = await hosted({}, { randomToken: () => NOTHING });
    expect(left).toEqual([['somebody', 'released']]);
    expect(world.size).toBe(0);
  });

  it('with a watcher that another process shows is told to onLeave, with that watcher', async () => {
    const { stage, world, left, player } = await hosted({}, {}, new ElsewhereWorld());
    expect(left).toEqual([['somebody', 'released']]);
    expect(world.size).toBe(0);
    expect(player.told).toEqual(['waiting 1011']);
    expect([...stage.gateway.sessions]).toEqual([]);
    expect(await stage.count('faults_total{hook="authenticate"}')).toBe(1);
  });

  it('leaves the session alone that shows the watcher', async () => {
    const world = new World();
    const watcher = world.add({ x: 0, y: 0, range: 5 });
    let own = watcher;
    const stage = await new GatewayStage({ authenticate: () => ({ watcher, own }) }, world).listen();
    const first = await stage.joinedPlayer('first');
    own = 5 * 1024 + 1;
    await stage.joinedPlayer('second');
    stage.tick();
    expect([first.client.state, stage.ended]).toEqual(['open', []]);
    expect(stage.isEqual(first, watcher)).toBe(true);
  });
});

describe('a new page of the same watcher', () => {
  it('is not told what the page before sent', async () => {
    const stage = await new GatewayStage().listen();
    const watcher = stage.world.add({ x: 0, y: 0, range: 5 });
    const first = await stage.joinedPlayer(watcher);
    for (let i = 0; i < 7; i++) first.client.sendInput(NOTHING);
    await stage.settle();
    stage.tick();
    expect(first.client.inputTaken).toBe(7);
    const second = await stage.joinedPlayer(watcher);
    stage.tick();
    expect(second.client.inputTaken).toBe(0);
    second.client.sendInput(NOTHING);
    await stage.settle();
    stage.tick();
    expect(second.client.inputTaken).toBe(1);
  });

  it('is sent as much as its own admission says', async () => {
    const world = new World();
    const watcher = world.add({ x: 0, y: 0, range: 5 });
    let bytesPerSecond: number | undefined = 100;
    const authenticate = (): Admission =>
      bytesPerSecond === undefined ? { watcher } : { watcher, bytesPerSecond };
    const stage = await new GatewayStage({ authenticate }, world).listen();
    await stage.joinedPlayer('first');
    expect(stage.joined[0]!.budget.bytesPerSecond).toBe(100);
    bytesPerSecond = 5000;
    await stage.joinedPlayer('second');
    expect(stage.joined[0]!.budget.bytesPerSecond).toBe(5000);
    bytesPerSecond = undefined;
    await stage.joinedPlayer('third');
    expect(stage.joined[0]!.budget.bytesPerSecond).toBe(stage.gateway.limits.bytesPerSecond);
    expect(stage.joined).toHaveLength(1);
  });
});

describe('a view of more than a client may hold', () => {
  const limits = { bytesPerSecond: 1e9, frameBytesMax: 524_288 };

  async function crowded(count: number) {
    const stage = await new GatewayStage({ limits }).listen();
    const watcher = stage.world.add({ x: 0, y: 0, range: 5 });
    const many = stage.world.addMany({ x: new Float32Array(count), y: new Float32Array(count) });
    const player = await stage.joinedPlayer(watcher);
    for (let tick = 0; tick < 4; tick++) stage.tick();
    return { stage, many, player };
  }

  it('is not sent: the client is told so, and is served once the view is smaller', async () => {
    const { stage, many, player } = await crowded(65_536);
    expect(player.told).toEqual(['waiting 4010']);
    expect(await stage.count('frames_total')).toBe(0);
    stage.world.remove(many[7]!);
    for (let tick = 0; tick < 60; tick++) {
      stage.tick();
      await stage.settle();
    }
    expect(player.client.entities.size).toBe(65_536);
    expect(player.client.state).toBe('open');
  });

  it('is sent up to the last one that it may hold', async () => {
    const { player } = await crowded(65_535);
    expect(player.client.state).toBe('open');
    expect(player.client.entities.size).toBe(65_536);
  });
});

describe('a tick that threw', () => {
  it('and changed nothing is published as any other, to no effect', async () => {
    let isBroken = false;
    const interests = {
      default: {
        admit: () => {
          if (isBroken) throw new Error('the game');
          return true;
        },
      },
    };
    const world = new World({ interests });
    const stage = await new GatewayStage({}, world).listen();
    const watcher = world.add({ x: 0, y: 0, range: 10 });
    const player = await stage.joinedPlayer(watcher);
    stage.tick();
    const loop = (): void => {
      try {
        world.tick();
      } catch {
        // As a game does that goes on.
      }
      stage.gateway.publish(world.lastChanges);
      stage.transport.deliver();
    };
    isBroken = true;
    world.add({ x: 1, y: 0 });
    loop();
    loop();
    expect(await stage.count('frames_total')).toBe(1);
    isBroken = false;
    loop();
    expect(stage.isEqual(player, watcher)).toBe(true);
    expect(player.client.entities.size).toBe(2);
  });

  it('in a listener is published with all that it reports', async () => {
    const stage = await new GatewayStage().listen();
    const watcher = stage.world.add({ x: 0, y: 0, range: 10 });
    const player = await stage.joinedPlayer(watcher);
    stage.tick();
    stage.world.on('enter', () => {
      throw new Error('the game');
    });
    stage.world.add({ x: 1, y: 0 });
    expect(() => stage.world.tick()).toThrow('the game');
    stage.gateway.publish(stage.world.lastChanges);
    stage.transport.deliver();
    expect(stage.isEqual(player, watcher)).toBe(true);
    expect(player.client.entities.size).toBe(2);
  });
});

describe('messages of no bytes', () => {
  it('are bounded as others are', async () => {
    const stage = await new GatewayStage().listen();
    const watcher = stage.world.add({ x: 0, y: 0, range: 10 });
    const player = await stage.joinedPlayer(watcher);
    stage.tick();
    player.told.length = 0;
    for (let i = 0; i < 5000; i++) stage.gateway.broadcast(watcher, NOTHING);
    stage.tick();
    expect(player.told).toHaveLength(4096);
    expect(await stage.count('messages_lost_total')).toBe(5000 - 4096);
  });
});

describe('a gateway that drains with notice', () => {
  it('serves all as before meanwhile, but says that it is not ready', async () => {
    const stage = await new GatewayStage().listen();
    const watcher = stage.world.add({ x: 0, y: 0, range: 10 });
    const player = await stage.joinedPlayer(watcher);
    expect(stage.gateway.status().ready).toBe(true);
    let isDrained = false;
    const drained = stage.gateway.drain({ noticeMs: 3000 }).then(() => {
      isDrained = true;
    });
    expect(stage.gateway.status().ready).toBe(false);
    const late = stage.world.add({ x: 1, y: 0, range: 10 });
    const latecomer = await stage.joinedPlayer(late);
    for (let tick = 0; tick < 40; tick++) stage.tick();
    await stage.settle();
    expect([player.client.state, latecomer.client.state, isDrained]).toEqual(['open', 'open', false]);
    expect(stage.isEqual(player, watcher)).toBe(true);
    for (let tick = 0; tick < 40; tick++) stage.tick();
    await stage.settle();
    await drained;
    expect([player.client.state, latecomer.client.state]).toEqual(['waiting', 'waiting']);
    expect(stage.ended).toEqual([`${watcher} drained`, `${late} drained`]);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('is not made to for %s ms', async (noticeMs) => {
    const stage = await new GatewayStage().listen();
    expect(() => stage.gateway.drain({ noticeMs })).toThrow(/noticeMs is/);
    expect(stage.gateway.status().ready).toBe(true);
  });
});
