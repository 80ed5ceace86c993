/**
 * Finds a Chromium for the browser tests.
 *
 * The path comes from the environment variable UMWELT_CHROMIUM, else from the PATH under Chromium's usual names. The one without
 * windows is first: it shows pages as the other does, and takes a quarter less time. npm cannot install Chromium;
 * tools/install-chromium.ts installs the system's package where that is allowed.
 */
import { findExecutable } from './executables.ts';

/**
 * Each window has an address bar, and Chromium loads two pages of its own for the list below it, at more cost than most pages
 * under test. And for each page it starts a process that a next page on another site might use. Chromium adds these to the
 * features that playwright switches off.
 */
export const NO_OTHER_PAGES =
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,SpareRendererForSitePerProcess';

/** Flags for pages with little graphics. They keep a headless browser from contacting its vendor's hosts. */
export const HEADLESS_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  NO_OTHER_PAGES,
];

/** Chromium without windows; also the name of its package on Debian. */
export const WITHOUT_WINDOWS = 'chromium-headless-shell';
const names = [WITHOUT_WINDOWS, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of an executable Chromium, or `undefined`. If UMWELT_CHROMIUM is set, only its path is tried. */
export function findChromium(): string | undefined {
  return findExecutable('UMWELT_CHROMIUM', names);
}
