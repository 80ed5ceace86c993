/**
 * Tests the rules without a network or a clock: a player that knows only its client's mirror gathers, saves, is caught and hides.
 */
import { type Entity, UmweltClient } from '@umwelt/client';
import { InProcessTransport } from '@umwelt/gateway';
import { describe, expect, test } from 'vitest';
import { Game, type GameOptions } from './game.ts';
import { type Intent, NO_INTENT, writeIntent } from './intent.ts';
import { FIRE_RADIUS, KIND, MOOD, SIGHT, TICK_MS } from './rules.ts';

/** Reproducible random numbers. */
function chance(): () => number {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

async function begun(options: GameOptions, ...names: string[]) {
  let nowMs = 0;
  const clock = { now: () => nowMs, repeat: () => () => {} };
  const game = new Game({ random: chance(), clock, ...options });
  const transport = new InProcessTransport();
  await game.listen(transport);
  const clients = names.map((name) => {
    const { openSocket } = transport;
    const client = new UmweltClient({ url: '/', credential: () => name, openSocket, now: clock.now });
    client.connect();
    return client;
  });
  const step = (): void => {
    nowMs += TICK_MS;
    transport.deliver();
    game.step();
    transport.deliver();
  };
  step();
  step();
  return { game, clients, client: clients[0]!, step };
}

function steer(client: UmweltClient, goal: { x: number; y: number }, held: Partial<Intent> = {}): void {
  const own = client.own!;
  const [dx, dy] = [goal.x - own.x, goal.y - own.y];
  const length = Math.max(10, Math.hypot(dx, dy));
  client.sendInput(writeIntent({ ...NO_INTENT, dx: dx / length, dy: dy / length, ...held }));
}

function ofKind(client: UmweltClient, kind: number): Entity[] {
  return [...client.entities.values()].filter(({ fields }) => fields.kind === kind);
}

describe('a player', () => {
  test('picks up an ember that it sees, and saves it at the fire, which it perceives from anywhere', async () => {
    const { client, step } = await begun({ wardens: 0, spawn: () => ({ x: 700, y: 500 }) }, 'Ada');
    expect(ofKind(client, KIND.fire)).toMatchObject([{ x: 0, y: 0 }]);
    const [ember] = ofKind(client, KIND.ember);
    for (let i = 0; i < 200 && client.entities.has(ember!.id); i++) {
      steer(client, ember!);
      step();
    }
    expect(client.entities.has(ember!.id)).toBe(false);
    expect(client.own?.fields.carried).toBeGreaterThanOrEqual(1);
    for (let i = 0; i < 400 && Math.hypot(client.own!.x, client.own!.y) > FIRE_RADIUS / 2; i++) {
      steer(client, { x: 0, y: 0 });
      step();
    }
    expect(client.own?.fields).toMatchObject({ carried: 0 });
    expect(client.own?.fields.saved).toBeGreaterThanOrEqual(1);
  });

  test('in the open is chased and caught by a warden; cloaked and still it is not', async () => {
    const wardenSteps = 3000;
    const open = await begun({ wardens: 30, embers: 0, spawn: () => ({ x: 300, y: 300 }) }, 'Ada');
    let isCaught = false;
    open.client.on('message', () => {
      isCaught = true;
    });
    for (let i = 0; i < wardenSteps && !isCaught; i++) open.step();
    expect(isCaught).toBe(true);
    expect(Math.hypot(open.client.own!.x, open.client.own!.y)).toBeLessThan(FIRE_RADIUS);

    const hidden = await begun({ wardens: 30, embers: 0, spawn: () => ({ x: 300, y: 300 }) }, 'Ada');
    steer(hidden.client, hidden.client.own!, { cloaks: true });
    // As long as a cloak lasts.
    for (let i = 0; i < 170; i++) {
      hidden.step();
      if (i > 0) expect(hidden.client.own?.fields.cloaked).toBe(true);
      for (const warden of ofKind(hidden.client, KIND.warden))
        expect(warden.fields.mood).not.toBe(MOOD.chasing);
    }
  });

  test('is told the name of whom it sees, and nothing but the steps of whom it only hears', async () => {
    const places = [
      { x: 300, y: 0 },
      { x: 300 + SIGHT + 40, y: 0 },
    ];
    const { clients, step } = await begun(
      { wardens: 0, embers: 0, spawn: () => places.shift()! },
      'Ada',
      'Ben',
    );
    const [ada, ben] = clients as [UmweltClient, UmweltClient];
    const others = (): Entity[] =>
      [...ada.entities.values()].filter(({ id, fields }) => id !== ada.own?.id && fields.kind !== KIND.fire);
    expect(others()).toEqual([]);
    for (let i = 0; i < 8; i++) {
      steer(ben, { x: ben.own!.x, y: 100 }, { runs: true });
      step();
    }
    expect(others().map(({ fields }) => ({ ...fields }))).toEqual([{ pace: 2 }]);
    for (let i = 0; i < 30; i++) {
      steer(ben, { x: 300, y: 0 }, { runs: true });
      step();
    }
    expect(others()[0]?.fields).toMatchObject({ kind: KIND.player, name: 'Ben' });
    expect(others()[0]?.fields).not.toHaveProperty('energy');
    expect(ben.own?.fields).toHaveProperty('energy');
  });

  test('who sends what is no intent stays as it was', async () => {
    const { client, game, step } = await begun({ wardens: 0, spawn: () => ({ x: 300, y: 0 }) }, 'Ada');
    client.sendInput(Uint8Array.of(127, 0, 255));
    client.sendInput(new Uint8Array(100));
    for (let i = 0; i < 5; i++) step();
    expect([...game.players.values()]).toMatchObject([{ x: 300, y: 0 }]);
    expect(client.state).toBe('open');
  });
});
