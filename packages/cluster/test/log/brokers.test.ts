/** The configurations that the package ships: the broker takes them, and they say what the log relies on. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findNatsServer } from '../../../../tools/nats-server.ts';
import { describeOnBroker } from '../broker-stage.ts';

const file = (name: string) => new URL(`../../brokers/${name}.conf`, import.meta.url).pathname;

describeOnBroker('the configuration', () => {
  const program = findNatsServer() ?? '';
  const [, minor = 0] = (
    /v(\d+\.\d+)/.exec(spawnSync(program, ['--version']).stdout?.toString() ?? '')?.[1] ?? ''
  )
    .split('.')
    .map(Number);

  it.each([
    ['one-server', 9],
    ['three-servers', 9],
    ['always-synced', 11],
  ])('%s is taken by nats-server from 2.%i on', (name, from) => {
    const run = spawnSync(program, ['-t', '-c', file(name)], {
      env: { ...process.env, UMWELT_BROKER: 'one' },
    });
    const errors = run.stderr.toString();
    if (minor >= from) expect(errors).toContain('is valid');
    else expect(errors).toContain('unknown field "sync_interval"');
  });
});

it.each(['one-server', 'three-servers', 'always-synced'])(
  'the configuration %s bounds what a broker holds',
  (name) => {
    const text = readFileSync(file(name), 'utf8');
    for (const line of [
      'max_payload: 1MB',
      'write_deadline: "10s"',
      'max_mem: ',
      'max_file: ',
      'store_dir: ',
    ]) {
      expect(text).toContain(line);
    }
  },
);
