/** Which test files share a process: only pure ones. */
import { expect, it } from 'vitest';
import { root } from '../run-command.ts';
import { isForCompany, pureFiles, sharingFiles } from '../test-processes.ts';

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
