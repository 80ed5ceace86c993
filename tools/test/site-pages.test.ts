/**
 * The built site: axe finds no problem in its pages, in both themes, on wide and narrow screens, before and after the
 * script runs. No content is wider than the screen, breaks, or requests a missing file. A page of each kind is opened; the links of
 * all pages lead to something.
 *
 * VitePress is installed if it is missing. A build takes about 15 s.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, HEADLESS_FLAGS } from '../chromium.ts';
import { root } from '../run-command.ts';

const ADDRESS = 'http://site.example';
/** One folder for each process, so that two runs at the same time do not share it. */
const OUT = `tried-${process.pid}`;
const dist = path.join(root, '.cache/site', OUT);
/** Milliseconds: npm downloads 100 MB, at the registry's speed. */
const BUILD_MS = 15 * 60_000;

/** What a reader waits for, compressed: the page and its style. A quarter of a second at 1.6 Mbit a second. */
const MOST_BYTES = 50_000;

interface AxeGlobal {
  readonly axe: {
    run(options: object): Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }>;
  };
}

/** The first page, a guide, and of the reference an index and the page of a name that has all sections. */
const kinds = ['/', '/interest.html', '/api/umwelt-client.html', '/api/umwelt-gateway/Gateway.html'];
/**
 * Each page in both themes and at both widths, but not in all four pairs of them: a theme changes colours, a width what is shown and
 * where. What all pages share, as the menu of narrow screens, is seen in every pair.
 */
const looks = kinds.flatMap((at, i) => {
  const [wide, narrow] = i % 2 === 0 ? (['light', 'dark'] as const) : (['dark', 'light'] as const);
  return [
    { at, theme: wide, width: 1280 },
    { at, theme: narrow, width: 390 },
  ];
});

const executablePath = findChromium();

it('a Chromium is installed where the tests require one', () => {
  expect(executablePath !== undefined || process.env.CI !== 'true').toBe(true);
});

describe.runIf(executablePath !== undefined)('the site', () => {
  let browser: Browser;

  beforeAll(async () => {
    const words = ['--conditions=umwelt:source', 'tools/docs.ts', '--build', '--out', OUT];
    await promisify(execFile)(process.execPath, words, { cwd: root, maxBuffer: 1 << 26 });
    browser = await chromium.launch({ executablePath: executablePath as string, args: HEADLESS_FLAGS });
  }, BUILD_MS);

  afterAll(async () => {
    await browser?.close();
    for (const folder of [dist, `${dist}-pages`, `${dist}-vitepress`])
      await rm(folder, { recursive: true, force: true });
  });

  /** Without a server: the file for each address is here. */
  async function open(at: string, theme: 'light' | 'dark', width: number) {
    const page = await browser.newPage({
      viewport: { width, height: 900 },
      colorScheme: theme,
      reducedMotion: 'reduce',
    });
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    await page.route('**/*', (route) => {
      const { pathname } = new URL(route.request().url());
      const file = path.join(dist, pathname === '/' ? 'index.html' : decodeURIComponent(pathname));
      return existsSync(file)
        ? route.fulfill({ path: file })
        : route.fulfill({ status: 404, body: pathname });
    });
    await page.goto(ADDRESS + at);
    return { page, faults };
  }

  /** Of what passes, axe then describes one node a rule and not each. */
  async function findings(page: Page): Promise<string[]> {
    await page.evaluate(axe.source);
    return page.evaluate(async () => {
      const options = { resultTypes: ['violations'] };
      const { violations } = await (globalThis as unknown as AxeGlobal).axe.run(options);
      return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
    });
  }

  it('stays where its reader is when the script starts, also away from the anchor of its address', async () => {
    for (const at of ['/tutorial.html', '/tutorial.html#_4-play']) {
      const { page, faults } = await open(at, 'light', 1280);
      await page.evaluate('scrollTo(0, 1500)');
      const awake = page.evaluate(
        "new Promise((resolve) => addEventListener('umwelt:awake', () => setTimeout(resolve, 50), { once: true }))",
      );
      await page.keyboard.press('Shift');
      await awake;
      expect(await page.evaluate('scrollY')).toBe(1500);
      await page.evaluate('scrollTo(0, 200)');
      expect(await page.evaluate('scrollY')).toBe(200);
      expect(faults).toEqual([]);
      await page.close();
    }
  });

  it('has the playground beside a guide, with the settings that the guide is about', async () => {
    const { page, faults } = await open('/interest.html', 'light', 1280);
    const playground = page.locator('umwelt-playground').nth(1);
    await playground.getByRole('button', { name: 'Run it here' }).click();
    await expect.poll(() => playground.locator('iframe').getAttribute('data-moves')).not.toBeNull();
    expect(page.frames().map((frame) => new URL(frame.url()).hash)).toEqual(['', '#cap=6']);
    expect(faults).toEqual([]);
    await page.close();
  });

  it('says in plain words that an address has no page', async () => {
    const { page, faults } = await open('/404.html', 'light', 1280);
    const link = page.getByRole('link', { name: 'First page' });
    await link.waitFor();
    expect(await page.locator('.NotFound blockquote').textContent()).toBe(
      'No page of this site has this address. Search for it, or begin at the first page.',
    );
    expect(await link.getAttribute('href')).toBe('/');
    expect(faults).toEqual([]);
    await page.close();
  });

  it('has no link to a page, or to a place in a page, that does not exist', async () => {
    const anchors = new Map<string, Set<string>>();
    const links: [page: string, link: string][] = [];
    for (const file of await readdir(dist, { recursive: true })) {
      if (!file.endsWith('.html') || file === 'playground.html') continue;
      const page = `/${file.replaceAll('\\', '/')}`;
      const html = await readFile(path.join(dist, file), 'utf8');
      anchors.set(page, new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)));
      for (const [, link = ''] of html.matchAll(/<a [^>]*?href="([^"]*)"/g)) links.push([page, link]);
    }
    const broken = links.filter(([page, link]) => {
      const { origin, pathname, hash } = new URL(link, ADDRESS + page);
      if (origin !== ADDRESS || pathname === '/playground.html') return false;
      const there = anchors.get(pathname === '/' ? '/index.html' : pathname);
      return there === undefined || (hash !== '' && !there.has(decodeURIComponent(hash.slice(1))));
    });
    expect(broken).toEqual([]);
    expect(links).toContainEqual(['/recipes.html', './api/umwelt-gateway/Transport.html']);
  });

  it('can be read before any script is loaded, and after few bytes', async () => {
    for (const at of kinds) {
      const html = await readFile(path.join(dist, at === '/' ? 'index.html' : at), 'utf8');
      expect(html, at).not.toMatch(/<script[^>]* src=/);
      const sheets = [...html.matchAll(/<link rel="preload stylesheet" href="([^"]+)"/g)];
      expect(sheets.length).toBeGreaterThan(0);
      let bytes = gzipSync(html).length;
      for (const [, sheet = ''] of sheets) bytes += gzipSync(await readFile(path.join(dist, sheet))).length;
      expect(bytes, at).toBeLessThan(MOST_BYTES);
    }
  });

  it('shows a name where it is in the long list of names, before and after the script runs', async () => {
    const { page, faults } = await open('/api/umwelt-cluster/natsLog-function.html', 'light', 1280);
    const link = page.locator('.VPSidebar a', { hasText: /^natsLog$/ });
    const topOf = async () => (await link.boundingBox())?.y ?? 0;
    const before = await topOf();
    expect(before).toBeGreaterThan(100);
    expect(before).toBeLessThan(880);
    expect(await link.getAttribute('aria-current')).toBe('page');
    await page.keyboard.press('Shift');
    await page.locator('.VPSidebarItem.is-active', { hasText: /^natsLog$/ }).waitFor();
    expect(await topOf()).toBe(before);
    expect(faults).toEqual([]);
    await page.close();
  });

  it('finds names of the reference and words of the guides, without a server', async () => {
    const { page, faults } = await open('/', 'light', 1280);
    await page.keyboard.press('Control+k');
    const input = page.getByRole('searchbox');
    const first = page.locator('.result').first();
    for (const [term, address] of [
      ['WorldOptions', '/api/umwelt/WorldOptions.html#WorldOptions'],
      ['natslog', '/api/umwelt-cluster/NatsLog.html#NatsLog'],
      ['moveMany', '/api/umwelt/World.html#moveMany'],
      ['docker', '/operations.html#in-a-container-docker'],
      ['godot', '/frame-format.html#a-client-in-another-language'],
      ['redis', '/cluster.html#why-nats-and-not-redis'],
    ] as const) {
      await input.fill(term);
      await expect.poll(() => first.getAttribute('href')).toBe(address);
    }
    expect(faults).toEqual([]);
    await page.close();
  });

  it.each(looks)('is accessible: $at, $theme, $width wide', async ({ at, theme, width }) => {
    const { page, faults } = await open(at, theme, width);
    expect(await findings(page)).toEqual([]);
    const awake = page.evaluate(
      "new Promise((resolve) => addEventListener('umwelt:awake', () => setTimeout(resolve, 50), { once: true }))",
    );
    await page.keyboard.press('Shift');
    await awake;
    expect(await findings(page)).toEqual([]);
    if (width > 1000) {
      const themeSwitch = page.getByRole('switch', { name: /^Switch to/ });
      expect(await themeSwitch.getAttribute('aria-checked')).toBe(String(theme === 'dark'));
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(faults).toEqual([]);
    await page.close();
  });
});
