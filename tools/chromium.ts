/**
 * Where a Chromium is, for the tests that look at the page as a person does.
 *
 * Taken from the environment variable UMWELT_CHROMIUM, else from the PATH under the names it goes by. npm cannot bring
 * one: tools/install-chromium.ts installs the system's own where that is allowed.
 */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

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
  const named = process.env.UMWELT_CHROMIUM;
  if (named !== undefined && named !== '') return isExecutable(named) ? named : undefined;
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const candidates = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return candidates.find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
