/** Runs the example of the guide to channels as a reader would, and holds it to what the guide says it prints. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

test('the guide’s example prints what the guide says', () => {
  const guide = readFileSync(`${root}/docs/channels.md`, 'utf8');
  const code = /## In a server\n\n```ts\n(.*?)```/s.exec(guide)?.[1] as string;
  const printed = /It prints:\n\n```text\n(.*?)```/s.exec(guide)?.[1] as string;
  const flags = ['--conditions=umwelt:source', '--input-type=module-typescript', '--eval', code];
  expect(execFileSync(process.execPath, flags, { cwd: root, encoding: 'utf8' })).toBe(printed);
});
