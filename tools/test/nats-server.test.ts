/** Finding a broker, and the behaviour without one. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { findNatsServer } from '../nats-server.ts';
import { root } from '../run-command.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('prefers UMWELT_NATS_SERVER to all others, and tries nothing else if that is wrong', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'umwelt-nats-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const own = path.join(folder, 'own-broker');
  writeFileSync(own, '');
  chmodSync(own, 0o755);
  vi.stubEnv('UMWELT_NATS_SERVER', own);
  expect(findNatsServer()).toBe(own);
  vi.stubEnv('UMWELT_NATS_SERVER', path.join(folder, 'nowhere'));
  expect(findNatsServer()).toBeUndefined();
});

it.each([
  ['true', 1],
  ['', 0],
])('without a broker, with CI=%s, the preparing step ends with %i and says what to do', (CI, exitCode) => {
  const run = spawnSync(process.execPath, [path.join(root, 'tools', 'install-nats-server.ts')], {
    env: { ...process.env, CI, UMWELT_NATS_SERVER: '/nowhere/nats-server' },
    encoding: 'utf8',
  });
  expect(run.status).toBe(exitCode);
  expect(run.stderr).toContain('apt-get install -y nats-server');
});
