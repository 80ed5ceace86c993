/**
 * `umwelt serve` as a server in another language meets it: a process, a port, bytes or JSON; and docs/serve.md held to its word.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { Answer, Views } from '../src/serve/answer.ts';
import { readAnswer } from '../src/serve/binary-answers.ts';
import { writeBatch, writeHello } from '../src/serve/binary-commands.ts';
import type { Command } from '../src/serve/command.ts';
import { readAnswerText } from '../src/serve/json-answers.ts';
import { writeBatchText, writeHelloText } from '../src/serve/json-commands.ts';
import { told, UmweltProcess } from './child-process.ts';
import { type Form, pairText } from './serve-stage.ts';
import { ServeTwin } from './serve-twin.ts';

const folder = mkdtempSync(join(tmpdir(), 'umwelt-serve-'));
afterAll(() => rmSync(folder, { recursive: true }));
const guide = readFileSync(new URL('../../../docs/serve.md', import.meta.url), 'utf8');
const SENSES = ['sight', 'hearing'];

async function served(...words: string[]): Promise<{ process: UmweltProcess; port: number }> {
  const process = new UmweltProcess(['serve', '--port', '0', ...words]);
  const [, port] = await process.printed(/ws:\/\/\S+:(\d+)\//);
  return { process, port: Number(port) };
}

/** A connection: what comes in is a queue, read as it is asked for. */
class Caller {
  readonly socket: WebSocket;
  readonly closed: Promise<number>;
  readonly #messages: (Buffer | string)[] = [];
  #wake = (): void => {};

  constructor(port: number) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/`);
    onTestFinished(() => this.socket.terminate());
    this.socket.on('error', () => {});
    this.socket.on('message', (data, isBinary) => {
      this.#messages.push(isBinary ? (data as Buffer) : String(data));
      this.#wake();
    });
    this.closed = new Promise((resolve) => this.socket.on('close', resolve));
  }

  static async open(port: number): Promise<Caller> {
    const caller = new Caller(port);
    await new Promise((resolve, reject) => caller.socket.on('open', resolve).on('close', reject));
    return caller;
  }

  async next(): Promise<Buffer | string> {
    while (this.#messages.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#messages.shift()!;
  }

  async nextAnswer(): Promise<Answer> {
    const message = await this.next();
    const answer = typeof message === 'string' ? readAnswerText(message, SENSES) : readAnswer(message);
    if (answer === undefined) throw new Error('no answer');
    return answer;
  }

  /** All messages of the next tick. */
  async nextTick(): Promise<Views[]> {
    const parts: Views[] = [];
    for (;;) {
      const answer = await this.nextAnswer();
      if (answer.is !== 'views') continue;
      parts.push(answer);
      if (!answer.more) return parts;
    }
  }
}

function toldIn(parts: readonly Views[]): string[] {
  const rows = parts.flatMap((part) => part.rows);
  const pairs = rows.flatMap(({ list, watcher, markers, senses }) =>
    markers.map((marker, i) => `${list} ${pairText(watcher, marker, senses[i])}`),
  );
  return pairs.sort();
}

/** A crowd on the move, some of it coming and going: the batches of a game server, tick by tick. */
function* life(count: number, ticks: number): Generator<Command[]> {
  for (let tick = 0; tick < ticks; tick++) {
    const commands: Command[] = [];
    for (let i = 0; i < count; i++) {
      const key = i % 3 === 0 ? `unit ${i}` : i * 1_000_003;
      if ((i + tick) % 17 === 0 && tick > 0) commands.push({ do: 'remove', key });
      const angle = i + tick / 10;
      const x = Math.fround((i * 37) % 300) + Math.fround(20 * Math.cos(angle));
      const y = Math.fround((i * 91) % 300) + Math.fround(20 * Math.sin(angle));
      const properties = {
        range: { sight: 10 + (i % 20), hearing: 25 },
        gain: { sight: (i + tick) % 5 === 0 ? 0 : 1 },
      };
      commands.push((i + tick) % 5 < 2 ? { do: 'put', key, x, y, properties } : { do: 'put', key, x, y });
    }
    yield commands;
  }
}

describe('the service', () => {
  it.each<Form>(['binary', 'json'])(
    'tells what a world with the same commands tells, in %s',
    async (form) => {
      const rules = join(folder, 'rules.json');
      writeFileSync(rules, '{"default": {"cap": 8, "leaveMargin": 3}}');
      const { process, port } = await served(
        '--rate',
        '0',
        '--senses',
        'sight,hearing',
        '--interests',
        rules,
      );
      const caller = await Caller.open(port);
      caller.socket.send(form === 'json' ? writeHelloText('') : writeHello(''));
      expect(await caller.nextAnswer()).toMatchObject({
        is: 'welcome',
        dimensions: 2,
        senses: SENSES,
        rate: 0,
      });
      const twin = new ServeTwin({ senses: SENSES, interests: { default: { cap: 8, leaveMargin: 3 } } });
      let pairs = 0;
      for (const commands of life(500, 25)) {
        for (const command of commands) twin.carryOut(command);
        const batch: Command[] = [...commands, { do: 'tick' }];
        caller.socket.send(form === 'json' ? writeBatchText(batch) : writeBatch(batch, 2));
        const told = toldIn(await caller.nextTick());
        expect(told).toEqual(twin.tick());
        pairs += told.length;
      }
      expect(pairs).toBeGreaterThan(10_000);
      process.kill('SIGTERM');
      expect(await caller.closed).toBe(1001);
      expect(await process.ended).toMatchObject({ exitCode: 0, errors: '' });
    },
  );

  it('ticks at its rate, and whoever reads gets every tick', async () => {
    const { port } = await served('--rate', '50', '--dimensions', '3');
    const caller = await Caller.open(port);
    caller.socket.send('{"do":"hello"}');
    caller.socket.send(
      '[{"do":"put","key":"a","x":0,"y":0,"z":0,"range":5},{"do":"put","key":"b","x":0,"y":0,"z":4}]',
    );
    await caller.nextAnswer();
    let told: string[] = [];
    let last = 0;
    for (let i = 0; i < 30; i++) {
      const parts = await caller.nextTick();
      if (last !== 0) expect(parts[0]?.tick).toBe(last + 1);
      last = parts[0]?.tick ?? 0;
      told = [...told, ...toldIn(parts)];
    }
    expect(told).toEqual(['entered "a">"b":1']);
  });

  it('does not suffer from what else knocks: floods, random bytes, half a handshake, messages too long', async () => {
    const { process, port } = await served('--rate', '0', '--admin-port', '0');
    const [, adminPort] = await process.printed(/metrics on http:\/\/127\.0\.0\.1:(\d+)\//);
    const good = await Caller.open(port);
    good.socket.send('{"do":"hello"}');
    await good.nextAnswer();
    const long = await Caller.open(port);
    long.socket.send(writeHello(''));
    long.socket.send(new Uint8Array(2_000_000));
    expect(await long.closed).toBe(1009);
    const odd = await Caller.open(port);
    odd.socket.send(Uint8Array.of(7, 7, 7));
    expect(await odd.closed).toBe(4000);
    for (let i = 0; i < 30; i++) {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      onTestFinished(() => void socket.destroy());
      socket.write(
        i % 3 === 0
          ? 'GET / HTTP/1.1\r\nHost: x\r\nUpg'
          : Uint8Array.from({ length: 300 }, (_, j) => i * 37 + j * j),
      );
      if (i % 2 === 0) socket.resetAndDestroy();
    }
    good.socket.send('[{"do":"put","key":1,"x":0,"y":0},{"do":"tick"}]');
    expect((await good.nextTick())[0]).toMatchObject({ tick: 1, taken: 1 });
    expect(await (await fetch(`http://127.0.0.1:${adminPort}/healthz`)).text()).toBe('ok\n');
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(404);
    const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    expect(metrics).toContain('umwelt_serve_entities 1\n');
    expect(metrics).toContain('umwelt_serve_closes_total{why="tooBig"} 1\n');
    expect(metrics).toContain('umwelt_serve_closes_total{why="malformed"} 1\n');
    expect(metrics).toContain('umwelt_serve_faults_total 0\n');
  });

  it("tells its health on the callers' port only when it is told to", async () => {
    const statusOf = async (port: number, path: string) =>
      (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    const quiet = await served('--rate', '0');
    const open = await served('--rate', '0', '--public-health');
    for (const path of ['/healthz', '/readyz']) {
      expect(await statusOf(quiet.port, path)).toBe(404);
      expect(await statusOf(open.port, path)).toBe(200);
    }
    expect(await statusOf(open.port, '/metrics')).toBe(404);
  });

  it('reads no more of a stranger than a hello, nor anything of one that it has closed', async () => {
    const { port } = await served('--rate', '0');
    const stranger = await Caller.open(port);
    stranger.socket.send(`{"token":"${'x'.repeat(4096)}"}`);
    expect(await stranger.closed).toBe(1009);
    const odd = await Caller.open(port);
    const raw = (odd.socket as unknown as { _socket: Socket })._socket;
    odd.socket.send(Uint8Array.of(7, 7, 7));
    const batch = new Uint8Array(1_000_000);
    for (let i = 0; i < 200; i++) odd.socket.send(batch);
    await odd.closed;
    // Of 200 MB what fits into the system's buffers goes; before, all of it did.
    expect(raw.bytesWritten - raw.writableLength).toBeLessThan(50_000_000);
    const good = await Caller.open(port);
    good.socket.send(writeHello(''));
    expect(await good.nextAnswer()).toMatchObject({ dimensions: 2 });
  });

  it('is bounded where a caller asks and asks and never reads', async () => {
    const { process, port } = await served('--rate', '0', '--admin-port', '0');
    const [, adminPort] = await process.printed(/metrics on http:\/\/127\.0\.0\.1:(\d+)\//);
    const caller = await Caller.open(port);
    caller.socket.send(writeHello(''));
    const crowd = Array.from(
      { length: 400 },
      (_, i): Command => ({ do: 'put', key: i, x: 0, y: 0, properties: { range: 9 } }),
    );
    caller.socket.send(writeBatch(crowd, 2));
    await caller.nextAnswer();
    caller.socket.pause();
    // 160,000 pairs enter and leave at each: about half a megabyte.
    for (let i = 0; i < 100; i++) {
      const away: Command[] = crowd.map((_, k) => ({
        do: 'put',
        key: k,
        x: i % 2 === 0 ? k * 100 : 0,
        y: 0,
      }));
      caller.socket.send(writeBatch([...away, { do: 'tick' }], 2));
    }
    const ticks = async (): Promise<number> => {
      const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
      return Number(/ticks_total (\d+)/.exec(metrics)?.[1]);
    };
    let before = -1;
    for (let now = await ticks(); now !== before; now = await ticks()) {
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(before).toBeLessThan(80);
    caller.socket.resume();
    for (let tick = 1; tick <= 100; tick++) expect((await caller.nextTick())[0]?.tick).toBe(tick);
  });
});

describe('the token', () => {
  it('is a must beyond the loopback, and must be long enough', async () => {
    const { exitCode, output, errors } = await told('serve', '--host', '0.0.0.0', '--port', '0');
    expect({ exitCode, output }).toEqual({ exitCode: 2, output: '' });
    expect(errors).toBe(
      'umwelt serve: --host 0.0.0.0 needs a token: --token, or the variable UMWELT_TOKEN\n',
    );
    expect((await told('serve', '--token', 'short')).errors).toMatch(
      /^umwelt serve: the token has 5 bytes; expected 16/,
    );
  });

  it('lets in who says it', async () => {
    const token = 'sixteen bytes at least';
    const { port } = await served('--host', '127.0.0.1', '--token', token);
    const [right, wrong] = [await Caller.open(port), await Caller.open(port)];
    right.socket.send(writeHello(token));
    wrong.socket.send(writeHello('sixteen bytes at most'));
    expect((await right.nextAnswer()).is).toBe('welcome');
    expect(await wrong.closed).toBe(4001);
  });
});

describe('a mistake in the words', () => {
  const broken = join(folder, 'broken.json');
  writeFileSync(broken, '{');
  const list = join(folder, 'list.json');
  writeFileSync(list, '[]');
  const bad = join(folder, 'bad.json');
  writeFileSync(bad, '{"default": {"cap": -1}}');
  const misspelt = join(folder, 'misspelt.json');
  writeFileSync(misspelt, '{"default": {"kap": 1}}');
  it.each([
    [['--rate', 'fast'], /--rate: expected a number/],
    [['--senses', 'a,a'], /: --senses: 'a, a' was given, expected distinct names/],
    [['--groups', 'a,b,c,d,e'], /: --groups: an array of 5 was given, expected 1 to 4/],
    [['--dimensions', '4'], /--dimensions/],
    [['--range-shape', 'cylinder'], /: --range-shape: 'cylinder' was given, .* needs --dimensions 3/],
    [['--detector', 'magic'], /--detector: expected sweep/],
    [['--entities-max', '0'], /--entities-max/],
    [['--interests', join(folder, 'nowhere.json')], /no such file/],
    [['--interests', broken], /broken\.json: not JSON/],
    [['--interests', list], /list\.json: expected an object/],
    [['--interests', bad], /: --interests: default\.cap: -1 was given/],
    [['--interests', misspelt], /: --interests: kap is no member of interests\.default, expected /],
  ])('%j is told in one line', async (words, expected) => {
    const { exitCode, output, errors } = await told('serve', '--port', '0', ...words);
    expect({ exitCode, output }, errors).toEqual({ exitCode: 2, output: '' });
    expect(errors).toMatch(/^umwelt serve: [^\n]+\n$/);
    expect(errors).toMatch(expected);
  });
});

describe('docs/serve.md', () => {
  it('has a conversation by hand that goes as it says', async () => {
    const { port } = await served('--rate', '0');
    const caller = await Caller.open(port);
    const lines = /## By hand[\s\S]*?```text\n([\s\S]*?)```/.exec(guide)?.[1]?.trimEnd().split('\n') ?? [];
    expect(lines.length).toBeGreaterThan(8);
    for (const line of lines) {
      if (line.startsWith('> ')) caller.socket.send(line.slice(2));
      else expect(`< ${await caller.next()}`).toBe(line);
    }
  });

  const hasPython = spawnSync('python3', ['--version']).status === 0;
  it.skipIf(!hasPython)('has a caller in Python that prints what it says', async () => {
    const { port } = await served('--rate', '0');
    const program = join(folder, 'caller.py');
    writeFileSync(program, /```python\n([\s\S]*?)```/.exec(guide)?.[1] ?? '');
    const python = spawn('python3', [program, String(port)]);
    onTestFinished(() => void python.kill('SIGKILL'));
    let output = '';
    for (const stream of [python.stdout, python.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    await new Promise((resolve) => python.on('close', resolve));
    expect(output.trimEnd()).toBe(/It prints:\n\n```text\n([\s\S]*?)```/.exec(guide)?.[1]?.trimEnd());
  });
});
