/** A person picks two and reads why they are related, or not; and sees how many relations change hands. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { canLook, eventually, ownBrowser, Stage, screenOf, untilShown } from './stage.ts';

let stage: Stage;
let page: Page;

const sentences = () => page.locator('.explained .direction p').allTextContents();

async function click(id: number, withShift = false): Promise<void> {
  const at = await screenOf(page, id);
  if (withShift) await page.keyboard.down('Shift');
  await page.mouse.click(at.x, at.y);
  if (withShift) await page.keyboard.up('Shift');
}

describe.runIf(canLook())('an explanation', () => {
  const own = ownBrowser();
  beforeEach(async () => {
    stage = new Stage();
    stage.world.setInterest('default', { cap: 3, incumbentBonus: 0 });
    page = await own.open(stage);
  });

  const expected = (id: number) => [
    stage.world.explain(stage.watcher, id).sentence,
    stage.world.explain(id, stage.watcher).sentence,
  ];
  const ruled = (rule: string) =>
    stage.walkers.find((id) => stage.world.explain(stage.watcher, id).rule === rule) as number;

  it('is given for the selected and one clicked with Shift, both ways, with its numbers', async () => {
    await click(stage.watcher);
    await page.locator('.card').waitFor();
    for (const rule of ['senses', 'cap', 'range']) {
      await click(ruled(rule), true);
      await eventually(sentences).toEqual(expected(ruled(rule)));
      expect(await page.locator('.direction').first().getAttribute('data-rule')).toBe(rule);
    }
    await click(ruled('cap'), true);
    await eventually(sentences).toEqual(expected(ruled('cap')));
    const told = await page.locator('output[aria-live]').textContent();
    expect(told).toBe(`watcher ${stage.watcher} to walker ${ruled('cap')}: ${expected(ruled('cap'))[0]}.`);
    const { place, seats } = stage.world.explain(stage.watcher, ruled('cap'));
    const figures = await page.locator('.direction').first().locator('dl > div').allTextContents();
    expect(figures).toContain(`Place${place} of ${seats}`);
    // The selected is still the watcher.
    expect(await page.locator('.card h2').textContent()).toBe(`watcher ${stage.watcher}`);
  });

  it('follows the world', async () => {
    await click(stage.watcher);
    const id = ruled('cap');
    await click(id, true);
    await eventually(sentences).toEqual(expected(id));
    stage.world.setInterest('default', {});
    stage.world.tick();
    stage.publish();
    await untilShown(page, stage);
    await eventually(sentences).toEqual(expected(id));
    expect((await sentences())[0]).toContain('related: perceived by sight');
    stage.world.remove(id);
    stage.tick();
    await eventually(() => page.locator('.explained').textContent()).toContain('No longer in the world');
  });

  it('walks outwards by key, and lets go of it before it lets go of the selected', async () => {
    await page.keyboard.press('n');
    await page.locator('.card').waitFor();
    const compared = () => page.evaluate(() => window.umwelt.store.state.comparedId);
    const distance = (id: number) => stage.world.explain(stage.watcher, id).distance;
    const walked: number[] = [];
    for (let i = 0; i < 4; i++) {
      await page.keyboard.press('e');
      walked.push(await compared());
    }
    expect(new Set(walked).size).toBe(4);
    expect(walked.map(distance)).toEqual([...walked.map(distance)].sort((a, b) => a - b));
    await eventually(sentences).toEqual(expected(walked[3] as number));
    await page.keyboard.press('Escape');
    await page.locator('.explained').waitFor({ state: 'detached' });
    expect(await page.locator('.card').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.locator('.card').waitFor({ state: 'detached' });
  });

  it('is asked for again after the connection was lost', async () => {
    await click(stage.watcher);
    await click(ruled('range'), true);
    await eventually(sentences).toEqual(expected(ruled('range')));
    const port = Number(new URL(stage.url).port);
    await stage.stop();
    await eventually(() => page.evaluate(() => window.umwelt.store.state.connection)).toBe('lost');
    stage.tick();
    await stage.start(port);
    await eventually(sentences).toEqual(expected(ruled('range')));
  });

  it('leaves the selected selected when Shift is held and nobody is there', async () => {
    await click(stage.watcher);
    await page.locator('.card').waitFor();
    await page.keyboard.down('Shift');
    await page.mouse.click(30, 600);
    await page.keyboard.up('Shift');
    expect(await page.locator('.card').count()).toBe(1);
  });
});

describe.runIf(canLook())('churn', () => {
  const own = ownBrowser();

  it('is charted beside the other figures, a watcher and tick', async () => {
    stage = new Stage();
    page = await own.open(stage);
    const marker = stage.walkers.find((id) => !stage.world.related(stage.watcher, id)) as number;
    stage.world.setInterest('default', { cap: 0 });
    stage.world.pin(stage.watcher, marker);
    for (let tick = 0; tick < 12; tick++) {
      // One watcher, and one relation that comes or goes in every tick.
      if (tick % 2 === 0) stage.world.unpin(stage.watcher, marker);
      else stage.world.pin(stage.watcher, marker);
      stage.tick();
      await untilShown(page, stage);
      await page.waitForTimeout(60);
    }
    await eventually(async () => Number(await page.textContent('[data-figure="churn"]'))).toBeCloseTo(1, 0);
  });
});

describe.runIf(canLook())('what is around the selected, in words', () => {
  const own = ownBrowser();
  const words = () => page.locator('.described pre').textContent();

  it('is what the world says, as it is now, of whoever is selected while it is open', async () => {
    stage = new Stage();
    page = await own.open(stage);
    await click(stage.watcher);
    await page.locator('.described summary').click();
    await eventually(words).toBe(stage.world.describe({ around: stage.watcher }));
    stage.tick();
    await untilShown(page, stage);
    await eventually(words).toBe(stage.world.describe({ around: stage.watcher }));
    const walker = stage.walkers[40] as number;
    await click(walker);
    await eventually(words).toBe(stage.world.describe({ around: walker }));
    // The feed that it is asked of may have begun anew.
    const port = Number(new URL(stage.url).port);
    await stage.stop();
    await eventually(() => page.evaluate(() => window.umwelt.store.state.connection)).toBe('lost');
    stage.tick();
    await stage.start(port);
    await eventually(words).toBe(stage.world.describe({ around: walker }));
    stage.world.remove(walker);
    stage.tick();
    await eventually(words).toBe('No longer in the world.');
  });

  it('is not asked for while it is closed', async () => {
    stage = new Stage();
    let asked = 0;
    const described = stage.world.describe.bind(stage.world);
    stage.world.describe = (options) => {
      asked++;
      return described(options);
    };
    page = await own.open(stage);
    await click(stage.watcher);
    await page.locator('.card').waitFor();
    for (let i = 0; i < 3; i++) {
      stage.tick();
      await untilShown(page, stage);
    }
    expect(asked).toBe(0);
    await page.locator('.described summary').click();
    await eventually(() => asked).toBe(1);
    await page.locator('.described summary').click();
    await page.waitForTimeout(300);
    stage.tick();
    await untilShown(page, stage);
    await page.waitForTimeout(600);
    expect(asked).toBe(1);
  });
});
