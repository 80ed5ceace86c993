/**
 * Tests the game as it is played: two pages, one player walks into the other's sight, cloaks, is heard running, and walks away. Also
 * tests that no bytes from a player stop the server.
 *
 * Without Chromium the pages' suite is skipped; with CI=true it fails.
 */
import { WebSocketTransport } from '@umwelt/gateway';
import fc from 'fast-check';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium, HEADLESS_FLAGS } from '../../tools/chromium.ts';
import { openSparingPage } from '../../tools/draw-seldom.ts';
import { ExampleProcess } from '../example-process.ts';
import { bundlePage } from '../page-bundle.ts';
import { Game } from './game.ts';
import { type Intent, readIntent, writeIntent } from './intent.ts';
import { TICK_MS } from './rules.ts';

const chromiumPath = findChromium();
const canLook = chromiumPath !== undefined;
const PATIENCE = { timeout: 30_000 };

test('a Chromium is there where one must be', () => {
  expect(canLook || process.env.CI !== 'true').toBe(true);
});

test('an intent is read as it was written, within the precision of its bytes', () => {
  const part = fc.double({ min: -0.7, max: 0.7, noNaN: true });
  fc.assert(
    fc.property(part, part, fc.boolean(), fc.boolean(), (dx, dy, runs, cloaks) => {
      const read = readIntent(writeIntent({ dx, dy, runs, cloaks })) as Intent;
      expect(read).toMatchObject({ runs, cloaks });
      expect(Math.hypot(read.dx - dx, read.dy - dy)).toBeLessThan(0.01);
    }),
  );
});

test('whatever bytes come as an intent, nobody is faster than the rules', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 4 }), (bytes) => {
      const intent = readIntent(bytes);
      if (intent !== undefined) expect(Math.hypot(intent.dx, intent.dy)).toBeLessThanOrEqual(1.0001);
    }),
    { numRuns: 5000 },
  );
});

test('the command serves the page and its files on one port, and ends when it is told to', async () => {
  const example = new ExampleProcess('02-ws-game', '--port', '0');
  const [url = ''] = await example.printed(/http:\/\/\S+/);
  const page = await (await fetch(url)).text();
  const [, script = ''] = /src="([^"]+\.js)"/.exec(page) ?? [];
  const [, style = ''] = /href="([^"]+\.css)"/.exec(page) ?? [];
  for (const file of [script, style]) expect((await fetch(new URL(file, url))).status).toBe(200);
  expect((await fetch(new URL('/nowhere', url))).status).toBe(404);
  await example.stop();
  expect(example.errors).not.toMatch(/rror/);
});

describe.skipIf(!canLook)('on two pages', () => {
  // Ada is at 400, 0 and Ben 300 to her right: out of sight, within hearing. No wardens: nothing else moves.
  const places = [400, 700];
  const game = new Game({ wardens: 0, embers: 0, spawn: () => ({ x: places.shift() ?? 0, y: 0 }) });
  let transport: WebSocketTransport;
  let browser: Browser;
  let ada: Page;
  let ben: Page;
  let timer: NodeJS.Timeout;

  async function join(name: string): Promise<Page> {
    const page = await openSparingPage(browser, {
      viewport: { width: 900, height: 640 },
    });
    await page.goto(`http://127.0.0.1:${transport.port}/`);
    await page.fill('#name', name);
    await page.click('#door button');
    await page.waitForFunction(() => document.getElementById('hud')?.hidden === false);
    return page;
  }

  /** Waits until Ada's figures have these values. */
  function adaPerceives(seen: number, heard: number, names: string): Promise<unknown> {
    return ada.waitForFunction(
      ([expectedSeen, expectedHeard, expectedNames]) => {
        const text = (id: string) => document.getElementById(id)?.textContent ?? '';
        return (
          text('seen') === expectedSeen &&
          text('heard') === expectedHeard &&
          text('who').trim() === expectedNames
        );
      },
      [String(seen), String(heard), names] as const,
      { polling: 30 },
    );
  }

  beforeAll(async () => {
    transport = new WebSocketTransport({
      port: 0,
      host: '127.0.0.1',
      answer: await bundlePage(new URL('./page', import.meta.url)),
    });
    await game.listen(transport);
    timer = setInterval(() => game.step(), TICK_MS);
    browser = await chromium.launch({
      executablePath: chromiumPath as string,
      headless: true,
      args: HEADLESS_FLAGS,
    });
    ada = await join('Ada');
    await ada.waitForFunction(() => document.getElementById('state')?.textContent?.startsWith('in the open'));
    ben = await join('Ben');
  });

  afterAll(async () => {
    clearInterval(timer);
    await browser?.close();
    await game.drain();
  });

  test('one walks into sight, cloaks and is gone, runs and is heard, and walks away', async () => {
    await adaPerceives(0, 0, '');
    await ben.keyboard.down('ArrowLeft');
    await adaPerceives(1, 0, 'Ben');
    await ben.keyboard.up('ArrowLeft');
    await adaPerceives(1, 0, 'Ben');

    await ben.keyboard.down('Space');
    await adaPerceives(0, 0, '');
    await ben.waitForFunction(() => document.getElementById('state')?.textContent === 'cloaked, silent');
    await ben.keyboard.down('ShiftLeft');
    await ben.keyboard.down('ArrowRight');
    await adaPerceives(0, 1, '');
    await ben.keyboard.up('Space');
    await ben.keyboard.up('ShiftLeft');
    await ben.keyboard.down('ArrowRight');
    await adaPerceives(0, 0, '');
    await ben.keyboard.up('ArrowRight');
    expect([...game.players.values()].map(({ x }) => x > 600)).toEqual([false, true]);
  });

  test('a finger on the picture steers, and a button cloaks', async () => {
    const page = await openSparingPage(browser, {
      viewport: { width: 390, height: 780 },
      hasTouch: true,
      isMobile: true,
    });
    places.push(-600);
    await page.goto(`http://127.0.0.1:${transport.port}/`);
    await page.fill('#name', 'Cleo');
    await page.tap('#door button');
    await page.waitForFunction(() =>
      document.getElementById('state')?.textContent?.startsWith('in the open'),
    );
    const touch = await page.context().newCDPSession(page);
    const points = (x: number) => ({
      touchPoints: [
        { x, y: 400, id: 1 },
        { x: 340, y: 735, id: 2 },
      ],
    });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', ...points(150) });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', ...points(90) });
    await page.waitForFunction(() => document.getElementById('state')?.textContent === 'cloaked, silent');
    const cleo = [...game.players.values()].at(-1)!;
    await expect.poll(() => cleo.x, PATIENCE).toBeLessThan(-640);
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await expect.poll(() => cleo.intent.dx, PATIENCE).toBe(0);
    await page.context().close();
  });
});
