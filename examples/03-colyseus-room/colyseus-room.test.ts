/** Runs the example as its first line says: a player sees deer enter and leave in both rooms, also after a reconnect. */
import { expect, test } from 'vitest';
import { outputOf } from '../example-process.ts';

test('in either room a player sees deer come and go, loses its connection and is back', async () => {
  const output = await outputOf('03-colyseus-room');
  for (const mode of ['view', 'frames']) {
    const lines = output.split('\n').filter((line) => line.startsWith(`${mode}: `));
    const looks = lines.filter((line) => /: [1-9]\d* deer in sight, [1-9]\d* came and \d+ went$/.test(line));
    expect(looks).toHaveLength(6);
    expect(lines.indexOf(`${mode}: lost the connection`)).toBe(3);
    expect(lines.indexOf(`${mode}: is back, and walks on`)).toBe(4);
    expect(lines).toHaveLength(8);
  }
});
