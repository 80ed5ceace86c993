/** A person plays, steps and drags through a recording, by pointer and by key, and sees it as it was. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { PALETTES } from '../../src/page/palette.ts';
import { difference } from './png.ts';
import { LAST_TICK, LONELY, lonelyAt, RecordingStage } from './recording-stage.ts';
import {
  canLook,
  eventually,
  look,
  ownBrowser,
  PIXELS,
  pixelOf,
  Stage,
  screenOf,
  untilShown,
} from './stage.ts';

let stage: RecordingStage;
let page: Page;

const slider = () => page.getByRole('slider', { name: 'Tick of the recording' });
const shownTick = () => page.textContent('[data-figure=tick]');
const value = async () => Number(await slider().getAttribute('aria-valuenow'));

/** Where on the page the handle is for a tick. */
async function handleAt(tick: number): Promise<{ x: number; y: number }> {
  const box = await slider().boundingBox();
  if (box === null) throw new Error('there is no time line');
  return { x: box.x + (tick / LAST_TICK) * box.width, y: box.y + box.height / 2 };
}

/** Waits until the page shows that tick, and everything in it where the recording says. */
async function untilAt(tick: number): Promise<void> {
  await eventually(() => stage.replay.tick).toBe(tick);
  await untilShown(page, stage);
  await eventually(value).toBe(tick);
  const [shown, expected] = [
    await screenOf(page, LONELY),
    await pixelOf(page, lonelyAt(tick).x, lonelyAt(tick).y),
  ];
  expect(shown.x).toBeCloseTo(expected.x, 1);
  expect(shown.y).toBeCloseTo(expected.y, 1);
}

describe.runIf(canLook())('the time line', () => {
  const own = ownBrowser();
  beforeEach(async () => {
    stage = new RecordingStage();
    page = await own.open(stage);
  });

  it('steps forward and back by button and by key', async () => {
    await slider().click();
    await eventually(async () => Math.abs((await value()) - LAST_TICK / 2)).toBeLessThan(3);
    const tick = await value();
    await untilAt(tick);
    await page.getByRole('button', { name: 'One tick back' }).click();
    await untilAt(tick - 1);
    await page.getByRole('button', { name: 'One tick', exact: true }).click();
    await untilAt(tick);
    await page.locator('.world').focus();
    for (const key of [',', ',', '.']) await page.keyboard.press(key);
    await untilAt(tick - 1);
    await page.keyboard.press('Home');
    await eventually(value).toBe(0);
    await page.keyboard.press('End');
    await untilAt(LAST_TICK);
  });

  it('shows the selected entity again after the beginning, where it was not in the world', async () => {
    const card = () => page.textContent('.card');
    await page.locator('.world').focus();
    await page.keyboard.press('End');
    await untilAt(LAST_TICK);
    await page.keyboard.press('n');
    await eventually(card).toContain('perceived by');
    await page.keyboard.press('Home');
    await eventually(card).toContain('Not in the world at this tick.');
    await page.keyboard.press('.');
    await untilAt(1);
    await eventually(card).toContain('perceived by');
    expect(await card()).toContain('since tick 0');
  });

  it('is a slider for the keyboard, whose keys move nothing else', async () => {
    const viewX = () => page.evaluate(() => window.umwelt.camera.x);
    const before = await viewX();
    await slider().focus();
    await page.keyboard.press('PageUp');
    await untilAt(1 + LAST_TICK / 20);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowLeft');
    await untilAt(2 + LAST_TICK / 20);
    await page.keyboard.press('End');
    await untilAt(LAST_TICK);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('PageDown');
    await untilAt(LAST_TICK - LAST_TICK / 20);
    expect(await viewX()).toBe(before);
    expect(await slider().getAttribute('aria-valuemin')).toBe('0');
    expect(await slider().getAttribute('aria-valuemax')).toBe(String(LAST_TICK));
    expect(await slider().getAttribute('aria-valuetext')).toBe('tick 380, 0:19.00');
  });

  it('plays to the end, and stops there', async () => {
    await page.keyboard.press('End');
    await untilAt(LAST_TICK);
    await page.keyboard.press(',');
    await untilAt(LAST_TICK - 1);
    await page.keyboard.press(' ');
    await untilAt(LAST_TICK);
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    expect(await page.textContent('.liveness')).toBe('paused');
  });

  it('shows how far a long way has been gone, and goes where it is dragged last', async () => {
    stage.isHeld = true;
    const [first, second, third] = [await handleAt(100), await handleAt(200), await handleAt(300)];
    await page.mouse.move(first.x, first.y);
    await page.mouse.down();
    await eventually(() => page.textContent('.recording-clock')).toContain('on the way, 50 %');
    expect(await slider().getAttribute('aria-busy')).toBe('true');
    await page.mouse.move(second.x, second.y);
    await page.mouse.move(third.x, third.y);
    await page.mouse.up();
    await eventually(async () => Math.abs((await value()) - 300)).toBeLessThan(3);
    const wanted = await value();
    await eventually(() => stage.asked.at(-1)).toBe(wanted);
    stage.release();
    await untilAt(wanted);
    // Of all the places on the way nobody waited for those in between.
    expect(stage.asked.length).toBeLessThanOrEqual(3);
    expect(await slider().getAttribute('aria-busy')).toBe('false');
  });

  it('leaves the selected selected, explained and followed wherever it goes', async () => {
    const at = await screenOf(page, 1);
    await page.mouse.click(at.x, at.y);
    await page.locator('.card').waitFor();
    const lonely = await screenOf(page, LONELY);
    await page.keyboard.down('Shift');
    await page.mouse.click(lonely.x, lonely.y);
    await page.keyboard.up('Shift');
    const sentence = () => page.locator('.explained .direction p').first().textContent();
    for (const tick of [300, 20, 260]) {
      await page.evaluate((wanted) => window.umwelt.timeLine.seek(wanted), tick);
      await untilAt(tick);
      await eventually(sentence).toBe(stage.world.explain(1, LONELY).sentence);
      expect(await page.textContent('[data-figure=perceives]')).toBe(String(stage.world.visibleTo(1).length));
    }
    await page.selectOption('#detector', 'quadtree');
    await eventually(() => stage.world.stats().detector).toBe('quadtree');
    await page.keyboard.press('t');
    await page.keyboard.press('Home');
    await page.keyboard.press('.');
    await untilAt(1);
    expect(stage.world.stats().detector).toBe('quadtree');
    expect(await page.textContent('.card h2')).toBe('watcher 1');
  });

  it('fits a narrow window, and leaves room for the panel above it', async () => {
    await page.setViewportSize({ width: 380, height: 760 });
    const line = await page.locator('.time-line').boundingBox();
    const panel = await page.locator('.panel').boundingBox();
    expect((panel?.y ?? 0) + (panel?.height ?? 0)).toBeLessThanOrEqual((line?.y ?? 0) + 1);
    const outside = await page.evaluate(() =>
      [
        ...document.querySelectorAll(
          '.time-line button, .time-line b, .recording-clock span, .times span, .track',
        ),
      ]
        .map((element) => ({ text: element.textContent, box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.left < 0 || box.right > 380)
        .map(({ text }) => text),
    );
    expect(outside).toEqual([]);
  });

  it('leaves the world half of a phone that is held sideways', async () => {
    await page.setViewportSize({ width: 667, height: 375 });
    const free = () =>
      page.evaluate(() => {
        const { insets, width, height } = window.umwelt.camera;
        return [width - insets.left - insets.right, height - insets.top - insets.bottom];
      });
    await eventually(async () => (await free())[0]).toBeGreaterThan(330);
    expect((await free())[1]).toBeGreaterThan(187);
    const [line, tools] = [page.locator('.time-line'), page.locator('.map-tools')];
    const toolsBox = await tools.boundingBox();
    expect((toolsBox?.y ?? 0) + (toolsBox?.height ?? 0)).toBeLessThanOrEqual(
      (await line.boundingBox())?.y ?? 0,
    );
  });
});

describe.runIf(canLook())('the picture of the time line', () => {
  const own = ownBrowser();
  beforeEach(async () => {
    stage = new RecordingStage();
    page = await own.open(stage, PIXELS);
  });

  it('is dragged to a tick, which is shown as it was', async () => {
    const from = await handleAt(1);
    const to = await handleAt(250);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 6 });
    await page.mouse.up();
    // A pixel is not quite a tick.
    await eventually(async () => Math.abs((await value()) - 250)).toBeLessThan(3);
    const tick = await value();
    await untilAt(tick);
    expect(await shownTick()).toBe(String(tick));
    expect(await page.textContent('.recording-clock b')).toBe(`0:${(tick / 20).toFixed(2).padStart(5, '0')}`);
    const at = await screenOf(page, LONELY);
    await page.mouse.move(5, 300);
    await untilShown(page, stage);
    const picture = await look(page);
    const ground = PALETTES.dark.ground;
    const bytes = [1, 3, 5].map((i) => Number.parseInt(ground.slice(i, i + 2), 16));
    const ring = [-3, -2, 2, 3].map((dx) => difference(picture.at(at.x + dx, at.y), bytes));
    expect(Math.max(...ring)).toBeGreaterThan(80);
  });

  it('shows where much came and went', async () => {
    const inked = () =>
      page.evaluate(() => {
        const canvas = document.querySelector<HTMLCanvasElement>('canvas.strip');
        const context = canvas?.getContext('2d');
        if (canvas === null || context === null || context === undefined) return [];
        const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
        const heights: number[] = new Array(canvas.width).fill(0);
        for (let i = 3; i < data.length; i += 4) {
          const column = ((i - 3) / 4) % canvas.width;
          if ((data[i] as number) > 200) heights[column] = (heights[column] as number) + 1;
        }
        return heights;
      });
    const meanOf = async (start: number, end: number) => {
      const heights = await inked();
      const part = heights.slice((start / LAST_TICK) * heights.length, (end / LAST_TICK) * heights.length);
      return part.reduce((sum, height) => sum + height, 0) / Math.max(1, part.length);
    };
    expect(await meanOf(101, 119)).toBe(0);
    stage.noteAll();
    await eventually(() => meanOf(101, 119)).toBeGreaterThan(20);
    expect(await meanOf(140, 190)).toBeLessThan(6);
    await page.evaluate(() => window.umwelt.timeLine.seek(111));
    await untilAt(111);
    const { enteredCount, leftCount } = stage.world.lastChanges;
    expect(enteredCount + leftCount).toBeGreaterThan(5);
    // There is one watcher.
    expect(await page.textContent('[data-figure=churn]')).toBe(String(enteredCount + leftCount));
    const at = await handleAt(110);
    await page.mouse.move(at.x, at.y);
    await eventually(() => page.textContent('.pointed')).toMatch(/tick 1\d\d · \d+ entered or left/);
  });
});

describe.runIf(canLook())('a living world', () => {
  const own = ownBrowser();

  it('has no time line, and none of its keys', async () => {
    const living = new Stage();
    const looking = await own.open(living);
    expect(await looking.locator('.time-line, [role=slider]').count()).toBe(0);
    expect(await looking.locator('.world-clock').count()).toBe(1);
    for (const key of [',', 'Home', 'End']) await looking.keyboard.press(key);
    await looking.keyboard.press('?');
    await looking.getByRole('dialog').waitFor();
    expect(await looking.textContent('dialog')).not.toContain('one tick back');
    expect(living.commands).toEqual([]);
  });
});
