/**
 * The playground: one file that runs from a disk, in which somebody is dragged, a sense turned up, seats are taken away, the
 * detector is another; and its address has all of that. With twenty thousand, each of those in view is drawn.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playgroundPage } from '../../../../tools/playground-page.ts';
import type { Playground } from '../../playground/playground.ts';
import { colourOf, PALETTES } from '../../src/page/palette.ts';
import { difference } from './png.ts';
import { canLook, eventually, look, newPage, ownBrowser, PIXELS } from './stage.ts';

declare global {
  interface Window {
    playground: Playground;
  }
}

describe.runIf(canLook())('the playground', () => {
  const own = ownBrowser();
  let folder: string;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'umwelt-playground-'));
    const file = path.join(folder, 'index.html');
    const text = await playgroundPage();
    // It has no kernels in JavaScript (71 kB), nor anything else that it does not need.
    expect(text.length).toBeLessThan(760_000);
    writeFileSync(file, text);
    page = await newPage(own.browser, { viewport: { width: 900, height: 600 } });
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      // The graphics driver says that reading its picture back takes time.
      if (!message.text().includes('GPU stall due to ReadPixels')) faults.push(message.text());
    });
    page.on('request', (request) => {
      if (!/^(file|data):/.test(request.url())) faults.push(request.url());
    });
    await page.goto(`${pathToFileURL(file).href}#n=400`);
    await page.locator('.card').waitFor();
  });

  afterAll(async () => {
    await page?.context().close();
    rmSync(folder, { recursive: true, force: true });
  });

  const slide = (name: string, value: number) =>
    page.locator(`[data-setting=${name}]`).evaluate((input: HTMLInputElement, to) => {
      input.value = String(to);
      input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }, value);
  const selected = () => page.evaluate(() => window.umwelt.store.state.selected);

  /** Paused, the picture goes on to the last tick, and after whom it follows, until frames have shown that. */
  const untilAtRest = async (paused: Page) => {
    await paused.waitForFunction(() => {
      const { intake, store } = window.umwelt;
      return intake.playhead.tick === store.state.tick;
    });
    await paused.evaluate(
      () =>
        new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
    );
  };

  it('moves, follows somebody, and asks nobody for anything', async () => {
    const before = await page.evaluate(() => window.playground.stepCount);
    await eventually(() => page.evaluate(() => window.playground.stepCount)).toBeGreaterThan(before + 5);
    expect(await page.evaluate(() => window.umwelt.store.state.isFollowing)).toBe(true);
    expect(faults).toEqual([]);
  });

  it('turns a sense up, says by how much, and takes seats away', async () => {
    const range = () => page.locator('[data-figure=range-sight]').textContent();
    const said = () => page.locator('label', { hasText: 'Sight' }).locator('output').textContent();
    const before = Number(await range());
    expect(await said()).toBe('1×');
    await slide('sight', 2);
    await eventually(async () => Number(await range())).toBe(2 * before);
    expect(await said()).toBe('2×');
    await slide('cap', 3);
    await eventually(async () => (await selected())?.seats.seats).toBe(3);
    await eventually(async () => (await selected())?.perceives.total).toBeLessThanOrEqual(3);
  });

  it('leaves the arrow keys to a slider that has the focus', async () => {
    await page.locator('[data-setting=cap]').focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.inputValue('[data-setting=cap]')).toBe('4');
    await eventually(async () => (await selected())?.seats.seats).toBe(4);
    expect(await page.evaluate(() => window.umwelt.store.state.isFollowing)).toBe(true);
    await page.keyboard.press('ArrowLeft');
    await eventually(async () => (await selected())?.seats.seats).toBe(3);
  });

  it('shows another detector and its cells', async () => {
    await page.selectOption('#detector', 'nine-grid');
    await page.getByRole('switch', { name: 'Structure' }).click();
    await eventually(() => page.evaluate(() => window.umwelt.store.state.structure?.detector)).toBe(
      'nine-grid',
    );
  });

  it('has all of it in the address', async () => {
    expect(await page.evaluate(() => location.hash)).toBe(
      '#n=400&sight=2&cap=3&detector=nine-grid&structure=1',
    );
  });

  it('takes a shared address that is opened in the same tab', async () => {
    await page.evaluate(() => {
      location.hash = '#n=400&sight=1.5&cap=5&detector=tower';
    });
    await eventually(() => page.inputValue('#detector')).toBe('tower');
    expect(await page.inputValue('[data-setting=cap]')).toBe('5');
    await eventually(async () => (await selected())?.seats.seats).toBe(5);
    expect(await page.evaluate(() => window.umwelt.store.state.isStructureShown)).toBe(false);
    expect(await page.evaluate(() => location.hash)).toBe('#n=400&sight=1.5&cap=5&detector=tower');
  });

  it('says in its help that an entity can be dragged', async () => {
    await page.keyboard.press('?');
    expect(await page.locator('dialog.help').textContent()).toContain('Drag an entity to move it');
    await page.keyboard.press('?');
  });

  it('does not say that the address was copied where it was not', async () => {
    await page.evaluate(() =>
      Object.defineProperty(navigator, 'clipboard', { configurable: true, value: undefined }),
    );
    const asked = page.waitForEvent('dialog');
    const clicked = page.locator('.controls .chip').click();
    const dialog = await asked;
    expect(dialog.defaultValue()).toBe(page.url());
    await dialog.dismiss();
    await clicked;
    expect(await page.locator('.controls .chip').textContent()).toBe('Share');
  });

  it('lets somebody be dragged, and selects him', async () => {
    await page.evaluate(() => window.umwelt.pace.togglePlay());
    await eventually(() => page.evaluate(() => window.umwelt.store.state.paused)).toBe(true);
    await untilAtRest(page);
    const id = (await selected())?.id as number;
    const from = await page.evaluate((it) => window.umwelt.screenOf(it), id);
    if (from === undefined) throw new Error('the selected is not there');
    await page.mouse.move(from.x, from.y);
    await eventually(() => page.evaluate(() => window.umwelt.store.state.hovered?.id)).toBe(id);
    await page.mouse.down();
    await page.mouse.move(from.x + 40, from.y + 30, { steps: 4 });
    await page.keyboard.press('.');
    await eventually(async () => {
      const to = await page.evaluate((it) => window.umwelt.screenOf(it), id);
      return to === undefined ? Number.NaN : Math.hypot(to.x - from.x - 40, to.y - from.y - 30);
    }).toBeLessThan(3);
    await page.mouse.up();
    expect((await selected())?.id).toBe(id);
    expect(faults).toEqual([]);
  });

  it('moves twenty thousand, and draws each of those in view', async () => {
    const many = await newPage(own.browser, { viewport: { width: 900, height: 600 }, ...PIXELS });
    await many.goto(page.url().replace(/#.*/, '#n=20000'));
    await many.locator('.card').waitFor();
    await eventually(() => many.evaluate(() => window.playground.stepCount)).toBeGreaterThan(10);
    await many.evaluate(() => window.umwelt.pace.togglePlay());
    await eventually(() => many.evaluate(() => window.umwelt.store.state.paused)).toBe(true);
    await untilAtRest(many);
    expect(await many.evaluate(() => window.umwelt.intake.crowd.count)).toBe(20_000);
    const places = await many.evaluate(() => {
      const { intake } = window.umwelt;
      const all = [...intake.crowd.ids].map((id) => window.umwelt.screenOf(id) ?? { x: -1, y: -1 });
      // Where neither a panel nor the name of the selected one covers any.
      return all.filter(({ x, y }) => x > 10 && x < 220 && y > 70 && y < 470);
    });
    expect(places.length).toBeGreaterThan(8);
    const picture = await look(many);
    const ground = colourOf(PALETTES.dark.ground).map((part) => Math.round(part * 255));
    // A hollow one has its colour on the ring.
    const around = [-4, -2, 0, 2, 4];
    const isDrawn = ({ x, y }: { x: number; y: number }) =>
      around.some((dx) => around.some((dy) => difference(picture.at(x + dx, y + dy), ground) > 60));
    expect(places.filter((place) => !isDrawn(place))).toEqual([]);
    await many.context().close();
  });

  it('says what it needs where there is no WebAssembly', async () => {
    const old = await own.browser.newPage();
    await old.addInitScript('delete globalThis.WebAssembly');
    await old.goto(page.url());
    await eventually(() => old.locator('body').innerText()).toContain('needs WebAssembly with SIMD');
    await old.close();
  });
});
