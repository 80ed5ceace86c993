/**
 * What came and went for the selected entity: the page shows all of it, however few of the world's ticks it draws.
 */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { canLook, eventually, ownBrowser, Stage, untilShown } from './stage.ts';

/** One walker enters and leaves the watcher's view by turns, one event a tick, as fast as ticks come. */
async function comeAndGo(stage: Stage, tickCount: number): Promise<string[]> {
  const walker = stage.walkers[0] as number;
  const happened: string[] = [];
  for (let i = 0; i < tickCount; i++) {
    const isEnter = i % 2 === 0;
    stage.world.move(walker, isEnter ? 90 : 900, 0);
    stage.world.tick();
    stage.publish();
    happened.push(`${isEnter ? 'enteredwalker ' : 'leftwalker '}${walker}tick ${stage.world.tickCount}`);
    // Frames go out and are taken in between.
    await new Promise((resolve) => setTimeout(resolve, i % 4 === 0 ? 1 : 0));
  }
  return happened;
}

/** All rows of the list, newest first, by scrolling through it. */
function listed(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const list = document.querySelector('.event-list') as HTMLElement;
    const rows: string[] = [];
    for (let top = 0; top < list.scrollHeight; top += list.clientHeight - 40) {
      list.scrollTop = top;
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      for (const { textContent } of list.querySelectorAll('li')) {
        if (textContent !== null && !rows.includes(textContent)) rows.push(textContent);
      }
    }
    return rows;
  });
}

const eventsHeld = (page: Page) => page.evaluate(() => window.umwelt.store.state.lately?.kept.length);

describe.runIf(canLook())('what came and went for the selected', () => {
  const own = ownBrowser();

  async function open(bystanders = 0): Promise<{ stage: Stage; page: Page }> {
    const stage = new Stage();
    for (const id of stage.walkers) stage.world.move(id, 300, 200);
    const x = Float32Array.from({ length: bystanders }, (_, i) => (i % 200) - 300);
    stage.world.addMany({ x, y: new Float32Array(bystanders).fill(210), range: 5 });
    const page = await own.open(stage);
    await page.keyboard.press('n');
    await page.evaluate((id) => window.umwelt.select(id), stage.watcher);
    await page.locator('.card').waitFor();
    return { stage, page };
  }

  it.each([
    [164, 0],
    [591, 0],
    [171, 3000],
  ])('is listed whole, %i events in as many ticks, beside %i bystanders', async (tickCount, bystanders) => {
    const { stage, page } = await open(bystanders);
    const happened = await comeAndGo(stage, tickCount);
    await untilShown(page, stage);
    await eventually(() => eventsHeld(page)).toBe(tickCount);
    await eventually(() => page.textContent('[data-figure="entered-total"]')).toBe(
      `${Math.ceil(tickCount / 2)} entered`,
    );
    expect(await listed(page)).toEqual(happened.toReversed());
    expect(await page.locator('.gaps').count()).toBe(0);
  });

  it('has its tick on one line, however long the name is', async () => {
    const stage = new Stage({ nameOf: (id) => `passer-by number ${id} of the northern market square` });
    const page = await own.open(stage);
    await page.evaluate((id) => window.umwelt.select(id), stage.watcher);
    await page.locator('.card').waitFor();
    await comeAndGo(stage, 4);
    await untilShown(page, stage);
    const row = page.locator('.event-list li').first();
    await row.locator('.chip', { hasText: 'northern' }).waitFor();
    const [within, time] = [(await row.boundingBox())!, (await row.locator('time').boundingBox())!];
    expect(time.height).toBeLessThan(within.height);
    expect(time.x + time.width).toBeLessThanOrEqual(within.x + within.width + 1);
  });

  it('is nothing only where nothing was, and since a tick that is named', async () => {
    const { stage, page } = await open();
    const since = stage.world.tickCount;
    expect(await page.locator('.events').textContent()).toBe(`Entered and left since tick ${since}None.`);
    // Two ticks of which nobody told the inspector: what they held is not known, and it does not say that it is.
    stage.world.tick();
    stage.world.tick();
    stage.world.tick();
    stage.publish();
    await untilShown(page, stage);
    await eventually(() => page.locator('.events').textContent()).toBe(
      `Entered and left since tick ${since}2 ticks were not published.`,
    );
  });

  it('is told to have been missed where there was too much of it', async () => {
    const { stage, page } = await open();
    const many = 5000;
    stage.world.addMany({ x: new Float32Array(many).fill(90), y: new Float32Array(many) });
    stage.world.tick();
    stage.publish();
    await untilShown(page, stage);
    await eventually(() => page.textContent('.gaps')).toBe(
      '904 missed: too many between two frames of this page. The latest 1,000 are listed.',
    );
    expect(await page.textContent('[data-figure="entered-total"]')).toBe('5,000 entered');
  });

  it('stays in sight for whoever has scrolled to it while more comes in', async () => {
    const { stage, page } = await open();
    await comeAndGo(stage, 40);
    await eventually(() => eventsHeld(page)).toBe(40);
    const inSight = () =>
      page.evaluate(() => {
        const box = (document.querySelector('.event-list') as HTMLElement).getBoundingClientRect();
        const rows = [...document.querySelectorAll('.event-list li')];
        return rows.find((row) => row.getBoundingClientRect().top >= box.top - 1)?.textContent;
      });
    await page.evaluate(() => {
      (document.querySelector('.event-list') as HTMLElement).scrollTop = 260;
    });
    await eventually(inSight).toContain('tick 31');
    const before = await inSight();
    await comeAndGo(stage, 10);
    await eventually(() => eventsHeld(page)).toBe(50);
    await eventually(inSight).toBe(before);
  });
});
