/**
 * The playground as a part of another page: in a frame that is shut off from its site, as on the documentation's first page.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playgroundPage } from '../../../../tools/playground-page.ts';
import { canLook, eventually, newPage, ownBrowser } from './stage.ts';

const AROUND = `<body style="margin: 0; height: 3000px">
<iframe sandbox="allow-scripts" src="playground.html#n=400" style="width: 400px; height: 400px"></iframe>
<script>addEventListener('message', ({ data }) => { document.body.dataset.told = data; });</script>`;

describe.runIf(canLook())('the playground in a frame', () => {
  const own = ownBrowser();
  let folder: string;
  let page: Page;
  let frame: Frame;
  const faults: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'umwelt-frame-'));
    writeFileSync(path.join(folder, 'playground.html'), await playgroundPage());
    writeFileSync(path.join(folder, 'around.html'), AROUND);
    page = await newPage(own.browser, { colorScheme: 'light' });
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(pathToFileURL(path.join(folder, 'around.html')).href);
    frame = page.frames()[1] as Frame;
  });

  afterAll(async () => {
    await page?.context().close();
    rmSync(folder, { recursive: true, force: true });
  });

  const stepCount = () => frame.evaluate(() => window.playground.stepCount);

  it('runs without storage, and tells the page around when it moves', async () => {
    await eventually(() => page.evaluate(() => document.body.dataset.told)).toBe('umwelt:moves');
    expect(faults).toEqual([]);
  });

  it('leaves the room to the world: the panel waits behind its button', async () => {
    expect(await frame.locator('.panel').count()).toBe(0);
  });

  it('has the theme of the page around', async () => {
    const theme = () => frame.evaluate(() => document.documentElement.dataset.theme);
    expect(await theme()).toBe('light');
    await page.evaluate(() => window.frames[0]?.postMessage({ umweltTheme: 'dark' }, '*'));
    await eventually(theme).toBe('dark');
    await page.evaluate(() => window.frames[0]?.postMessage({ umweltTheme: 'no such' }, '*'));
    await page.evaluate(() => window.frames[0]?.postMessage(null, '*'));
    expect(await theme()).toBe('dark');
  });

  it('lets the wheel scroll the page around until it is clicked', async () => {
    const scale = () => frame.evaluate(() => window.umwelt.camera.scale);
    const before = await scale();
    await page.mouse.move(200, 300);
    await page.mouse.wheel(0, 40);
    await eventually(() => page.evaluate(() => window.scrollY)).toBe(40);
    expect(await scale()).toBe(before);
    await page.mouse.click(200, 200);
    await page.mouse.wheel(0, 40);
    await eventually(scale).not.toBe(before);
    expect(await page.evaluate(() => window.scrollY)).toBe(40);
  });

  it('stands still while it is scrolled away', async () => {
    await page.evaluate(() => window.scrollTo(0, 2000));
    await eventually(async () => {
      const before = await stepCount();
      await page.waitForTimeout(100);
      return (await stepCount()) - before;
    }).toBe(0);
    const before = await stepCount();
    await page.evaluate(() => window.scrollTo(0, 0));
    await eventually(stepCount).toBeGreaterThan(before);
    expect(faults).toEqual([]);
  });
});
