/**
 * Lets a page under test draw less: Chromium draws by software there, and pages that move take most of the tests' time.
 *
 * Nothing else changes: sizes and places are in CSS pixels. A test that looks at the picture asks for all of its pixels.
 */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** Of a CSS pixel's side: a sixteenth of the pixels. */
const FEWER_PIXELS = 0.25;
/** Frames a second, at most. */
const FRAME_RATE = 20;

type FrameCallback = (nowMs: number) => void;
/** What a page has and Node has not. */
interface FrameSource {
  requestAnimationFrame(callback: FrameCallback): number;
  cancelAnimationFrame(id: number): void;
}

/**
 * An empty page with a context of its own, which draws as little as the options let it. With a scale factor in the options all is
 * drawn; without one nobody looks at the picture, and the graphics library fills no pixel.
 */
export async function openSparingPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const page = await browser.newPage({ deviceScaleFactor: FEWER_PIXELS, ...options });
  await page.context().addInitScript(drawSeldom, FRAME_RATE);
  if (options.deviceScaleFactor === undefined) await page.context().addInitScript(fillNothing);
  return page;
}

/** Runs in the page before its own scripts: programs are compiled and buffers written as ever, and no shape is drawn. */
function fillNothing(): void {
  const { prototype } = (globalThis as unknown as { WebGL2RenderingContext: { prototype: object } })
    .WebGL2RenderingContext;
  for (const draw of ['drawArrays', 'drawArraysInstanced']) Object.assign(prototype, { [draw]: () => {} });
}

/** Runs in the page before its own scripts: its frames come as seldom as on a slow display. */
function drawSeldom(rate: number): void {
  const page = globalThis as unknown as FrameSource;
  const request = page.requestAnimationFrame.bind(page);
  const callbacks = new Map<number, FrameCallback>();
  let lastId = 0;
  let lastMs = 0;
  let isRequested = false;
  const frame = (nowMs: number) => {
    isRequested = false;
    lastMs = nowMs;
    const due = [...callbacks.values()];
    callbacks.clear();
    for (const callback of due) callback(nowMs);
  };
  page.requestAnimationFrame = (callback) => {
    callbacks.set(++lastId, callback);
    if (!isRequested) setTimeout(() => request(frame), Math.max(0, lastMs + 1000 / rate - performance.now()));
    isRequested = true;
    return lastId;
  };
  page.cancelAnimationFrame = (id) => void callbacks.delete(id);
}
