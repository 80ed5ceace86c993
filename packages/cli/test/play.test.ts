/** `umwelt play`: what it prints, what it serves, and how it ends. Where it serves or is stopped, as a process. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { detectorNames } from 'umwelt';
import { afterAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { detectorsFor } from '../src/commands/play.ts';
import { type Outcome, told, UmweltProcess, umwelt } from './child-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'umwelt-play-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SMALL = ['play', '--entities', '200'];
const FAST = ['--no-page', '--speed', '1000'];

async function hashOf(...words: string[]): Promise<string> {
  return hashIn(await told(...words));
}

function hashIn({ exitCode, output, errors }: Outcome): string {
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
  return /hash of all reports ([0-9a-f]{16})/.exec(output)?.[1] ?? `no hash in: ${output}`;
}

describe('the words before a world', () => {
  it.each([[['--help']], [['-h']], [['help']], [[]]])('%j shows the commands', async (words) => {
    const { exitCode, output } = await told(...words);
    expect(exitCode).toBe(0);
    expect(output).toMatch(/Usage: umwelt COMMAND/);
    expect(output).toMatch(/^ {2}play /m);
  });

  it.each([[['play', '--help']], [['play', '--port', 'x', '-h']], [['help', 'play']]])(
    '%j shows the options',
    async (words) => {
      const { exitCode, output } = await told(...words);
      expect(exitCode).toBe(0);
      for (const option of ['--scenario', '--trace', '--ticks', '--no-page'])
        expect(output).toContain(option);
      for (const line of output.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
    },
  );

  it.each([
    ['--version', umwelt],
    ['-v', told],
  ])('%s shows the version', async (word, run) => {
    expect(await run(word)).toMatchObject({ exitCode: 0, output: '0.1.0\n' });
  });
});

describe('a run of so many ticks', () => {
  it('sums up what it did', async () => {
    const { exitCode, output, errors } = await umwelt(...SMALL, ...FAST, '--ticks', '30');
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output).toMatch(/^ended after 30 ticks, 1\.5 s of world time$/m);
    expect(output).toMatch(/^reported [\d,]+ entered, [\d,]+ left, [\d,]+ updated, [\d,]+ sensed$/m);
    expect(output).toMatch(/^hash of all reports [0-9a-f]{16}$/m);
  });

  it('gives the same hash again, at another speed, and with the page', async () => {
    const first = await hashOf(...SMALL, ...FAST, '--ticks', '40', '--seed', '5');
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    expect(await hashOf(...SMALL, ...FAST, '--ticks', '40', '--seed', '5')).toBe(first);
    const shown = await umwelt(...SMALL, '--port', '0', '--speed', '3', '--ticks', '40', '--seed', '5');
    expect(hashIn(shown)).toBe(first);
  });

  it('gives another hash for another seed', async () => {
    const hashes = await Promise.all(
      ['1', '2'].map((seed) => hashOf(...SMALL, ...FAST, '--ticks', '9', '--seed', seed)),
    );
    expect(new Set(hashes).size).toBe(2);
  });

  it('gives the same hash with every detector', async () => {
    const words = [...SMALL, ...FAST, '--ticks', '25', '--detector'];
    const hashes: string[] = [];
    for (const name of detectorNames) hashes.push(await hashOf(...words, name));
    expect(new Set(hashes).size).toBe(1);
    expect(hashes[0]).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('a trace', () => {
  const path = join(folder, 'two.csv');
  writeFileSync(path, 't,id,x,y\n0,a,0,0\n0,b,1,0\n2,a,4,0\n2,b,5,0\n');

  it('played once ends with it', async () => {
    const run = await told('play', '--trace', path, '--once', '--gap', '3', ...FAST);
    expect(run).toMatchObject({ exitCode: 0, errors: '' });
    expect(run.output).toMatch(/^0 entities and 0 relations at the end$/m);
  });

  it('starts over when not played once', async () => {
    const { output } = await told('play', '--trace', path, '--gap', '3', ...FAST, '--ticks', '1000');
    expect(output).toMatch(/ended after 1,000 ticks/);
  });

  it('is repeated side by side', async () => {
    const { output } = await told('play', '--trace', path, '--tile', '3', ...FAST, '--ticks', '2');
    expect(output).toMatch(/^18 entities /m);
  });
});

describe('a run without an end', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('ends cleanly on %s, with a summary', async (signal) => {
    const run = new UmweltProcess([...SMALL, '--port', '0']);
    await run.printed(/http:\/\/localhost:\d+/);
    run.kill(signal);
    const { exitCode, output, errors } = await run.ended;
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output).toMatch(/^ended after [\d,]+ ticks?,/m);
  });

  it('takes two signals in the same moment for one', async () => {
    const run = new UmweltProcess([...SMALL, '--port', '0']);
    await run.printed(/http:\/\/localhost:\d+/);
    run.kill('SIGINT');
    run.kill('SIGINT');
    expect(await run.ended).toMatchObject({ exitCode: 0, errors: '' });
  });

  it('serves its page and the state of its health, and lets go of a page that is open when it ends', async () => {
    const run = new UmweltProcess([...SMALL, '--port', '0']);
    const [url] = await run.printed(/http:\/\/localhost:\d+/);
    const health = await fetch(`${url}/healthz`);
    expect(health.status).toBe(200);
    const page = new WebSocket(`${url.replace('http', 'ws')}/feed`);
    await new Promise((resolve) => page.once('message', resolve));
    run.kill('SIGINT');
    expect(await run.ended).toMatchObject({ exitCode: 0, errors: '' });
    page.terminate();
  });

  it('obeys its page', async () => {
    const run = new UmweltProcess([...SMALL, '--port', '0']);
    const [url] = await run.printed(/http:\/\/localhost:\d+/);
    const page = new WebSocket(`${url.replace('http', 'ws')}/feed`);
    await new Promise((resolve) => page.once('open', resolve));
    const paced = new Promise<string>((resolve) => {
      page.on('message', (data, isBinary) => {
        const text = isBinary ? '' : String(data);
        if (text.includes('"pace"')) resolve(text);
      });
    });
    page.send(JSON.stringify({ type: 'pause' }));
    expect(JSON.parse(await paced)).toMatchObject({ type: 'pace', paused: true });
    const tick = async () => ((await (await fetch(`${url}/healthz`)).json()) as { tick: number }).tick;
    const pausedAt = await tick();
    expect(await tick()).toBe(pausedAt);
    page.send(JSON.stringify({ type: 'step' }));
    await expect.poll(tick).toBe(pausedAt + 1);
    page.send(JSON.stringify({ type: 'play' }));
    await expect.poll(tick).toBeGreaterThan(pausedAt + 2);
    page.terminate();
    run.kill('SIGTERM');
    expect(await run.ended).toMatchObject({ exitCode: 0 });
  });

  it('takes another detector from its page, and says so', async () => {
    const run = new UmweltProcess([...SMALL, '--port', '0']);
    const [url] = await run.printed(/http:\/\/localhost:\d+/);
    const page = new WebSocket(`${url.replace('http', 'ws')}/feed`);
    const names: string[] = [];
    page.on('message', (data, isBinary) => {
      const text = isBinary ? '' : String(data);
      if (text.includes('"type":"greeting"'))
        page.send(JSON.stringify({ type: 'detector', name: 'brute-force' }));
      if (text.includes('"type":"detector"')) names.push((JSON.parse(text) as { name: string }).name);
    });
    await run.printed(/^detector brute-force from tick [\d,]+ on$/m);
    await expect.poll(() => names).toEqual(['sweep', 'brute-force']);
    page.terminate();
    run.kill('SIGTERM');
    expect(await run.ended).toMatchObject({ exitCode: 0, errors: '' });
  });

  it('offers no detector that would stop a large world', () => {
    expect(detectorsFor(200)).toEqual(detectorNames);
    expect(detectorsFor(100_000)).toEqual(detectorNames.filter((name) => name !== 'brute-force'));
  });

  it('ends when whoever reads its output has gone', async () => {
    const run = new UmweltProcess([...SMALL, '--no-page']);
    await run.printed(/Ctrl-C stops/);
    run.child.stdout?.destroy();
    expect((await run.ended).exitCode).toBe(0);
  });
});
