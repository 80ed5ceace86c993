/**
 * An inspector that other machines reach: page and feed open to whoever brings the token, and to nobody else.
 */
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { Inspector } from '../src/index.ts';
import { FeedClient } from './feed-client.ts';
import { createScene, look, start } from './scene.ts';

const PASSED = '0123456789-given';

/** The status with which a path is answered. */
async function statusOf(
  inspector: Inspector,
  path: string,
  headers: Record<string, string> = {},
): Promise<number> {
  const response = await fetch(new URL(path, inspector.url), { headers });
  await response.arrayBuffer();
  return response.status;
}

async function isLetIn(
  inspector: Inspector,
  path: string,
  headers: Record<string, string> = {},
): Promise<boolean> {
  const client = new FeedClient(inspector.url, headers, path);
  await client.until(() => client.closeCode !== undefined || client.heard.length > 0);
  client.socket.terminate();
  return client.heard.length > 0;
}

describe('on the loopback', () => {
  it('no token is wanted', async () => {
    const inspector = await start(createScene().options);
    expect(inspector.url).toMatch(/^http:\/\/localhost:\d+$/);
    expect(inspector.urls).toEqual([inspector.url]);
    expect(await statusOf(inspector, '/')).toBe(200);
    expect(await isLetIn(inspector, '/feed')).toBe(true);
  });

  it('one is wanted that was given', async () => {
    const inspector = await start({ ...createScene().options, token: PASSED });
    expect(inspector.url).toMatch(new RegExp(`^http://localhost:\\d+/\\?token=${PASSED}$`));
    expect(await isLetIn(inspector, '/feed')).toBe(false);
    await look(inspector).frames(1);
  });
});

describe('beyond the loopback', () => {
  it('the page and the feed want the token of the address, and what the page is made of does not', async () => {
    const inspector = await start({ ...createScene().options, host: '0.0.0.0' });
    const { search } = new URL(inspector.url);
    expect(search).toMatch(/^\?token=[\w-]{24}$/);
    expect(await statusOf(inspector, `/${search}`)).toBe(200);
    expect(await isLetIn(inspector, `/feed${search}`)).toBe(true);
    for (const wrong of ['', '?token=', `${search}x`, '?token=000000000000000000000000']) {
      expect(await statusOf(inspector, `/${wrong}`)).toBe(401);
      expect(await statusOf(inspector, `/index.html${wrong}`)).toBe(401);
      expect(await isLetIn(inspector, `/feed${wrong}`)).toBe(false);
    }
    expect(inspector.clientCount).toBe(0);
    const page = await (await fetch(inspector.url)).text();
    const [, script] = /src="([^"]+)"/.exec(page) ?? [];
    expect(await statusOf(inspector, script as string)).toBe(200);
    expect(await statusOf(inspector, '/healthz')).toBe(200);
  });

  it('a site that points its own name there is not answered, even with the token', async () => {
    const inspector = await start({ ...createScene().options, host: '0.0.0.0', hostNames: ['game.example'] });
    const { search, port } = new URL(inspector.url);
    const letIn = (host: string) =>
      isLetIn(inspector, `/feed${search}`, { Host: `${host}:${port}`, Origin: `http://${host}:${port}` });
    expect(await letIn('evil.example')).toBe(false);
    expect(await letIn('game.example')).toBe(true);
    expect(await letIn('127.0.0.1')).toBe(true);
  });

  it('gives the addresses at which other machines find it', async () => {
    const inspector = await start({ ...createScene().options, host: '0.0.0.0' });
    const { search, port } = new URL(inspector.url);
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
      .map(({ address }) => `http://${address}:${port}/${search}`);
    expect(inspector.urls).toEqual([inspector.url, ...outside.slice(0, 4)]);
  });
});
