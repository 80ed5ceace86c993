/** Where a browser is searched, and in which order. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findChromium } from '../chromium.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'umwelt-chromium-'));
  vi.stubEnv('UMWELT_CHROMIUM', undefined);
  vi.stubEnv(
    'PATH',
    ['empty', 'first', 'second'].map((name) => path.join(folder, name)).join(path.delimiter),
  );
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function place(name: string, mode = 0o755): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '');
  chmodSync(file, mode);
  return file;
}

describe('findChromium', () => {
  it('returns undefined if there is none', () => {
    expect(findChromium()).toBeUndefined();
  });

  it('searches the PATH for each of its names', () => {
    place('first/google-chrome');
    expect(findChromium()).toBe(path.join(folder, 'first/google-chrome'));
    const preferred = place('second/chromium');
    expect(findChromium()).toBe(preferred);
    const withoutWindows = place('second/chromium-headless-shell');
    expect(findChromium()).toBe(withoutWindows);
  });

  it('skips a file that cannot be run', () => {
    place('first/chromium', 0o644);
    expect(findChromium()).toBeUndefined();
  });

  it('prefers UMWELT_CHROMIUM to the PATH, and tries nothing else if that is wrong', () => {
    place('first/chromium');
    const own = place('own/browser');
    vi.stubEnv('UMWELT_CHROMIUM', own);
    expect(findChromium()).toBe(own);
    vi.stubEnv('UMWELT_CHROMIUM', path.join(folder, 'nowhere'));
    expect(findChromium()).toBeUndefined();
  });
});
