/**
 * The client in a browser: bundled as a page would have it, it sees what the world says, and comes back when the
 * connection breaks. A page of nowhere is refused.
 *
 * Where there is no Chromium the suite is skipped, and fails with CI=true.
 */
import { type Browser, chromium } from 'playwright-core';
import { World } from 'umwelt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleTestPage } from '../../../tools/bundle-test-page.ts';
import { findChromium, HEADLESS_FLAGS } from '../../../tools/chromium.ts';
import { Gateway, WebSocketTransport } from '../src/index.ts';
import type { UmweltClient } from './page-client.ts';

const chromiumPath = findChromium();
const canLook = chromiumPath !== undefined;
const STEP = 0.25;

interface Bundle {
  UmweltClient: typeof UmweltClient;
}

test('a Chromium is there where one must be', () => {
  expect(canLook || process.env.CI !== 'true').toBe(true);
});

describe.skipIf(!canLook)('in a browser', () => {
  const world = new World({ dimensions: 3 });
  const watcher = world.add({ x: 0, y: 0, z: 0, range: 50 });
  const crowd = world.addMany({
    x: Float32Array.from({ length: 200 }, (_, i) => (i % 20) * 4 - 40),
    y: Float32Array.from({ length: 200 }, (_, i) => Math.floor(i / 20) * 9 - 40),
    z: new Float32Array(200),
  });
  const gateway = new Gateway(world, {
    tickMs: 20,
    appearance: { positionStep: STEP, fields: { name: { type: 'string' } } },
    authenticate: () => ({ watcher }),
  });
  const transport = new WebSocketTransport({ port: 0, host: '127.0.0.1' });
  let browser: Browser;
  let bundle: string;
  let timer: NodeJS.Timeout;

  beforeAll(async () => {
    bundle = await bundleTestPage(new URL('./page-client.ts', import.meta.url));
    browser = await chromium.launch({
      executablePath: chromiumPath as string,
      headless: true,
      args: HEADLESS_FLAGS,
    });
    await gateway.listen(transport);
    timer = setInterval(() => gateway.publish(world.tick()), 20);
  });

  afterAll(async () => {
    clearInterval(timer);
    await browser?.close();
    await gateway.drain();
  });

  test('the mirror is the view, also after a broken connection', async () => {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${transport.port}/`);
    await page.addScriptTag({ content: bundle });
    await page.evaluate((port) => {
      const { bundle } = globalThis as unknown as { bundle: Bundle };
      const client = new bundle.UmweltClient({ url: `ws://127.0.0.1:${port}/`, retryFirstMs: 20 });
      Object.assign(globalThis, { client });
      client.connect();
    }, transport.port);
    await page.waitForFunction(
      () => (globalThis as unknown as { client: UmweltClient }).client.own !== undefined,
    );
    gateway.set(crowd[90]!, { name: 'Zoë' });
    for (const [i, id] of crowd.entries()) world.move(id, (i % 20) * 5 - 50, 3, i / 10);
    const [session] = gateway.sessions;
    session?.peer?.close('goingAway');
    world.move(watcher, 1, 1, 1);
    await page.waitForFunction(() => {
      const { client } = globalThis as unknown as { client: UmweltClient };
      return client.state === 'open' && client.own?.x === 1;
    });
    const had = await page.evaluate(() => {
      const { client } = globalThis as unknown as { client: UmweltClient };
      client.interpolate();
      return [...client.entities.values()].map(({ id, x, y, z, fields }) => [id, x, y, z, fields.name]);
    });
    const expected = [watcher, ...world.visibleTo(watcher)].map((id) => [
      id,
      ...[...world.position(id)].map((value) => Math.round(value / STEP) * STEP),
      gateway.get(id, 'name'),
    ]);
    const byId = (one: unknown[], other: unknown[]): number => Number(one[0]) - Number(other[0]);
    expect(expected.length).toBeGreaterThan(50);
    expect(had.sort(byId)).toEqual(expected.sort(byId));
  });

  test('a page of nowhere may not connect', async () => {
    const page = await browser.newPage();
    await page.addScriptTag({ content: bundle });
    const state = await page.evaluate((port) => {
      const { bundle } = globalThis as unknown as { bundle: Bundle };
      const client = new bundle.UmweltClient({ url: `ws://127.0.0.1:${port}/`, retryFirstMs: 1e6 });
      const closed = new Promise((resolve) =>
        client.on('state', (next) => next !== 'connecting' && resolve(next)),
      );
      client.connect();
      return closed;
    }, transport.port);
    expect(state).toBe('waiting');
    expect(await gateway.metrics()).toContain('closes_total{why="refused origin"} 1');
  });
});
