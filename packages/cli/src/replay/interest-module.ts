/**
 * A user's module with the interests of a recorded world: `umwelt replay FILE --interests MODULE`. A recording has their numbers,
 * and not their functions `rank` and `admit`.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Interest } from 'umwelt';
import { Mistake } from '../faults.ts';

/**
 * Runs the module and returns its export `interests`, whose content the replay checks.
 * @throws Mistake if it cannot be run, or has no such export.
 */
export async function loadInterests(file: string): Promise<Readonly<Record<string, Interest>>> {
  if (!existsSync(file)) throw new Mistake(`--interests: no such file: '${file}'`);
  const { interests } = await runModule(file);
  if (typeof interests === 'object' && interests !== null) return interests as Record<string, Interest>;
  throw new Mistake(
    `--interests: '${file}' has no such export, expected: export const interests = { name: { rank, admit } }`,
  );
}

async function runModule(file: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(path.resolve(file)).href);
  } catch (error) {
    throw new Mistake(
      `--interests: '${file}' cannot be run: ${error instanceof Error ? error.message : error}`,
    );
  }
}
