/**
 * Runs the example: nodes are killed and added, and no entity disappears. On a log in memory; on a broker and with the page if a
 * broker and Chromium are installed.
 */
import { UmweltClient } from '@umwelt/client';
import { memoryLog } from '@umwelt/cluster';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { findChromium, HEADLESS_FLAGS } from '../../tools/chromium.ts';
import { openSparingPage } from '../../tools/draw-seldom.ts';
import { findNatsServer } from '../../tools/nats-server.ts';
import { ExampleProcess } from '../example-process.ts';
import type { Picture } from './overview.ts';
import { readGoal, writeGoal } from './rules.ts';
import { Shard } from './shard.ts';

const PATIENCE = { timeout: 60_000, interval: 100 };
const BOTS = 5;
const chromiumPath = findChromium();

type Seen = Picture & { readonly bots: number; readonly botsConnected: number };

/** The newest picture of a running example. */
async function follow(url: string) {
  const response = await fetch(new URL('/feed', url));
  let newest: Seen | undefined;
  const read = async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const piece of response.body as AsyncIterable<Uint8Array>) {
      const events = (text + decoder.decode(piece, { stream: true })).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        if (event.startsWith('event: picture')) newest = JSON.parse(event.slice(event.indexOf('data: ') + 6));
      }
    }
  };
  // Ends with the example.
  read().catch(() => {});
  return () => newest;
}

async function start(...words: string[]) {
  const example = new ExampleProcess('06-cluster', '--port', '0', '--bots', String(BOTS), ...words);
  const [url = ''] = await example.printed(/http:\/\/\S+/);
  return { example, url, ground: /on (.*)/.exec(example.output)?.[1] ?? '' };
}

/** Kills a node and adds one, and checks the whole world. */
async function killAndAdd(words: readonly string[]): Promise<string> {
  const { example, url, ground } = await start(...words);
  const seen = await follow(url);
  const isWhole = (nodes: number) => () => {
    const picture = seen();
    if (picture === undefined) return 'nothing yet';
    const { members, botsConnected, missing, entities, everSeen } = picture;
    const owners = new Set(entities.filter((_, index) => index % 6 === 3));
    return `${members.length} nodes, ${owners.size} owners, ${botsConnected} bots, ${missing} of ${everSeen} missing${owners.has(-1) ? ', orphans' : ''}, ${nodes}`;
  };
  const whole = (nodes: number) =>
    `${nodes} nodes, ${nodes} owners, ${BOTS} bots, 0 of ${300 + BOTS} missing, ${nodes}`;
  await expect.poll(isWhole(3), PATIENCE).toBe(whole(3));
  const victim = seen()?.members[1]?.name ?? '';
  await fetch(new URL(`/kill?name=${victim}`, url), { method: 'POST' });
  await expect.poll(isWhole(2), PATIENCE).toBe(whole(2));
  expect(seen()?.members.map(({ name }) => name)).not.toContain(victim);
  await fetch(new URL('/add', url), { method: 'POST' });
  await expect.poll(isWhole(3), PATIENCE).toBe(whole(3));
  await example.stop();
  expect(example.errors).not.toMatch(/rror/);
  return ground;
}

test('a goal is read as it was written, and nothing else is one', () => {
  expect(readGoal(writeGoal({ x: 12.5, y: 3 }))).toEqual({ x: 12.5, y: 3 });
  expect(readGoal(writeGoal({ x: -5, y: 1e9 }))).toEqual({ x: 0, y: 200 });
  expect(readGoal(writeGoal({ x: Number.NaN, y: 0 }))).toBeUndefined();
  expect(readGoal(new Uint8Array(7))).toBeUndefined();
});

test('a log that stands still closes no connection, however many inputs are lost', async () => {
  const log = memoryLog();
  const shard = await Shard.start({ log, name: 'Amber', walkers: 0 });
  const player = new UmweltClient({
    url: `ws://127.0.0.1:${shard.port}/`,
    credential: () => 'Ada',
    onError: (error) => expect.unreachable(String(error)),
  });
  const states: string[] = [];
  player.on('state', (state) => states.push(state));
  player.connect();
  await expect.poll(() => player.own?.fields.name, PATIENCE).toBe('Ada');
  log.append = () => new Promise(() => {});
  const fill = () => {
    for (;;) shard.node.broadcast(player.own?.id ?? 0, new Uint8Array(4096));
  };
  expect(fill).toThrow(expect.objectContaining({ code: 'TOO_MUCH' }));
  const rest = () => {
    for (;;) shard.node.send(player.own?.id ?? 0, writeGoal({ x: 1, y: 1 }));
  };
  expect(rest).toThrow(expect.objectContaining({ code: 'TOO_MUCH' }));
  for (let i = 0; i < 5; i++) player.sendInput(writeGoal({ x: 1, y: 1 }));
  await expect.poll(() => shard.gateway.metrics(), PATIENCE).toContain('inputs_total 5');
  expect(states).toEqual(['connecting', 'open']);
  player.close();
  await shard.crash();
});

test('a node that is killed and one that is added: nobody disappears, in memory', async () => {
  expect(await killAndAdd(['--memory'])).toMatch(/^a log in memory/);
});

describe.skipIf(findNatsServer() === undefined)('on a broker', () => {
  test('the same with kill -9', async () => {
    expect(await killAndAdd([])).toMatch(/^nats-server on port \d+, each node in its own process/);
  });
});

describe.skipIf(chromiumPath === undefined)('on its page', () => {
  let browser: Browser | undefined;
  afterAll(() => browser?.close());

  test('the buttons kill and add, and the viewer goes on elsewhere', async () => {
    const { url } = await start('--memory');
    browser = await chromium.launch({ executablePath: chromiumPath as string, args: HEADLESS_FLAGS });
    const page = await openSparingPage(browser, {
      viewport: { width: 1360, height: 820 },
    });
    const faults: Error[] = [];
    page.on('pageerror', (error) => faults.push(error));
    await page.goto(url);
    const textOf = (selector: string) => () => page.textContent(selector);
    await expect.poll(textOf('#players'), PATIENCE).toBe(`${BOTS} of ${BOTS}`);
    await expect.poll(textOf('#nodes'), PATIENCE).toContain('your node');
    const own = page.locator('#nodes li', { hasText: 'your node' });
    const name = (await own.locator('b').textContent())?.split(' ')[0] ?? '';
    await own.locator('button').click();
    await expect.poll(textOf('#said'), PATIENCE).toContain(`${name} is killed`);
    await expect.poll(textOf('#said'), PATIENCE).toContain('You continue on');
    await expect.poll(textOf('#nodes'), PATIENCE).not.toContain(name);
    await page.click('#add');
    await expect.poll(() => page.locator('#nodes li').count(), PATIENCE).toBe(3);
    expect(await page.textContent('#missing')).toBe('0');
    expect(faults).toEqual([]);
  });
});
