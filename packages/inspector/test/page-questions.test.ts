/**
 * What a page is told of the entities that it asks about: what they are now, and all that befell the selected.
 */
import { describe, expect, it } from 'vitest';
import type { FeedClient } from './feed-client.ts';
import { createScene, look, start, status } from './scene.ts';

/** What a page has been told of the selected: tick, what, marker. */
function eventsOf(client: FeedClient): [tick: number, what: string, id: number][] {
  return client
    .all('focus')
    .flatMap(({ events: { ticks, areEnters, ids } }) =>
      [...ids].map((id, i): [number, string, number] => [
        ticks[i] as number,
        areEnters[i] === 1 ? 'entered' : 'left',
        id,
      ]),
    );
}

describe('a page that asks for an entity', () => {
  it('is told at once whom it perceives and who perceives it', async () => {
    const { world, ids, options } = createScene();
    const inspector = await start(options);
    inspector.publish(world.tick(), status);
    const client = look(inspector);
    await client.frames(1);
    client.say({ type: 'select', id: ids[0] });
    client.say({ type: 'hover', id: ids[1] });
    await client.until(() => client.all('focus').length === 2);
    const [selected, hovered] = client.all('focus');
    expect(selected).toMatchObject({ id: ids[0], role: 'selected', present: true, x: 0, y: 0, range: 10 });
    expect([...(selected?.perceives.ids ?? [])]).toEqual([ids[1]]);
    expect(selected?.perceivedBy.total).toBe(0);
    expect(hovered).toMatchObject({ id: ids[1], role: 'hovered', range: 0 });
    expect([...(hovered?.perceivedBy.ids ?? [])]).toEqual([ids[0]]);
  });

  it('is told what enters and leaves, tick by tick', async () => {
    const { world, ids, options } = createScene();
    const inspector = await start(options);
    inspector.publish(world.tick(), status);
    const client = look(inspector);
    await client.frames(1);
    client.say({ type: 'select', id: ids[0] });
    await client.until(() => client.all('focus').length === 1);
    expect(client.all('focus')[0]?.events).toMatchObject({ sinceTick: 1, enteredTotal: 0, leftTotal: 0 });
    world.move(ids[1], 40, 0);
    world.move(ids[2], 5, 0);
    inspector.publish(world.tick(), status);
    await client.until(() => client.all('focus').length === 2);
    const told = client.all('focus')[1];
    expect(told?.events).toMatchObject({ enteredTotal: 1, leftTotal: 1, unknownTicks: 0 });
    expect(eventsOf(client)).toEqual([
      [2, 'left', ids[1]],
      [2, 'entered', ids[2]],
    ]);
    expect([...(told?.perceives.ids ?? [])]).toEqual([ids[2]]);
  });

  it('is told of each tick before the frame with its positions, so that nothing is drawn over those of another', async () => {
    const { world, ids, options } = createScene();
    const inspector = await start(options);
    const client = look(inspector);
    await client.frames(1);
    client.say({ type: 'select', id: ids[0] });
    client.say({ type: 'hover', id: ids[1] });
    await client.until(() => client.all('focus').length === 2);
    expect(client.all('focus').map(({ isAhead }) => isAhead)).toEqual([false, false]);
    client.taken();
    const before = client.heard.length;
    world.remove(ids[2]);
    inspector.publish(world.tick(), status);
    await client.frames(2);
    await client.settled();
    const kinds = client.heard
      .slice(before)
      .map((message) => ('kind' in message ? message.kind : message.type));
    expect(kinds).toEqual(['population', 'focus', 'standing', 'focus', 'tick']);
    expect(
      client
        .all('focus')
        .slice(2)
        .map(({ isAhead, tick }) => [isAhead, tick]),
    ).toEqual([
      [true, 1],
      [true, 1],
    ]);
  });

  it('is told everything that came and went while it took in no frame', async () => {
    const { world, ids, options } = createScene();
    const inspector = await start(options);
    inspector.publish(world.tick(), status);
    const client = look(inspector);
    await client.frames(1);
    client.say({ type: 'select', id: ids[0] });
    await client.until(() => client.all('focus').length === 1);
    const happened: unknown[] = [];
    for (let tick = 2; tick <= 592; tick++) {
      const isEnter = tick % 2 === 1;
      world.move(ids[1], isEnter ? 5 : 40, 0);
      inspector.publish(world.tick(), status);
      happened.push([tick, isEnter ? 'entered' : 'left', ids[1]]);
      // A page that draws every fiftieth tick, and is sent as many frames.
      if (tick % 50 === 0) {
        client.taken();
        await client.settled();
      }
    }
    client.taken();
    await client.until(() => client.all('tick').at(-1)?.tick === 592);
    await client.settled();
    expect(client.all('tick').length).toBeLessThan(60);
    expect(happened.length).toBe(591);
    expect(eventsOf(client)).toEqual(happened);
  });

  it('is told what came and went since the last frame, and no more, beside what it asks for in between', async () => {
    const { world, ids, options } = createScene();
    const inspector = await start(options);
    inspector.publish(world.tick(), status);
    const client = look(inspector);
    await client.frames(1);
    client.say({ type: 'select', id: ids[0] });
    client.say({ type: 'explain', id: ids[1] });
    await client.settled();
    for (let tick = 2; tick <= 9; tick++) {
      world.move(ids[1], tick % 2 === 1 ? 5 : 40, 0);
      inspector.publish(world.tick(), status);
      client.say({ type: 'hover', id: ids[tick % 3] as number });
      await client.settled();
    }
    client.taken();
    await client.until(() => client.all('tick').at(-1)?.tick === 9);
    await client.settled();
    expect(eventsOf(client).map(([tick]) => tick)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    for (const { role, events } of client.all('focus')) {
      if (role === 'hovered') expect(events.ids.length).toBe(0);
    }
  });

  it('is answered for the last of many that it asks for at once, not for each', async () => {
    const { world, ids, options } = createScene();
    const inspector = await start(options);
    inspector.publish(world.tick(), status);
    const client = look(inspector);
    await client.frames(1);
    for (let i = 0; i < 300; i++) {
      client.say({ type: 'select', id: i % 2 === 0 ? 7 : ids[0] });
      client.say({ type: 'hover', id: i % 2 === 0 ? 7 : ids[1] });
      client.say({ type: 'explain', id: ids[2] });
    }
    await client.until(
      () =>
        client.all('focus').some(({ role, id }) => role === 'hovered' && id === ids[1]) &&
        client.heard.some((message) => 'type' in message && message.type === 'explanation'),
    );
    await client.until(() => client.all('focus').findLast(({ role }) => role === 'selected')?.id === ids[0]);
    const answers = client.heard.filter(
      (message) => !('type' in message) || message.type === 'explanation',
    ).length;
    // Nine hundred were asked for.
    expect(answers).toBeLessThan(450);
  });

  it('is told when it has been removed, and for ids that never were', async () => {
    const { world, ids, options } = createScene();
    const inspector = await start(options);
    const client = look(inspector);
    await client.frames(1);
    client.say({ type: 'select', id: ids[0] });
    for (const id of [1, 7, 0xffffffff]) {
      client.say({ type: 'hover', id });
      await client.until(() => client.all('focus').some((frame) => frame.id === id));
    }
    world.remove(ids[0]);
    inspector.publish(world.tick(), status);
    await client.until(() =>
      client.all('focus').some((frame) => frame.role === 'selected' && !frame.present),
    );
    expect(
      client.all('focus').filter((frame) => frame.role === 'hovered' && frame.id === 7)[0]?.present,
    ).toBe(false);
  });
});

describe('a page that asks for a description', () => {
  const textsOf = (client: FeedClient) =>
    client.heard.flatMap((message) => ('type' in message && message.type === 'description' ? [message] : []));

  it('is told what the world says around the entity, again as it changes, until it asks for none', async () => {
    const { world, ids, options } = createScene();
    const inspector = await start(options);
    inspector.publish(world.tick(), status);
    const client = look(inspector);
    await client.frames(1);
    client.say({ type: 'describe', id: ids[0] });
    await client.until(() => textsOf(client).length === 1);
    const expected = world.describe({ around: ids[0] });
    expect(expected).toContain(`${ids[1]}(1, 0)`);
    expect(textsOf(client)).toEqual([{ type: 'description', tick: 1, id: ids[0], text: expected }]);
    world.move(ids[1], 2, 0);
    inspector.publish(world.tick(), status);
    await client.until(() => textsOf(client).length === 2);
    expect(textsOf(client)[1]?.text).toBe(world.describe({ around: ids[0] }));
    world.remove(ids[0]);
    inspector.publish(world.tick(), status);
    await client.until(() => textsOf(client).length === 3);
    expect(textsOf(client)[2]).toEqual({ type: 'description', tick: 3, id: ids[0] });
    client.say({ type: 'describe', id: 0 });
    await client.settled();
    for (let i = 0; i < 3; i++) inspector.publish(world.tick(), status);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(textsOf(client).length).toBe(3);
  });

  it('is told of any number, and in a text that ends somewhere', async () => {
    const { world, options } = createScene();
    const described = world.describe.bind(world);
    world.describe = (given) => described(given).padEnd(100_000, '.');
    const inspector = await start(options);
    inspector.publish(world.tick(), status);
    const client = look(inspector);
    await client.frames(1);
    for (const [i, id] of [7, 0xffffffff, world.ids()[0] as number].entries()) {
      client.say({ type: 'describe', id });
      await client.until(() => textsOf(client).length > i);
    }
    expect(textsOf(client).map(({ text }) => text?.length)).toEqual([undefined, undefined, 16_384]);
  });
});

describe('a page that asks for names', () => {
  it('is told kind and id where the game has none, and does not end the game', async () => {
    const { world, ids, options } = createScene();
    const players = new Map([[ids[0], { name: 'Mira' }]]);
    const nameOf = (id: number) => (players.get(id) as { name: string }).name;
    const noText = (() => undefined) as unknown as (id: number) => string;
    for (const [given, first] of [
      [nameOf, 'Mira'],
      [noText, `watcher ${ids[0]}`],
      [() => '', `watcher ${ids[0]}`],
    ] as const) {
      const client = look(await start({ ...options, nameOf: given }));
      await client.frames(1);
      client.say({ type: 'names', ids: [ids[0], ids[1], 7] });
      const told = () => client.heard.find((message) => 'type' in message && message.type === 'names');
      await client.until(() => told() !== undefined);
      expect(told()).toMatchObject({
        names: [
          [ids[0], first],
          [ids[1], `marker ${ids[1]}`],
          [7, 'entity 7'],
        ],
      });
    }
    await world.dispose();
  });

  it('is told of the first kind where the game cannot say one, and does not end the game', async () => {
    const { ids, options } = createScene();
    const fails = () => {
      throw new Error('no such player');
    };
    const functions = { kindOf: fails, kindsVersion: fails, rangeOf: fails, rangesOf: fails };
    const client = look(await start({ ...options, ...functions }));
    await client.frames(1);
    client.say({ type: 'names', ids: [ids[1]] });
    const told = () => client.heard.find((message) => 'type' in message && message.type === 'names');
    await client.until(() => told() !== undefined);
    expect(told()).toMatchObject({ names: [[ids[1], `watcher ${ids[1]}`]] });
  });

  it('sees which of them have been cut', async () => {
    const { ids, options } = createScene();
    const nameOf = (id: number) => 'x'.repeat(id === ids[0] ? 80 : 81);
    const client = look(await start({ ...options, nameOf }));
    await client.frames(1);
    client.say({ type: 'names', ids: [ids[0], ids[1]] });
    const told = () => client.heard.find((message) => 'type' in message && message.type === 'names');
    await client.until(() => told() !== undefined);
    expect(told()).toMatchObject({
      names: [
        [ids[0], 'x'.repeat(80)],
        [ids[1], `${'x'.repeat(79)}…`],
      ],
    });
  });
});
