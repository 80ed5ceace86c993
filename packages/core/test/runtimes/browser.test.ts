/**
 * The engine in a browser: the same source, bundled, reports what it reports in Node, on both kinds of kernels.
 *
 * Where there is no Chromium the suite is skipped, and fails with CI=true.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium, HEADLESS_FLAGS } from '../../../../tools/chromium.ts';
import { hashesOfWalk, kernelsInUse } from './walk.ts';

const chromiumPath = findChromium();
const canLook = chromiumPath !== undefined;

interface Walk {
  hashesOfWalk: typeof hashesOfWalk;
  kernelsInUse: typeof kernelsInUse;
}

test('a Chromium is there where one must be', () => {
  expect(canLook || process.env.CI !== 'true').toBe(true);
});

describe.skipIf(!canLook)('in a browser', () => {
  let browser: Browser;
  let folder: string;
  let bundle: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'umwelt-'));
    const { build } = await import('vite');
    await build({
      logLevel: 'silent',
      configFile: false,
      build: {
        outDir: folder,
        lib: {
          entry: path.join(import.meta.dirname, 'walk.ts'),
          formats: ['iife'],
          name: 'walk',
          fileName: 'walk',
        },
      },
    });
    bundle = await readFile(path.join(folder, 'walk.iife.js'), 'utf8');
    browser = await chromium.launch({
      executablePath: chromiumPath as string,
      headless: true,
      args: HEADLESS_FLAGS,
    });
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('worlds report what they report in Node, with WebAssembly and without', async () => {
    const page = await browser.newPage();
    await page.addScriptTag({ content: bundle });
    const told = await page.evaluate(() => {
      const { walk } = globalThis as unknown as { walk: Walk };
      return {
        inUse: walk.kernelsInUse(),
        auto: walk.hashesOfWalk('auto'),
        plain: walk.hashesOfWalk('typescript'),
      };
    });
    const expected = hashesOfWalk('typescript');
    expect(new Set(expected).size).toBe(expected.length);
    expect(told).toEqual({ inUse: kernelsInUse(), auto: expected, plain: expected });
    expect(hashesOfWalk('auto')).toEqual(expected);
  });
});
