/**
 * The tutorial, followed as it is written: in an empty folder, with the packages from their tarballs, until two players
 * in two browsers see each other come and go. On the project's own Node, and on the oldest that is promised.
 *
 * If the other Node cannot be installed, its part is skipped; with CI=true that is a failure.
 */
import { type ChildProcess, exec, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify, stripVTControlCharacters } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, HEADLESS_FLAGS } from '../chromium.ts';
import { openSparingPage } from '../draw-seldom.ts';
import { freePort } from '../free-port.ts';
import { packOnce, type Tarball, withDependencies } from '../packing.ts';
import { root } from '../run-command.ts';
import { installedRuntimes } from '../runtimes.ts';
import { readTutorial } from '../tutorial.ts';

const tutorial = readTutorial(readFileSync(path.join(root, 'docs/tutorial.md'), 'utf8'));
const chromiumPath = findChromium();
/** Milliseconds: npm downloads third-party packages, at the registry's speed. */
const INSTALL_MS = 5 * 60_000;

/** The folder of `node`, by the name of a Node: the tutorial's commands find it there. */
const nodes: Readonly<Record<string, () => Promise<string>>> = {
  "the project's Node": async () => path.dirname(process.execPath),
  'Node 22': async () => {
    const found = (await installedRuntimes()).find(({ name }) => name === 'Node 22');
    return path.dirname(found!.command[0]);
  },
};

let browser: Browser | undefined;
let folder = '';
let nodeFolder = '';
/** Why the Node in question is not there. */
let whyNone = '';
/** Free ports in place of the tutorial's, which another program on this machine may use. */
const ports = new Map<string, number>();
const running: ChildProcess[] = [];

/** The commands as a person types them, except for the packages, which are not on a registry yet. */
function typed(command: string, tarballs: readonly Tarball[]): string {
  const ours = ['@umwelt/gateway', '@umwelt/client'].flatMap((name) => withDependencies(name, tarballs));
  const files = [...new Set(ours.map(({ file }) => JSON.stringify(file)))];
  return command === 'npm i umwelt @umwelt/gateway @umwelt/client' ? `npm i ${files.join(' ')}` : command;
}

function onOwnPorts(text: string): string {
  return [...ports].reduce((changed, [written, own]) => changed.replaceAll(written, String(own)), text);
}

/** The environment without this repository's npm settings and export conditions. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS|INIT_CWD)/.test(name));
  const PATH = [nodeFolder, process.env.PATH].join(path.delimiter);
  return { ...Object.fromEntries(kept), PATH, npm_config_prefer_offline: 'true' };
}

/** Starts a command that keeps running; resolves when it has printed its ready message. */
function started(command: string, ready: RegExp): Promise<void> {
  const cwd = path.join(folder, 'meadow');
  const child = spawn(command, { cwd, env: environment(), shell: true, detached: true });
  running.push(child);
  let said = '';
  return new Promise((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      // Some programs treat CI as a terminal and colour their output.
      said += stripVTControlCharacters(chunk.toString());
      if (ready.test(said)) resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('exit', (code) => reject(new Error(`'${command}' ended with ${code}: ${said}`)));
  });
}

/** A player that presses a key, and of whom nothing is heard from then on: where it was at first, and where it stood still for a second. */
const EVE = `
import { setTimeout } from 'node:timers/promises';
import { UmweltClient } from '@umwelt/client';

const client = new UmweltClient({ url: 'ws://localhost:7700/', credential: () => 'Eve' });
client.connect();
while (client.own === undefined) await setTimeout(20);
const startX = client.own.x;
client.sendInput(Uint8Array.of(1, 0, 0));
let lastX = startX;
for (let stillLooks = 0; stillLooks < 20; ) {
  await setTimeout(50);
  stillLooks = lastX !== startX && client.own.x === lastX ? stillLooks + 1 : 0;
  lastX = client.own.x;
}
client.close();
console.log(JSON.stringify([startX, lastX]));
`;

const SEEN = /^In sight: players (\d+), sheep (\d+)$/;

async function sees(page: Page): Promise<{ players: number; sheep: number } | undefined> {
  const [, players, sheep] = SEEN.exec((await page.textContent('#seen')) ?? '') ?? [];
  return players === undefined ? undefined : { players: Number(players), sheep: Number(sheep) };
}

it('shows a server, a page and their setup', () => {
  expect([...tutorial.files.keys()]).toEqual(['server.ts', 'index.html', 'page.ts']);
  expect([...tutorial.running]).toHaveLength(2);
});

describe.each(Object.keys(nodes))('with %s', (name) => {
  beforeAll(async () => {
    try {
      nodeFolder = await nodes[name]!();
    } catch (error) {
      whyNone = (error as Error).message;
      return;
    }
    folder = mkdtempSync(path.join(tmpdir(), 'umwelt-tutorial-'));
    for (const written of ['7700', '5173']) ports.set(written, await freePort());
    const tarballs = await packOnce();
    const project = path.join(folder, 'meadow');
    await promisify(exec)(`mkdir ${JSON.stringify(project)}`);
    for (const command of tutorial.commands) {
      await promisify(exec)(typed(command, tarballs), { cwd: project, env: environment() });
    }
    for (const [name, text] of tutorial.files) writeFileSync(path.join(project, name), onOwnPorts(text));
  }, INSTALL_MS);

  afterAll(async () => {
    await browser?.close();
    for (const child of running.splice(0)) process.kill(-child.pid!, 'SIGKILL');
    if (folder !== '') await rm(folder, { recursive: true, force: true });
  });

  it('there is that Node', async ({ skip }) => {
    if (process.env.CI !== 'true') skip(whyNone !== '', whyNone);
    expect(whyNone).toBe('');
    const { stdout } = await promisify(exec)('node --version', { env: environment() });
    expect(stdout).toMatch(name === 'Node 22' ? /^v22\./ : process.version);
  });

  it('a server whose port is taken says so in one sentence', async ({ skip }) => {
    skip(whyNone !== '', whyNone);
    await started(onOwnPorts(tutorial.running.get('server')!), /ws:\/\/localhost/);
    const again = started(onOwnPorts(tutorial.running.get('server')!), /ws:\/\/localhost/);
    await expect(again).rejects.toThrow(/ended with 1: Port \d+ is in use: stop [^\n]*\n$/);
    running.pop();
  });

  it.skipIf(chromiumPath === undefined)(
    'two players see each other, hide, part and meet again',
    async ({ skip }) => {
      skip(whyNone !== '', whyNone);
      await started(onOwnPorts(tutorial.running.get('page')!), /Local:/);
      browser = await chromium.launch({ executablePath: chromiumPath!, args: HEADLESS_FLAGS });
      const [first, second] = await Promise.all(
        // The second name is too long, and of letters that take two bytes.
        ['Ada', 'Ж'.repeat(40)].map(async (name) => {
          // Too low for the picture: the page can be scrolled.
          const page = await openSparingPage(browser!, { viewport: { width: 640, height: 320 } });
          await page.goto(onOwnPorts(`http://localhost:5173/?name=${encodeURIComponent(name)}`));
          return page;
        }),
      );
      await expect.poll(() => sees(first!)).toMatchObject({ players: 1 });
      await expect.poll(() => sees(second!)).toMatchObject({ players: 1 });
      expect((await sees(first!))!.sheep).toBeGreaterThan(0);

      await first!.keyboard.down('ArrowRight');
      await expect.poll(() => sees(second!)).toMatchObject({ players: 0 });
      await expect.poll(() => sees(first!)).toMatchObject({ players: 0 });
      await first!.keyboard.up('ArrowRight');

      // One step at a time, so that they meet at the edge of sight.
      const step = async () => {
        await first!.keyboard.press('ArrowLeft', { delay: 60 });
        return sees(second!);
      };
      await expect.poll(step).toMatchObject({ players: 1 });

      // Hidden, at a distance of more than a tenth of 30: not seen any more, but still seeing.
      await first!.keyboard.down(' ');
      await expect.poll(() => sees(second!)).toMatchObject({ players: 0 });
      expect(await sees(first!)).toMatchObject({ players: 1 });
      expect(await first!.evaluate('scrollY')).toBe(0);

      // The player goes to another window with the space bar held down.
      await first!.evaluate("dispatchEvent(new Event('blur'))");
      await expect.poll(() => sees(second!)).toMatchObject({ players: 1 });
    },
  );

  it.skipIf(chromiumPath === undefined)('a player on a phone walks and hides', async ({ skip }) => {
    skip(whyNone !== '', whyNone);
    const second = browser!.contexts()[1]!.pages()[0]!;
    const phone = await openSparingPage(browser!, {
      // Too low for the whole page: it can be scrolled.
      viewport: { width: 375, height: 320 },
      hasTouch: true,
      isMobile: true,
    });
    const before = (await sees(second))!.players;
    await phone.goto(onOwnPorts('http://localhost:5173/?name=Eve'));
    await expect.poll(() => sees(second)).toMatchObject({ players: before + 1 });
    const picture = (await phone.locator('canvas').boundingBox())!;
    expect(picture.x + picture.width).toBeLessThanOrEqual(375);

    const fingers = await phone.context().newCDPSession(phone);
    const touch = (type: 'touchStart' | 'touchMove', down: number) => {
      const point = { x: picture.x + picture.width / 2, y: picture.y + picture.height * down };
      return fingers.send('Input.dispatchTouchEvent', { type, touchPoints: [point] });
    };
    const release = () => fingers.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    // The finger drags from the bottom upwards, which would scroll another page, and stays there.
    await touch('touchStart', 0.8);
    for (const down of [0.7, 0.3, 0.2, 0.1]) await touch('touchMove', down);
    await expect.poll(() => sees(second)).toMatchObject({ players: before });
    await release();
    expect(await phone.evaluate('scrollY')).toBe(0);

    const step = async () => {
      await touch('touchStart', 0.8);
      await setTimeout(60);
      await release();
      return sees(second);
    };
    await expect.poll(step).toMatchObject({ players: before + 1 });
    await touch('touchStart', 0.5);
    await expect.poll(() => sees(second)).toMatchObject({ players: before });
    await release();
    await expect.poll(() => sees(second)).toMatchObject({ players: before + 1 });
  });

  it('a player of whom nothing is heard stops', async ({ skip }) => {
    skip(whyNone !== '', whyNone);
    writeFileSync(path.join(folder, 'meadow', 'eve.ts'), onOwnPorts(EVE));
    const { stdout } = await promisify(exec)('node eve.ts', {
      cwd: path.join(folder, 'meadow'),
      env: environment(),
    });
    const [startX = NaN, endX = NaN] = JSON.parse(stdout);
    expect(endX).toBeGreaterThan(startX + 3);
    expect(endX).toBeLessThan(startX + 30);
  });

  it.skipIf(chromiumPath === undefined)('a page whose server has stopped says so', async ({ skip }) => {
    skip(whyNone !== '', whyNone);
    const page = browser!.contexts()[0]!.pages()[0]!;
    expect(await sees(page)).toBeDefined();
    const [server] = running.splice(0, 1);
    process.kill(-server!.pid!, 'SIGKILL');
    await expect.poll(() => page.textContent('#seen')).toBe('Connecting');
  });
});
