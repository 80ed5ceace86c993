/**
 * Takes the picture of the first screen that the README shows: what `npm start` opens, followed for a while. If no FILE
 * is named, also takes the stills that the site shows until its playground runs.
 *
 *   npm run picture [-- FILE]     docs/pictures/inspector.png unless named
 *
 * The world is the same in every run. Which entity is followed, and in which tick, depends on how fast the machine draws.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { chromium, type Page } from 'playwright-core';
import { findChromium } from './chromium.ts';
import { takeStills } from './playground-stills.ts';
import { root } from './run-command.ts';

const SIZE = { width: 1200, height: 720 };
const ENTITIES = 2000;
/** Ticks for which an entity is followed: trails have grown, and the camera has arrived. */
const TICKS = 120;
/** The picture must show at least, and at most, this many markers that the cap cut: of more, the numbers cover each other. */
const CUT = [4, 16] as const;
/** Not every entity comes into a crowd: after this time another is followed, at most this many. */
const PATIENCE_MS = 20_000;
const FOLLOWED_MAX = 10;
const FLAGS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
];

interface ShownState {
  readonly tick: number;
  readonly selected?: { readonly seats: { readonly outrankedTotal: number } };
}

/** The part of the page's state that is read. */
interface PageGlobal {
  readonly umwelt: { readonly store: { readonly state: ShownState } };
}

const file = path.resolve(root, process.argv[2] ?? 'docs/pictures/inspector.png');
const executablePath = findChromium();
if (executablePath === undefined) throw new Error('no Chromium: name one in UMWELT_CHROMIUM');

const main = path.join(root, 'packages/cli/src/main.ts');
const words = ['play', '--port', '0', '--entities', String(ENTITIES)];
const play = spawn(process.execPath, ['--conditions=umwelt:source', main, ...words], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let stills: string[] = [];
try {
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'dark', reducedMotion: 'reduce' });
  await page.goto(await address());
  await page.locator('.card').waitFor();
  for (let followed = 1; !(await comesIntoCrowd(page)); followed++) {
    if (followed === FOLLOWED_MAX) throw new Error(`${followed} were followed, and none came into a crowd`);
    // Follows the next entity that moves.
    await page.keyboard.press('n');
  }
  await page.screenshot({ path: file });
  // It would go on drawing beside the stills.
  await page.close();
  if (process.argv[2] === undefined) stills = await takeStills(browser);
  await browser.close();
} finally {
  play.kill();
  await once(play, 'exit');
}
for (const written of [file, ...stills]) {
  process.stdout.write(
    `picture: ${path.relative(root, written)}, ${Math.ceil(statSync(written).size / 1000)} kB\n`,
  );
}

/** Whether the followed entity, after a while, perceives more markers than it has seats. */
async function comesIntoCrowd(page: Page): Promise<boolean> {
  const from = await page.evaluate(() => (globalThis as unknown as PageGlobal).umwelt.store.state.tick);
  const crowded = page.waitForFunction(
    ([least, cutMin, cutMax]) => {
      const { tick, selected } = (globalThis as unknown as PageGlobal).umwelt.store.state;
      const cut = selected?.seats.outrankedTotal ?? 0;
      return tick > least && cut >= cutMin && cut <= cutMax;
    },
    [from + TICKS, ...CUT] as const,
    { timeout: PATIENCE_MS },
  );
  return crowded.then(
    () => true,
    (error: Error) => {
      if (error.name === 'TimeoutError') return false;
      throw error;
    },
  );
}

/** The address of the page, as the command prints it. */
async function address(): Promise<string> {
  for await (const line of createInterface({ input: play.stdout })) {
    const found = /^(http:\S+)/.exec(line);
    if (found?.[1] !== undefined) return found[1];
  }
  throw new Error('the world has ended before it said where its page is');
}
