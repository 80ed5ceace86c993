/** How much players may say: what honest ones do on good and bad connections, and where it ends. */
import { describe, expect, it, vi } from 'vitest';
import { GatewayStage, type Player } from './gateway-stage.ts';
import { Stranger } from './stranger.ts';

async function staged(options: ConstructorParameters<typeof GatewayStage>[0] = {}) {
  const stage = await new GatewayStage(options).listen();
  const watcher = stage.world.add({ x: 0, y: 0, range: 10 });
  return { stage, watcher };
}

/** Inputs at so many a second, with the client's acks and pings, ticks as ever; delivery stalls between the two times. */
function play(stage: GatewayStage, player: Player, hertz: number, seconds: number, stall = [0, 0]): void {
  let due = 0;
  for (let tick = 0; tick < seconds * 20; tick++) {
    for (due += hertz / 20; due >= 1; due--) player.client.sendInput(Uint8Array.of(1, 2));
    const [from = 0, to = 0] = stall;
    const isStalled = tick / 20 >= from && tick / 20 < to;
    if (isStalled) {
      stage.clock.pass(50);
      stage.gateway.publish(stage.world.tick());
    } else stage.tick();
  }
  stage.transport.deliver();
}

describe('a player who sends inputs', () => {
  it.each([60, 144])('at %i Hz is heard for as long as it likes, each of them', async (hertz) => {
    const { stage, watcher } = await staged();
    const player = await stage.joinedPlayer(watcher);
    play(stage, player, hertz, 120);
    expect(player.told).toEqual([`enter ${watcher}`]);
    expect(stage.inputs).toHaveLength(hertz * 120);
  });

  it.each([60, 144])('at %i Hz stays after a connection that stalls for five seconds', async (hertz) => {
    const { stage, watcher } = await staged({ limits: { unackedMs: 1e9 } });
    const player = await stage.joinedPlayer(watcher);
    play(stage, player, hertz, 60, [20, 25]);
    expect(player.told).toEqual([`enter ${watcher}`]);
    expect(stage.inputs).toHaveLength(hertz * 60);
  });
});

describe('a connection that sends more inputs than are taken in', () => {
  async function spoken(limits: object, count: number) {
    const { stage, watcher } = await staged({ limits });
    const stranger = new Stranger(stage);
    stranger.hello(watcher);
    await stage.settle();
    for (let i = 0; i < count; i++) stranger.say(2, i & 127, 7);
    stage.transport.deliver();
    return { stage, watcher, stranger };
  }

  it('stays, and what is beyond is dropped and counted', async () => {
    const { stage, stranger } = await spoken({ inputsPerSecond: 10 }, 100);
    expect(stranger.closedWith).toBeUndefined();
    expect(stage.inputs).toHaveLength(60);
    expect(await stage.count('inputs_dropped_total')).toBe(40);
    stage.clock.pass(1000);
    for (let i = 0; i < 100; i++) stranger.say(2, 1);
    stage.transport.deliver();
    expect(stage.inputs).toHaveLength(70);
  });

  it('loses no input to what it acknowledges and pings', async () => {
    const { stage, stranger } = await spoken({ inputsPerSecond: 10 }, 0);
    for (let i = 0; i < 1000; i++) stranger.say(...(i % 2 === 0 ? [3, 1] : [4, 1]));
    for (let i = 0; i < 60; i++) stranger.say(2, 1);
    stage.transport.deliver();
    expect(stranger.closedWith).toBeUndefined();
    expect(stage.inputs).toHaveLength(60);
    expect(stranger.heard.filter(([kind]) => kind === 3)).toHaveLength(60);
  });

  it('is closed far beyond, at twelve thousand at once', async () => {
    const { stage, stranger } = await spoken({}, 12_001);
    expect(stranger.closedWith).toBe(4004);
    expect(stage.inputs).toHaveLength(960);
    expect(await stage.closes('flood')).toBe(1);
  });

  it('is closed at so many messages of any kind as the limit says', async () => {
    const { stage, stranger } = await spoken({ messagesPerSecond: 10 }, 0);
    for (let i = 0; i < 60; i++) stranger.say(3, 1);
    stage.transport.deliver();
    expect(stranger.closedWith).toBeUndefined();
    stranger.say(3, 1);
    stage.transport.deliver();
    expect(stranger.closedWith).toBe(4004);
  });

  it("gains nothing by coming back: the limit is the session's", async () => {
    const { stage, watcher, stranger } = await spoken({ inputsPerSecond: 10 }, 100);
    let last = stranger;
    for (let round = 0; round < 20; round++) {
      const again = new Stranger(stage);
      if (round % 2 === 0) again.comeBack(last.token);
      else again.hello(watcher);
      await stage.settle();
      for (let i = 0; i < 100; i++) again.say(2, 1);
      stage.transport.deliver();
      expect(again.closedWith).toBeUndefined();
      last = again;
    }
    expect(stage.inputs).toHaveLength(60);
    expect(stage.joined).toHaveLength(1);
  });

  it('may come back only so often', async () => {
    const { stage, stranger } = await spoken({ resumesPerSecond: 1 }, 0);
    const codes: (number | undefined)[] = [];
    for (let round = 0; round < 8; round++) {
      const again = new Stranger(stage);
      again.comeBack(stranger.token);
      await stage.settle();
      codes.push(again.closedWith);
    }
    expect(codes.map((code) => code ?? 0)).toEqual([0, 0, 0, 0, 0, 0, 4004, 4004]);
    stage.clock.pass(1000);
    const later = new Stranger(stage);
    later.comeBack(stranger.token);
    await stage.settle();
    expect(later.closedWith).toBeUndefined();
  });
});

describe('a gateway without a logger', () => {
  it('tells the console whom it throws out and why, within bounds', async () => {
    const lines: string[] = [];
    const told = vi.spyOn(console, 'warn').mockImplementation((line: string) => lines.push(line));
    const { stage, watcher } = await staged({ logger: undefined });
    const stranger = new Stranger(stage);
    stranger.hello(watcher);
    await stage.settle();
    for (let i = 0; i < 12_001; i++) stranger.say(2, 1);
    stage.transport.deliver();
    expect(lines).toEqual([
      `umwelt gateway: a client sends more inputs than are taken in; they are dropped (watcher: ${watcher}, inputsPerSecond: 160)`,
      `umwelt gateway: connection ended (address: in-process, why: flood, watcher: ${watcher})`,
    ]);
    for (let i = 0; i < 500; i++) {
      new Stranger(stage).say(9);
      stage.transport.deliver();
    }
    expect(lines).toHaveLength(20);
    stage.clock.pass(1000);
    new Stranger(stage).say(9);
    stage.transport.deliver();
    expect(lines.at(-1)).toContain('linesLeftOut: 482');
    told.mockRestore();
  });
});
