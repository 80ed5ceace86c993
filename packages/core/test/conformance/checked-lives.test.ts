/** Short lives write nothing past the end of a column, and no kernel reads or writes where no column is: on every detector. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { detectorNames } from '../../src/index.ts';

const repository = new URL('../../../../', import.meta.url);

test('scripts of short lives pass with all columns and kernels checked, past slot 1,024 and after restores', () => {
  const checks = pathToFileURL(fileURLToPath(new URL('tools/checked-columns/register.ts', repository))).href;
  const program = fileURLToPath(new URL('checked-lives.ts', import.meta.url));
  const args = ['--conditions=umwelt:source', '--import', checks, program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const runs = [
    ...stdout.matchAll(/^(\S+) (wasm|typescript): (\d+) slots, (\d+) restored, (\d+) accesses$/gm),
  ];
  expect([...new Set(runs.map(([, detector]) => detector))].sort()).toEqual([...detectorNames].sort());
  expect(new Set(runs.map(([, , kernels]) => kernels)).size).toBe(2);
  for (const [, , , slots, restored, accesses] of runs) {
    expect(Number(slots)).toBeGreaterThan(1024);
    expect(Number(restored)).toBeGreaterThan(1);
    expect(Number(accesses)).toBeGreaterThan(10_000);
  }
});
