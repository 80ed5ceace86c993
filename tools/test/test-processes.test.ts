/** Which test files share a process: pure ones, and tidy ones by themselves. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../run-command.ts';
import { isForCompany, isTidy, pureFiles, sharingFiles, tidyFiles } from '../test-processes.ts';

const PURE = "import { test } from 'vitest';\ntest('adds', () => {});\n";

it('a file of a pure folder shares', () => {
  expect(isForCompany('packages/core/test/queries/shapes.test.ts', PURE)).toBe(true);
  expect(isForCompany('packages/gateway/test/door.test.ts', PURE)).toBe(false);
});

it('a pure file of another folder shares, and so do all listed files', () => {
  expect(isForCompany('packages/gateway/test/views.test.ts', PURE)).toBe(true);
  const shared = sharingFiles(root);
  expect(pureFiles.filter((file) => !shared.includes(file))).toEqual([]);
});

it.each([
  'vi.spyOn(Places.prototype, "find")',
  'vi.stubGlobal("Worker", undefined)',
  'vi.useFakeTimers()',
  '(globalThis.gc as () => void)()',
  'process.memoryUsage()',
  "import { spawnSync } from 'node:child_process'",
  "import { createServer } from 'node:http'",
  'new World({ threads: 2 })',
])('one that says %s does not', (line) => {
  expect(isForCompany('packages/core/test/queries/shapes.test.ts', PURE + line)).toBe(false);
});

it('the engine has both kinds', () => {
  const files = sharingFiles(root);
  expect(files).toContain('packages/core/test/conformance/random-scripts.test.ts');
  expect(files).not.toContain('packages/core/test/world/allocation.test.ts');
  expect(files).not.toContain('packages/core/test/threads/conformance.test.ts');
});

it.each([
  'vi.mock("node:fs")',
  'vi.stubGlobal("Worker", undefined)',
  '(globalThis.gc as () => void)()',
  'process.memoryUsage()',
  'new World({ threads: 2 })',
  "import { Worker } from 'node:worker_threads'",
])('one that says %s is not tidy', (line) => {
  expect(isTidy('packages/gateway/test/door.test.ts', PURE)).toBe(true);
  expect(isTidy('packages/gateway/test/door.test.ts', PURE + line)).toBe(false);
});

it('one that asks a spy is tidy', () => {
  expect(isTidy('packages/gateway/test/door.test.ts', `${PURE}vi.mocked(step).mock.calls.length;`)).toBe(
    true,
  );
});

it('a file is pure, tidy or alone, never two of them', () => {
  const files = tidyFiles(root, ['packages/*/test/**/*.test.ts']);
  expect(files).toContain('packages/gateway/test/sessions.test.ts');
  expect(files).not.toContain('packages/core/test/world/allocation.test.ts');
  const pure = sharingFiles(root);
  expect(files.filter((file) => pure.includes(file))).toEqual([]);
});

/** Everything outside of functions that a shared process would do for the first file only. */
it('a tidy file has no helper with a hook outside of functions', () => {
  const hooked = globSync('{packages,tools,bench,examples}/**/*.ts', {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === 'dist' || name === '.cache',
  })
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => /^(before|after)(Each|All)\(/m.test(readFileSync(path.join(root, file), 'utf8')))
    .map((file) => file.replaceAll('\\', '/'));
  const isNoticed = (file: string) => !isTidy(file, `from './${path.basename(file)}'`);
  expect(hooked.filter((file) => !isNoticed(file))).toEqual([]);
});
