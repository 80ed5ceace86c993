/** What axe finds in the inspector's page and in the playground, in both themes, on wide and narrow screens: nothing. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playgroundPage } from '../../../../tools/playground-page.ts';
import { canLook, eventually, newPage, ownBrowser, Stage } from './stage.ts';

interface AxeGlobal {
  readonly axe: {
    run(): Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }>;
  };
}

async function findings(page: Page): Promise<string[]> {
  // The page lets no script in that is not its own; what a test evaluates is let in.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as AxeGlobal).axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
  });
}

const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1200, 390].map((width) => ({ colorScheme, width })),
);

describe.runIf(canLook())('axe finds nothing', () => {
  const own = ownBrowser();
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'umwelt-axe-'));
    writeFileSync(path.join(folder, 'playground.html'), await playgroundPage());
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(looks)("in the inspector's page, $colorScheme, $width wide", async ({ colorScheme, width }) => {
    const stage = new Stage();
    const page = await own.open(stage, { colorScheme, viewport: { width, height: 800 } });
    await page.evaluate((id) => window.umwelt.select(id, true), stage.watcher);
    await page.locator('.card').waitFor();
    expect(await findings(page)).toEqual([]);
  });

  it.each(looks)('in the playground, $colorScheme, $width wide', async ({ colorScheme, width }) => {
    const page = await newPage(own.browser, { colorScheme, viewport: { width, height: 800 } });
    await page.goto(`${pathToFileURL(path.join(folder, 'playground.html')).href}#n=400&cap=2`);
    // Those whom the cap has cut have buttons of their own.
    await eventually(() => page.locator('.chip.hollow').count()).toBeGreaterThan(0);
    await page.evaluate(() => window.umwelt.pace.togglePlay());
    expect(await findings(page)).toEqual([]);
    await page.context().close();
  });
});
