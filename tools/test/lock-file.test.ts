/**
 * A fresh clone is set up by `npm ci`, which refuses a lock file that does not match package.json. Developers with an
 * existing installation would not notice the mismatch.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRepository } from '../checks/repository.ts';
import { npm } from '../npm.ts';
import { root } from '../run-command.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'umwelt-clone-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

it('npm accepts the lock file', async () => {
  const manifests = openRepository(root).files.filter((file) =>
    /(^|\/)(package(-lock)?\.json|\.npmrc)$/.test(file),
  );
  for (const file of manifests) cpSync(path.join(root, file), path.join(folder, file));
  const said = await npm(folder, 'ci', '--dry-run', '--ignore-scripts').catch(
    (error: Error) => error.message,
  );
  expect(said).not.toContain('EUSAGE');
  // Without a registry npm cannot check.
  if (process.env.CI === 'true') expect(said).toMatch(/added \d+ packages/);
});
