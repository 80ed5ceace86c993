/**
 * The detector on the page: choosing another, and the picture of its structure, judged by its pixels.
 */
import type { Page } from 'playwright-core';
import { type Detector, type DetectorFactory, type DetectorName, detectorNames } from 'umwelt';
import { beforeEach, describe, expect, it } from 'vitest';
import { colourOf, PALETTES, type Palette, type Theme } from '../../src/page/palette.ts';
import { FILL_OPACITY, scaleTop, strengthOf } from '../../src/page/structure-scale.ts';
import { difference, type Picture } from './png.ts';
import {
  canLook,
  eventually,
  look,
  ownBrowser,
  PIXELS,
  POLLING_MS,
  pixelOf,
  pixelsOf,
  Stage,
  untilShown,
} from './stage.ts';

let stage: Stage;
let page: Page;

/** What the page has of cells: how many, and how much they hold together. */
const cellsShown = (): Promise<{ count: number; held: number }> =>
  page.evaluate(() => {
    const counts = [...(window.umwelt.store.state.structure?.counts ?? [])];
    return { count: counts.length, held: counts.reduce((sum, count) => sum + count, 0) };
  });

const figure = (name: string) => page.locator(`[data-figure="${name}"]`);

/** Waits until the page shows the structure of that detector as of the present tick, and has drawn it. */
async function untilStructure(detector: string): Promise<void> {
  await page.waitForFunction(
    ([name, tick]) => {
      const { structure } = window.umwelt.store.state;
      return structure?.detector === name && structure.tick === tick;
    },
    [detector, stage.world.tickCount] as const,
    { polling: POLLING_MS },
  );
  await untilShown(page, stage);
}

function blended(palette: Palette, opacity: number): number[] {
  const ground = colourOf(palette.ground);
  return colourOf(palette.structure).map(
    (part, i) => (part * opacity + (ground[i] as number) * (1 - opacity)) * 255,
  );
}

/**
 * A detector with a picture whose every shape lies between the rows of the stage's walkers: cells of five, of fifty and
 * of nobody, and a level line.
 */
const painted = (): Detector => ({
  name: 'painted',
  detect() {},
  collect() {},
  validate() {},
  describe: () => 'three cells and a line',
  sketch(_store, sketch) {
    sketch.caption = 'Three cells and a line.';
    sketch.cell(-173, 68, -95, 112, 5);
    sketch.cell(-53, -112, 47, -68, 50);
    sketch.cell(67, 68, 133, 112, 0);
    sketch.line(-173, -30, -60, -30);
  },
  memoryBytes: 0,
});

/** Inside the cells, away from their labels and from round coordinates, where the ground has lines. */
const INSIDE = { five: { x: -134, y: 80 }, fifty: { x: 20, y: -93 }, nobody: { x: 91, y: 93 } };

type Place = readonly [x: number, y: number];

/** How much a line that crosses a place stands out from the ground there, for each place: the most of the pixels around. */
async function outlinesAt(picture: Picture, places: readonly Place[], theme: Theme): Promise<number[]> {
  const ground = blended(PALETTES[theme], 0);
  return (await pixelsOf(page, places)).map((at) => {
    const near = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].map((dy) => picture.at(at.x + dx, at.y + dy)));
    return Math.max(...near.map((pixel) => difference(pixel, ground)));
  });
}

describe.runIf(canLook())('the detector on the page', () => {
  const own = ownBrowser();
  beforeEach(async () => {
    stage = new Stage();
    page = await own.open(stage);
  });

  it('is named, and another can be chosen from a list', async () => {
    const choice = page.getByLabel('Detector', { exact: true }).and(page.locator('select'));
    expect(await choice.inputValue()).toBe('sweep');
    expect(await choice.locator('option').allTextContents()).toEqual([...detectorNames]);
    await choice.selectOption('quadtree');
    await eventually(() => stage.world.stats().detector).toBe('quadtree');
    expect(stage.commands).toEqual(['detector quadtree']);
    await eventually(() => page.locator('output[aria-live]').textContent()).toBe('Detector quadtree.');
    expect(await choice.inputValue()).toBe('quadtree');
  });

  it('is the next by key, and the one before, around', async () => {
    await page.keyboard.press('d');
    await eventually(() => figure('detector').inputValue()).toBe(detectorNames[1]);
    await page.keyboard.press('D');
    await eventually(() => figure('detector').inputValue()).toBe('sweep');
    await page.keyboard.press('D');
    await eventually(() => figure('detector').inputValue()).toBe(detectorNames.at(-1));
  });

  it('changes without a flash: nobody comes or goes', async () => {
    await page.keyboard.press('n');
    await page.locator('.card').waitFor();
    const events = async () => ({
      perUnit: await page.textContent('[data-figure=perceives]'),
      relations: await figure('relations').textContent(),
      flashes: await page.evaluate(() => !window.umwelt.intake.flashes.isEmpty),
      lately: await page.locator('.events li').count(),
    });
    const before = await events();
    expect(before.flashes).toBe(false);
    for (const name of detectorNames.slice(1)) {
      await page.selectOption('#detector', name);
      await eventually(() => stage.world.stats().detector).toBe(name);
      stage.world.tick();
      stage.publish();
      await untilShown(page, stage);
      expect(await events()).toEqual(before);
    }
  });

  it('leaves the keys of its list to it while it has the focus, and all others to the page', async () => {
    await page.locator('#detector').focus();
    const scale = await page.evaluate(() => window.umwelt.camera.x);
    await page.keyboard.press('ArrowDown');
    await eventually(() => stage.world.stats().detector).toBe(detectorNames[1]);
    expect(await page.evaluate(() => window.umwelt.camera.x)).toBe(scale);
    await page.keyboard.press('s');
    await page.locator('.caption').waitFor();
  });

  it('says why one cannot be had, and goes on as it was', async () => {
    stage = new Stage({ detectors: ['sweep', 'no-such'] });
    page = await own.open(stage);
    await page.selectOption('#detector', 'no-such');
    await eventually(() => page.textContent('.refusal')).toContain('no-such');
    expect(await figure('detector').inputValue()).toBe('sweep');
    await page.keyboard.press('D');
    await eventually(() => stage.commands.length).toBe(2);
  });

  it('is shown as text where none is offered', async () => {
    stage = new Stage({ detectors: [] });
    page = await own.open(stage);
    expect(await figure('detector').textContent()).toBe('sweep');
    expect(await page.locator('select').count()).toBe(0);
    await page.keyboard.press('d');
    expect(stage.commands).toEqual([]);
  });
});

describe.runIf(canLook())('the structure on the page', () => {
  const own = ownBrowser();

  async function open(theme: Theme = 'dark', makeDetector: DetectorName | DetectorFactory = 'nine-grid') {
    stage = new Stage();
    stage.world.setDetector(makeDetector);
    page = await own.open(stage, { ...PIXELS, colorScheme: theme });
  }

  it.each(['dark', 'light'] as const)(
    'is cells filled by what they hold, and outlines, in %s',
    async (theme) => {
      await open(theme, painted);
      await page.keyboard.press('s');
      await untilStructure('painted');
      const picture = await look(page);
      const { least, most } = FILL_OPACITY;
      for (const [name, count] of [
        ['five', 5],
        ['fifty', 50],
        ['nobody', 0],
      ] as const) {
        const at = await pixelOf(page, INSIDE[name].x, INSIDE[name].y);
        const opacity =
          count === 0 ? 0 : least + (most - least) * strengthOf(count, scaleTop(Uint32Array.of(50)));
        expect(difference(picture.at(at.x, at.y), blended(PALETTES[theme], opacity)), name).toBeLessThan(9);
      }
      const onLines: readonly Place[] = [
        [67, 90],
        [133, 85],
        [91, 68],
        [110, 112],
        [-120, -30],
      ];
      for (const [i, outline] of (await outlinesAt(picture, onLines, theme)).entries()) {
        expect(outline, `at ${onLines[i]}`).toBeGreaterThan(30);
      }
      const offLines: readonly Place[] = [
        [-85, 90],
        [-120, -24],
      ];
      for (const outline of await outlinesAt(picture, offLines, theme)) expect(outline).toBeLessThan(12);
    },
  );

  it('comes and goes by its switch', async () => {
    await open('dark', painted);
    const standsOut = async () => {
      const picture = await look(page);
      const at = await pixelOf(page, INSIDE.fifty.x, INSIDE.fifty.y);
      const fill = difference(picture.at(at.x, at.y), blended(PALETTES.dark, 0));
      const onLines: readonly Place[] = [
        [67, 90],
        [-120, -30],
      ];
      return Math.min(fill, ...(await outlinesAt(picture, onLines, 'dark')));
    };
    const structure = page.getByRole('switch', { name: 'Structure' });
    expect(await standsOut()).toBeLessThan(12);
    await structure.click();
    await untilStructure('painted');
    expect(await standsOut()).toBeGreaterThan(30);
    expect(await structure.getAttribute('aria-checked')).toBe('true');
    await structure.click();
    await eventually(standsOut).toBeLessThan(12);
    expect(await structure.getAttribute('aria-checked')).toBe('false');
    // And stays away, whatever the feed had under way.
    stage.tick();
    await untilShown(page, stage);
    expect(await standsOut()).toBeLessThan(12);
  });

  it('writes the counts into cells that are large enough, and into no others', async () => {
    await open();
    await page.keyboard.press('s');
    await untilStructure('nine-grid');
    const inked = () =>
      page.evaluate(() => {
        const canvas = document.querySelector<HTMLCanvasElement>('canvas.labels');
        const context = canvas?.getContext('2d');
        if (canvas === null || context === null || context === undefined) return -1;
        const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 3; i < data.length; i += 4) if ((data[i] as number) > 100) count++;
        return count;
      });
    expect(await inked()).toBeGreaterThan(30);
    await page.evaluate(() => window.umwelt.zoomBy(1 / 15, undefined, undefined, true));
    await eventually(inked).toBe(0);
  });

  it('says what it shows, how much of it, and what the detector says of itself', async () => {
    await open();
    await page.keyboard.press('s');
    await untilStructure('nine-grid');
    const { count, held } = await cellsShown();
    expect(held).toBe(stage.world.size);
    expect(await page.textContent('.caption')).toBe(
      stage.world.sketch({ minX: 0, minY: 0, maxX: 1, maxY: 1 }).caption,
    );
    expect(await figure('shapes').textContent()).toBe(`${count} cells in and around the view.`);
    const words = page.locator('.structure details');
    expect(await words.locator('pre').isVisible()).toBe(false);
    await words.locator('summary').click();
    expect(await words.locator('pre').textContent()).toBe(stage.world.describe({ limit: 0 }));
    await page.selectOption('#detector', 'brute-force');
    await eventually(() => page.locator('.structure p').allTextContents()).toEqual([
      'brute-force has no structure to draw.',
    ]);
    expect(await cellsShown()).toEqual({ count: 0, held: 0 });
  });

  it('follows the camera and the ticks', async () => {
    await open();
    await page.keyboard.press('s');
    await untilStructure('nine-grid');
    stage.tick();
    await untilStructure('nine-grid');
    const asked = () => page.evaluate(() => window.umwelt.store.state.structure?.window.minX ?? Number.NaN);
    const before = await asked();
    await page.evaluate(() => window.umwelt.dragBy(-900, 0));
    await eventually(asked).toBeGreaterThan(before + 500);
    await page.evaluate(() => window.umwelt.zoomBy(8, undefined, undefined, true));
    const width = () =>
      page.evaluate(() => {
        const { structure } = window.umwelt.store.state;
        return (structure?.window.maxX ?? Number.NaN) - (structure?.window.minX ?? Number.NaN);
      });
    const sight = await page.evaluate(() => window.umwelt.camera.width / window.umwelt.camera.scale);
    await eventually(width).toBeLessThan(sight * 2);
  });

  it('is asked for again when the server has been away', async () => {
    await open();
    await page.keyboard.press('s');
    await untilStructure('nine-grid');
    const port = Number(new URL(stage.url).port);
    await stage.stop();
    await page.locator('.notice').waitFor();
    stage = new Stage();
    stage.world.setDetector('quadtree');
    for (let i = 0; i < 3; i++) stage.tick();
    await stage.start(port);
    await untilStructure('quadtree');
    expect((await cellsShown()).count).toBeGreaterThan(0);
    await stage.stop();
  });

  it('of twenty thousand cells and more is drawn, and the world goes on under it', async () => {
    await open();
    const checkered = (): Detector => ({
      name: 'checkered',
      detect() {},
      collect() {},
      validate() {},
      describe: () => 'a field of a hundred and fifty by a hundred and fifty',
      sketch(_store, sketch) {
        sketch.caption = 'Fields.';
        for (let i = 0; i < 22_500; i++) {
          const [x, y] = [-300 + (i % 150) * 4, -200 + Math.floor(i / 150) * 4];
          sketch.cell(x, y, x + 4, y + 4, x < 0 ? 1 : 100);
        }
      },
      memoryBytes: 0,
    });
    stage.world.setDetector(checkered);
    await page.keyboard.press('s');
    stage.tick();
    await untilStructure('checkered');
    expect(await figure('shapes').textContent()).toBe(
      '20,000 cells in and around the view. There are more: zoom in to see all.',
    );
    const picture = await look(page);
    // Cells of a few pixels have no outline: what is left is the fill.
    for (const [x, opacity] of [
      [-190, FILL_OPACITY.least + (FILL_OPACITY.most - FILL_OPACITY.least) * strengthOf(1, 100)],
      [170, FILL_OPACITY.most],
    ] as const) {
      const at = await pixelOf(page, x, 30);
      expect(difference(picture.at(at.x, at.y), blended(PALETTES.dark, opacity))).toBeLessThan(60);
    }
    for (let i = 0; i < 3; i++) stage.tick();
    await untilShown(page, stage);
    await page.evaluate(() => window.umwelt.zoomBy(6, 300, 300, true));
    await eventually(() => figure('shapes').textContent()).not.toContain('There are more');
  });

  it('has the range of a world of boxes drawn as a box', async () => {
    stage = new Stage({ rangeShape: 'box', rangeRatio: [1, 0.5] });
    page = await own.open(stage, PIXELS);
    const before = await look(page);
    await page.keyboard.press('n');
    await page.locator('.card').waitFor();
    await page.waitForTimeout(500);
    const after = await look(page);
    const changesAt = async (...places: readonly Place[]) =>
      (await pixelsOf(page, places)).map((at) => {
        const near = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].map((dy) => [at.x + dx, at.y + dy] as const));
        return Math.max(...near.map(([px, py]) => difference(after.at(px, py), before.at(px, py))));
      });
    const onBox = await changesAt([120, 50], [-120, -50], [90, 60], [-95, -60]);
    for (const change of onBox) expect(change).toBeGreaterThan(40);
    // A circle of that range would pass here.
    const onCircle = await changesAt([0, 112], [88, 88]);
    for (const change of onCircle) expect(change).toBeLessThan(25);
  });
});
