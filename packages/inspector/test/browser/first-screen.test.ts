/**
 * What a page shows that nobody has touched, and what the picture tells of a watcher with senses, seats and a name.
 */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { World } from 'umwelt';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Inspector, startInspector } from '../../src/index.ts';
import {
  canLook,
  eventually,
  look,
  type OwnBrowser,
  ownBrowser,
  PIXELS,
  type Shown,
  screenOf,
  untilShown,
} from './stage.ts';

/** A rover that sees and hears, with two seats, and four things to the right of it, each farther than the one before. */
class Scene implements Shown {
  readonly world = new World({
    senses: ['sight', 'hearing'],
    interests: { default: { cap: 2 } },
  });
  readonly rover = this.world.add({ x: 0, y: 0, range: { sight: 120, hearing: 60 } });
  readonly things = [40, 65, 80, 100].map((x) =>
    this.world.add({ x, y: 30, gain: { hearing: x > 50 ? 0 : 1 } }),
  );
  /** It moves. */
  walker = this.rover;
  tickMs = 1;
  #x = 0;
  #inspector: Inspector | undefined;

  async start(): Promise<void> {
    const { world, rover, things } = this;
    this.#inspector = await startInspector({
      world,
      title: 'A scene',
      kinds: ['rover', 'thing'],
      kindOf: (id) => Number(id !== rover),
      nameOf: (id) => (id === rover ? 'Mira Okafor' : `thing ${things.indexOf(id) + 1}`),
      tickSeconds: 0.05,
      bounds: { minX: -360, minY: -240, maxX: 360, maxY: 240 },
      port: 0,
    });
    this.#publish();
  }

  async stop(): Promise<void> {
    await this.#inspector?.close();
  }

  get url(): string {
    return this.#inspector?.url ?? '';
  }

  tick(): void {
    this.#x += 2;
    this.world.move(this.walker, this.#x, 0);
    this.world.tick();
    this.#publish();
  }

  #publish(): void {
    this.#inspector?.publish(this.world.lastChanges, { tickMs: this.tickMs, paused: false, speed: 1 });
  }
}

let scene: Scene;
let page: Page;

/** A page on a new scene, when it has chosen the rover by itself. */
async function begin(own: OwnBrowser, options?: BrowserContextOptions): Promise<void> {
  scene = new Scene();
  page = await own.open(scene, options);
  for (let i = 0; i < 3; i++) {
    scene.tick();
    await untilShown(page, scene);
  }
  await eventually(() => page.locator('.card h2').textContent()).toBe('Mira Okafor rover');
}

describe.runIf(canLook())('the first screen', () => {
  const own = ownBrowser();
  beforeEach(() => begin(own));

  it('follows somebody who moves, and lets go at the first touch', async () => {
    const isFollowing = () => page.evaluate(() => window.umwelt.store.state.isFollowing);
    expect(await isFollowing()).toBe(true);
    const middle = await page.evaluate(() => [window.umwelt.camera.originX, window.umwelt.camera.originY]);
    const atMiddle = async () => {
      const { x, y } = await screenOf(page, scene.rover);
      return Math.hypot(x - (middle[0] as number), y - (middle[1] as number));
    };
    await eventually(atMiddle).toBeLessThan(3);
    expect(await page.locator('[data-hint=first]').count()).toBe(1);
    await page.keyboard.press('Escape');
    scene.tick();
    await untilShown(page, scene);
    expect(await page.locator('.card').count()).toBe(0);
    expect(await isFollowing()).toBe(false);
    expect(await page.locator('[data-hint=first]').count()).toBe(0);
  });

  it('lets Tab go on while nobody has selected anything', async () => {
    const focused = () => page.evaluate(() => document.activeElement?.className);
    await page.locator('.world').focus();
    await page.keyboard.press('Tab');
    expect(await focused()).not.toBe('world');
    expect(await page.locator('.card h2').textContent()).toBe('Mira Okafor rover');
    await page.locator('.world').focus();
    await page.keyboard.press('n');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('world');
  });

  it('follows another one when the one that it follows is removed', async () => {
    const scout = scene.world.add({ x: 0, y: -30, range: { sight: 50, hearing: 0 } });
    scene.world.remove(scene.rover);
    scene.walker = scout;
    // It cannot tell who moves before there are two ticks with it.
    for (let i = 0; i < 4; i++) {
      scene.tick();
      await untilShown(page, scene);
    }
    await eventually(() => page.locator('.card').getByText(`${scout}`).count()).toBeGreaterThan(0);
    expect(await page.evaluate(() => window.umwelt.store.state.isFollowing)).toBe(true);
    expect(await page.locator('[data-hint=first]').count()).toBe(1);
  });

  it('tells senses, seats and who was cut, and why at a touch', async () => {
    const rows = await page.locator('.senses li').allTextContents();
    expect(rows).toEqual(['sightrange 1202', 'hearingrange 601']);
    expect(await page.locator('.seats p').textContent()).toBe('2 of 2 taken · 2 cut by the cap');
    await page.getByRole('button', { name: '3 thing 3: why no seat?' }).click();
    await eventually(() => page.locator('.direction').first().getAttribute('data-rule')).toBe('cap');
    expect(await page.locator('.direction h4').first().textContent()).toBe('Mira Okafor → thing 3');
  });

  it('has no play and pause where the world is driven without', async () => {
    expect(await page.locator('.time-controls').count()).toBe(0);
    await page.keyboard.press(' ');
    scene.tick();
    await untilShown(page, scene);
  });

  it('has a colour for a tick past its budget', async () => {
    const budget = () => page.locator('figure[data-budget]').getAttribute('data-budget');
    expect(await budget()).toBe('within');
    scene.tickMs = 80;
    // What is shown is a mean over time, and a busy browser takes many ticks at once: as many as it needs.
    await eventually(async () => {
      scene.tick();
      await page.waitForTimeout(60);
      return budget();
    }).toBe('over');
    const colour = await page.locator('[data-figure="tick-ms"]').evaluate((it) => getComputedStyle(it).color);
    expect(colour).toBe('rgb(255, 93, 108)');
    await eventually(() => page.locator('[data-figure="ticks-over"]').count()).toBe(1);
  });
});

describe.runIf(canLook())('the picture of the first screen', () => {
  const own = ownBrowser();

  it('draws who was cut hollow, and those with a seat whole', async () => {
    await begin(own, PIXELS);
    const picture = await look(page);
    const brightness = async (id: number) => {
      const { x, y } = await screenOf(page, id);
      const [red, green, blue] = picture.at(Math.round(x), Math.round(y));
      return red + green + blue;
    };
    const [seated, , cut] = scene.things as [number, number, number];
    expect(await brightness(seated)).toBeGreaterThan(200);
    expect(await brightness(cut)).toBeLessThan(120);
  });
});
