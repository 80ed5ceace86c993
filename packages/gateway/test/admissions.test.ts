/** Who wants in, and keeps others from it: games that do not answer, clients that are not there, places held for nothing. */
import { describe, expect, it } from 'vitest';
import type { Admission, GatewayOptions, JoinRequest } from '../src/index.ts';
import { GatewayStage } from './gateway-stage.ts';
import { Stranger } from './stranger.ts';

async function staged(options: Partial<GatewayOptions> = {}, watcherCount = 2) {
  const stage = await new GatewayStage(options).listen();
  const watchers = Array.from({ length: watcherCount }, (_, x) => stage.world.add({ x, y: 0, range: 10 }));
  return { stage, watchers };
}

/** Comes, says hello, and nothing more. */
async function greeting(stage: GatewayStage, credential: number, address: string): Promise<Stranger> {
  const stranger = new Stranger(stage, address);
  stranger.hello(credential);
  await stage.settle();
  return stranger;
}

describe('a game that does not answer whether to let someone in', () => {
  it('keeps nobody else out', async () => {
    const { stage, watchers } = await staged({
      limits: { clientsMax: 4 },
      authenticate: ({ credential }) =>
        credential === 'slow' ? new Promise(() => {}) : { watcher: Number(credential) },
    });
    for (let round = 0; round < 3; round++) {
      const slow = Array.from({ length: 10 }, () => stage.player('slow'));
      await stage.settle();
      stage.clock.pass(5500);
      await stage.settle();
      expect(slow.map(({ told }) => told[0])).toEqual(slow.map(() => 'waiting 4002'));
      for (const { client } of slow) client.close();
    }
    const player = await stage.joinedPlayer(watchers[0]!);
    expect(player.client.state).toBe('open');
    const during = Array.from({ length: 10 }, () => stage.player('slow'));
    await stage.settle();
    expect(during[0]!.client.state).toBe('connecting');
    expect((await stage.joinedPlayer(watchers[1]!)).client.state).toBe('open');
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a promise of null', Promise.resolve(null)],
  ])('turns somebody away by %s, too', async (_, answer) => {
    const { stage } = await staged({ authenticate: () => answer as undefined });
    expect((await greeting(stage, 1, 'a')).closedWith).toBe(4001);
  });

  it.each<[string, unknown]>([
    ['a number', 3],
    ['a list', []],
    ['no bytes a second', { bytesPerSecond: Number.NaN }],
    ['bytes as text', { bytesPerSecond: '9' }],
    ['bytes of another name', { bytesPerSec: 9000 }],
  ])('lets nobody in by an admission that is none: %s', async (_, admission) => {
    const left: unknown[] = [];
    const whole = (watcher: number) =>
      typeof admission === 'object' && !Array.isArray(admission) ? { watcher, ...admission } : admission;
    const { stage } = await staged({
      authenticate: ({ credential }) => Promise.resolve(whole(Number(credential)) as Admission),
      onLeave: (session) => void left.push(session.watcher),
    });
    const watcher = stage.world.add({ x: 9, y: 0, range: 10 });
    expect((await greeting(stage, watcher, 'a')).closedWith).toBe(1011);
    // What the game may have made for it is the game's to remove.
    expect(left).toHaveLength(1);
    expect([...stage.gateway.sessions]).toEqual([]);
  });

  it('is asked for so many at once; the oldest of the address that has most is sent away', async () => {
    const { stage, watchers } = await staged({
      limits: { admissionsMax: 5 },
      authenticate: ({ credential }) =>
        credential === '0' ? new Promise(() => {}) : { watcher: Number(credential) },
    });
    const patient = await greeting(stage, 0, '198.51.100.1');
    const slow: Stranger[] = [];
    for (let i = 0; i < 20; i++) slow.push(await greeting(stage, 0, '203.0.113.1'));
    expect(slow.filter(({ closedWith }) => closedWith === 4003)).toHaveLength(16);
    expect(slow.at(-1)?.closedWith).toBeUndefined();
    expect(patient.closedWith).toBeUndefined();
    expect((await stage.joinedPlayer(watchers[0]!)).client.state).toBe('open');
  });

  it('is told when it need not answer any more: too late, gone, or sent away', async () => {
    const asked: JoinRequest[] = [];
    const { stage } = await staged({
      limits: { admissionsMax: 2 },
      authenticate: (request) => {
        asked.push(request);
        return new Promise((_, reject) => request.signal.addEventListener('abort', reject));
      },
    });
    const [first, second] = [await greeting(stage, 1, 'a'), await greeting(stage, 2, 'b')];
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([false, false]);
    await greeting(stage, 3, 'c');
    expect(first.closedWith).toBe(4003);
    second.line.cut();
    await stage.settle();
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
    stage.clock.pass(5500);
    await stage.settle();
    expect(asked[2]!.signal.aborted).toBe(true);
    // It did as it was told: that is no fault of the game's.
    expect(await stage.count('faults_total{hook="authenticate"}')).toBeNaN();
  });

  it('and does so too late is told that it is over', async () => {
    const answers: ((admission: Admission) => void)[] = [];
    const { stage, watchers } = await staged({
      limits: { clientsMax: 1 },
      authenticate: () => new Promise((resolve) => answers.push(resolve)),
    });
    for (const watcher of watchers) await greeting(stage, watcher, 'a');
    stage.clock.pass(5500);
    await stage.settle();
    for (const [i, answer] of answers.entries()) answer({ watcher: watchers[i]!, data: `late ${i}` });
    await stage.settle();
    expect(stage.joined).toHaveLength(2);
    expect(stage.ended).toEqual(['late 1 gone']);
    expect([...stage.gateway.sessions]).toHaveLength(1);
    stage.clock.pass(7000);
    expect(stage.ended).toEqual(['late 1 gone', 'late 0 gone']);
  });

  it('and answers for a connection that is gone leaves the one that its player has by then', async () => {
    const answers: ((admission: Admission) => void)[] = [];
    const { stage, watchers } = await staged({
      authenticate: () => new Promise((resolve) => answers.push(resolve)),
    });
    const [watcher] = watchers;
    const first = await greeting(stage, watcher!, 'a');
    const player = stage.player(watcher!);
    await stage.settle();
    first.line.cut();
    answers[1]!({ watcher: watcher!, data: 'second' });
    await stage.settle();
    stage.tick();
    answers[0]!({ watcher: watcher!, data: 'first' });
    await stage.settle();
    stage.tick();
    expect([player.client.state, player.client.tick]).toEqual(['open', stage.world.tickCount]);
    expect([...stage.gateway.sessions].map(({ data }) => data)).toEqual(['second']);
  });
});

it('what can be waited for is waited for, even if it is no Promise', async () => {
  const { stage, watchers } = await staged({
    authenticate: ({ credential }) => ({
      // biome-ignore lint/suspicious/noThenProperty: it is what is tested
      then: (resolve) => {
        const watcher = Number(credential);
        return resolve?.(watcher === 0 ? undefined : { watcher }) as never;
      },
    }),
  });
  const player = await stage.joinedPlayer(watchers[0]!);
  await stage.settle();
  expect(player.client.state).toBe('open');
  const stranger = await greeting(stage, 0, 'a');
  await stage.settle();
  expect(stranger.closedWith).toBe(4001);
});

describe('a client that is let in and acknowledges nothing', () => {
  it('keeps its place for a short time when its connection breaks, and longer once it was there', async () => {
    const { stage, watchers } = await staged();
    const idle = await greeting(stage, watchers[0]!, 'a');
    const player = await stage.joinedPlayer(watchers[1]!, { retryFirstMs: 1e6, retryMaxMs: 1e6 });
    for (let tick = 0; tick < 15; tick++) stage.tick();
    idle.line.cut();
    player.line.cut();
    stage.transport.deliver();
    stage.clock.pass(7000);
    expect(stage.ended).toEqual([`${watchers[0]} gone`]);
    stage.clock.pass(30_000);
    expect(stage.ended).toHaveLength(2);
  });

  it('gives its place to a newcomer from elsewhere at once, and to one of its own address after two seconds', async () => {
    const { stage, watchers } = await staged({ limits: { clientsMax: 4 } }, 8);
    const idle: Stranger[] = [];
    for (const watcher of watchers.slice(0, 4)) idle.push(await greeting(stage, watcher, '203.0.113.1'));
    const elsewhere = await greeting(stage, watchers[4]!, '198.51.100.1');
    expect(elsewhere.closedWith).toBeUndefined();
    expect(idle.map(({ closedWith }) => closedWith)).toEqual([4003, undefined, undefined, undefined]);
    expect((await greeting(stage, watchers[5]!, '203.0.113.1')).closedWith).toBe(4003);
    stage.clock.pass(2000);
    expect((await greeting(stage, watchers[6]!, '203.0.113.1')).closedWith).toBeUndefined();
    expect(stage.ended).toEqual([`${watchers[0]} gone`, `${watchers[1]} gone`]);
    expect([...stage.gateway.sessions]).toHaveLength(4);
  });

  it('is sent the frames of a second, and those of three once it was there', async () => {
    const { stage, watchers } = await staged();
    const idle = await greeting(stage, watchers[0]!, 'a');
    const gone = await stage.joinedPlayer(watchers[1]!);
    for (let tick = 0; tick < 15; tick++) stage.tick();
    const { tick } = gone.client;
    gone.line.stalled = true;
    for (let i = 0; i < 100; i++) stage.tick();
    expect(idle.heard.filter(([kind]) => kind === 2)).toHaveLength(21);
    gone.line.stalled = false;
    stage.transport.deliver();
    expect(gone.client.tick - tick).toBeGreaterThan(50);
  });

  it('has shown nothing by acknowledging what it was not told', async () => {
    const { stage, watchers } = await staged({ limits: { clientsMax: 1 } });
    const idle = await greeting(stage, watchers[0]!, '203.0.113.1');
    idle.say(3, 1);
    stage.transport.deliver();
    for (let tick = 0; tick < 5; tick++) stage.tick();
    idle.say(3, 99);
    stage.transport.deliver();
    stage.clock.pass(3000);
    expect((await greeting(stage, watchers[1]!, '203.0.113.1')).closedWith).toBeUndefined();
  });

  it('is not one that does: its place is its own', async () => {
    const { stage, watchers } = await staged({ limits: { clientsMax: 2 } }, 3);
    const players = [await stage.joinedPlayer(watchers[0]!), await stage.joinedPlayer(watchers[1]!)];
    for (let tick = 0; tick < 60; tick++) stage.tick();
    expect((await greeting(stage, watchers[2]!, '198.51.100.1')).closedWith).toBe(4003);
    expect(players.map(({ client }) => client.state)).toEqual(['open', 'open']);
  });
});

describe('one address', () => {
  it('has so many sessions; one of a private network or of this machine has as many as there are', async () => {
    const { stage, watchers } = await staged({ limits: { clientsPerAddressMax: 2 } }, 12);
    const codes: (number | undefined)[] = [];
    const addresses = ['203.0.113.1', '203.0.113.1', '::ffff:203.0.113.1', '203.0.113.2'];
    for (const [i, address] of [...addresses, '10.0.0.1', '10.0.0.1', '10.0.0.1', '127.0.0.1'].entries()) {
      codes.push((await greeting(stage, watchers[i]!, address)).closedWith);
    }
    expect(codes.map((code) => code ?? 0)).toEqual([0, 0, 4003, 0, 0, 0, 0, 0]);
  });

  it('has no more sessions when the game lets in at once who asked together, or is gone by then', async () => {
    const answers: (() => void)[] = [];
    const left: unknown[] = [];
    const { stage, watchers } = await staged(
      {
        limits: { clientsPerAddressMax: 2 },
        authenticate: ({ credential }) =>
          new Promise((resolve) => answers.push(() => resolve({ watcher: Number(credential) }))),
        onLeave: (session, reason) => left.push([session.watcher, reason]),
      },
      4,
    );
    const asking: Stranger[] = [];
    for (const watcher of watchers) asking.push(await greeting(stage, watcher, '203.0.113.1'));
    asking[3]!.line.close(1000, '');
    await stage.settle();
    for (const answer of answers) answer();
    await stage.settle();
    expect(asking.map(({ closedWith }) => closedWith)).toEqual([undefined, undefined, 4003, undefined]);
    expect([...stage.gateway.sessions].map(({ watcher }) => watcher)).toEqual(watchers.slice(0, 2));
    expect(left).toEqual(watchers.slice(2).map((watcher) => [watcher, 'gone']));
  });

  it('begins so many sessions a second; one of a private network as many as it likes', async () => {
    const { stage, watchers } = await staged({ limits: { joinsPerSecond: 1 } }, 24);
    const codes: number[] = [];
    for (const [i, watcher] of watchers.entries()) {
      const address = i < 8 ? '203.0.113.1' : i < 16 ? '192.168.1.1' : '2001:db8::1';
      codes.push((await greeting(stage, watcher, address)).closedWith ?? 0);
    }
    const slowed = [0, 0, 0, 0, 0, 0, 4004, 4004];
    expect(codes).toEqual([...slowed, 0, 0, 0, 0, 0, 0, 0, 0, ...slowed]);
    stage.clock.pass(1000);
    expect((await greeting(stage, watchers[7]!, '203.0.113.1')).closedWith).toBeUndefined();
  });

  it('cannot close the connections of others that have not said hello yet', async () => {
    const { stage } = await staged({ limits: { strangersMax: 10 } });
    const honest = new Stranger(stage, '198.51.100.1');
    const flood = Array.from({ length: 100 }, () => new Stranger(stage, '203.0.113.1'));
    expect(honest.closedWith).toBeUndefined();
    expect(flood.filter(({ closedWith }) => closedWith === undefined)).toHaveLength(9);
  });
});
