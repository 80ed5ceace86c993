/**
 * The SDK in a browser: bundled as a page would have it, in both modes it sees what the world says, also after its connection broke.
 *
 * Where there is no Chromium the suite is skipped, and fails with CI=true.
 */
import type { UmweltClient } from '@umwelt/client';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bundleTestPage } from '../../../tools/bundle-test-page.ts';
import { findChromium, HEADLESS_FLAGS } from '../../../tools/chromium.ts';
import type { Client, perceive, Room } from './page-client.ts';
import { cut, lines, openStage, type Stage, type ViewRoom } from './room-stage.ts';

const chromiumPath = findChromium();
const canLook = chromiumPath !== undefined;
const TICK_MS = 20;

/** What the page keeps in its global scope. */
interface PageScope {
  bundle: { Client: typeof Client; perceive: typeof perceive };
  room: Room<unknown, ViewRoom['state']>;
  client: UmweltClient | undefined;
}

test('a Chromium is there where one must be', () => {
  expect(canLook || process.env.CI !== 'true').toBe(true);
});

describe.skipIf(!canLook)('in a browser', () => {
  let stage: Stage;
  let browser: Browser;
  let bundle: string;

  beforeAll(async () => {
    stage = await openStage();
    bundle = await bundleTestPage(new URL('./page-client.ts', import.meta.url));
    browser = await chromium.launch({
      executablePath: chromiumPath as string,
      headless: true,
      args: HEADLESS_FLAGS,
    });
  });

  afterAll(async () => {
    await browser?.close();
    await stage?.close();
  });

  async function join(mode: 'frames' | 'view'): Promise<{ page: Page; roomId: string; sessionId: string }> {
    const page = await browser.newPage();
    page.on('pageerror', (e) => console.log(String(e.stack)));
    await page.goto(`http://127.0.0.1:${stage.port}/`);
    await page.addScriptTag({ content: bundle });
    const ids = await page.evaluate(
      async ([url, name]) => {
        const scope = globalThis as unknown as PageScope;
        scope.room = await new scope.bundle.Client(url).create(name);
        Object.assign(scope.room.reconnection, { minUptime: 0, minDelay: 40, delay: 40 });
        if (name === 'frames') {
          scope.client = scope.bundle.perceive(scope.room);
          scope.client.connect();
        }
        return { roomId: scope.room.roomId, sessionId: scope.room.sessionId };
      },
      [`http://127.0.0.1:${stage.port}`, mode] as const,
    );
    return { page, ...ids };
  }

  /** What the page has at a tick, once it has been told of it. */
  async function hadAt(page: Page, tick: number): Promise<string> {
    await page.waitForFunction((wanted) => {
      const { room, client } = globalThis as unknown as PageScope;
      return (client?.tick ?? room.state.tick) === wanted;
    }, tick);
    const rows = await page.evaluate(() => {
      const { room, client } = globalThis as unknown as PageScope;
      const all: { id: number; x: number; y: number }[] = [
        ...(client?.entities.values() ?? room.state.units.values()),
      ];
      return all.map(({ id, x, y }) => [id, x, y]);
    });
    return lines(rows);
  }

  test.each(['frames', 'view'] as const)("mode '%s' shows exactly the view", async (mode) => {
    const { page, roomId, sessionId } = await join(mode);
    const room = stage[mode](roomId);
    const crowd = Array.from({ length: 300 }, (_, i) =>
      room.put({ x: (i % 20) * 5 - 30, y: Math.floor(i / 20) * 5 - 40 }),
    );
    /** Ticks until the page hears of it; answers what it has then. */
    const settle = async (): Promise<string> => {
      const timer = setInterval(() => room.step(), TICK_MS);
      const from = room.world.tickCount;
      await page.waitForFunction((tick) => {
        const { room, client } = globalThis as unknown as PageScope;
        return (client?.tick ?? room.state?.tick ?? 0) > tick;
      }, from);
      clearInterval(timer);
      return hadAt(page, room.world.tickCount);
    };
    expect(await settle()).toBe(room.view(sessionId));
    for (const [i, id] of crowd.splice(0, 50).entries()) {
      if (i % 2 === 0) room.take(id);
      else room.move(id, 25, i / 4);
    }
    room.move(room.players.get(sessionId)!, 40, 3);
    room.step();
    const had = await hadAt(page, room.world.tickCount);
    expect(had).toBe(room.view(sessionId));
    expect(had.split('\n').length).toBeGreaterThan(20);
    cut(room, sessionId);
    await vi.waitFor(() => expect(room.events).toContain('drop'));
    for (const [i, id] of crowd.entries()) {
      if (i % 3 === 0) room.take(id);
      else room.move(id, i % 50, i / 8);
    }
    expect(await settle()).toBe(room.view(sessionId));
    expect(room.events).toEqual(['drop', 'reconnect']);
    await page.close();
  });
});
