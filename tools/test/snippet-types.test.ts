/**
 * Every block of TypeScript in the guides and READMEs compiles: each name, option and argument in it exists.
 *
 * They compile under `strict`, as in a reader's project. A block may use names that the text around it gives, such as
 * `world`: they are declared here, and no others. Whether a block does what its page says is a matter of other tests.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRepository } from '../checks/repository.ts';
import { root } from '../run-command.ts';

/** Names that are ours, as the pages have them before or leave them to the reader. */
const SURROUNDINGS = `
import * as core from '@colyseus/core';
import * as pages from '@umwelt/client';
import * as cluster from '@umwelt/cluster';
import * as colyseus from '@umwelt/colyseus';
import * as ours from '@umwelt/gateway';
import * as umwelt from 'umwelt';
declare global {
  export import World = umwelt.World;
  export import Channels = umwelt.Channels;
  export import Replay = umwelt.Replay;
  export import Gateway = ours.Gateway;
  export import UmweltClient = pages.UmweltClient;
  export import RoomInterest = colyseus.RoomInterest;
  export import Room = core.Room;
  type Client = core.Client;
  type ClusterNode = cluster.ClusterNode;
  type Unit = import('@colyseus/schema').Schema & { name: string };
  const { natsLog, natsCheckpoints, joinWorld }: typeof cluster;
  const world: World;
  const gateway: Gateway;
  const node: cluster.ClusterNode;
  const log: cluster.Log;
  const appearance: {
    readonly positionStep: 0.01;
    readonly fields: {
      readonly name: { readonly type: 'string' };
      readonly health: { readonly type: 'uint' };
      readonly mood: { readonly type: 'uint'; readonly audience: 'near' };
    };
  };
  const authenticate: ours.GatewayOptions['authenticate'];
  const myDetector: umwelt.DetectorFactory;
  const MyDetector: new (population: umwelt.Population) => umwelt.Detector;
  const byThreat: umwelt.RankFunction;
  const id: number;
  const url: string, servers: string, ticket: string;
  const recording: Uint8Array, worldBytes: Uint8Array, gatewayBytes: Uint8Array;
  const http: typeof import('node:http');
  const readFileSync: typeof import('node:fs').readFileSync;
  const play: () => void, pause: () => void, step: () => void, setSpeed: (factor: number) => void;
  const interest: RoomInterest, client: Client, server: core.Server;
  const options: umwelt.WorldOptions & ours.GatewayOptions;
  const players: Map<string | number, unknown>;
  const names: Map<number, string>;
  const file: { write(bytes: Uint8Array): void };
  const store: (...bytes: Uint8Array[]) => Promise<void>;
  const ticking: NodeJS.Timeout;
  const accountOf: (credential: string) => { id: string; name: string } | undefined;
  const isBeginner: (id: number) => boolean;
  const test: (name: string, run: () => void) => void;
  // What a game draws. Each game has its own arguments for it, so that these alone are of any type.
  const addSprite: any, fade: any, crumble: any, say: any, place: any, steer: any, showMood: any, showHealth: any;
}
`;

/** What the guides use of uWebSockets.js, which is not on npm, as its own types have it. */
const UWEBSOCKETS = `
declare module 'uWebSockets.js' {
  type Text = string | ArrayBuffer | Uint8Array;
  export interface WebSocket<UserData> {
    getUserData(): UserData;
    getBufferedAmount(): number;
    send(message: Text, isBinary?: boolean, compress?: boolean): number;
    end(code?: number, shortMessage?: Text): void;
    close(): void;
  }
  interface HttpResponse {
    getRemoteAddressAsText(): ArrayBuffer;
    writeStatus(status: Text): HttpResponse;
    end(body?: Text): HttpResponse;
    upgrade<UserData>(userData: UserData, key: Text, protocol: Text, extensions: Text, context: object): void;
  }
  interface HttpRequest {
    getUrl(): string;
    getQuery(): string;
    forEach(call: (key: string, value: string) => void): void;
  }
  interface WebSocketBehavior<UserData> {
    maxPayloadLength?: number;
    maxBackpressure?: number;
    upgrade?: (response: HttpResponse, request: HttpRequest, context: object) => void | Promise<void>;
    open?: (socket: WebSocket<UserData>) => void | Promise<void>;
    message?: (socket: WebSocket<UserData>, message: ArrayBuffer, isBinary: boolean) => void | Promise<void>;
    close?: (socket: WebSocket<UserData>, code: number, message: ArrayBuffer) => void;
  }
  export interface TemplatedApp {
    ws<UserData>(pattern: Text, behavior: WebSocketBehavior<UserData>): TemplatedApp;
  }
}
`;

const project = {
  extends: '../../tsconfig.unbuilt.json',
  compilerOptions: {
    incremental: false,
    customConditions: ['umwelt:source'],
    lib: ['ES2024', 'DOM', 'DOM.Iterable'],
    // What `strict` leaves out is a choice of each project: a block in the style of the library that it shows, such as a
    // Colyseus room without `override`, is right.
    strict: true,
    noImplicitOverride: false,
    noUncheckedIndexedAccess: false,
    exactOptionalPropertyTypes: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
  },
  include: ['*.ts'],
};

/** A block in a list is indented. */
const BLOCK = /^ *```ts(?: [^\n]*)?\n([\s\S]*?)^ *```$/gm;
const folder = path.join(root, '.cache', `snippet-types-${process.pid}`);
const repository = openRepository(root);
const pages = repository.files.filter(
  (file) => /^(README\.md|docs\/.*\.md|packages\/.*README\.md)$/.test(file) && !file.startsWith('docs/api/'),
);

beforeAll(() => mkdirSync(folder, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The compiler's errors in blocks, by page and line. */
async function errorsIn(texts: ReadonlyMap<string, string>): Promise<string[]> {
  const origins = new Map<string, { page: string; line: number }>();
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  for (const [page, text] of texts) {
    for (const match of text.matchAll(BLOCK)) {
      const line = text.slice(0, match.index).split('\n').length;
      const name = `block-${origins.size}.ts`;
      origins.set(name, { page, line });
      const code = match[1]!.replace(/^(.* \/\/ does not compile)$/gm, '// @ts-expect-error: it says so\n$1');
      writeFileSync(path.join(folder, name), `${code}export {};\n`);
    }
  }
  writeFileSync(path.join(folder, 'surroundings.d.ts'), SURROUNDINGS);
  writeFileSync(path.join(folder, 'uwebsockets.d.ts'), UWEBSOCKETS);
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(project));
  const words = ['node_modules/typescript/bin/tsc', '-p', folder, '--pretty', 'false'];
  const output = await promisify(execFile)(process.execPath, words, { cwd: root }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
  const found: string[] = [];
  // Sources are compiled along, less strictly than they are written for: their own check is another.
  for (const [, name = '', at, message] of output.matchAll(
    /^.*?(block-\d+\.ts)\((\d+),\d+\): error (.+)$/gm,
  )) {
    const { page, line } = origins.get(name)!;
    found.push(`${page}:${line + Number(at)}: ${message}`);
  }
  return found;
}

it('all blocks compile', async () => {
  const texts = new Map(pages.map((page) => [page, repository.read(page)]));
  const count = [...texts.values()].flatMap((text) => [...text.matchAll(BLOCK)]).length;
  expect(count).toBeGreaterThan(80);
  expect(await errorsIn(texts)).toEqual([]);
});

it('a block with a member that does not exist, a name that nothing declares, or a parameter without a type, does not', async () => {
  const text =
    '# Page\n\n```ts\nconst size = world.sise;\n```\n\n```ts [server.ts]\nnew World({ sense: [] });\nsend();\n```\n\n- A point:\n\n  ```ts\n  const own = (id) => world.has(id);\n  ```\n';
  expect(await errorsIn(new Map([['a.md', text]]))).toEqual([
    expect.stringMatching(/^a\.md:4: TS\d+: Property 'sise' does not exist/),
    expect.stringMatching(/^a\.md:8: TS\d+: .*'sense' does not exist/),
    expect.stringMatching(/^a\.md:9: TS\d+: Cannot find name 'send'/),
    expect.stringMatching(/^a\.md:15: TS7006: Parameter 'id' implicitly has an 'any' type/),
  ]);
});
