/**
 * Servers that end and begin again, and clients who come back to them.
 */
import { type EntityId, UmweltError, World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { type AppearanceOptions, Gateway, type GatewayOptions } from '../src/index.ts';
import { GatewayStage, type Player } from './gateway-stage.ts';
import { Stranger } from './stranger.ts';

const SENSES = ['sight', 'hearing'];
const APPEARANCE: AppearanceOptions = {
  positionStep: 0.5,
  bands: { near: 6, far: { distance: 20, everyTicks: 7 } },
  fields: {
    hp: { type: 'uint' },
    gold: { type: 'float32', audience: 'owner' },
    name: { type: 'string', sense: 'sight', audience: 'near' },
    level: { type: 'int', audience: 'far' },
    asleep: { type: 'bool' },
  },
};

/** A player whose connections go to whatever stage is there now. */
function wanderer(stages: { now: GatewayStage }, watcher: EntityId): Player {
  return stages.now.player(watcher, {
    openSocket: (url, events) => stages.now.transport.openSocket(url, events),
  });
}

/** The stage that goes on where another one was, on a clock of its own. */
async function restored(stage: GatewayStage, options: Partial<GatewayOptions> = {}): Promise<GatewayStage> {
  const world = World.restore(stage.world.snapshot());
  return new GatewayStage(options, world, stage.gateway.snapshot()).listen();
}

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof UmweltError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'none';
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

describe('a client whose server goes on', () => {
  /** A player among others, whose server ends and is restored. */
  async function handedOver(options: Partial<GatewayOptions> = {}) {
    const stages = { now: await new GatewayStage().listen() };
    const before = stages.now;
    const { world } = before;
    const watcher = world.add({ x: 0, y: 0, range: 10 });
    const others = [1, 2, 3].map((x) => world.add({ x, y: 0 }));
    before.gateway.set(others[0]!, { hp: 7 });
    before.gateway.set(watcher, { gold: 5 });
    before.gateway.setImportance(others[1]!, 9);
    const player = wanderer(stages, watcher);
    await before.settle();
    player.client.sendInput(Uint8Array.of(1));
    await before.settle();
    before.tick();
    before.tick();
    player.told.length = 0;
    const drained = before.gateway.drain({ keepSessions: true });
    stages.now = await restored(before, { clock: before.clock, ...options });
    await Promise.all([drained, before.settle()]);
    return { stages, before, after: stages.now, watcher, others, player };
  }

  it('is told what changed since, and nothing else', async () => {
    const { before, after, watcher, others, player } = await handedOver();
    const updated: number[] = [];
    player.client.on('update', ({ id }) => updated.push(id));
    after.world.move(others[1]!, 2, 3);
    after.world.remove(others[2]!);
    after.gateway.set(others[0]!, { hp: 8 });
    for (let tick = 0; tick < 20; tick++) {
      after.tick();
      await after.settle();
    }
    expect(player.told).toEqual(['waiting 1001', 'connecting', 'open', `leave ${others[2]}`]);
    expect(updated).toEqual([others[0], others[1]]);
    expect(after.isEqual(player, watcher)).toBe(true);
    expect(player.client.welcome?.resumed).toBe(true);
    expect(player.client.own?.fields).toEqual({ hp: 0, gold: 5 });
    expect(player.client.inputTaken).toBe(1);
    // Nobody has left, and nobody has joined.
    expect([before.ended, after.ended, after.joined]).toEqual([[], [], []]);
    expect([...after.gateway.sessions].map(({ data, own }) => [data, own])).toEqual([
      [`${watcher}`, watcher],
    ]);
  });

  it('is told everything anew where the game shows other fields, with the values that there were', async () => {
    const { after, others, player } = await handedOver({
      appearance: {
        positionStep: 0.5,
        fields: { mana: { type: 'int' }, hp: { type: 'uint' }, gold: { type: 'int' } },
      },
    });
    for (let tick = 0; tick < 20; tick++) {
      after.tick();
      await after.settle();
    }
    // Gold was another type.
    expect(player.client.entities.get(others[0]!)?.fields).toEqual({ mana: 0, hp: 7, gold: 0 });
    expect(player.told).toEqual(['waiting 1001', 'connecting', 'open']);
  });

  it('loses the fields that the game shows no more, and is told of them alone', async () => {
    const { after, others, player } = await handedOver({
      appearance: { positionStep: 0.25, fields: { gold: { type: 'uint', audience: 'owner' } } },
    });
    const updates: unknown[] = [];
    player.client.on('update', ({ id }, changes) => id === others[0] && updates.push(changes));
    for (let tick = 0; tick < 20; tick++) {
      after.tick();
      await after.settle();
    }
    expect(player.client.entities.get(others[0]!)).toMatchObject({ x: 1, y: 0, fields: {} });
    expect(player.client.own?.fields).toEqual({ gold: 5 });
    expect(Object.keys(player.client.entities.get(others[0]!)?.fields ?? {})).toEqual([]);
    expect(updates).toEqual([{ position: false, senses: false, parent: false, fields: ['hp'] }]);
  });

  it('sees what the audiences and bands are for now, though nothing else has happened', async () => {
    const fieldsAfter = async (former: AppearanceOptions, latter: AppearanceOptions) => {
      const stages = { now: await new GatewayStage({ appearance: former }).listen() };
      const before = stages.now;
      const watcher = before.world.add({ x: 0, y: 0, range: 10 });
      const other = before.world.add({ x: 3, y: 0 });
      before.gateway.set(other, { hp: 7, gear: 8 });
      const player = wanderer(stages, watcher);
      await before.settle();
      before.tick();
      before.tick();
      const drained = before.gateway.drain({ keepSessions: true });
      stages.now = await restored(before, { clock: before.clock, appearance: latter });
      await Promise.all([drained, before.settle()]);
      for (let tick = 0; tick < 20; tick++) {
        stages.now.tick();
        await stages.now.settle();
      }
      return { ...player.client.entities.get(other)?.fields };
    };
    const appearanceOf = (hp: string, gear: string, bands: Record<string, number>): AppearanceOptions => ({
      positionStep: 0.5,
      bands,
      fields: { hp: { type: 'uint', audience: hp }, gear: { type: 'uint', audience: gear } },
    });
    const twoBands = appearanceOf('far', 'near', { far: 9, near: 5 });
    expect(await fieldsAfter(twoBands, appearanceOf('owner', 'all', {}))).toEqual({ gear: 8 });
    expect(await fieldsAfter(twoBands, appearanceOf('all', 'near', { near: 5 }))).toEqual({ hp: 7, gear: 8 });
    expect(await fieldsAfter(twoBands, appearanceOf('all', 'near', { near: 2 }))).toEqual({ hp: 7 });
  });

  it.each([false, true])(
    'is told everything anew until it has taken in a frame, when the server goes on from an older state: stored again %s',
    async (isStoredAgain) => {
      const stages = { now: await new GatewayStage().listen() };
      const { clock, world } = stages.now;
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const [wolf, bat] = [1, 2].map((x) => world.add({ x, y: 0 })) as [EntityId, EntityId];
      const player = wanderer(stages, watcher);
      await stages.now.settle();
      stages.now.tick();
      const older = await restored(stages.now, { clock });
      world.move(wolf, 5, 5);
      world.remove(bat);
      for (let tick = 0; tick < 9; tick++) stages.now.tick();
      expect(player.client.tick).toBe(10);
      const change = async (next: GatewayStage): Promise<void> => {
        await Promise.all([stages.now.gateway.drain({ keepSessions: true }), stages.now.settle()]);
        stages.now = next;
        clock.pass(1000);
        await next.settle();
        expect(player.client.state).toBe('open');
      };
      await change(older);
      // Its frames have the ticks that the client had before, and are lost.
      for (const line of older.transport.lines) line.stalled = true;
      for (let tick = 0; tick < 19; tick++) older.tick();
      if (isStoredAgain) await change(await restored(older, { clock }));
      else {
        for (const line of older.transport.lines) line.cut();
        await older.settle();
        clock.pass(1000);
        await older.settle();
      }
      stages.now.tick();
      expect(player.client.tick).toBe(21);
      expect(player.client.entities.has(bat)).toBe(true);
      expect(stages.now.isEqual(player, watcher)).toBe(true);
      // From then on it is told what changed since, again.
      clock.pass(600);
      await stages.now.settle();
      for (const line of stages.now.transport.lines) line.cut();
      await stages.now.settle();
      clock.pass(1000);
      await stages.now.settle();
      expect([...stages.now.gateway.sessions].map(({ view }) => view.mustResync)).toEqual([false]);
    },
  );

  it('is gone when it does not come back in its grace time', async () => {
    const { after, watcher, player } = await handedOver({ limits: { graceMs: 5000 } });
    player.client.close();
    for (let tick = 0; tick < 110; tick++) after.tick();
    expect(after.ended).toEqual([`${watcher} gone`]);
  });

  it('cannot be followed by who has the bytes and no token', async () => {
    const { before } = await handedOver();
    const [session] = [...before.gateway.sessions];
    const bytes = Buffer.from(before.gateway.snapshot());
    expect(bytes.includes(Buffer.from(session!.key, 'hex'))).toBe(true);
    expect(bytes.includes(Buffer.from(session!.token))).toBe(false);
  });
});

/** Worlds that do the same, one after the other. */
function act(stage: GatewayStage, ids: number[], random: (below: number) => number): void {
  const { world, gateway } = stage;
  for (let i = 0; i < 12; i++) {
    const id = ids[random(ids.length)]!;
    if (!world.has(id)) continue;
    const value = random(1000);
    const acts = [
      () => world.move(id, random(60) - 30, random(60) - 30),
      () => world.move(id, world.position(id)[0]! + 0.5, world.position(id)[1]!),
      () => gateway.set(id, { hp: value, gold: value / 3 }),
      () => gateway.set(id, { level: -value, name: `n${value}` }),
      () => gateway.set(id, { asleep: value % 2 === 0 }),
      () => world.update(id, { gain: { sight: random(2), hearing: 1 } }),
      () => gateway.setImportance(id, value + 1),
    ];
    acts[random(acts.length)]!();
  }
  if (random(3) > 0) return;
  world.remove(ids.splice(20 + random(ids.length - 20), 1)[0]!);
  ids.push(world.add({ x: random(60) - 30, y: random(60) - 30 }));
}

function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('a restored gateway', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'sends byte for byte what the other one sends that goes on: seed %i',
    async (seed) => {
      const interests = { default: { leaveMargin: 3 } };
      const world = new World({ senses: SENSES, interests });
      // Some have to wait, and some are told of fewer bytes; most acknowledge nothing.
      const limits = { bytesPerSecond: 2500, unackedMs: 9000 };
      const first = await new GatewayStage({ appearance: APPEARANCE, limits }, world).listen();
      const place = randomOf(seed + 100);
      const ids = Array.from({ length: 60 }, (_, i) =>
        world.add({ x: place(60) - 30, y: place(60) - 30, range: i < 12 ? { sight: 15, hearing: 25 } : 0 }),
      );
      const strangers = ids.slice(0, 12).map((id) => {
        const stranger = new Stranger(first);
        stranger.hello(id);
        return stranger;
      });
      await first.settle();
      let random = randomOf(seed);
      for (let tick = 1; tick <= 30; tick++) {
        act(first, ids, random);
        first.tick();
        for (const [i, stranger] of strangers.entries()) {
          if (i % 3 === 0) stranger.say(3, tick);
          if (i % 4 === 0 && tick === 20) stranger.line.cut();
        }
        first.transport.deliver();
      }
      const second = await restored(first, { appearance: APPEARANCE, limits });
      const pairs = strangers.map(({ token }, i) =>
        [first, second].map((stage) => {
          const again = new Stranger(stage);
          // Of some the last frames were lost.
          again.say(1, 2, token.length, ...token, i % 4 === 0 ? 20 : 30 - (i % 5), 0);
          return again;
        }),
      );
      for (const stage of [first, second]) await stage.settle();
      // How much may be sent at once is no part of what is stored.
      for (const { gateway, clock } of [first, second]) {
        for (const { budget } of gateway.sessions) budget.spend(budget.available(clock.now()) + 1e9);
      }
      random = randomOf(seed + 1);
      const script = Array.from({ length: 40 }, () => random(1e9));
      for (const stage of [first, second]) {
        const own = [...ids];
        for (const [tick, number] of script.entries()) {
          act(stage, own, randomOf(number + tick));
          stage.tick();
        }
        ids.length = 60;
      }
      let bytes = 0;
      for (const [one, other] of pairs) {
        expect(other!.heard.map((message) => [...message])).toEqual(
          one!.heard.map((message) => [...message]),
        );
        expect(one!.heard.length).toBeGreaterThan(30);
        bytes += one!.heard.reduce((sum, { length }) => sum + length, 0);
      }
      expect(bytes).toBeGreaterThan(10_000);
    },
  );

  it('is not made from bytes that are none, or of another moment', async () => {
    const stage = await new GatewayStage().listen();
    const id = stage.world.add({ x: 0, y: 0, range: 5 });
    stage.gateway.set(id, { hp: 3 });
    await stage.joinedPlayer(id);
    stage.tick();
    const bytes = stage.gateway.snapshot();
    const options: GatewayOptions = {
      tickMs: 50,
      appearance: { positionStep: 0.5, fields: { hp: { type: 'uint' } } },
      authenticate: () => undefined,
    };
    const world = World.restore(stage.world.snapshot());
    const restore = (given: Uint8Array, on: World = world): string =>
      codeOf(() => Gateway.restore(on, given, options));
    expect(restore(bytes)).toBe('none');
    for (let length = 0; length < bytes.length; length += 7) {
      expect(restore(bytes.subarray(0, length))).toMatch(/^BAD_SNAPSHOT/);
    }
    for (let at = 0; at < bytes.length; at += 5) {
      const altered = Uint8Array.from(bytes);
      altered[at]! ^= 4;
      expect(restore(altered)).toMatch(/^BAD_SNAPSHOT/);
    }
    expect(restore(bytes, new World())).toMatch(/^BAD_SNAPSHOT: .*it is of tick 1; expected 0/);
    stage.world.tick();
    expect(codeOf(() => stage.gateway.snapshot())).toMatch(
      /^BAD_SNAPSHOT: the world is at tick 2; expected 1/,
    );
  });

  it('is not stored where the game keeps what is not JSON', async () => {
    const stage = await new GatewayStage().listen();
    const id = stage.world.add({ x: 0, y: 0, range: 5 });
    await stage.joinedPlayer(id);
    stage.joined[0]!.data = { score: 3n };
    expect(codeOf(() => stage.gateway.snapshot())).toMatch(/^BAD_OPTION: data of the session of watcher 1 /);
    stage.joined[0]!.data = undefined;
    const after = await restored(stage);
    expect([...after.gateway.sessions].map(({ data }) => data)).toEqual([undefined]);
  });
});
