/** Why two entities are related, or not: asked of the world, told over the feed, renewed with every tick. */
import { World } from 'umwelt';
import { afterEach, describe, expect, it } from 'vitest';
import type { ExplanationNews } from '../src/explanation-news.ts';
import { SENTENCE_MAX } from '../src/explanation-news.ts';
import { explainPair } from '../src/feed/explain-pair.ts';
import { readFeedMessage, writeMessage } from '../src/feed-message.ts';
import { type Inspector, startInspector } from '../src/index.ts';
import { FeedClient } from './feed-client.ts';

/** Two who watch, of whom the first is shown one: the nearer, a third. */
function crowded() {
  const world = new World({ interests: { few: { cap: 1, incumbentBonus: 0 } } });
  const first = world.add({ x: 0, y: 0, range: 50, interest: 'few' });
  const second = world.add({ x: 20, y: 0, range: 30 });
  const third = world.add({ x: 10, y: 0 });
  world.tick();
  return { world, first, second, third };
}

describe('a pair', () => {
  it('is explained both ways, with the numbers of the rule', () => {
    const { world, first, second } = crowded();
    const news = explainPair(world, first, second);
    expect(news).toMatchObject({ tick: 1, from: first, to: second });
    expect(news.forth).toEqual({
      related: false,
      rule: 'cap',
      sentence: world.explain(first, second).sentence,
      senses: ['sight'],
      distance: 20,
      reach: 50,
      margin: 0,
      seats: 1,
      place: 2,
      rank: 20,
      lastSeatedRank: 10,
      weight: 1,
    });
    expect(news.back).toMatchObject({ related: true, rule: 'senses', distance: 20, reach: 30 });
    expect(readFeedMessage(writeMessage(news))).toEqual(news);
  });

  it('has no answer when one of it is gone, or never was', () => {
    const { world, first, third } = crowded();
    world.remove(third);
    for (const other of [third, 0, 0xffffffff, 3.5]) {
      expect(explainPair(world, first, other).forth).toBeUndefined();
      expect(explainPair(world, other, first).back).toBeUndefined();
    }
  });

  it('keeps out what JSON cannot hold, and reasons without end', () => {
    const { world, first, second } = crowded();
    world.update(second, { weight: 0 });
    world.tick();
    const cut = explainPair(world, first, second);
    expect(cut.forth?.rank).toBeUndefined();
    expect(readFeedMessage(writeMessage(cut))).toEqual(cut);
    world.pin(first, second, 'x'.repeat(10_000));
    world.tick();
    expect(explainPair(world, first, second).forth?.sentence.length).toBe(SENTENCE_MAX);
  });
});

describe('over the feed', () => {
  const running: { close(): Promise<void> | void }[] = [];
  afterEach(async () => {
    for (const thing of running.splice(0).reverse()) await thing.close();
  });

  async function look(world: World): Promise<{ inspector: Inspector; client: FeedClient }> {
    const inspector = await startInspector({
      world,
      title: 'A pair',
      kinds: ['one'],
      kindOf: () => 0,
      rangeOf: () => 0,
      tickSeconds: 0.05,
      bounds: { minX: 0, minY: 0, maxX: 50, maxY: 50 },
      commands: { play() {}, pause() {}, step() {}, setSpeed() {} },
      port: 0,
    });
    running.push(inspector);
    const client = new FeedClient(inspector.url);
    running.push({ close: () => client.socket.terminate() });
    await client.frames(1);
    return { inspector, client };
  }

  const newsOf = (client: FeedClient): ExplanationNews[] =>
    client.heard.filter((heard) => 'type' in heard && heard.type === 'explanation') as ExplanationNews[];

  it('is told at once, and again with every tick, until another is selected', async () => {
    const { world, first, second, third } = crowded();
    const { inspector, client } = await look(world);
    const tick = async () => {
      client.taken();
      await client.settled();
      inspector.publish(world.tick(), { tickMs: 1, paused: false, speed: 1 });
      await client.settled();
    };
    client.say({ type: 'select', id: first });
    client.say({ type: 'explain', id: second });
    await client.until(() => newsOf(client).length > 0);
    expect(newsOf(client)).toEqual([explainPair(world, first, second)]);
    world.remove(third);
    await tick();
    expect(newsOf(client).map(({ forth }) => forth?.related)).toEqual([false, true]);
    client.say({ type: 'select', id: second });
    await tick();
    client.say({ type: 'select', id: first });
    client.say({ type: 'explain', id: second });
    await client.until(() => newsOf(client).length > 2);
    client.say({ type: 'explain', id: 0 });
    await tick();
    expect(newsOf(client).length).toBe(3);
  });

  it('is not told of while nobody is selected, and bears any number', async () => {
    const { world, first } = crowded();
    const { client } = await look(world);
    client.say({ type: 'explain', id: 7 });
    await client.settled();
    expect(newsOf(client)).toEqual([]);
    client.say({ type: 'select', id: first });
    for (const [i, id] of [first, 7, 0xffffffff].entries()) {
      client.say({ type: 'explain', id });
      await client.until(() => newsOf(client).length > i);
    }
    expect(newsOf(client).map(({ to, forth }) => [to, forth?.rule])).toEqual([
      [first, 'itself'],
      [7, undefined],
      [0xffffffff, undefined],
    ]);
  });
});
