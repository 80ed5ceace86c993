/**
 * What the page draws, judged by its pixels.
 */
import { World } from 'umwelt';
import { beforeEach, describe, expect, it } from 'vitest';
import { colourOf, PALETTES } from '../../src/page/palette.ts';
import { changedPixels, difference } from './png.ts';
import {
  canLook,
  look,
  ownBrowser,
  PIXELS,
  pixelOf,
  pixelsOf,
  Stage,
  screenOf,
  untilShown,
} from './stage.ts';

let stage: Stage;

const bytesOf = (hex: string) => colourOf(hex).map((part) => Math.round(part * 255));
const dark = PALETTES.dark;

/** The part of the window that nothing covers. */
const world = { x: 60, y: 60, width: 600, height: 480 };

describe.runIf(canLook())('the picture', () => {
  const own = ownBrowser();
  beforeEach(() => {
    stage = new Stage();
  });

  it('has a disc of its kind where each entity is, and the ground between them', async () => {
    const page = await own.open(stage, PIXELS);
    const picture = await look(page);
    const at = await screenOf(page, stage.watcher);
    expect(difference(picture.at(at.x, at.y), bytesOf(dark.kinds[0] as string))).toBeLessThan(40);
    const places = stage.walkers.map((id) => stage.world.position(id) as unknown as [number, number]);
    const gaps = await pixelsOf(
      page,
      places.map(([x, y]) => [x + 27, y + 27]),
    );
    for (const [i, pixel] of (await pixelsOf(page, places)).entries()) {
      // Those without a range are drawn hollow: their colour is on the ring, fainter in the middle.
      const ring = [-2, 2].map((dx) => picture.at(pixel.x + dx, pixel.y));
      const nearest = Math.min(...ring.map((colour) => difference(colour, bytesOf(dark.kinds[1] as string))));
      expect(nearest).toBeLessThan(90);
      const between = gaps[i]!;
      expect(difference(picture.at(between.x, between.y), bytesOf(dark.ground))).toBeLessThan(30);
    }
  });

  it('changes from tick to tick, and discs are where entities have gone', async () => {
    const page = await own.open(stage, PIXELS);
    const before = await look(page);
    stage.tick();
    await untilShown(page, stage);
    const after = await look(page);
    expect(changedPixels(before, after, world)).toBeGreaterThan(1000);
    const moved = stage.walkers.slice(0, 9);
    const places = moved.map((id) => stage.world.position(id) as unknown as [number, number]);
    for (const pixel of await pixelsOf(page, places)) {
      expect(difference(after.at(pixel.x + 2, pixel.y), bytesOf(dark.ground))).toBeGreaterThan(60);
      expect(difference(before.at(pixel.x + 2, pixel.y), bytesOf(dark.ground))).toBeLessThan(60);
    }
  });

  it('shows entities on their way between two ticks', async () => {
    stage.paused = false;
    const page = await own.open(stage, PIXELS);
    const id = stage.walkers[0] as number;
    const from = await screenOf(page, id);
    // Held half way: what the page's clock would pass through.
    const place = await page.evaluate((wanted) => {
      const { intake } = window.umwelt;
      intake.playhead.advance = () => false;
      return intake.playhead.tick === 1 ? window.umwelt.screenOf(wanted) : undefined;
    }, id);
    expect(place).toEqual(from);
    stage.tick();
    await page.waitForFunction(() => window.umwelt.intake.crowd.between(2).to.tick === 2);
    const picture = async (tick: number) => {
      await page.evaluate((moment) => {
        window.umwelt.intake.playhead.tick = moment;
        window.umwelt.intake.flashes.clear();
        window.umwelt.redraw();
        return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      }, tick);
      return look(page);
    };
    const halfWay = await picture(1.5);
    const at = await screenOf(page, id);
    expect(at.x).toBeCloseTo(from.x - 10 * (await page.evaluate(() => window.umwelt.camera.scale)), 3);
    expect(difference(halfWay.at(at.x + 2, at.y), bytesOf(dark.ground))).toBeGreaterThan(60);
    const atEnd = await picture(2);
    expect(difference(atEnd.at(at.x + 2, at.y), bytesOf(dark.ground))).toBeLessThan(60);
  });

  it('stands still while the world is paused', async () => {
    const page = await own.open(stage, PIXELS);
    // Those who were there at first have flashed on entering.
    await page.waitForFunction(() => window.umwelt.intake.flashes.isEmpty);
    await untilShown(page, stage);
    const before = await look(page);
    await page.waitForTimeout(300);
    expect(changedPixels(before, await look(page), world)).toBe(0);
  });

  it('shows the range of the selected as a ring, and lines to those it perceives', async () => {
    const page = await own.open(stage, PIXELS);
    const before = await look(page);
    const at = await screenOf(page, stage.watcher);
    await page.mouse.click(at.x, at.y);
    await page.mouse.move(5, 300);
    await page.waitForFunction((id) => window.umwelt.store.state.selected?.id === id, stage.watcher);
    await page.waitForTimeout(500);
    const after = await look(page);
    const radius = 120 * (await page.evaluate(() => window.umwelt.camera.scale));
    let onRing = 0;
    for (let i = 0; i < 36; i++) {
      const angle = ((i + 0.5) / 36) * 2 * Math.PI;
      const [x, y] = [at.x + Math.cos(angle) * radius, at.y + Math.sin(angle) * radius];
      const near = [-1, 0, 1].map((away) => {
        const pixel = after.at(x + away * Math.cos(angle), y + away * Math.sin(angle));
        return difference(pixel, before.at(x, y));
      });
      if (Math.max(...near) > 50) onRing++;
    }
    expect(onRing).toBeGreaterThan(32);
    // Half way to a walker that it perceives there is a line; half way to one that it does not, none.
    const perceived = await pixelOf(page, 40, 0);
    const line = [-1, 0, 1].map((dy) =>
      difference(after.at(perceived.x, perceived.y + dy), before.at(perceived.x, perceived.y)),
    );
    expect(Math.max(...line)).toBeGreaterThan(40);
    const beyond = await pixelOf(page, -150, 30);
    expect(difference(after.at(beyond.x, beyond.y), before.at(beyond.x, beyond.y))).toBeLessThan(20);
  });

  it('is light on a light system and dark on a dark one', async () => {
    const brightness = async (colorScheme: 'light' | 'dark') => {
      const page = await own.open(stage, { ...PIXELS, colorScheme });
      const picture = await look(page);
      const { x, y } = await pixelOf(page, 30, 30);
      const sums = [picture.at(x, y), picture.at(10, 20), picture.at(980, 100)].map((pixel) =>
        Math.min(...pixel),
      );
      return sums;
    };
    for (const value of await brightness('light')) expect(value).toBeGreaterThan(200);
    for (const value of await brightness('dark')) expect(value).toBeLessThan(50);
  });

  it('draws a hundred thousand entities, and crowded places more densely', async () => {
    const crowded = new World();
    const count = 100_000;
    const x = new Float32Array(count);
    const y = new Float32Array(count);
    // Evenly over the left half, and a tenth of that in the right one.
    for (let i = 0; i < count; i++) {
      const isRight = i % 11 === 0;
      x[i] = (isRight ? 0 : -360) + ((i * 97) % 3600) / 10;
      y[i] = -240 + ((i * 31) % 4801) / 10;
    }
    crowded.addMany({ x, y });
    const many = new Stage({ world: crowded, kindOf: () => 1, rangeOf: () => 0 });
    Object.assign(many, { world: crowded });
    await many.start();
    const page = await own.open(many, PIXELS);
    expect(await page.textContent('[data-figure=entities]')).toBe('100,000');
    const picture = await look(page);
    const meanAround = async (worldX: number) => {
      const { x: midX, y: midY } = await pixelOf(page, worldX, 0);
      let sum = 0;
      for (let dy = -40; dy < 40; dy++)
        for (let dx = -40; dx < 40; dx++) sum += picture.at(midX + dx, midY + dy)[0];
      return sum / 6400;
    };
    const left = await meanAround(-180);
    const right = await meanAround(180);
    expect(right).toBeGreaterThan((bytesOf(dark.ground)[0] as number) + 5);
    expect(left).toBeGreaterThan(right + 20);
    await many.stop();
  });

  it('colours by height in a world of three dimensions', async () => {
    const tall = new World({ dimensions: 3 });
    const low = tall.add({ x: -100, y: 0, z: 0 });
    const high = tall.add({ x: 100, y: 0, z: 500 });
    const bounds = { minX: -360, minY: -240, maxX: 360, maxY: 240, minZ: 0, maxZ: 500 };
    const flight = new Stage({ world: tall, bounds, kindOf: () => 0, rangeOf: () => 1 });
    Object.assign(flight, { world: tall });
    await flight.start();
    const page = await own.open(flight, PIXELS);
    const picture = await look(page);
    const lowAt = await screenOf(page, low);
    const highAt = await screenOf(page, high);
    expect(difference(picture.at(lowAt.x, lowAt.y), bytesOf(dark.heights[0] as string))).toBeLessThan(40);
    expect(difference(picture.at(highAt.x, highAt.y), bytesOf(dark.heights[4] as string))).toBeLessThan(40);
    await page.keyboard.press('h');
    await page.waitForTimeout(300);
    const byKind = await look(page);
    expect(difference(byKind.at(lowAt.x, lowAt.y), bytesOf(dark.kinds[0] as string))).toBeLessThan(40);
    await flight.stop();
  });
});
