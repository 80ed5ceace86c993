/**
 * Where a Chromium is, for the tests that look at the page as a person does.
 *
 * Taken from the environment variable UMWELT_CHROMIUM, else from the PATH under the names it goes by. npm cannot bring
 * one: tools/install-chromium.ts installs the system's own where that is allowed.
 */
import { findExecutable } from './executables.ts';

/** For pages that draw nothing of weight. Keeps a headless browser from looking for its maker's hosts. */
export const HEADLESS_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
];

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of an executable Chromium, or `undefined`. A path in UMWELT_CHROMIUM is taken as it is or not at all. */
export function findChromium(): string | undefined {
  return findExecutable('UMWELT_CHROMIUM', names);
}
