/** What clients are told of those who left: whether they are gone from the world, or only out of range. */
import type { LeaveReason } from '@umwelt/client';
import { World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { Gateway, type GatewayOptions } from '../src/index.ts';
import { FrameDesk, type Seat } from './frame-desk.ts';
import { GatewayStage, type Player } from './gateway-stage.ts';
import { HELLO, Stranger } from './stranger.ts';

const SENSES = ['sight'];

function deskOf(count: number): { desk: FrameDesk; world: World; ids: number[]; seat: Seat } {
  const world = new World({ senses: SENSES });
  const ids = Array.from({ length: count }, (_, i) => world.add({ x: i, y: 0, range: i === 0 ? 100 : 0 }));
  const desk = new FrameDesk(world, { positionStep: 0.5, fields: {} }, SENSES);
  const seat = desk.seat(ids[0]!, ids[0]!);
  desk.tick();
  seat.wired.receive(desk.frame(seat));
  return { desk, world, ids, seat };
}

/** Every leave that a player hears of, with its reason. */
function leavesOf({ client }: Player): string[] {
  const leaves: string[] = [];
  client.on('leave', ({ id, leftReason }, reason) => {
    expect(leftReason).toBe(reason);
    leaves.push(`${id} ${reason}`);
  });
  return leaves;
}

describe('one that left', () => {
  it('is gone when it was removed, and out of range when it walked away or hid', () => {
    const { desk, world, ids, seat } = deskOf(4);
    world.move(ids[1]!, 500, 0);
    world.remove(ids[2]!);
    world.update(ids[3]!, { gain: 0 });
    desk.tick();
    seat.wired.receive(desk.frame(seat));
    const expected: [number, LeaveReason][] = [
      [ids[1]!, 'out of range'],
      [ids[3]!, 'out of range'],
      [ids[2]!, 'gone'],
    ];
    expect([...seat.wired.reasons]).toEqual(expected);
  });

  it('is gone when it walked away and was removed in one tick', () => {
    const { desk, world, ids, seat } = deskOf(2);
    world.move(ids[1]!, 500, 0);
    world.remove(ids[1]!);
    desk.tick();
    seat.wired.receive(desk.frame(seat));
    expect(seat.wired.reasons.get(ids[1]!)).toBe('gone');
  });

  it('is out of range when it was removed later, before its client could be told of anything', () => {
    const { desk, world, ids, seat } = deskOf(2);
    world.move(ids[1]!, 500, 0);
    desk.tick();
    desk.hold(seat);
    world.remove(ids[1]!);
    desk.tick();
    seat.wired.receive(desk.frame(seat));
    expect(seat.wired.reasons.get(ids[1]!)).toBe('out of range');
  });

  it('is gone when it was the own entity of its client', () => {
    const { desk, world, ids, seat } = deskOf(3);
    desk.reseat(seat, ids[0]!, ids[1]!);
    world.remove(ids[1]!);
    desk.tick();
    seat.wired.receive(desk.frame(seat));
    // It does not perceive itself, and is its own no more.
    expect(seat.wired.reasons.get(ids[1]!)).toBe('gone');
  });

  it('is gone when it was the own entity, and the game gave its client another at once', async () => {
    const stage = await new GatewayStage().listen();
    const [body, ghost] = [1, 2].map((x) => stage.world.add({ x, y: 0, range: 10, marker: x === 1 }));
    const leaves = leavesOf(await stage.joinedPlayer(body!));
    stage.tick();
    stage.world.remove(body!);
    stage.joined[0]!.attach(ghost!);
    stage.tick();
    expect(leaves).toEqual([`${body} gone`]);
  });

  it('is what it was to a client that missed the frame and comes back', () => {
    const { desk, world, ids, seat } = deskOf(3);
    world.move(ids[1]!, 500, 0);
    world.remove(ids[2]!);
    desk.tick();
    desk.frame(seat);
    desk.reconnect(seat);
    desk.tick();
    seat.wired.receive(desk.frame(seat));
    expect([...seat.wired.reasons]).toEqual([
      [ids[1], 'out of range'],
      [ids[2], 'gone'],
    ]);
  });

  it.each([
    [1, 'and the frame of its end was written'],
    [0, 'and no frame could be'],
  ])(
    'is gone when it left and came back in frames that were lost, and was removed then: %i, %s',
    (isWritten) => {
      const { desk, world, ids, seat } = deskOf(2);
      for (const x of [500, 1]) {
        world.move(ids[1]!, x, 0);
        desk.tick();
        desk.frame(seat);
      }
      world.remove(ids[1]!);
      desk.tick();
      if (isWritten === 1) desk.frame(seat);
      desk.reconnect(seat);
      desk.tick();
      seat.wired.receive(desk.frame(seat));
      expect([...seat.wired.reasons]).toEqual([[ids[1], 'gone']]);
    },
  );

  it.each<[string, (desk: FrameDesk, seat: Seat, left: number, other: number) => void]>([
    [
      'it had come back, and the next frame was written',
      (desk, seat, left) => {
        desk.world.move(left, 1, 0);
        desk.tick();
        desk.hold(seat);
        desk.world.remove(left);
        desk.tick();
        desk.frame(seat);
      },
    ],
    [
      'its client had been seated with another who perceives it, and the next frame was written',
      (desk, seat, left, other) => {
        desk.reseat(seat, other, 0);
        desk.world.remove(left);
        desk.tick();
        desk.frame(seat);
      },
    ],
  ])(
    'is gone when it left in a frame that was lost, and was removed before a frame told more: %s',
    (_, goOn) => {
      const { desk, world, ids, seat } = deskOf(3);
      const left = ids[1]!;
      const other = world.add({ x: 500, y: 0, range: 10 });
      world.move(left, 500, 0);
      desk.tick();
      desk.frame(seat);
      // One who leaves then has the frame drop the rows that stand for nothing.
      world.move(ids[2]!, 800, 0);
      goOn(desk, seat, left, other);
      desk.reconnect(seat);
      desk.tick();
      seat.wired.receive(desk.frame(seat));
      expect(seat.wired.reasons.get(left)).toBe('gone');
      expect(seat.wired.reasons.get(ids[2]!)).toBe('out of range');
    },
  );

  it('is unknown to a client that is told everything anew', () => {
    const { desk, world, ids, seat } = deskOf(3);
    world.remove(ids[2]!);
    seat.view.mustResync = true;
    desk.tick();
    seat.wired.receive(desk.frame(seat));
    expect([...seat.wired.reasons]).toEqual([[ids[2], 'unknown']]);
  });

  it('costs a frame two bytes more when it is gone, and none when nobody is', () => {
    const { desk, world, ids, seat } = deskOf(4);
    const lengthOfNext = (): number => {
      desk.tick();
      return desk.frame(seat).length;
    };
    const quiet = lengthOfNext();
    world.move(ids[1]!, 500, 0);
    const walked = lengthOfNext();
    world.remove(ids[2]!);
    const removed = lengthOfNext();
    expect([walked - quiet, removed - quiet]).toEqual([1, 2]);
  });
});

describe('a client of the second version of the format', () => {
  it('is welcomed as such, and told of the gone as of all that left', async () => {
    const stage = await new GatewayStage().listen();
    const { world } = stage;
    const watcher = world.add({ x: 0, y: 0, range: 10 });
    const wolf = world.add({ x: 1, y: 0 });
    const heard: Uint8Array[][] = [];
    for (const version of [2, 3]) {
      const own = world.add({ x: 0, y: version, range: 10, marker: false });
      const stranger = new Stranger(stage);
      const text = [...new TextEncoder().encode(String(own))];
      stranger.say(HELLO[0]!, version, ...HELLO.slice(2), text.length, ...text);
      heard.push(stranger.heard);
    }
    await stage.settle();
    stage.tick();
    world.remove(wolf);
    stage.tick();
    const [old, young] = heard as [Uint8Array[], Uint8Array[]];
    expect([old[0]![1], young[0]![1]]).toEqual([2, 3]);
    // Flags, number, tick, input; left: slot 1; and of the third version, nobody, then gone: slot 1.
    expect([...old.at(-1)!.subarray(0, 7)]).toEqual([2, 0, 2, 2, 0, 2, 0]);
    expect([...young.at(-1)!.subarray(0, 8)]).toEqual([2, 16, 2, 2, 0, 0, 2, 0]);
    expect(world.has(watcher)).toBe(true);
  });

  it('is not served with a first or a fourth', async () => {
    const stage = await new GatewayStage().listen();
    for (const version of [1, 4]) {
      const stranger = new Stranger(stage);
      stranger.say(1, version, 0, 0, 1, 49);
      await stage.settle();
      expect(stranger.closedWith).toBe(4009);
    }
  });
});

describe('a client whose server goes on from a snapshot', () => {
  const options: GatewayOptions = {
    tickMs: 50,
    appearance: {
      positionStep: 0.5,
      fields: { hp: { type: 'uint' }, gold: { type: 'uint', audience: 'owner' } },
    },
    authenticate: () => undefined,
  };

  it('is told who is gone of those it had not heard of', async () => {
    const first = await new GatewayStage().listen();
    const { world } = first;
    const watcher = world.add({ x: 0, y: 0, range: 10 });
    const [wolf, sheep] = [world.add({ x: 1, y: 0 }), world.add({ x: 2, y: 0 })];
    const stages = { now: first };
    const lines: { cut(): void }[] = [];
    const player = first.player(watcher, {
      openSocket: (url, events) => {
        const line = stages.now.transport.openSocket(url, events);
        lines.push(line);
        return line;
      },
    });
    await first.settle();
    first.tick();
    const leaves = leavesOf(player);
    lines[0]!.cut();
    world.remove(wolf);
    world.move(sheep, 50, 0);
    first.tick();
    const after = World.restore(world.snapshot());
    stages.now = await new GatewayStage({ clock: first.clock }, after, first.gateway.snapshot()).listen();
    await first.settle();
    first.clock.pass(1000);
    await stages.now.settle();
    stages.now.tick();
    expect(leaves).toEqual([`${sheep} out of range`, `${wolf} gone`]);
  });

  it('is told who is gone of those that came back and were removed while it was away', async () => {
    const first = await new GatewayStage().listen();
    const { world } = first;
    const watcher = world.add({ x: 0, y: 0, range: 10 });
    const wolf = world.add({ x: 1, y: 0 });
    const stages = { now: first };
    const lines: { cut(): void }[] = [];
    let isDeaf = false;
    const player = first.player(watcher, {
      openSocket: (url, events) => {
        const line = stages.now.transport.openSocket(url, {
          opened: () => events.opened(),
          received: (bytes) => {
            if (!isDeaf) events.received(bytes);
          },
          closed: (code, reason) => events.closed(code, reason),
        });
        lines.push(line);
        return line;
      },
    });
    await first.settle();
    first.tick();
    const leaves = leavesOf(player);
    isDeaf = true;
    world.move(wolf, 50, 0);
    first.tick();
    lines[0]!.cut();
    // Nothing more is written for it: what becomes of the wolf stands in a row that stands for nothing.
    await first.settle();
    isDeaf = false;
    world.move(wolf, 1, 0);
    first.tick();
    world.remove(wolf);
    first.tick();
    const after = World.restore(world.snapshot());
    stages.now = await new GatewayStage({ clock: first.clock }, after, first.gateway.snapshot()).listen();
    await first.settle();
    first.clock.pass(1000);
    await stages.now.settle();
    stages.now.tick();
    expect(leaves).toEqual([`${wolf} gone`]);
  });

  it('reads a snapshot that a gateway wrote before it was known who is gone', () => {
    // Of this world at its second tick, with one session that was told of two who left.
    const bytes = Buffer.from(
      'dW13ZwECijcjRh70Zj0AAAAAAADgPwICAQJocAIBBGdvbGQBAQAAgD8AAAAAAAABAgEBAAAAAAAAAgEAAIA/AAAAAAAAAQEBAQgAAAAA' +
        'AAEBAACAPwAAAAAAAAEBAQEMAAAAAAAAAAFMu9jKUhW40WGuwYGnS2lPTiSwAdWwgdwAMO15eolz4Appbi1wcm9jZXNzAAAAAAAAABBB' +
        'AAMiMSIBAQACAgAAAgGAGAUDAAEAAAIBAQEBAQEBAwEBAoEIAQKBEAECACswsvlPeWUw',
      'base64',
    );
    const world = new World();
    const watcher = world.add({ x: 0, y: 0, range: 10 });
    const [wolf, sheep] = [1, 2, 3].map((x) => world.add({ x, y: 0 }));
    world.tick();
    world.remove(wolf!);
    world.move(sheep!, 50, 0);
    world.tick();
    const gateway = Gateway.restore(world, bytes, options);
    const [session] = gateway.sessions;
    expect([session?.watcher, session?.view.departures.count]).toEqual([watcher, 2]);
    const had = session?.view.departures.hadAt(1) ?? [];
    expect([...had].map(([id, { enteredTick }]) => [id, enteredTick])).toEqual([
      [wolf, 1],
      [sheep, 1],
    ]);
    expect(session?.view.departures.removedIds().size).toBe(0);
  });
});
