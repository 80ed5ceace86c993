/** Checks the example's output: events, and the hashes of the default detector. */
import { expect, test } from 'vitest';
import { outputOf } from '../example-process.ts';

test('the hexagons report what the default detector reports', async () => {
  const lines = (await outputOf('own-detector')).trimEnd().split('\n');
  expect(lines).toHaveLength(5);
  for (const line of lines)
    expect(line).toMatch(/[1-9]\d* entered, .*hash [0-9a-f]{16}, the same as with the default/);
});
