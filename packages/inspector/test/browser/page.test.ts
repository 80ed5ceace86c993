/**
 * What the page does: its figures, its keys and buttons, what it remembers, and how it bears what goes wrong.
 */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { canLook, eventually, ownBrowser, Stage, screenOf, untilShown } from './stage.ts';

let stage: Stage;
let page: Page;

const figure = (name: string) => page.locator(`[data-figure="${name}"]`);
const state = <T>(part: string): Promise<T> =>
  page.evaluate((name) => (window.umwelt.store.state as unknown as Record<string, unknown>)[name] as T, part);

describe.runIf(canLook())('the page', () => {
  const own = ownBrowser();
  beforeEach(async () => {
    stage = new Stage();
    page = await own.open(stage);
  });

  it('says whose world it is, and its figures', async () => {
    expect(await page.title()).toBe('A stage · umwelt');
    expect(await page.textContent('.title')).toBe('A stage');
    expect(await figure('entities').textContent()).toBe('77');
    expect(await figure('relations').textContent()).toBe(String(stage.world.visibleTo(stage.watcher).length));
    expect(await figure('tick-ms').textContent()).toBe('1.25ms');
    const watched = stage.world.visibleTo(stage.watcher).length;
    expect(await page.locator('.legend li').allTextContents()).toEqual([
      'watcher10 watched',
      `walker76${watched} watched`,
    ]);
    expect(await page.locator('.plot canvas').count()).toBe(4);
  });

  it('says of the selected from whom it hangs, who hangs from it, whose it is, and that nobody watches it', async () => {
    const { world, watcher } = stage;
    const rider = world.add({ x: 0, y: 0 });
    const away = world.add({ x: 1e6, y: 0, only: watcher, onlyGroup: true });
    world.attach(rider, watcher);
    stage.tick();
    const standing = async (id: number) => {
      await page.evaluate((each) => window.umwelt.select(each), id);
      await page.locator('.standing').waitFor();
      return page
        .locator('.standing > div')
        .evaluateAll((parts) =>
          parts.map((part) => [part.getAttribute('data-standing'), part.querySelector('dd')?.textContent]),
        );
    };
    expect((await standing(watcher)).map(([name]) => name)).toEqual(['children', 'unwatched']);
    expect((await standing(rider)).map(([name]) => name)).toEqual(['parent']);
    expect((await standing(away)).map(([name]) => name)).toEqual(['owner', 'groups', 'unwatched']);
    expect(await standing(away)).toContainEqual(['groups', 'no group']);
    expect(await standing(away)).toContainEqual(['unwatched', 'by no entity']);
    await page.locator('[data-standing=owner] .chip').click();
    await page.locator('[data-standing=children]').waitFor();
  });

  it('says how many pairs linger and how many wait to enter, where any do', async () => {
    expect(await figure('lingering').count()).toBe(0);
    expect(await figure('waiting').count()).toBe(0);
    const { world, watcher } = stage;
    world.setInterest('default', { lingerTicks: 9, enterBudget: 4 });
    stage.tick();
    const [one, other] = world.visibleTo(watcher);
    for (const id of [one!, other!]) world.update(id, { gain: 0 });
    world.addMany({ x: new Float32Array(9), y: new Float32Array(9) });
    stage.tick();
    await untilShown(page, stage);
    const { lingeringCount, waitingCount } = world.stats();
    expect(Math.min(lingeringCount - 1, waitingCount)).toBeGreaterThan(0);
    expect(await figure('lingering').textContent()).toBe(String(lingeringCount));
    expect(await figure('waiting').textContent()).toBe(String(waitingCount));
  });

  it('goes on to a tick by itself, paused and playing', async () => {
    for (const paused of [true, false]) {
      stage.paused = paused;
      stage.tick();
      const { tickCount } = stage.world;
      await eventually(() => page.evaluate(() => window.umwelt.intake.playhead.tick)).toBe(tickCount);
    }
  });

  it('follows the population', async () => {
    stage.world.removeMany(Uint32Array.from(stage.walkers.slice(0, 6)));
    stage.tick();
    await untilShown(page, stage);
    expect(await figure('entities').textContent()).toBe('71');
  });

  it('plays, pauses and steps by key and by button', async () => {
    await page.keyboard.press(' ');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    expect(stage.commands).toEqual(['play']);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    const before = stage.world.tickCount;
    await page.keyboard.press('.');
    await eventually(() => stage.world.tickCount).toBe(before + 1);
    await untilShown(page, stage);
    await page.getByRole('button', { name: 'One tick' }).click();
    await eventually(() => stage.world.tickCount).toBe(before + 2);
    expect(stage.commands).toEqual(['play', 'pause', 'step', 'step']);
  });

  it('leaves Space to the button that has the focus', async () => {
    await page.getByRole('button', { name: 'Help' }).focus();
    await page.keyboard.press(' ');
    await page.getByRole('dialog').waitFor();
    expect(stage.commands).toEqual([]);
  });

  it('changes the speed by doubling and halving', async () => {
    await page.keyboard.press(']');
    await eventually(() => page.textContent('.speed')).toBe('2×');
    await page.getByRole('button', { name: 'Half as fast' }).click();
    await page.keyboard.press('[');
    await eventually(() => page.textContent('.speed')).toBe('1/2×');
    expect(stage.commands).toEqual(['speed 2', 'speed 1', 'speed 0.5']);
  });

  it('shows a card for the selected, with the numbers that the world gives', async () => {
    const at = await screenOf(page, stage.watcher);
    await page.mouse.click(at.x, at.y);
    await page.locator('.card').waitFor();
    const perceived = stage.world.visibleTo(stage.watcher);
    expect(await figure('perceives').textContent()).toBe(String(perceived.length));
    expect(await figure('perceived-by').textContent()).toBe('0');
    expect(await figure('range-sight').textContent()).toBe('120');
    expect(await page.locator('.card h2').textContent()).toBe(`watcher ${stage.watcher}`);
    // From there to one that it perceives.
    await page.locator('.neighbours .chip').first().click();
    await eventually(() => figure('perceived-by').textContent()).toBe('1');
    expect(perceived).toContain((await state<{ id: number }>('selected')).id);
    await page.keyboard.press('Escape');
    await page.locator('.card').waitFor({ state: 'detached' });
  });

  it('tells of what enters and leaves the selected, and flashes it', async () => {
    await page.keyboard.press('n');
    await page.locator('.card').waitFor();
    const perceived = [...stage.world.visibleTo(stage.watcher)];
    const comer = stage.walkers.find((id) => !perceived.includes(id)) as number;
    stage.world.move(perceived[0] as number, 300, 200);
    stage.world.move(comer, 10, 10);
    stage.world.tick();
    stage.publish();
    await untilShown(page, stage);
    await page.locator('.events li').nth(1).waitFor();
    const lines = await page.locator('.events li').allTextContents();
    expect(lines).toEqual([`enteredwalker ${comer}tick 2`, `leftwalker ${perceived[0]}tick 2`]);
    expect(await figure('entered-total').textContent()).toBe('1 entered');
  });

  it('says so when the selected has been removed', async () => {
    await page.keyboard.press('n');
    await page.locator('.card').waitFor();
    stage.world.remove(stage.watcher);
    stage.tick();
    await eventually(() => page.textContent('.card')).toContain('No longer in the world');
    expect(await page.locator('output[aria-live]').textContent()).toContain('no longer there');
  });

  it('walks from entity to entity by Tab while one is selected, and lets Tab go on Escape', async () => {
    await page.locator('.world').focus();
    // Who cannot see the keys' list is told the way out.
    expect(await page.locator('.world').getAttribute('aria-label')).toMatch(/Tab .* Escape/);
    await page.keyboard.press('n');
    await eventually(async () => (await state<{ id: number } | undefined>('selected'))?.id).toBe(
      stage.watcher,
    );
    const sorted = [...stage.world.ids()];
    const next = sorted[(sorted.indexOf(stage.watcher) + 1) % sorted.length];
    await page.keyboard.press('Tab');
    await eventually(async () => (await state<{ id: number } | undefined>('selected'))?.id).toBe(next);
    await page.keyboard.press('Shift+Tab');
    await eventually(async () => (await state<{ id: number } | undefined>('selected'))?.id).toBe(
      stage.watcher,
    );
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.className)).not.toBe('world');
  });

  it('labels what the pointer is on', async () => {
    const at = await screenOf(page, stage.walkers[30] as number);
    await page.mouse.move(at.x, at.y);
    await eventually(() => page.locator('.hover-label').textContent()).toContain(String(stage.walkers[30]));
    await page.mouse.move(5, 300);
    await page.locator('.hover-label').waitFor({ state: 'detached' });
  });

  it('pans and zooms by pointer and by key', async () => {
    const view = () =>
      page.evaluate(() => ({
        x: window.umwelt.camera.x,
        y: window.umwelt.camera.y,
        scale: window.umwelt.camera.scale,
      }));
    const first = await view();
    await page.mouse.move(300, 300);
    await page.mouse.down();
    await page.mouse.move(350, 280, { steps: 4 });
    await page.mouse.up();
    const dragged = await view();
    expect(dragged.x).toBeCloseTo(first.x - 50 / first.scale, 6);
    expect(dragged.y).toBeCloseTo(first.y - 20 / first.scale, 6);
    expect(await state('selected')).toBeUndefined();
    const under = await page.evaluate(() => window.umwelt.camera.worldX(200));
    await page.mouse.move(200, 300);
    await page.mouse.wheel(0, -200);
    await eventually(async () => (await view()).scale).toBeGreaterThan(first.scale * 1.2);
    expect(await page.evaluate(() => window.umwelt.camera.worldX(200))).toBeCloseTo(under, 6);
    const zoomed = await view();
    await page.keyboard.press('-');
    await eventually(async () => (await view()).scale).toBeLessThan(zoomed.scale);
    await page.keyboard.press('ArrowRight');
    await eventually(async () => (await view()).x).toBeGreaterThan(zoomed.x);
    await page.keyboard.press('f');
    await eventually(async () => (await view()).scale).toBeCloseTo(first.scale, 6);
  });

  it('zooms about two fingers that part', async () => {
    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: [x: number, y: number][]) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: points.map(([x, y], id) => ({ x, y, id })),
      });
    const view = () =>
      page.evaluate(() => ({ middle: window.umwelt.camera.worldX(300), scale: window.umwelt.camera.scale }));
    const before = await view();
    await touch('touchStart', [250, 300], [350, 300]);
    await touch('touchMove', [225, 300], [375, 300]);
    await touch('touchMove', [200, 300], [400, 300]);
    await touch('touchEnd');
    await eventually(async () => (await view()).scale / before.scale).toBeCloseTo(2, 1);
    expect((await view()).middle).toBeCloseTo(before.middle, 0);
    expect(await state('selected')).toBeUndefined();
  });

  it('keeps the followed in the middle', async () => {
    await page.keyboard.press('n');
    await page.keyboard.press('Tab');
    await page.evaluate((id) => window.umwelt.select(id), stage.walkers[3] as number);
    await page.locator('.card').waitFor();
    await page.keyboard.press('t');
    stage.tick();
    await untilShown(page, stage);
    const { x } = await screenOf(page, stage.walkers[3] as number);
    expect(x).toBeCloseTo(await page.evaluate(() => window.umwelt.camera.originX), 0);
  });

  it('opens and closes its help', async () => {
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await dialog.textContent()).toContain('Play or pause');
    await page.keyboard.press(' ');
    expect(stage.commands).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.keyboard.press('?');
    await dialog.waitFor();
  });

  it('lists in its help only keys that do something in this world', async () => {
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await dialog.textContent()).not.toContain('height');
    const still = new Stage({ detectors: [] });
    delete still.options.commands;
    const another = await own.open(still);
    await another.keyboard.press('?');
    await another.getByRole('dialog').waitFor();
    const text = await another.getByRole('dialog').textContent();
    expect(text).toContain('Show or hide its structure');
    for (const absent of ['Time', 'Play or pause', 'Next, previous detector'])
      expect(text).not.toContain(absent);
  });

  it('remembers which theme was chosen', async () => {
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    expect(await theme()).toBe('dark');
    await page.keyboard.press('l');
    await eventually(theme).toBe('light');
    await page.reload();
    await untilShown(page, stage);
    expect(await theme()).toBe('light');
  });

  it('gives every button a name, and speaks of what changes', async () => {
    const names = await page.evaluate(() =>
      [...document.querySelectorAll('button')].map(
        (button) => button.getAttribute('aria-label') ?? button.textContent ?? '',
      ),
    );
    expect(names.length).toBeGreaterThan(8);
    for (const name of names) expect(name.trim()).not.toBe('');
    await page.keyboard.press(' ');
    await eventually(() => page.locator('output[aria-live]').textContent()).toBe('Playing.');
  });

  it('finds the world again when the server has been away', async () => {
    const port = Number(new URL(stage.url).port);
    await stage.stop();
    await page.locator('.notice').waitFor();
    const other = new Stage({ title: 'Another stage' });
    for (let i = 0; i < 3; i++) other.tick();
    await other.start(port);
    await eventually(() => page.textContent('.title')).toBe('Another stage');
    await untilShown(page, other);
    await page.locator('.notice').waitFor({ state: 'detached' });
    await other.stop();
  });

  it('says that its address no longer lets it in when the server came back with another token', async () => {
    const guarded = new Stage({ token: 'the first token of all' });
    const guest = await own.open(guarded);
    const port = Number(new URL(guarded.url).port);
    await guarded.stop();
    await guest.locator('.notice').waitFor();
    const other = new Stage({ token: 'another token of another' });
    other.tick();
    await other.start(port);
    await guest.getByText('This address is no longer valid').waitFor();
    await other.stop();
    // One with the token that the page has lets it in again.
    for (let i = 0; i < 3; i++) guarded.tick();
    await guarded.start(port);
    await guest.locator('.notice').waitFor({ state: 'detached' });
    await untilShown(guest, guarded);
  });

  it('says what it lacks without WebGL2, and shows the figures all the same', async () => {
    const context = await own.browser.newContext();
    const poor = await context.newPage();
    await poor.addInitScript(() => {
      const original = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (
        this: HTMLCanvasElement,
        kind: string,
        ...rest: unknown[]
      ) {
        return kind === 'webgl2' ? null : Reflect.apply(original, this, [kind, ...rest]);
      } as typeof original;
    });
    await poor.goto(stage.url);
    await eventually(() => poor.textContent('.notice')).toContain('WebGL2');
    await eventually(() => poor.textContent('[data-figure=entities]')).toBe('77');
    await context.close();
  });

  it('names the selected in one line, whatever its length', async () => {
    const name = 'Sir Bartholomew of the Seven Meadows, Keeper of the Keys of the Northern Gate';
    const named = new Stage({ nameOf: (id) => (id === named.watcher ? name : `walker ${id}`) });
    const another = await own.open(named, { viewport: { width: 640, height: 700 } });
    await another.keyboard.press('n');
    const label = another.locator('.selected-label > span');
    await eventually(() => label.textContent()).toBe(name);
    expect((await label.boundingBox())?.height).toBeLessThan(30);
    // And a window of that width still says what the world's time is.
    expect(await another.locator('.world-clock').isVisible()).toBe(true);
  });

  it('fits a narrow window, with nothing beyond its edges', async () => {
    await page.setViewportSize({ width: 380, height: 760 });
    await page.keyboard.press('n');
    await page.locator('.card').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(380);
    const outside = await page.evaluate(() =>
      [...document.querySelectorAll('button, select, .value, h2')]
        .map((element) => ({ text: element.textContent, box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0 && (box.left < 0 || box.right > 380))
        .map(({ text }) => text),
    );
    expect(outside).toEqual([]);
  });
});
