/**
 * A page of the site is complete before its script loads, and input that comes too early is repeated once the script
 * runs.
 */
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, HEADLESS_FLAGS } from '../chromium.ts';
import { headScripts, withLateScript } from '../site-heads.ts';

const ADDRESS = 'http://site.example';
const PAGE = `<!doctype html><html><head>
  <script type="module" src="/data.js"></script>
  <script type="module" src="/app.js"></script>
  <link rel="modulepreload" href="/part.js">
  </head><body><button>search</button>
  <umwelt-playground src="/playground.html" style="display: block; height: 300px"></umwelt-playground></body></html>`;
/** Counts the events that reach it once it is awake. */
const APP = `
window.searches = 0;
document.querySelector('button').addEventListener('click', () => window.searches++);
addEventListener('keydown', (event) => { if (event.key === 'k' && event.ctrlKey) window.searches++; });
dispatchEvent(new Event('umwelt:awake'));`;
const PLAYGROUND = `<!doctype html><script>parent.postMessage('umwelt:moves', '*');</script>`;

const executablePath = findChromium();

it('the scripts and what they import are named in the head, and fetched by nothing else', () => {
  const page = withLateScript(PAGE, 'bring(SCRIPTS, PARTS);');
  expect(page).not.toMatch(/type="module"|modulepreload/);
  expect(page).toContain(
    '<script>bring(["/data.js","/app.js"], ["/data.js","/app.js","/part.js"]);</script>',
  );
  expect(() => withLateScript('<head></head>', '')).toThrow('no script');
});

it('a page without a text, as for an address that is not there, keeps its scripts', () => {
  const page = PAGE.replace(/<body>.*/s, '<body><div id="app"></div></body></html>');
  expect(withLateScript(page, 'bring(SCRIPTS, PARTS);')).toBe(page);
});

describe.runIf(executablePath !== undefined)('a page of the site', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath as string, args: HEADLESS_FLAGS });
  });
  afterAll(() => browser?.close());

  /** Without a server: the response for each address is here. */
  async function open(reducedMotion: 'reduce' | 'no-preference', path = '/'): Promise<Page> {
    const page = await browser.newPage({ reducedMotion });
    const html = withLateScript(PAGE, headScripts());
    await page.route('**/*', (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: html });
      if (pathname === '/playground.html')
        return route.fulfill({ contentType: 'text/html', body: PLAYGROUND });
      return route.fulfill({ contentType: 'text/javascript', body: pathname === '/app.js' ? APP : '' });
    });
    await page.goto(ADDRESS + path);
    return page;
  }
  const searches = (page: Page) =>
    page.evaluate(() => (globalThis as unknown as { searches?: number }).searches);

  it('sleeps until it is touched, and does the first click again when it is awake', async () => {
    const page = await open('reduce');
    expect(await searches(page)).toBeUndefined();
    await page.evaluate(`document.querySelector('button').click()`);
    await expect.poll(() => searches(page)).toBe(1);
    await page.getByRole('button', { name: 'search' }).click();
    expect(await searches(page)).toBe(2);
    await page.close();
  });

  it('does the first key for the search again when it is awake', async () => {
    const page = await open('reduce');
    await page.keyboard.press('Control+k');
    await expect.poll(() => searches(page)).toBe(1);
    await page.close();
  });

  it('is laid out completely for a reader who goes to an anchor in it', async () => {
    const isWhole = (page: Page) =>
      page.evaluate<boolean>('document.documentElement.dataset.whole !== undefined');
    const beginning = await open('reduce');
    expect(await isWhole(beginning)).toBe(false);
    const within = await open('reduce', '/#cap');
    expect(await isWhole(within)).toBe(true);
    await beginning.close();
    await within.close();
  });

  it('runs the playground by itself in a frame without its origin, and shows it when it moves', async () => {
    const page = await open('no-preference');
    await page.locator('iframe[data-moves]').waitFor();
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts');
    await page.close();
  });

  it('runs it at a button for a reader who prefers reduced motion', async () => {
    const page = await open('reduce');
    expect(await page.locator('iframe').count()).toBe(0);
    await page.getByRole('button', { name: 'Run it here' }).click();
    await page.locator('iframe[data-moves]').waitFor();
    await page.close();
  });
});
