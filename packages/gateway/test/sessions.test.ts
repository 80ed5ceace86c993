/**
 * Who gets in, who comes back, and what becomes of those who misbehave: on lines in this process.
 */
import { type Logger, pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { Admission } from '../src/index.ts';
import { GatewayStage } from './gateway-stage.ts';
import { HELLO, Stranger } from './stranger.ts';

async function staged(options: ConstructorParameters<typeof GatewayStage>[0] = {}) {
  const stage = await new GatewayStage(options).listen();
  const watcher = stage.world.add({ x: 0, y: 0, range: 10 });
  const other = stage.world.add({ x: 1, y: 0 });
  return { stage, watcher, other };
}

describe('a client that asks to be let in', () => {
  it('is let in as whom the game says', async () => {
    const { stage, watcher } = await staged();
    const player = stage.player(watcher);
    await stage.settle();
    expect(player.told).toEqual(['open']);
    expect(stage.joined.map(({ watcher: id, own, isConnected }) => [id, own, isConnected])).toEqual([
      [watcher, watcher, true],
    ]);
  });

  it('is turned away when the game says no', async () => {
    const { stage } = await staged();
    const player = stage.player('nobody');
    await stage.settle();
    expect(player.told).toEqual(['closed 4001']);
    expect(stage.joined).toEqual([]);
  });

  it('is turned away when there are too many', async () => {
    const { stage, watcher, other } = await staged({ limits: { clientsMax: 1 } });
    await stage.joinedPlayer(watcher);
    const late = stage.player(other);
    await stage.settle();
    expect(late.told).toEqual(['waiting 4003']);
  });

  it('does not bring the gateway down when the game throws, or names nobody', async () => {
    const throws = await staged({
      authenticate: () => {
        throw new Error('no such table');
      },
    });
    const player = throws.stage.player(1);
    await throws.stage.settle();
    expect(player.told).toEqual(['waiting 1011']);
    expect(await throws.stage.count('faults_total{hook="authenticate"}')).toBe(1);
    const stale = await staged({ authenticate: () => ({ watcher: 999_424 }) });
    const ghost = stale.stage.player(1);
    await stale.stage.settle();
    expect(ghost.told).toEqual(['waiting 1011']);
  });

  it('that is gone before the game has answered leaves a session that ends after its grace time', async () => {
    let answer: (admission: Admission) => void = () => {};
    const { stage, watcher } = await staged({
      authenticate: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    const player = stage.player(watcher);
    await stage.settle();
    player.client.close();
    await stage.settle();
    answer({ watcher, data: 'late' });
    await stage.settle();
    expect(stage.joined).toHaveLength(1);
    expect(stage.joined[0]!.isConnected).toBe(false);
    stage.clock.pass(31_000);
    expect(stage.ended).toEqual(['late gone']);
  });
});

describe('a client that comes back', () => {
  it('keeps its watcher and gets only the difference', async () => {
    const { stage, watcher, other } = await staged();
    const extra = stage.world.addMany({ x: new Float32Array(100), y: new Float32Array(100) });
    const player = await stage.joinedPlayer(watcher);
    stage.tick();
    const updates: number[] = [];
    player.client.on('update', ({ id }) => updates.push(id));
    player.told.length = 0;
    player.line.cut();
    stage.transport.deliver();
    stage.world.move(other, 2, 2);
    stage.world.remove(extra[5]!);
    stage.tick();
    const before = await stage.count('sent_bytes_total');
    stage.clock.pass(1000);
    stage.transport.deliver();
    stage.tick();
    expect(player.told).toEqual(['waiting 1006', 'connecting', 'open', `leave ${extra[5]}`]);
    expect(updates).toEqual([other]);
    expect((await stage.count('sent_bytes_total')) - before).toBeLessThan(60);
    expect(stage.joined).toHaveLength(1);
    expect(stage.isEqual(player, watcher)).toBe(true);
  });

  it('gets what was under way when the connection broke', async () => {
    const { stage, watcher, other } = await staged();
    const player = await stage.joinedPlayer(watcher);
    stage.tick();
    player.line.stalled = true;
    stage.world.move(other, 3, 3);
    const late = stage.world.add({ x: 2, y: 2 });
    stage.tick();
    stage.world.remove(other);
    stage.tick();
    player.line.cut();
    stage.transport.deliver();
    stage.clock.pass(1000);
    stage.transport.deliver();
    stage.tick();
    expect([...player.client.entities.keys()]).toEqual([watcher, late]);
    expect(stage.isEqual(player, watcher)).toBe(true);
  });

  it('has an equal mirror after a hundred broken connections', async () => {
    const { stage, watcher } = await staged();
    const crowd = stage.world.addMany({ x: new Float32Array(60), y: new Float32Array(60), range: 5 });
    const player = await stage.joinedPlayer(watcher);
    let seed = 1;
    const random = (): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    for (let round = 0; round < 100; round++) {
      for (let tick = 0; tick < 5; tick++) {
        player.line.stalled = tick > random() * 5;
        for (const id of crowd) {
          if (random() < 0.3) stage.world.move(id, random() * 30 - 15, random() * 10);
          if (random() < 0.1) stage.gateway.set(id, { hp: Math.floor(random() * 100) });
        }
        stage.tick();
      }
      player.line.cut();
      stage.transport.deliver();
      stage.clock.pass(1000);
      stage.transport.deliver();
      stage.tick();
      expect(stage.isEqual(player, watcher)).toBe(true);
    }
    expect(await stage.count('joins_total{how="resumed"}')).toBe(100);
    expect(stage.ended).toEqual([]);
  });

  it('is a new one after its grace time', async () => {
    const { stage, watcher } = await staged({ limits: { graceMs: 300 } });
    const player = await stage.joinedPlayer(watcher, { retryFirstMs: 4000 });
    stage.tick();
    player.line.cut();
    stage.transport.deliver();
    stage.clock.pass(1500);
    expect(stage.ended).toEqual([`${watcher} gone`]);
    stage.clock.pass(4000);
    await stage.settle();
    stage.tick();
    expect(stage.joined).toHaveLength(2);
    expect(stage.isEqual(player, watcher)).toBe(true);
  });

  it('by another connection takes the place of the first, which stays away', async () => {
    const { stage, watcher } = await staged();
    const first = await stage.joinedPlayer(watcher);
    stage.tick();
    const second = await stage.joinedPlayer(watcher);
    stage.tick();
    expect(first.told).toContain('closed 4005');
    expect(stage.isEqual(second, watcher)).toBe(true);
    expect(stage.joined).toHaveLength(1);
    expect(stage.ended).toEqual([]);
    expect([...stage.gateway.sessions]).toHaveLength(1);
  });

  it('does not, once the game has released it', async () => {
    const { stage, watcher } = await staged();
    const player = await stage.joinedPlayer(watcher);
    stage.joined[0]!.release();
    stage.joined[0]!.release();
    stage.transport.deliver();
    expect(player.told).toEqual(['closed 4008']);
    expect(stage.ended).toEqual([`${watcher} released`]);
    expect([...stage.gateway.sessions]).toEqual([]);
  });

  it('gets the watcher that the game gave to its ended session too late', async () => {
    const { stage, watcher } = await staged();
    await stage.joinedPlayer(watcher);
    const [session] = stage.joined;
    session?.release();
    const body = stage.world.add({ x: 2, y: 0, range: 10 });
    session?.attach(body);
    const player = await stage.joinedPlayer(body);
    stage.tick();
    expect(player.client.own?.id).toBe(body);
  });
});

describe('a client that speaks', () => {
  it('is heard, and told which input was the last', async () => {
    const { stage, watcher } = await staged();
    const player = await stage.joinedPlayer(watcher);
    player.client.sendInput(Uint8Array.of(4, 2));
    player.client.sendInput(Uint8Array.of());
    stage.transport.deliver();
    expect(stage.inputs).toEqual([`${watcher} 1: 4,2`, `${watcher} 2: `]);
    stage.tick();
    expect(player.client.inputTaken).toBe(2);
  });

  it('is closed, and nobody else is hurt, when the game throws', async () => {
    const { stage, watcher, other } = await staged({
      onInput: () => {
        throw new Error('no such spell');
      },
    });
    const player = await stage.joinedPlayer(watcher);
    const friend = await stage.joinedPlayer(other);
    player.client.sendInput(Uint8Array.of(1));
    stage.transport.deliver();
    expect(player.told).toEqual(['waiting 1011']);
    stage.tick();
    expect(friend.client.state).toBe('open');
  });

  it('stays as long as it says something now and then, and no longer', async () => {
    const { stage, watcher, other } = await staged({ limits: { unackedMs: 1e9 } });
    const player = await stage.joinedPlayer(watcher);
    const stranger = new Stranger(stage);
    stranger.hello(other);
    await stage.settle();
    for (let tick = 0; tick < 700; tick++) stage.tick();
    expect(player.client.state).toBe('open');
    expect(stranger.closedWith).toBe(4007);
  });
});

describe('a connection that means no good', () => {
  const forms: [string, (stranger: Stranger) => void, number, string][] = [
    ['says nothing of the kind', (stranger) => stranger.say(9, 9, 9), 4000, 'malformed'],
    ['speaks before it has said hello', (stranger) => stranger.say(2, 1), 4000, 'malformed'],
    [
      'says hello twice',
      (stranger) => [stranger.say(...HELLO, 0), stranger.say(...HELLO, 0)],
      4000,
      'malformed',
    ],
    ['speaks another version', (stranger) => stranger.say(1, 1), 4009, 'otherVersion'],
    ['says too much at once', (stranger) => stranger.say(...new Uint8Array(8193)), 1009, 'tooBig'],
  ];

  it.each(forms)('is closed: it %s', async (_, act, code, why) => {
    const { stage } = await staged({ authenticate: () => new Promise(() => {}) });
    const stranger = new Stranger(stage);
    act(stranger);
    await stage.settle();
    expect(stranger.closedWith).toBe(code);
    expect(await stage.closes(why)).toBe(1);
    expect(stage.transport.lines.size).toBe(0);
  });

  it('is closed: it never says who it is', async () => {
    const { stage } = await staged();
    const stranger = new Stranger(stage);
    stage.clock.pass(6000);
    stage.transport.deliver();
    expect(stranger.closedWith).toBe(4002);
  });

  it('is closed, as the oldest, when there are too many of its kind; others get in', async () => {
    const { stage, watcher } = await staged({ limits: { strangersMax: 10 } });
    const strangers = Array.from({ length: 3000 }, () => new Stranger(stage));
    expect(strangers.filter(({ closedWith }) => closedWith === undefined)).toHaveLength(10);
    const player = await stage.joinedPlayer(watcher);
    stage.tick();
    expect(stage.isEqual(player, watcher)).toBe(true);
  });

  it('never brings the gateway down, whatever bytes it sends', async () => {
    const { stage, watcher } = await staged({ limits: { messagesPerSecond: 1e9, resumesPerSecond: 1e9 } });
    const player = await stage.joinedPlayer(watcher);
    let seed = 7;
    const byte = (): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed & 255;
    };
    for (let i = 0; i < 5000; i++) {
      const stranger = new Stranger(stage);
      if (i % 2 === 0) stranger.hello(watcher + 1024);
      stranger.say(byte() % 6, ...Array.from({ length: byte() % 40 }, byte));
      if (i % 100 === 0) await stage.settle();
      else stage.transport.deliver();
    }
    await stage.settle();
    stage.tick();
    expect(stage.isEqual(player, watcher)).toBe(true);
    expect(await stage.closes('malformed')).toBeGreaterThan(1000);
  });
});

describe('what becomes of those who misbehave', () => {
  /** What a gateway logged, one object a line. */
  function logged(): { logger: Logger; lines: Record<string, unknown>[] } {
    const lines: Record<string, unknown>[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
    return { logger, lines };
  }

  it('is logged, with why and whence', async () => {
    const { logger, lines } = logged();
    const { stage, watcher } = await staged({ logger });
    const stranger = new Stranger(stage);
    stranger.hello(watcher);
    await stage.settle();
    stranger.say(9, 9);
    await stage.settle();
    expect(lines).toMatchObject([
      { why: 'malformed', address: 'in-process', watcher, msg: 'connection ended' },
    ]);
  });

  it('fills no disk: what is beyond twenty lines a second is only counted', async () => {
    const { logger, lines } = logged();
    const { stage } = await staged({ logger });
    for (let i = 0; i < 500; i++) {
      new Stranger(stage).say(9);
      stage.transport.deliver();
    }
    expect(lines).toHaveLength(40);
    expect(await stage.closes('malformed')).toBe(500);
    stage.clock.pass(1000);
    for (let i = 0; i < 100; i++) new Stranger(stage).say(9);
    stage.transport.deliver();
    expect(lines).toHaveLength(60);
  });

  it('is logged too where it is the game itself, which throws in a hook', async () => {
    const { logger, lines } = logged();
    const { stage, watcher } = await staged({
      logger,
      onLeave: () => {
        throw new Error('no such guild');
      },
    });
    await stage.joinedPlayer(watcher);
    stage.joined[0]!.release();
    expect(lines).toMatchObject([{ hook: 'onLeave', err: { message: 'no such guild' } }]);
  });
});

describe('a gateway that drains', () => {
  it('sends everyone away, tells the game, and lets nobody in', async () => {
    const { stage, watcher, other } = await staged();
    const player = await stage.joinedPlayer(watcher);
    await Promise.all([stage.gateway.drain(), stage.gateway.drain()]);
    stage.transport.deliver();
    expect(player.told[0]).toBe('waiting 1001');
    expect(stage.ended).toEqual([`${watcher} drained`]);
    expect(stage.gateway.status()).toMatchObject({ ready: false, clients: 0 });
    const late = stage.player(other);
    await stage.settle();
    expect(late.told).toEqual(['waiting 1006']);
  });
});
