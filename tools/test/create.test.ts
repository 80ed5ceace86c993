/**
 * `npm create umwelt` as a user runs it: packed, run by npm, and each project installed, tested and started.
 *
 * The three projects are workspaces of one folder, so that npm installs once for all.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, HEADLESS_FLAGS } from '../chromium.ts';
import { openSparingPage } from '../draw-seldom.ts';
import { freePort, listenedOn } from '../free-port.ts';
import { npm, PATIENT } from '../npm.ts';
import { packOnce } from '../packing.ts';
import { PATIENCE_MS } from '../patience-ms.ts';
import { collectCommand } from '../run-command.ts';

const templates = ['ws', 'colyseus', 'ecs'];
const chromiumPath = findChromium();
/** Milliseconds: npm downloads third-party packages, at the registry's speed. */
const INSTALL_MS = 10 * 60_000;

let folder = '';
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'umwelt-created-'));
  const tarballs = await packOnce();
  const { file } = tarballs.find((each) => each.package.name === 'create-umwelt')!;
  const games = path.join(folder, 'games');
  mkdirSync(games);
  writeFileSync(path.join(games, 'package.json'), JSON.stringify({ private: true, workspaces: templates }));
  for (const name of templates) {
    const words = [name, '--template', name, '--packages', path.dirname(file)];
    await npm(games, 'exec', '--yes', ...PATIENT, `--package=${file}`, '--', 'create-umwelt', ...words);
  }
  await npm(games, 'install', ...PATIENT);
}, INSTALL_MS);

afterAll(async () => {
  endAll();
  await rm(folder, { recursive: true, force: true });
});

function endAll(): void {
  for (const child of running.splice(0)) process.kill(-child.pid!, 'SIGKILL');
}

interface Ports {
  readonly page: number;
  readonly inspector: number;
}

function startedProcess(name: string, ports: Ports, variables: NodeJS.ProcessEnv = {}) {
  const kept = Object.entries(process.env).filter(
    ([key]) => !/^(npm_|NODE_OPTIONS|NODE_ENV|INIT_CWD)/.test(key),
  );
  const own = { PORT: String(ports.page), INSPECTOR_PORT: String(ports.inspector), ...variables };
  const child = spawn('npm', ['--silent', 'start'], {
    cwd: path.join(folder, 'games', name),
    env: { ...Object.fromEntries(kept), ...own },
    detached: true,
  });
  running.push(child);
  return child;
}

/** The exit code of a process that ends by itself, and what it printed. */
async function endOf(child: ReturnType<typeof startedProcess>): Promise<[exitCode: number, said: string]> {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const [exitCode] = await once(child, 'close');
  running.splice(0);
  return [exitCode, stripVTControlCharacters(said).trim()];
}

/** Runs `npm start` in a project; resolves when it has printed the inspector's address. */
function started(name: string, ports: Ports, variables: NodeJS.ProcessEnv = {}): Promise<void> {
  const child = startedProcess(name, ports, variables);
  let said = '';
  return new Promise((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += stripVTControlCharacters(chunk.toString());
      if (/inspector: http/.test(said)) resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => reject(new Error(`npm start in ${name} ended with ${code}: ${said}`)));
  });
}

it.each(templates)('the project of the template %s passes its own tests', async (name) => {
  const said = await npm(path.join(folder, 'games', name), 'test');
  expect(said).toMatch(/pass [234]\n/);
  expect(said).toMatch(/fail 0\n/);
});

// One project is enough: the repository checks all templates, and all have the same tsconfig.json.
it('the checks of types hold in a project', () => {
  const checked = collectCommand('node_modules/typescript/bin/tsc', '-p', path.join(folder, 'games/ws'));
  expect(checked).toEqual({ exitCode: 0, output: '' });
});

it.each(['ws', 'ecs'])('%s answers requests for a page where a web server has the pages', async (name) => {
  const ports = { page: await freePort(), inspector: await freePort() };
  await started(name, ports, { NODE_ENV: 'production' });
  expect((await fetch(`http://localhost:${ports.page}/`)).status).toBe(404);
  endAll();
});

it('colyseus lets players join the meadow, and open no other one', async () => {
  const ports = { page: await freePort(), inspector: await freePort() };
  await started('colyseus', ports, { NODE_ENV: 'production' });
  const asked = async (method: string) => {
    const url = `http://localhost:${ports.page}/matchmake/${method}/meadow`;
    const headers = { 'content-type': 'application/json' };
    return (await fetch(url, { method: 'POST', headers, body: '{}' })).json();
  };
  expect(await asked('create')).toMatchObject({ error: 'invalid method "create"' });
  expect(await asked('joinOrCreate')).toMatchObject({ name: 'meadow' });
  endAll();
});

const PORTS = [
  ['page', 'PORT'],
  ['inspector', 'INSPECTOR_PORT'],
] as const;

it.each(templates.flatMap((name) => PORTS.map((port) => [name, ...port] as const)))(
  '%s says in one sentence that the port of its %s is taken',
  async (name, which, variable) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const ports = { page: await freePort(), inspector: await freePort(), [which]: port };
    // In production, Vite's own ports have nothing to say.
    const child = startedProcess(name, ports, { NODE_ENV: 'production' });
    const ended = await endOf(child);
    other.close();
    const sentence = `Port ${port} is in use: stop the program that uses it, or set ${variable} to another port.`;
    expect(ended).toEqual([1, sentence]);
  },
);

it.each(templates.flatMap((name) => PORTS.map(([, variable]) => [name, variable] as const)))(
  '%s says in one sentence that %s is no port',
  async (name, variable) => {
    const ports = { page: await freePort(), inspector: await freePort() };
    const ended = await endOf(startedProcess(name, ports, { NODE_ENV: 'production', [variable]: 'abc' }));
    expect(ended).toEqual([1, `${variable} is 'abc'; expected a port, from 1 to 65535.`]);
  },
);

it.each(templates)('%s starts where the inspector has the port after that of the page', async (name) => {
  let ports: Ports;
  do {
    const page = await freePort();
    ports = { page, inspector: page + 1 };
  } while (!(await isFree(ports.inspector)));
  await started(name, ports);
  expect((await fetch(`http://localhost:${ports.inspector}/`)).status).toBe(200);
  endAll();
});

it('colyseus starts on the last port', async () => {
  await started('colyseus', { page: 65_535, inspector: 65_534 });
  expect((await fetch('http://localhost:65535/')).status).toBe(200);
  endAll();
});

function isFree(port: number): Promise<boolean> {
  return listenedOn(port, '127.0.0.1').then(
    () => true,
    () => false,
  );
}

describe.skipIf(chromiumPath === undefined)('each project, started', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath!, args: HEADLESS_FLAGS });
  });
  afterEach(async () => {
    endAll();
    // A page whose server is gone draws on, and tries to reconnect.
    await Promise.all(browser.contexts().map((context) => context.close()));
  });
  afterAll(() => browser?.close());

  it.each(templates)('%s shows two players each other, and has the inspector beside it', async (name) => {
    const ports = { page: await freePort(), inspector: await freePort() };
    await started(name, ports);
    const errors: string[] = [];
    // The second name is too long, and of letters that take two bytes.
    const seen = await Promise.all(
      ['Ada', 'Ж'.repeat(40)].map(async (player) => {
        const page = await openSparingPage(browser, {});
        page.on('pageerror', ({ message }) => errors.push(message));
        const address = `http://localhost:${ports.page}/?name=${encodeURIComponent(player)}`;
        await page.goto(address, { timeout: PATIENCE_MS });
        return page.locator('#seen');
      }),
    );
    for (const text of seen) await expect.poll(() => text.textContent()).toMatch(/^In sight: players 1,/);
    // One holds the picture at its right, and walks there.
    const { mouse } = seen[0]!.page();
    const picture = (await seen[0]!.page().locator('canvas').boundingBox())!;
    await mouse.move(picture.x + picture.width - 20, picture.y + picture.height / 2);
    await mouse.down();
    for (const text of seen) await expect.poll(() => text.textContent()).toMatch(/^In sight: players 0,/);
    await mouse.up();
    expect(await (await fetch(`http://localhost:${ports.inspector}/`)).text()).toContain('<title>');
    expect(errors).toEqual([]);
  });

  it.each(templates)('%s plays on in the same page when its server was restarted', async (name) => {
    const ports = { page: await freePort(), inspector: await freePort() };
    await started(name, ports);
    const page = await openSparingPage(browser, {});
    // Vite would load the page again; no player's page has Vite.
    const noVite = { contentType: 'text/javascript', body: '' };
    await page.route('**/@vite/client', (route) => route.fulfill(noVite));
    await page.goto(`http://localhost:${ports.page}/`, { timeout: PATIENCE_MS });
    const reads = () => expect.poll(() => page.locator('#seen').textContent(), { timeout: PATIENCE_MS });
    await reads().toMatch(/^In sight/);
    endAll();
    await reads().toBe('Connecting');
    await started(name, ports);
    await reads().toMatch(/^In sight/);
  });
});
