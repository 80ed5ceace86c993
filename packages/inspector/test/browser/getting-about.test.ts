/**
 * Getting about the world, with motion as most people have it, on a desk and on a phone: the panel opened and closed,
 * watchers gone to by key, a second entity picked by touch.
 */
import type { BrowserContextOptions, CDPSession, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { cameraAtRest, canLook, eventually, ownBrowser, Stage, screenOf, untilShown } from './stage.ts';

const DESK: BrowserContextOptions = {
  viewport: { width: 1280, height: 800 },
  reducedMotion: 'no-preference',
};
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  reducedMotion: 'no-preference',
  hasTouch: true,
  isMobile: true,
};

let stage: Stage;
let page: Page;

const scaleOf = () => page.evaluate(() => window.umwelt.camera.scale);
/** The scale that shows all of the world in what nothing covers. */
const fittingScale = () =>
  page.evaluate(() => {
    const { camera, store } = window.umwelt;
    const { greeting } = store.state;
    return greeting === undefined ? 0 : camera.fittingScale(greeting.bounds);
  });
const insets = () => page.evaluate(() => ({ ...window.umwelt.camera.insets }));
const selectedId = () => page.evaluate(() => window.umwelt.store.state.selected?.id);

const atRest = () => cameraAtRest(page);

describe.runIf(canLook())('the side panel', () => {
  const own = ownBrowser();

  it.each([
    ['a desk', DESK],
    ['a phone', PHONE],
    ['a small window', { ...DESK, viewport: { width: 800, height: 500 } }],
  ])(
    'leaves the world whole and as large as it can be when it closes and opens, on %s',
    async (_, options) => {
      stage = new Stage();
      page = await own.open(stage, options);
      await atRest();
      const open = await scaleOf();
      expect(open / (await fittingScale())).toBeCloseTo(1, 2);
      for (let i = 0; i < 3; i++) {
        await page.getByRole('button', { name: 'Side panel' }).click();
        await page.locator('.panel').waitFor({ state: 'detached' });
        await eventually(insets).toMatchObject({ left: 0, right: 0 });
        await atRest();
        expect((await scaleOf()) / (await fittingScale())).toBeCloseTo(1, 2);
        expect(await scaleOf()).toBeGreaterThanOrEqual(open);
        await page.getByRole('button', { name: 'Side panel' }).click();
        await page.locator('.panel').waitFor();
        await atRest();
        expect(await scaleOf()).toBeCloseTo(open, 3);
      }
    },
  );

  it('leaves a view that a person has chosen as it is', async () => {
    stage = new Stage();
    page = await own.open(stage, DESK);
    await page.mouse.move(300, 300);
    const whole = await scaleOf();
    await page.mouse.wheel(0, -400);
    await eventually(scaleOf).toBeGreaterThan(whole);
    await atRest();
    const chosen = await scaleOf();
    await page.keyboard.press('b');
    await page.locator('.panel').waitFor({ state: 'detached' });
    await atRest();
    expect(await scaleOf()).toBe(chosen);
  });
});

describe.runIf(canLook())('n', () => {
  const own = ownBrowser();
  /** Watchers that stand in a corner: what lies first among the ids. */
  let cameras: number[];
  let rover: number;
  let x: number;

  beforeEach(async () => {
    stage = new Stage();
    stage.world.remove(stage.watcher);
    cameras = [0, 1, 2].map((i) => stage.world.add({ x: -340 + i * 8, y: -220, range: 20 }));
    x = 150;
    rover = stage.world.add({ x, y: 100, range: 20 });
    const ranges = new Set([...cameras, rover]);
    stage.options.rangeOf = (id) => (ranges.has(id) ? 20 : 0);
    page = await own.open(stage, DESK);
    for (let i = 0; i < 3; i++) {
      x += 2;
      stage.world.move(rover, x, 100);
      stage.tick();
      await untilShown(page, stage);
    }
    // By itself the page follows the rover by now: what it does where nobody is selected is asked here.
    await eventually(selectedId).toBe(rover);
    await page.keyboard.press('Escape');
    await page.keyboard.press('f');
    await eventually(selectedId).toBeUndefined();
    await atRest();
  });

  it('picks one that moves first, and goes to it', async () => {
    await page.keyboard.press('n');
    await eventually(selectedId).toBe(rover);
    await atRest();
    const camera = await page.evaluate(() => {
      const { originX, originY, scale } = window.umwelt.camera;
      return { originX, originY, scale };
    });
    const at = await screenOf(page, rover);
    expect(Math.hypot(at.x - camera.originX, at.y - camera.originY)).toBeLessThan(3);
    // Near enough to see what it perceives: its range is some hundred pixels wide, not a dot.
    expect(20 * camera.scale).toBeGreaterThan(80);
  });

  it('says whom it waits for while nothing is known of it', async () => {
    const hint = () => page.locator('[data-hint=card]').allTextContents();
    expect(await hint()).toEqual(['Click an entity, or press n, to see what it perceives.']);
    // As in a large world: the answer arrives late.
    const answer = await page.evaluateHandle(() => {
      const { intake } = window.umwelt;
      const take = intake.take.bind(intake);
      const late: Parameters<typeof take>[] = [];
      intake.take = (...news) => void late.push(news);
      return () => {
        intake.take = take;
        for (const news of late) take(...news);
      };
    });
    await page.keyboard.press('n');
    await eventually(hint).toEqual([`Waiting for walker ${rover}.`]);
    await answer.evaluate((arrive) => arrive());
    await eventually(hint).toEqual([]);
    expect(await page.locator('.card h2').textContent()).toBe(`walker ${rover}`);
    await page.keyboard.press('Escape');
    await eventually(hint).toEqual(['Click an entity, or press n, to see what it perceives.']);
  });

  it('goes from one to the next, to those that stand too, and does not zoom out of a nearer view', async () => {
    await page.keyboard.press('n');
    await eventually(selectedId).toBe(rover);
    await atRest();
    await page.evaluate(() => window.umwelt.zoomBy(3, undefined, undefined, true));
    await atRest();
    const near = await scaleOf();
    const seen = new Set<number | undefined>();
    for (let i = 0; i < 3; i++) {
      const before = await selectedId();
      await page.keyboard.press('n');
      await eventually(selectedId).not.toBe(before);
      await eventually(selectedId).toBeDefined();
      seen.add(await selectedId());
      await atRest();
      expect(await scaleOf()).toBeCloseTo(near, 6);
      const at = await screenOf(page, (await selectedId()) as number);
      expect(Math.abs(at.x - (await page.evaluate(() => window.umwelt.camera.originX)))).toBeLessThan(3);
    }
    expect(seen).toEqual(new Set(cameras));
  });
});

describe.runIf(canLook())('by touch', () => {
  const own = ownBrowser();
  const sentences = () => page.locator('.explained .direction p').allTextContents();
  const expected = (id: number) => [
    stage.world.explain(stage.watcher, id).sentence,
    stage.world.explain(id, stage.watcher).sentence,
  ];
  const tap = async (id: number) => {
    const { x, y } = await screenOf(page, id);
    await page.touchscreen.tap(x, y);
  };
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: { x: number; y: number }[]) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: points.map((point, id) => ({ ...point, id })),
    });
  let session: CDPSession;

  beforeEach(async () => {
    stage = new Stage();
    page = await own.open(stage, PHONE);
    session = await page.context().newCDPSession(page);
    await atRest();
    await tap(stage.watcher);
    await eventually(selectedId).toBe(stage.watcher);
  });

  it('a second one is held against the selected by a long press', async () => {
    const other = stage.walkers[30] as number;
    const at = await screenOf(page, other);
    await touch('touchStart', at);
    await eventually(sentences).toEqual(expected(other));
    await touch('touchEnd');
    // The end of the press is not a tap: the watcher is still the selected.
    await page.waitForTimeout(100);
    expect(await selectedId()).toBe(stage.watcher);
    expect(await sentences()).toEqual(expected(other));
  });

  it('the answer is in the part of the card that the panel shows', async () => {
    expect(await page.locator('.panel').evaluate((panel) => panel.scrollTop)).toBe(0);
    const at = await screenOf(page, stage.walkers[30] as number);
    await touch('touchStart', at);
    await page.locator('.direction').nth(1).waitFor();
    await touch('touchEnd');
    const panel = page.locator('.panel');
    const bottomOf = (of: typeof panel) => of.evaluate((element) => element.getBoundingClientRect().bottom);
    expect(await bottomOf(page.locator('.direction').nth(1))).toBeLessThanOrEqual(await bottomOf(panel));
  });

  it('a finger that drags picks nobody, however long it stays down', async () => {
    const at = await screenOf(page, stage.walkers[30] as number);
    // At once one after the other: a slow answer between them would be a rest.
    await Promise.all([touch('touchStart', at), touch('touchMove', { x: at.x + 40, y: at.y })]);
    await page.waitForTimeout(900);
    await touch('touchEnd');
    expect(await page.evaluate(() => window.umwelt.store.state.comparedId)).toBe(0);
    expect(await selectedId()).toBe(stage.watcher);
  });

  it('a second one is picked by the next tap after the button of the card', async () => {
    const [first, second] = [stage.walkers[30], stage.walkers[44]] as [number, number];
    await page.getByRole('button', { name: 'Why related' }).tap();
    await page.getByText('Tap another entity').waitFor();
    await tap(first);
    await eventually(sentences).toEqual(expected(first));
    expect(await selectedId()).toBe(stage.watcher);
    // Once: the next tap selects again.
    await tap(second);
    await eventually(selectedId).toBe(second);
  });

  it('a second one is picked among those that the card lists, too', async () => {
    await page.getByRole('button', { name: 'Why related' }).tap();
    const listed = page.locator('.neighbours .chip').first();
    expect(await listed.getAttribute('aria-label')).toMatch(/^Explain /);
    const id = Number((await listed.getAttribute('title'))?.split('id ')[1]);
    await listed.tap();
    await eventually(sentences).toEqual(expected(id));
    expect(await selectedId()).toBe(stage.watcher);
    // Once: the next tap selects again.
    await listed.tap();
    await eventually(selectedId).toBe(id);
  });

  it('the name of one at the side of the picture is shown whole', async () => {
    const { x } = await screenOf(page, stage.watcher);
    const { width } = page.viewportSize()!;
    await page.evaluate((dx) => window.umwelt.glideBy(dx, 0), x - (width - 6));
    await atRest();
    expect((await screenOf(page, stage.watcher)).x).toBeCloseTo(width - 6, 0);
    const box = await page.locator('.selected-label > span').boundingBox();
    expect(box!.width).toBeGreaterThan(20);
    expect(box!.x + box!.width).toBeLessThanOrEqual(width);
  });

  it('the button of the card takes back what it began', async () => {
    const button = page.getByRole('button', { name: 'Why related' });
    await button.tap();
    await page.getByText('Tap another entity').waitFor();
    await button.tap();
    await page.getByText('Tap another entity').waitFor({ state: 'detached' });
    await tap(stage.walkers[30] as number);
    await eventually(selectedId).toBe(stage.walkers[30]);
  });
});
