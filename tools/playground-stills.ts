/**
 * Takes the still pictures that the site shows until the playground runs, for each theme a wide one and one for phones:
 * docs/pictures/playground-*.webp.
 *
 * The playground is opened in a frame as large as the site's, so that the first moving frame looks like the still.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { playgroundPage } from './playground-page.ts';
import { root } from './run-command.ts';

/** Sizes as on a screen 1440 pixels wide, and on one of 390. */
const SIZES = [
  { name: '', viewport: { width: 880, height: 560 } },
  { name: 'narrow-', viewport: { width: 342, height: 560 } },
];
const looks = (['light', 'dark'] as const).flatMap((theme) => SIZES.map((size) => ({ theme, ...size })));
const QUALITY = 0.8;
/** Ticks after which trails have grown, and the camera has arrived. */
const STEPS = 120;

/** The part of the page's state that is read. */
interface PlaygroundGlobal {
  readonly playground: { readonly stepCount: number };
}

/** Takes the stills; returns the files that were written. */
export async function takeStills(browser: Browser): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'umwelt-stills-'));
  writeFileSync(path.join(folder, 'playground.html'), await playgroundPage());
  const around = path.join(folder, 'around.html');
  const style = 'margin:0;border:0;display:block;width:100vw;height:100vh';
  writeFileSync(
    around,
    `<body style="margin:0"><iframe style="${style}" sandbox="allow-scripts" src="playground.html"></iframe></body>`,
  );
  const files: string[] = [];
  try {
    for (const { theme, name, viewport } of looks) {
      const page = await browser.newPage({ viewport, colorScheme: theme, reducedMotion: 'reduce' });
      await page.goto(pathToFileURL(around).href);
      const [frame] = page.frames().slice(1);
      // On a phone the panel is closed at first.
      if (name === '') await frame?.locator('.card').waitFor();
      await frame?.waitForFunction(
        (steps) => (globalThis as unknown as PlaygroundGlobal).playground.stepCount > steps,
        STEPS,
        { timeout: 60_000 },
      );
      const png = (await page.screenshot()).toString('base64');
      const file = path.join(root, `docs/pictures/playground-${name}${theme}.webp`);
      writeFileSync(file, await asWebp(browser, png));
      files.push(file);
      await page.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return files;
}

/** Converts to WebP in the browser, because nothing else here can. */
async function asWebp(browser: Browser, png: string): Promise<Buffer> {
  const page = await browser.newPage();
  const address = await page.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png}';
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', ${QUALITY});
  })()`);
  await page.close();
  return Buffer.from(address.slice(address.indexOf(',') + 1), 'base64');
}
