/** A gateway on a real port of the loopback, for tests that knock at it; all of it ends after each test. */
import { request as httpRequest } from 'node:http';
import { UmweltClient } from '@umwelt/client';
import { pino } from 'pino';
import { World } from 'umwelt';
import { onTestFinished } from 'vitest';
import type { WebSocket } from 'ws';
import {
  Gateway,
  type GatewayOptions,
  WebSocketTransport,
  type WebSocketTransportOptions,
} from '../src/index.ts';

/** Calls it after the test; the last one first. */
export function atEnd(end: () => unknown): void {
  onTestFinished(async () => void (await end()));
}

export async function served(
  options: Partial<GatewayOptions> = {},
  listening: Partial<WebSocketTransportOptions> = {},
) {
  const world = new World();
  const gateway = new Gateway(world, {
    tickMs: 20,
    appearance: { positionStep: 0.25, fields: { name: { type: 'string' } } },
    logger: pino({ enabled: false }),
    authenticate: ({ credential }) =>
      credential === '' ? undefined : { watcher: world.add({ x: Number(credential), y: 0, range: 100 }) },
    onLeave: ({ watcher }) => {
      if (watcher !== 0) world.remove(watcher);
    },
    ...options,
  });
  const transport = new WebSocketTransport({ port: 0, host: '127.0.0.1', ...listening });
  await gateway.listen(transport);
  atEnd(() => gateway.drain());
  const tick = (): void => gateway.publish(world.tick());
  const timer = setInterval(tick, 20);
  atEnd(() => clearInterval(timer));
  return { world, gateway, transport, url: `ws://127.0.0.1:${transport.port}/` };
}

export function player(url: string, credential: string): UmweltClient {
  const client = new UmweltClient({ url, credential: () => credential, retryFirstMs: 50 });
  atEnd(() => client.close());
  client.connect();
  return client;
}

/** Waits until something is so; the test's own time limit is the end of it. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
}

export async function countOf(gateway: Gateway, line: string): Promise<number> {
  const found = (await gateway.metrics())
    .split('\n')
    .find((text) => text.startsWith(`umwelt_gateway_${line} `));
  return Number(found?.split(' ').at(-1) ?? 0);
}

export function statusOf(
  port: number,
  path: string,
  method = 'GET',
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ host: '127.0.0.1', port, path, method }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

export function closeCode(socket: WebSocket): Promise<number> {
  socket.on('error', () => {});
  return new Promise((resolve) => socket.on('close', resolve));
}
