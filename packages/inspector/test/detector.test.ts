/**
 * Another detector for the running world, and its structure: what a page may ask, what it is told, and that the
 * crowd does not notice.
 */
import { createScenario, WorldDriver } from '@umwelt/scenarios';
import {
  type Detector,
  type DetectorName,
  detectorNames,
  type EntityStore,
  UmweltError,
  World,
} from 'umwelt';
import { afterEach, describe, expect, it } from 'vitest';
import { type Inspector, type InspectorOptions, startInspector } from '../src/index.ts';
import type { StructureFrame } from '../src/structure-frame.ts';
import { FeedClient } from './feed-client.ts';

const running: { close(): Promise<void> | void }[] = [];

afterEach(async () => {
  for (const thing of running.splice(0).reverse()) await thing.close();
});

const status = { tickMs: 1, paused: false, speed: 1 };

/** A city that goes on in step, with an inspector on it. */
class City {
  readonly world: World;
  readonly inspector: Inspector;
  readonly #driver: WorldDriver;

  static async open(patch: Partial<InspectorOptions> = {}): Promise<City> {
    const simulation = createScenario('city', { entities: 400, seed: 2 });
    const world = new World(simulation.worldOptions);
    const inspector = await startInspector({
      world,
      title: 'A city',
      kinds: simulation.kinds,
      kindOf: () => 0,
      tickSeconds: 0.05,
      bounds: simulation.bounds,
      detectors: detectorNames,
      commands: {
        ...{ play() {}, pause() {}, step() {}, setSpeed() {} },
        setDetector: (name) => world.setDetector(name as DetectorName),
      },
      port: 0,
      ...patch,
    });
    running.push(inspector);
    return new City(world, inspector, new WorldDriver(simulation, world));
  }

  private constructor(world: World, inspector: Inspector, driver: WorldDriver) {
    this.world = world;
    this.inspector = inspector;
    this.#driver = driver;
  }

  /** The hash of what the tick reports. */
  tick(): string {
    this.#driver.step();
    const changes = this.world.tick();
    this.inspector.publish(changes, status);
    return changes.hash();
  }

  /** A page that has seen the world as it is. */
  async look(): Promise<FeedClient> {
    const client = new FeedClient(this.inspector.url);
    running.push({ close: () => client.socket.terminate() });
    await client.frames(1);
    return client;
  }
}

const newsOf = (client: FeedClient) =>
  client.heard.filter((message) => 'type' in message && message.type === 'detector');

const everywhere = { minX: -1e5, minY: -1e5, maxX: 1e5, maxY: 1e5 };

async function nextStructure(client: FeedClient): Promise<StructureFrame> {
  const before = client.all('structure').length;
  await client.until(() => client.all('structure').length > before);
  client.taken();
  return client.all('structure').at(-1) as StructureFrame;
}

describe('a page', () => {
  it('is told which detectors there are, and which the world has', async () => {
    const client = await (await City.open()).look();
    expect(client.heard[0]).toMatchObject({ type: 'greeting', detectors: detectorNames });
    expect(newsOf(client)).toEqual([{ type: 'detector', name: 'sweep' }]);
  });

  it('is offered none where nobody would change it', async () => {
    const commands = { play() {}, pause() {}, step() {}, setSpeed() {} };
    const client = await (await City.open({ commands })).look();
    expect(client.heard[0]).toMatchObject({ type: 'greeting', detectors: [] });
    expect(newsOf(client)).toEqual([{ type: 'detector', name: 'sweep' }]);
  });

  it('gives the world another, and every page hears of it', async () => {
    const city = await City.open();
    const client = await city.look();
    const other = await city.look();
    client.say({ type: 'detector', name: 'brute-force' });
    await other.until(() => newsOf(other).length === 2);
    expect(newsOf(other)[1]).toEqual({ type: 'detector', name: 'brute-force' });
    expect(city.world.stats().detector).toBe('brute-force');
  });

  it('hears of it when somebody else changes it', async () => {
    const city = await City.open();
    const client = await city.look();
    city.world.setDetector('brute-force');
    city.tick();
    await client.until(() => newsOf(client).length === 2);
    expect(newsOf(client)[1]).toEqual({ type: 'detector', name: 'brute-force' });
  });

  it('hears why it cannot be had, and the world goes on as it is', async () => {
    const city = await City.open({
      commands: {
        ...{ play() {}, pause() {}, step() {}, setSpeed() {} },
        setDetector: () => {
          throw new UmweltError('UNSUPPORTED', 'not in this world');
        },
      },
    });
    const client = await city.look();
    client.say({ type: 'detector', name: 'brute-force' });
    await client.until(() => newsOf(client).length === 2);
    expect(newsOf(client)[1]).toEqual({ type: 'detector', name: 'sweep', refusal: 'not in this world' });
    city.tick();
    await client.frames(2);
  });

  it.each([
    ['one that is not offered', 'nine-hells'],
    ['one that the world knows but the inspector does not offer', 'brute-force'],
  ])('is shut out when it asks for %s', async (_, name) => {
    const city = await City.open({ detectors: ['sweep'] });
    const client = await city.look();
    client.say({ type: 'detector', name });
    await client.until(() => client.closeCode !== undefined);
    expect(client.closeCode).toBe(1008);
    expect(city.world.stats().detector).toBe('sweep');
  });
});

describe('the crowd', () => {
  it('does not notice: the ticks after a change report what they report in a world without one', async () => {
    const changed = await City.open();
    const same = await City.open();
    const client = await changed.look();
    const twin = await same.look();
    const bothTick = async () => {
      expect(changed.tick()).toBe(same.tick());
      const count = client.all('tick').length + 1;
      await Promise.all([client.frames(count), twin.frames(count)]);
      client.taken();
      twin.taken();
      await Promise.all([client.settled(), twin.settled()]);
    };
    for (let i = 0; i < 5; i++) await bothTick();
    for (const name of [...detectorNames.slice(1), 'sweep']) {
      client.say({ type: 'detector', name });
      await client.settled();
      for (let i = 0; i < 3; i++) await bothTick();
    }
    const eventsOf = (page: FeedClient) =>
      page.all('tick').map(({ enteredTotal, leftTotal, sensedTotal, relations, events }) => ({
        ...{ enteredTotal, leftTotal, sensedTotal, relations },
        events: events.join(''),
      }));
    expect(eventsOf(client)).toEqual(eventsOf(twin));
    expect(client.all('tick').at(-1)?.leftTotal).toBeGreaterThan(0);
  });
});

describe('the structure', () => {
  it('comes when it is asked for, of the window that was asked', async () => {
    const city = await City.open();
    const client = await city.look();
    city.tick();
    await client.settled();
    expect(client.all('structure')).toEqual([]);
    client.say({ type: 'structure', window: everywhere });
    const all = await nextStructure(client);
    expect(all).toMatchObject({ tick: 1, detector: 'sweep', window: everywhere, isCutShort: false });
    expect(all.counts.reduce((sum, count) => sum + count, 0)).toBe(city.world.size);
    expect(all.description).toBe(city.world.describe({ limit: 0 }));
    expect(all.caption).not.toBe('');
    const [minX = 0, minY = 0, maxX = 0, maxY = 0] = all.cells;
    const window = { minX: minX - 1e5, minY: minY - 1e5, maxX: maxX - 1e5, maxY: maxY - 1e5 };
    client.say({ type: 'structure', window });
    const few = await nextStructure(client);
    expect(few.counts.length).toBeGreaterThan(0);
    expect(few.counts.length).toBeLessThan(all.counts.length);
  });

  it('follows the ticks, to a page that takes it in', async () => {
    const city = await City.open();
    const client = await city.look();
    client.say({ type: 'structure', window: everywhere });
    await nextStructure(client);
    for (let i = 0; i < 3; i++) {
      city.tick();
      expect((await nextStructure(client)).tick).toBe(city.world.tickCount);
    }
  });

  it('is left out for a page that does not take it in', async () => {
    const city = await City.open();
    const client = await city.look();
    client.say({ type: 'structure', window: everywhere });
    await client.until(() => client.all('structure').length === 1);
    // Longer than from one frame to the next.
    for (let i = 0; i < 6; i++) {
      city.tick();
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    await client.settled();
    expect(client.all('structure').length).toBe(1);
    client.taken();
    await client.until(() => client.all('structure').length === 2);
    expect(client.all('structure')[1]?.tick).toBe(city.world.tickCount);
  });

  it('stops when it is wanted no more', async () => {
    const city = await City.open();
    const client = await city.look();
    client.say({ type: 'structure', window: everywhere });
    await nextStructure(client);
    client.say({ type: 'structure' });
    for (let i = 0; i < 6; i++) {
      city.tick();
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    await client.settled();
    expect(client.all('structure').length).toBe(1);
  });

  it('is that of the new detector as soon as there is one', async () => {
    const city = await City.open();
    const client = await city.look();
    city.tick();
    client.say({ type: 'structure', window: everywhere });
    await nextStructure(client);
    client.say({ type: 'detector', name: 'brute-force' });
    const frame = await nextStructure(client);
    expect(frame).toMatchObject({
      detector: 'brute-force',
      caption: '',
      description: city.world.describe({ limit: 0 }),
    });
    expect(frame.counts.length + frame.lines.length).toBe(0);
  });

  it('of a detector of one’s own is bounded, whatever that sketches', async () => {
    const city = await City.open();
    const boundless = (): Detector => ({
      name: 'boundless',
      detect() {},
      collect(_store: EntityStore, _bounds, visit) {
        visit(0);
      },
      validate() {},
      describe: () => 'much\n'.repeat(100_000),
      sketch(_store, sketch) {
        sketch.caption = 'Too much. '.repeat(1000);
        for (let i = 0; i < 30_000; i++) sketch.cells.push(-1 / 0, i, 1 / 0, i + 1, i);
        for (let i = 0; i < 30_000; i++) sketch.lines.push(i, 0, Number.NaN, 1);
      },
      memoryBytes: 0,
    });
    city.world.setDetector(boundless);
    const client = await city.look();
    client.say({ type: 'structure', window: everywhere });
    const frame = await nextStructure(client);
    expect(frame.isCutShort).toBe(true);
    expect(frame.counts.length + frame.lines.length / 4).toBeLessThanOrEqual(20_000);
    expect(frame.description.length).toBeLessThan(20_000);
    expect(newsOf(client)).toEqual([{ type: 'detector', name: 'boundless' }]);
  });
});

describe('ranges', () => {
  it('are told by sense, the longest of them apart, and with the world’s shape', async () => {
    const city = await City.open({
      rangeShape: 'box',
      rangeRatio: [1, 0.5],
      rangesOf: () => [
        { sense: 'sight', range: 30 },
        { sense: 'hearing', range: 80 },
      ],
    });
    city.tick();
    const client = await city.look();
    expect(client.heard[0]).toMatchObject({ rangeShape: 'box', rangeRatio: [1, 0.5] });
    client.say({ type: 'select', id: city.world.ids()[0] as number });
    await client.until(() => client.all('focus').length === 1);
    expect(client.all('focus')[0]).toMatchObject({
      range: 80,
      ranges: [
        { sense: 'sight', range: 30 },
        { sense: 'hearing', range: 80 },
      ],
    });
  });

  it('are circles of one sense unless it is said otherwise', async () => {
    const city = await City.open({ rangeOf: () => 12 });
    city.tick();
    const client = await city.look();
    expect(client.heard[0]).toMatchObject({ rangeShape: 'circle', rangeRatio: [1, 1] });
    client.say({ type: 'select', id: city.world.ids()[0] as number });
    await client.until(() => client.all('focus').length === 1);
    expect(client.all('focus')[0]).toMatchObject({ range: 12, ranges: [] });
  });
});

describe('starting', () => {
  it.each([
    ['detectors', { detectors: ['sweep', ''] }],
    ['detectors', { detectors: Array.from({ length: 65 }, String) }],
    ['rangeRatio', { rangeRatio: [1, Number.NaN] as const }],
    ['rangeRatio', { rangeRatio: [-1, 1] as const }],
  ])('refuses bad %s', async (field, patch) => {
    const error: unknown = await City.open(patch).catch((reason) => reason);
    expect(error).toBeInstanceOf(UmweltError);
    expect(error).toMatchObject({ code: 'BAD_OPTION', details: { field } });
  });
});
