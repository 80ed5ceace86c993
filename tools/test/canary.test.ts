/** The canary's command runs in all places, counts the frames that it checked, and finds a planted leak in each. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../run-command.ts';

function canary(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const program = [
    process.execPath,
    '--conditions=umwelt:source',
    path.join(root, 'tools/fuzz.ts'),
    'canary',
  ];
  return spawnSync(program[0]!, [...program.slice(1), ...words], { encoding: 'utf8', cwd: root });
}

it('checks frames of a gateway and of both modes of a room', () => {
  const { status, stdout } = canary('--count', '400', '--seed', '1');
  const [gateway = 0, frames = 0, view = 0] = ['gateway', 'frames', 'view'].map((place) =>
    Number(new RegExp(`^${place}: .*?(\\d+) frames`, 'm').exec(stdout)?.[1]),
  );
  expect(Math.min(gateway, frames, view)).toBeGreaterThanOrEqual(400);
  expect(stdout).toContain(`\n${gateway + frames + view} frames in gateway, frames, view: nothing found\n`);
  expect(status).toBe(0);
});

it.each(['gateway', 'frames', 'view'])('finds a leak that is planted in: %s', (where) => {
  const { status, stdout } = canary('--count', '3000', '--seed', '1', '--where', where, '--plant');
  expect(stdout).toContain(`again: npm run fuzz -- canary --where ${where} --seed 1`);
  expect(stdout).toMatch(new RegExp(`frames in ${where}: found: ${where} after \\d+ frames$`, 'm'));
  expect(status).toBe(1);
});

it('refuses an unknown place', () => {
  const { status, stderr } = canary('--where', 'moon');
  expect(stderr).toContain('--where W');
  expect(status).toBe(2);
});
