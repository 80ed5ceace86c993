/**
 * The feed of a recording: what pages may ask of it, what they are told, and that a living world has nothing of it.
 */
import { RecordedWorld, Replay, UmweltError } from 'umwelt';
import { afterEach, describe, expect, it } from 'vitest';
import type { ChurnFrame } from '../src/churn-frame.ts';
import { ChurnStrip } from '../src/feed/churn-strip.ts';
import { readFeedFrame } from '../src/feed-frame.ts';
import type { Greeting, SeekNews } from '../src/feed-message.ts';
import { type Inspector, type InspectorOptions, startInspector } from '../src/index.ts';
import { FeedClient } from './feed-client.ts';

const running: { close(): Promise<void> | void }[] = [];

afterEach(async () => {
  for (const thing of running.splice(0).reverse()) await thing.close();
});

const TICKS = 40;

/** One watcher, and a marker that walks away from it by one unit a tick: it leaves after tick 10. */
function recorded(): Uint8Array {
  const world = new RecordedWorld();
  const pieces: Uint8Array[] = [];
  world.record((bytes) => pieces.push(bytes));
  world.add({ x: 0, y: 0, range: 10.5 });
  const walker = world.add({ x: 0, y: 0 });
  for (let tick = 1; tick <= TICKS; tick++) {
    world.move(walker, tick, 0);
    world.tick();
  }
  world.stopRecording();
  return Buffer.concat(pieces);
}

const [WATCHER, WALKER] = [1, 1025];

interface Stage {
  readonly replay: Replay;
  readonly inspector: Inspector;
  readonly asked: number[];
}

/** Goes to every tick that a page asks for, at once, by a world of its own each time it goes back. */
async function start(patch: Partial<InspectorOptions> = {}): Promise<Stage> {
  const replay = new Replay(recorded());
  const asked: number[] = [];
  const show = () => inspector.publish(replay.world.lastChanges, { tickMs: 1, paused: true, speed: 1 });
  const inspector = await startInspector({
    get world() {
      return replay.world;
    },
    title: 'Two',
    kinds: ['one'],
    kindOf: () => 0,
    rangesOf: (id) => replay.rangesOf(id).map((range) => ({ sense: 'sight', range })),
    tickSeconds: 0.05,
    bounds: { minX: 0, minY: 0, maxX: 50, maxY: 50 },
    recording: { firstTick: 0, lastTick: TICKS, isComplete: true },
    port: 0,
    commands: {
      play() {},
      pause() {},
      step: () => {
        replay.step();
        show();
      },
      setSpeed() {},
      seek: (tick) => {
        asked.push(tick);
        replay.seek(tick);
        show();
        inspector.tellSeek(tick, 1);
      },
    },
    ...patch,
  });
  running.push(inspector);
  replay.seek(1);
  show();
  return { replay, inspector, asked };
}

function look(inspector: Inspector): FeedClient {
  const client = new FeedClient(inspector.url);
  running.push({ close: () => client.socket.terminate() });
  return client;
}

const arrivals = (client: FeedClient) =>
  client.heard.filter((heard) => 'type' in heard && heard.type === 'seek') as SeekNews[];
const strips = (client: FeedClient) => client.all('churn') as ChurnFrame[];

/** Says it, and waits until the page has the frame of that tick. */
async function seek(client: FeedClient, tick: number): Promise<void> {
  client.taken();
  client.say({ type: 'seek', tick });
  await client.until(() => client.all('tick').at(-1)?.tick === tick);
  client.taken();
}

describe('a page of a recording', () => {
  it('is greeted with its ticks', async () => {
    const client = look((await start()).inspector);
    await client.frames(1);
    expect((client.heard[0] as Greeting).recording).toEqual({
      firstTick: 0,
      lastTick: TICKS,
      isComplete: true,
    });
  });

  it('goes to any tick, forward and back, and is told when it is there', async () => {
    const { inspector, replay } = await start();
    const client = look(inspector);
    await client.frames(1);
    for (const tick of [30, 5, 40, 0, 1]) {
      await seek(client, tick);
      await client.until(() => arrivals(client).at(-1)?.tick === tick);
      expect(arrivals(client).at(-1)).toEqual({ type: 'seek', tick, progress: 1 });
      expect(replay.tick).toBe(tick);
      if (tick === 0) expect(client.all('tick').at(-1)?.events.length).toBe(0);
      else expect(client.all('tick').at(-1)?.positions[2]).toBe(tick);
    }
  });

  it('hears of whom it has selected as of the tick that it is at', async () => {
    const { inspector } = await start();
    const client = look(inspector);
    await client.frames(1);
    client.say({ type: 'select', id: WATCHER });
    for (const [tick, perceived] of [
      [30, []],
      [5, [WALKER]],
    ] as const) {
      await seek(client, tick);
      await client.until(() => client.all('focus').at(-1)?.tick === tick);
      const focus = client.all('focus').at(-1);
      expect([...(focus?.perceives.ids ?? [])]).toEqual([...perceived]);
      expect(focus?.ranges).toEqual([{ sense: 'sight', range: 10.5 }]);
    }
  });

  it('is told of a leap by each frame that does not follow upon the last, and by no other', async () => {
    const { inspector, replay } = await start();
    const client = look(inspector);
    await client.frames(1);
    const leaps = () => client.all('tick').at(-1)?.leaps;
    const before = leaps() as number;
    await seek(client, 2);
    expect(leaps()).toBe(before);
    client.say({ type: 'step' });
    await client.until(() => client.all('tick').at(-1)?.tick === 3);
    expect([leaps(), replay.tick]).toEqual([before, 3]);
    await seek(client, 20);
    expect(leaps()).toBe(before + 1);
    await seek(client, 19);
    expect(leaps()).toBe(before + 2);
  });

  it('learns what came and went in ticks that were played, published or not', async () => {
    const { inspector } = await start();
    const client = look(inspector);
    await client.frames(1);
    await client.until(() => strips(client).length > 0);
    expect([...(strips(client)[0]?.known ?? [])].filter((known) => known > 0).length).toBe(1);
    for (let tick = 1; tick <= TICKS; tick++) inspector.noteChurn(tick, tick === 11 ? 1 : 0);
    await client.until(
      () =>
        strips(client)
          .at(-1)
          ?.known.every((known) => known === 255) === true,
    );
    const { pairs, ticksPerCell, firstTick } = strips(client).at(-1) as ChurnFrame;
    expect({ ticksPerCell, firstTick, count: pairs.length }).toEqual({
      ticksPerCell: 1,
      firstTick: 0,
      count: TICKS,
    });
    // The walker enters in tick 1, which was published, and leaves in tick 11.
    expect([...pairs].map((count, cell) => (count > 0 ? cell + 1 : 0)).filter(Boolean)).toEqual([1, 11]);
  });

  it('that asks for a tick which there is not is shut out', async () => {
    const { inspector, asked } = await start({ recording: { firstTick: 5, lastTick: 9, isComplete: true } });
    for (const tick of [4, 10, 0xffffffff]) {
      const client = look(inspector);
      await client.frames(1);
      client.say({ type: 'seek', tick });
      await client.until(() => client.closeCode !== undefined);
      expect(client.closeCode).toBe(1008);
    }
    expect(asked).toEqual([]);
  });
});

describe('a living world', () => {
  it('has no time line, and shuts out who would seek in it', async () => {
    const { inspector, asked } = await start({ recording: undefined as never });
    const client = look(inspector);
    await client.frames(1);
    expect((client.heard[0] as Greeting).recording).toBeUndefined();
    client.say({ type: 'seek', tick: 3 });
    await client.until(() => client.closeCode !== undefined);
    expect(client.closeCode).toBe(1008);
    expect([asked, strips(client)]).toEqual([[], []]);
  });

  it('that skips ticks in what it publishes leaps nowhere', async () => {
    const { inspector, replay } = await start({ recording: undefined as never });
    const client = look(inspector);
    await client.frames(1);
    for (let i = 0; i < 3; i++) replay.step();
    client.taken();
    inspector.publish(replay.world.lastChanges, { tickMs: 1, paused: false, speed: 1 });
    await client.until(() => client.all('tick').at(-1)?.tick === 4);
    expect(client.all('tick').at(-1)?.leaps).toBe(0);
  });
});

it('a recording whose ticks are none, or that cannot be sought through, is BAD_OPTION', async () => {
  const spans = [
    { firstTick: 3, lastTick: 2 },
    { firstTick: -1, lastTick: 2 },
    { firstTick: 0, lastTick: 2 ** 32 },
    { firstTick: 0.5, lastTick: 2 },
  ];
  for (const span of spans) {
    await expect(start({ recording: { ...span, isComplete: true } })).rejects.toThrow(UmweltError);
  }
  const commands = { play() {}, pause() {}, step() {}, setSpeed() {} };
  await expect(start({ commands })).rejects.toThrow('the command seek');
});

describe('the strip', () => {
  const read = (strip: ChurnStrip) => {
    const frame = readFeedFrame(strip.frame()) as ChurnFrame;
    return { pairs: [...frame.pairs], known: [...frame.known], ticksPerCell: frame.ticksPerCell };
  };

  it('tells of the wildest tick of each cell in a long recording, and what share is known', () => {
    const strip = new ChurnStrip({ firstTick: 100, lastTick: 100 + 4000, isComplete: true });
    expect(read(strip).ticksPerCell).toBe(4);
    expect(read(strip).pairs.length).toBe(1000);
    strip.note(101, 5);
    strip.note(103, 9);
    strip.note(103, 70);
    strip.note(4100, 2);
    const { pairs, known } = read(strip);
    expect([pairs[0], known[0], pairs[1], known[1], pairs[999], known[999]]).toEqual([9, 127, 0, 0, 2, 63]);
  });

  it('takes no notice of ticks that report nothing or are not there', () => {
    const strip = new ChurnStrip({ firstTick: 3, lastTick: 5, isComplete: true });
    for (const tick of [0, 3, 6, Number.NaN, 1e12]) strip.note(tick, 1);
    expect([strip.version, read(strip).known]).toEqual([0, [0, 0]]);
    expect(read(new ChurnStrip({ firstTick: 3, lastTick: 3, isComplete: true })).pairs).toEqual([]);
  });
});
