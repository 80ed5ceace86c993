/** Finding a broker, and the behaviour without one. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
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

it.skipIf(findNatsServer() === undefined)(
  'a broker ends with the process that started it, also if that is killed',
  async () => {
    const broker = pathToFileURL(path.join(root, 'tools', 'nats-broker.ts')).href;
    const script = `const { NatsBroker } = await import('${broker}');
    const { url, folder } = await NatsBroker.start();
    console.log(JSON.stringify({ url, folder }));
    setInterval(() => {}, 1000);`;
    const starter = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(starter.stdout, 'data');
    const { url, folder } = JSON.parse(String(line));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const port = Number(new URL(url).port);
    const isUp = () =>
      new Promise((resolve) => {
        const socket = connect(port, '127.0.0.1', () => resolve(true));
        socket.once('error', () => resolve(false));
        socket.once('connect', () => socket.destroy());
      });
    expect(await isUp()).toBe(true);
    starter.kill('SIGKILL');
    await expect.poll(isUp).toBe(false);
  },
);
