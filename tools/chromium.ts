/**
 * Finds a Chromium for the browser tests.
 *
 * The path comes from the environment variable UMWELT_CHROMIUM, else from the PATH under Chromium's usual names. npm
 * cannot install Chromium; tools/install-chromium.ts installs the system's package where that is allowed.
 */
import { findExecutable } from './executables.ts';

/** Flags for pages with little graphics. They keep a headless browser from contacting its vendor's hosts. */
export const HEADLESS_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
];

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of an executable Chromium, or `undefined`. If UMWELT_CHROMIUM is set, only its path is tried. */
export function findChromium(): string | undefined {
  return findExecutable('UMWELT_CHROMIUM', names);
}
