/**
 * A small world with an inspector, and a browser that looks at it.
 *
 * The tests tick the world themselves, so what a page must show at any moment is known. The browser is Chromium,
 * drawing by software: slow, but the same pixels on every machine. Drawing takes most of the time of a page test, so a page
 * draws as little as its test needs: a sixteenth of the pixels and nothing of the world unless a test looks at them (`PIXELS`), and
 * at most twenty frames a second.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type DetectorName, detectorNames, World } from 'umwelt';
import { build } from 'vite';
import { afterEach, beforeAll, expect } from 'vitest';
import { findChromium, NO_OTHER_PAGES } from '../../../../tools/chromium.ts';
import { openSparingPage } from '../../../../tools/draw-seldom.ts';
import { PATIENCE_MS } from '../../../../tools/patience-ms.ts';
import { type Inspector, type InspectorOptions, startInspector } from '../../src/index.ts';
import type { Explorer } from '../../src/page/explorer.ts';
import { type Picture, readPng } from './png.ts';

declare global {
  interface Window {
    umwelt: Explorer;
  }
}

const SIZE = { width: 1000, height: 640 };

/** For a page whose picture a test looks at: a pixel of the picture is a pixel of the page. */
export const PIXELS: BrowserContextOptions = { deviceScaleFactor: 1 };
/** How often a page is asked whether it is so far: not at each frame, for asking would cause one. */
export const POLLING_MS = 30;

const FLAGS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  NO_OTHER_PAGES,
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  // Only the world is drawn by the graphics library; what lies over it costs less without.
  '--disable-gpu-compositing',
];

const chromiumPath = findChromium();

/** Whether the suites run: without a Chromium they are skipped, but never where that would hide something. */
export function canLook(): boolean {
  if (chromiumPath !== undefined) return true;
  const line =
    'The page is not tested: no Chromium. Install one (apt-get install chromium) or name it in UMWELT_CHROMIUM.';
  if (process.env.CI === 'true') throw new Error(line);
  console.warn(line);
  return false;
}

/** `npm test` has built it; whoever runs the suite alone for the first time has not. */
async function ensurePage(): Promise<void> {
  const configFile = fileURLToPath(new URL('../../vite.config.ts', import.meta.url));
  if (existsSync(new URL('../../dist/page/index.html', import.meta.url))) return;
  await build({ configFile, logLevel: 'silent' });
}

async function launchBrowser(): Promise<Browser> {
  await ensurePage();
  return chromium.launch({ executablePath: chromiumPath as string, headless: true, args: FLAGS });
}

/** A world that pages can look at. */
export interface Shown {
  readonly world: World;
  /** Empty while it is not started. */
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  tick(): void;
}

const KINDS = ['watcher', 'walker'];

/**
 * One watcher in the middle that perceives 120 units far, and walkers on a lattice of 60 around it, of whom every second
 * tick moves 20 units to the right and the other back.
 */
export class Stage implements Shown {
  readonly world = new World();
  readonly watcher: number;
  readonly walkers: number[] = [];
  readonly commands: string[] = [];
  readonly options: InspectorOptions;
  paused = true;
  speed = 1;
  #inspector: Inspector | undefined;

  constructor(patch: Partial<InspectorOptions> = {}) {
    this.watcher = this.world.add({ x: 0, y: 0, range: 120 });
    for (let x = -300; x <= 300; x += 60) {
      for (let y = -180; y <= 180; y += 60) {
        if (x !== 0 || y !== 0) this.walkers.push(this.world.add({ x, y }));
      }
    }
    this.options = {
      world: this.world,
      title: 'A stage',
      kinds: KINDS,
      kindOf: (id) => (id === this.watcher ? 0 : 1),
      rangeOf: (id) => (id === this.watcher ? 120 : 0),
      tickSeconds: 0.05,
      bounds: { minX: -360, minY: -240, maxX: 360, maxY: 240 },
      port: 0,
      detectors: detectorNames,
      commands: {
        play: () => this.#command('play', () => (this.paused = false)),
        pause: () => this.#command('pause', () => (this.paused = true)),
        step: () => this.#command('step', () => this.tick()),
        setSpeed: (factor) => this.#command(`speed ${factor}`, () => (this.speed = factor)),
        setDetector: (name) =>
          this.#command(`detector ${name}`, () => this.world.setDetector(name as DetectorName)),
      },
      ...patch,
    };
  }

  async start(port = 0): Promise<void> {
    this.#inspector = await startInspector({ ...this.options, port });
    this.publish();
  }

  async stop(): Promise<void> {
    await this.#inspector?.close();
    this.#inspector = undefined;
  }

  get url(): string {
    return this.#inspector?.url ?? '';
  }

  tick(): void {
    const step = this.world.tickCount % 2 === 0 ? 20 : -20;
    for (const id of this.walkers) {
      if (!this.world.has(id)) continue;
      const [x, y] = this.world.position(id) as unknown as [number, number];
      this.world.move(id, x + step, y);
    }
    this.world.tick();
    this.publish();
  }

  publish(): void {
    const { paused, speed } = this;
    this.#inspector?.publish(this.world.lastChanges, { tickMs: 1.25, paused, speed });
  }

  #command(name: string, run: () => void): void {
    this.commands.push(name);
    run();
  }
}

/** What a person would wait to see. */
export function eventually<T>(answer: () => T) {
  return expect.poll(answer);
}

/** A browser that suites share, and no page: started before the first test that looks. */
export interface OwnBrowser {
  readonly browser: Browser;
  /** A page on that stage, which is started if need be; both are closed after the test. */
  open(stage: Shown, options?: BrowserContextOptions): Promise<Page>;
}

/** Of all files that a process runs; it ends with the process. */
let launched: Promise<Browser> | undefined;

/** To be called in a suite, where `beforeAll` might be. */
export function ownBrowser(): OwnBrowser {
  let browser: Browser | undefined;
  const toClose: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    launched ??= launchBrowser();
    browser = await launched;
  });
  afterEach(async () => {
    for (const close of toClose.splice(0).reverse()) await close();
  });
  return {
    get browser() {
      return browser as Browser;
    },
    async open(stage, options) {
      if (stage.url === '') {
        toClose.push(() => stage.stop());
        if (stage.world.tickCount === 0) stage.tick();
        await stage.start();
      }
      const page = await openPage(browser as Browser, stage, options);
      toClose.push(() => page.context().close());
      return page;
    },
  };
}

/** An empty page with a context of its own, which draws as little as the options let it. */
export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await openSparingPage(browser, {
    viewport: SIZE,
    colorScheme: 'dark',
    reducedMotion: 'reduce',
    ...options,
  });
  page.context().setDefaultTimeout(PATIENCE_MS);
  return page;
}

/** A page on that stage, when it shows the world's present tick. */
async function openPage(browser: Browser, stage: Shown, options?: BrowserContextOptions): Promise<Page> {
  const page = await newPage(browser, options);
  page.on('pageerror', (error) => {
    throw error;
  });
  await page.goto(stage.url);
  await untilShown(page, stage);
  return page;
}

/**
 * Waits until the page has the stage's present tick and has drawn it. It is shown that tick at once: by itself it glides there,
 * for as long as the tick before took to arrive, and draws all the way.
 */
export async function untilShown(page: Page, stage: Shown): Promise<void> {
  const { tickCount, size } = stage.world;
  await page.waitForFunction(
    ([tick, count]) => {
      const { intake, store } = window.umwelt;
      if (store.state.tick !== tick || intake.crowd.count !== count) return false;
      intake.playhead.tick = tick;
      window.umwelt.redraw();
      return true;
    },
    [tickCount, size] as const,
    { polling: POLLING_MS },
  );
  // The frame after that one has it on the screen.
  await page.evaluate(
    () =>
      new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined)))),
  );
}

/** The picture of a page that was opened with `PIXELS`. */
export async function look(page: Page): Promise<Picture> {
  const picture = readPng(await page.screenshot());
  expect(picture.width, 'pixels of the picture: was the page opened with PIXELS?').toBe(
    page.viewportSize()?.width,
  );
  return picture;
}

/** The camera has not moved for five frames: what a click opened has its place, and the world has made room for it. */
export function cameraAtRest(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const { camera } = window.umwelt;
    let before = '';
    for (let stillFrames = 0; stillFrames < 5; ) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = `${camera.x} ${camera.y} ${camera.scale} ${Object.values(camera.insets)}`;
      stillFrames = now === before ? stillFrames + 1 : 0;
      before = now;
    }
  });
}

/** Where an entity is drawn, in pixels of the page, once the camera is at rest. */
export async function screenOf(page: Page, id: number): Promise<{ x: number; y: number }> {
  await cameraAtRest(page);
  const place = await page.evaluate((wanted) => window.umwelt.screenOf(wanted), id);
  if (place === undefined) throw new Error(`the page knows no entity ${id}`);
  return place;
}

/** World coordinates to pixels of the page, once the camera is at rest. */
export async function pixelOf(page: Page, x: number, y: number): Promise<{ x: number; y: number }> {
  const [pixel] = await pixelsOf(page, [[x, y]]);
  return pixel as { x: number; y: number };
}

/** The same of many places in the same order. It waits once, where that takes a quarter of a second for each place. */
export async function pixelsOf(
  page: Page,
  places: readonly (readonly [x: number, y: number])[],
): Promise<{ x: number; y: number }[]> {
  await cameraAtRest(page);
  return page.evaluate((all) => {
    const { camera } = window.umwelt;
    return all.map(([x, y]) => ({ x: camera.screenX(x), y: camera.screenY(y) }));
  }, places);
}
