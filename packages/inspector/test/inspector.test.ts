/**
 * The inspector's server: what it serves, whom it lets in, what it streams, and that nothing said to it does harm.
 */
import { connect } from 'node:net';
import { UmweltError, World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { EVENT_ENTERED, EVENT_LEFT, IS_WATCHED } from '../src/feed-frame.ts';
import { type InspectorOptions, startInspector } from '../src/index.ts';
import { createScene, look, start, status } from './scene.ts';

/** One request as raw bytes, and all that comes back. */
function raw(url: string, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.end(request));
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}

describe('over HTTP', () => {
  it('tells its health', async () => {
    const { world, options } = createScene();
    const inspector = await start(options);
    world.tick();
    const response = await fetch(`${inspector.url}/healthz`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok', tick: 1, pages: 0 });
  });

  it('answers what it does not have with 404, whatever the path', async () => {
    const inspector = await start(createScene().options);
    for (const path of [
      '/nothing',
      '/../package.json',
      '/..%2f..%2fpackage.json',
      '//etc/passwd',
      '/assets/',
    ]) {
      const answer = await raw(
        inspector.url,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    }
  });

  it('answers no method but GET and HEAD', async () => {
    const inspector = await start(createScene().options);
    expect((await fetch(`${inspector.url}/healthz`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${inspector.url}/healthz`, { method: 'HEAD' })).status).toBe(200);
  });

  it('answers only to names of its own', async () => {
    const inspector = await start(createScene().options);
    const request = 'GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n';
    expect(await raw(inspector.url, request)).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('answers once a connection, whatever is sent ahead', async () => {
    const inspector = await start(createScene().options);
    const request = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
    // The first alone, then a thousand at once: of what comes after an answer nothing is looked at.
    const answer = await raw(inspector.url, request).catch(() => '');
    expect(answer.split('HTTP/1.1 200').length - 1).toBe(1);
    expect(answer).toContain('Connection: close');
    const flood = await raw(inspector.url, request.repeat(1000)).catch(() => '');
    expect(flood.split('HTTP/1.1').length - 1).toBeLessThanOrEqual(1);
    expect((await fetch(`${inspector.url}/healthz`)).status).toBe(200);
  });

  it('survives requests that are none', async () => {
    const inspector = await start(createScene().options);
    await raw(inspector.url, '\u0000\u0001nonsense\r\n\r\n');
    const upgrade =
      'GET /feed HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    expect(await raw(inspector.url, upgrade)).toMatch(/^HTTP\/1\.1 400 /);
    expect((await fetch(`${inspector.url}/healthz`)).status).toBe(200);
  });
});

describe('starting', () => {
  it('rejects with the error of listening when the port is taken', async () => {
    const inspector = await start(createScene().options);
    const port = Number(new URL(inspector.url).port);
    await expect(startInspector({ ...createScene().options, port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });

  it.each([
    ['port', { port: 70_000 }],
    ['port', { port: 1.5 }],
    ['tickSeconds', { tickSeconds: 0 }],
    ['kinds', { kinds: Array.from({ length: 257 }, String) }],
    ['bounds', { bounds: { minX: 1, minY: 0, maxX: 0, maxY: 1 } }],
    ['bounds', { bounds: { minX: Number.NaN, minY: 0, maxX: 0, maxY: 1 } }],
    ['bounds', { bounds: undefined }],
    ['bounds.minW', { bounds: { minX: 0, minY: 0, maxX: 1, maxY: 1, minW: 0 } }],
    ['title', { title: 5 }],
    ['kindOf', { kindOf: undefined }],
    ['rangeOf', { rangeOf: 5 }],
    ['commands', { commands: 5 }],
    ['nameOf', { nameOf: 'Mira' }],
    ['commands.pause', { commands: { ...createScene().options.commands, pause: undefined } }],
    ['commands.stop', { commands: { ...createScene().options.commands, stop: () => {} } }],
    ['recording.lasttick', { recording: { firstTick: 0, lastTick: 1, isComplete: true, lasttick: 1 } }],
    ['hostname', { hostname: '0.0.0.0' }],
    ['host', { host: '' }],
    ['hostNames', { hostNames: 'game.example' }],
    ['hostNames', { hostNames: [''] }],
    ['hostNames', { hostNames: ['https://game.example'] }],
    ['hostNames', { hostNames: ['game.example:7600'] }],
    ['hostNames', { hostNames: ['game.example, inspector.example'] }],
    ['hostNames', { hostNames: Array.from({ length: 65 }, String) }],
    ['token', { token: 'short' }],
  ])('refuses a bad %s', async (field, patch) => {
    const options = { ...createScene().options, ...patch } as InspectorOptions;
    const error: unknown = await startInspector(options).catch((reason) => reason);
    expect(error).toBeInstanceOf(UmweltError);
    expect(error).toMatchObject({ code: 'BAD_OPTION', details: { field } });
  });

  it('says what bounds are when there are none', async () => {
    const options = { ...createScene().options, bounds: undefined } as unknown as InspectorOptions;
    await expect(startInspector(options)).rejects.toThrow(
      'bounds is undefined; expected an object of minX, minY, maxX, maxY',
    );
  });

  it('closes more than once without harm, and leaves its port', async () => {
    const inspector = await start(createScene().options);
    const client = look(inspector);
    await client.frames(1);
    const port = Number(new URL(inspector.url).port);
    await Promise.all([inspector.close(), inspector.close()]);
    await client.until(() => client.closeCode !== undefined);
    expect(client.closeCode).toBe(1001);
    await start({ ...createScene().options, port });
  });
});

describe('closing', () => {
  it('does not wait for a page that does not answer', async () => {
    const inspector = await start(createScene().options);
    const client = look(inspector);
    await client.frames(1);
    client.socket.pause();
    await inspector.close();
    expect(inspector.clientCount).toBe(0);
  });
});

describe('opening the feed', () => {
  it('greets with what the world is', async () => {
    const { options } = createScene();
    const client = look(await start(options));
    await client.frames(1);
    expect(client.heard[0]).toMatchObject({
      type: 'greeting',
      title: 'Three on a line',
      kinds: ['watcher', 'marker'],
    });
  });

  it('shows the world as it is now, before the next tick', async () => {
    const { world, ids, options } = createScene();
    const client = look(await start(options));
    await client.frames(1);
    const [population] = client.all('population');
    expect([...(population?.ids ?? [])]).toEqual([...ids].sort((a, b) => a - b));
    expect([...(population?.kinds ?? [])]).toEqual([0, 1, 1]);
    expect([...(population?.watchers ?? [])]).toEqual([1, 0, 0]);
    expect([...(client.all('tick')[0]?.positions ?? [])]).toEqual([0, 0, 1, 0, 50, 0]);
    expect(world.tickCount).toBe(0);
  });

  it('is refused to a page of another origin', async () => {
    const inspector = await start(createScene().options);
    const client = look(inspector, { Origin: 'http://evil.example' });
    await client.until(() => client.closeCode !== undefined);
    expect(client.heard).toEqual([]);
    expect(inspector.clientCount).toBe(0);
  });

  it('is refused to the seventeenth page, and open again when one has gone', async () => {
    const inspector = await start(createScene().options);
    const clients = Array.from({ length: 16 }, () => look(inspector));
    for (const client of clients) await client.frames(1);
    expect(inspector.clientCount).toBe(16);
    const refused = look(inspector);
    await refused.until(() => refused.closeCode !== undefined);
    expect(refused.heard).toEqual([]);
    clients[0]?.socket.close();
    await clients[0]?.until(() => clients[0]?.closeCode !== undefined);
    const next = look(inspector);
    await next.frames(1);
  });
});

describe('the feed', () => {
  it('sends positions every tick, and who is there only when that changes', async () => {
    const { world, ids, options } = createScene();
    const inspector = await start(options);
    const client = look(inspector);
    await client.frames(1);
    for (const x of [2, 3]) {
      world.move(ids[1], x, 0);
      inspector.publish(world.tick(), status);
      await client.frames(x);
      client.taken();
      await client.settled();
    }
    expect(client.all('tick').map((frame) => frame.positions[2])).toEqual([1, 2, 3]);
    expect(client.all('population').length).toBe(1);
    world.remove(ids[2]);
    inspector.publish(world.tick(), status);
    await client.frames(4);
    expect(client.all('population').length).toBe(2);
    expect(client.all('tick').at(-1)?.populationVersion).toBe(
      client.all('population').at(-1)?.populationVersion,
    );
    expect(client.all('tick').at(-1)?.events.length).toBe(2);
  });

  it('sends three coordinates when the bounds have heights', async () => {
    const world = new World({ dimensions: 3 });
    world.add({ x: 1, y: 2, z: 3 });
    const bounds = { minX: 0, minY: 0, maxX: 9, maxY: 9, minZ: 0, maxZ: 9 };
    const client = look(await start({ ...createScene().options, world, bounds }));
    await client.frames(1);
    expect(client.all('tick')[0]).toMatchObject({ dimensions: 3, positions: Float32Array.of(1, 2, 3) });
  });

  it('tells events, of the tick by entity and in all by number', async () => {
    const { world, ids, options } = createScene();
    const inspector = await start(options);
    const client = look(inspector);
    await client.frames(1);
    inspector.publish(world.tick(), status);
    await client.frames(2);
    client.taken();
    await client.settled();
    world.move(ids[1], 40, 0);
    world.move(ids[2], 5, 0);
    inspector.publish(world.tick(), status);
    await client.frames(3);
    const [, first, second] = client.all('tick');
    expect(first).toMatchObject({ enteredTotal: 1, leftTotal: 0, relations: 1, tickMs: 1.5 });
    expect([...(first?.events ?? [])]).toEqual([0, EVENT_ENTERED | IS_WATCHED, 0]);
    expect(second).toMatchObject({ enteredTotal: 2, leftTotal: 1, relations: 1 });
    expect([...(second?.events ?? [])]).toEqual([0, EVENT_LEFT, EVENT_ENTERED | IS_WATCHED]);
  });

  it('says how many pairs linger and how many wait to enter', async () => {
    const { world, ids, options } = createScene();
    world.setInterest('default', { lingerTicks: 9, enterBudget: 1 });
    world.addMany({ x: [2, 3, 4], y: [0, 0, 0] });
    world.tick();
    world.move(ids[1], 90, 0);
    const inspector = await start(options);
    inspector.publish(world.tick(), status);
    const client = look(inspector);
    await client.frames(1);
    const { relationCount, lingeringCount, waitingCount } = world.stats();
    expect([relationCount, lingeringCount, waitingCount]).toEqual([2, 1, 2]);
    expect(client.all('tick')[0]).toMatchObject({ relations: 2, lingering: 1, waiting: 2 });
  });

  it('counts a report once though it is published twice', async () => {
    const { world, options } = createScene();
    const inspector = await start(options);
    const changes = world.tick();
    inspector.publish(changes, status);
    inspector.publish(changes, { ...status, paused: true });
    const client = look(inspector);
    await client.frames(1);
    expect(client.all('tick')[0]).toMatchObject({ enteredTotal: 1, relations: 1, paused: true });
  });

  it('leaves frames out for a page that does not take them in, and sends the newest when it does', async () => {
    const { world, ids, options } = createScene();
    const inspector = await start(options);
    const client = look(inspector);
    await client.frames(1);
    for (let x = 1; x <= 9; x++) {
      world.move(ids[1], x, 0);
      inspector.publish(world.tick(), status);
    }
    await client.settled();
    expect(client.all('tick').map((frame) => frame.tick)).toEqual([0, 1]);
    client.taken();
    await client.frames(3);
    await client.settled();
    expect(client.all('tick').map((frame) => frame.tick)).toEqual([0, 1, 9]);
    expect(client.all('tick')[2]?.positions[2]).toBe(9);
  });

  it('gives each page its own pace', async () => {
    const { world, options } = createScene();
    const inspector = await start(options);
    const slow = look(inspector);
    const quick = look(inspector);
    await Promise.all([slow.frames(1), quick.frames(1)]);
    for (let tick = 1; tick <= 5; tick++) {
      inspector.publish(world.tick(), status);
      await quick.frames(tick + 1);
      quick.taken();
      await quick.settled();
    }
    await slow.settled();
    expect(quick.all('tick').length).toBe(6);
    expect(slow.all('tick').length).toBe(2);
  });
});

describe('commands', () => {
  it('reach whoever drives the world, and every page hears what came of them', async () => {
    const { commands, options } = createScene();
    const inspector = await start(options);
    const client = look(inspector);
    const other = look(inspector);
    await Promise.all([client.frames(1), other.frames(1)]);
    client.say({ type: 'pause' });
    client.say({ type: 'step' });
    client.say({ type: 'speed', factor: 4 });
    client.say({ type: 'play' });
    const paces = () => other.heard.filter((message) => 'type' in message && message.type === 'pace');
    await other.until(() => paces().length === 4);
    expect(commands).toEqual(['pause', 'step', 'speed 4', 'play']);
    expect(paces()[0]).toEqual({ type: 'pace', paused: true, speed: 1 });
    expect(paces()[3]).toEqual({ type: 'pace', paused: false, speed: 4 });
  });
});

describe('a hostile page', () => {
  it.each([
    ['text that is no message', 'hello'],
    ['a command that there is not', '{"type":"quit"}'],
    ['a number out of bounds', '{"type":"speed","factor":1e12}'],
    ['bytes', Buffer.from('{"type":"play"}')],
    ['too much', `{"type":"play"${' '.repeat(4000)}}`],
  ])('is shut out when it sends %s', async (_, data) => {
    const { commands, options } = createScene();
    const inspector = await start(options);
    const client = look(inspector);
    await client.frames(1);
    client.socket.send(data);
    await client.until(() => client.closeCode !== undefined);
    expect([1008, 1009]).toContain(client.closeCode);
    expect(commands).toEqual([]);
    await look(inspector).frames(1);
  });

  it('is shut out when it sends without end', async () => {
    const inspector = await start(createScene().options);
    const client = look(inspector);
    await client.frames(1);
    for (let i = 0; i < 3000; i++) client.say({ type: 'hover', id: i });
    await client.until(() => client.closeCode !== undefined);
    expect(client.closeCode).toBe(1008);
  });

  it('cannot claim frames that it was not sent', async () => {
    const { world, options } = createScene();
    const inspector = await start(options);
    const client = look(inspector);
    await client.frames(1);
    client.say({ type: 'taken', frames: 1_000_000, structures: 1_000_000 });
    await client.settled();
    for (let i = 0; i < 9; i++) inspector.publish(world.tick(), status);
    await client.settled();
    expect(client.all('tick').length).toBe(3);
  });

  it('that vanishes is forgotten', async () => {
    const { world, options } = createScene();
    const inspector = await start(options);
    const client = look(inspector);
    await client.frames(1);
    client.socket.terminate();
    await expect.poll(() => inspector.clientCount).toBe(0);
    inspector.publish(world.tick(), status);
  });
});
