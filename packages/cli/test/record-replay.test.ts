/** `umwelt record` and `umwelt replay`, as processes and in this one: what one writes, the other makes again. */
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { detectorNames, RecordedWorld, Replay } from 'umwelt';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { told, UmweltProcess, umwelt } from './child-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'umwelt-record-'));
const file = join(folder, 'flocks.umwr');
const RECORD = ['record', '--scenario', 'flocks', '--entities', '150', '--seed', '3', '--ticks', '40'];
let recorded: string | undefined;

/** Records, the first time; answers what the command said. */
async function recording(): Promise<string> {
  if (recorded === undefined) {
    const { exitCode, output, errors } = await umwelt(...RECORD, '--out', file);
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    recorded = output;
  }
  return recorded;
}

afterAll(() => rmSync(folder, { recursive: true }));

async function mistakeIn(...words: string[]): Promise<string> {
  const { exitCode, output, errors } = await told(...words);
  expect({ exitCode, output }, errors).toEqual({ exitCode: 2, output: '' });
  expect(errors).toMatch(/^umwelt (record|replay): [^\n]+\n$/);
  return errors;
}

beforeEach(async () => void (await recording()));

describe('a recording', () => {
  it('has the hash of the same world when it is played', async () => {
    const words = ['--scenario', 'flocks', '--entities', '150', '--seed', '3', '--ticks', '40'];
    const { output } = await told('play', ...words, '--no-page', '--speed', '1000');
    const hash = /hash of all reports [0-9a-f]{16}/.exec(output)?.[0];
    expect(hash).toBeDefined();
    expect(await recording()).toContain(hash);
  });

  it('is the same, byte for byte, when it is made again', async () => {
    const other = join(folder, 'again.umwr');
    await told(...RECORD, '--out', other);
    expect(readFileSync(other).equals(readFileSync(file))).toBe(true);
  });

  it.each([[[]], ...detectorNames.map((name) => [['--detector', name]])])(
    'is replayed with %j',
    async (words) => {
      const { exitCode, output, errors } = await told('replay', file, ...words);
      expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
      expect(output).toMatch(/^40 ticks, each with the recorded hash$/m);
      expect(output).toMatch(/^tick 40: 150 entities, [\d,]+ relations, detector [a-z-]+$/m);
    },
  );

  it('is stopped at a tick, with its figures', async () => {
    const { exitCode, output } = await told('replay', file, '--at', '17');
    expect(exitCode).toBe(0);
    expect(output).toMatch(/^tick 17: 150 entities/m);
    expect(output).toMatch(/^it reports [\d,]+ entered, [\d,]+ left, [\d,]+ updated, [\d,]+ sensed$/m);
    expect(output).toMatch(/^its hash is [0-9a-f]{16}$/m);
  });

  it('is described at a tick, around an entity or as a whole', async () => {
    const replayed = new Replay(readFileSync(file));
    replayed.seek(17);
    const [id] = replayed.world.ids();
    const around = await told('replay', file, '--at', '17', '--describe', String(id), '--limit', '3');
    expect({ ...around, output: '' }).toEqual({ exitCode: 0, signal: null, output: '', errors: '' });
    expect(around.output).toMatch(/^tick 17: 150 entities/);
    expect(around.output).toContain(`\n${replayed.world.describe({ around: id ?? 0, limit: 3 })}\n`);
    expect(around.output).toContain(`[${id}(`);
    const whole = await told('replay', file, '--at', '17', '--describe', 'all');
    expect(whole.output).toContain(`\n${replayed.world.describe()}\n`);
    // Without a tick, at the last one.
    const last = await told('replay', file, '--describe', 'all', '--limit', '2');
    expect(last.output).toMatch(/^150 entities in 2-D as of tick 40, found by /m);
  });

  it.each([
    [['--describe', 'somebody'], /--describe: expected an id or all, given 'somebody'/],
    [['--describe', '1', '--serve'], /--describe does not go with --serve/],
    [['--limit', '3'], /--limit needs --describe/],
    [['--describe', 'all', '--limit', 'x'], /--limit: expected a whole number from 0 to 1000000, given 'x'/],
    // Nobody has this id.
    [['--at', '3', '--describe', '4294967295'], /--describe: no entity has the id 4294967295 at tick 3/],
    [['--descibe', '1'], /did you mean --describe\?/],
  ])('is not described as %j', async (words, expected) => {
    expect(await mistakeIn('replay', file, ...words)).toMatch(expected);
  });

  it('may be named behind the options, too', async () => {
    // One of them is a process.
    expect(await umwelt('replay', '--at', '17', file)).toEqual(await told('replay', file, '--at', '17'));
  });

  it('of a trace is played as the same options play it', async () => {
    const trace = join(folder, 'gap.csv');
    writeFileSync(trace, 't,id,x,y\n0,a,0,0\n0,b,1,0\n0,c,60,60\n2,a,4,0\n2,b,5,0\n5,b,6,0\n9,a,6,1\n');
    const options = ['--trace', trace, '--gap', '2.5', '--tile', '2', '--playback-speed', '3'];
    const recorded = await told('record', ...options, '--out', join(folder, 'gap.umwr'));
    const played = await told(
      'play',
      ...options,
      '--once',
      '--no-page',
      '--speed',
      '1000',
      '--ticks',
      '9999',
    );
    const hashIn = ({ output }: { output: string }) =>
      /^hash of all reports ([0-9a-f]{16})$/m.exec(output)?.[1];
    expect(hashIn(recorded)).toMatch(/[1-9a-f]/);
    expect(hashIn(recorded)).toBe(hashIn(played));
    const usual = await told('record', '--trace', trace, '--out', join(folder, 'usual.umwr'));
    expect(hashIn(recorded)).not.toBe(hashIn(usual));
  });

  it('of a trace goes to its end', async () => {
    const trace = join(folder, 'two.csv');
    writeFileSync(trace, 't,id,x,y\n0,a,0,0\n0,b,1,0\n2,a,4,0\n2,b,5,0\n');
    const out = join(folder, 'two.umwr');
    expect(await told('record', '--trace', trace, '--out', out)).toMatchObject({ exitCode: 0, errors: '' });
    expect(await told('replay', out)).toMatchObject({ exitCode: 0, errors: '' });
  });

  // A device of Linux on which every byte is one too many.
  it.runIf(existsSync('/dev/full'))('a full disk is told with the file', async () => {
    expect(await mistakeIn(...RECORD, '--out', '/dev/full')).toBe(
      "umwelt record: there is no space left for '/dev/full'\n",
    );
  });

  it('is not begun where it cannot be written', async () => {
    const out = (...place: string[]) => mistakeIn(...RECORD, '--out', join(folder, ...place));
    expect(await out('no', 'such.umwr')).toMatch(/^umwelt record: --out: no such folder: '.+no'$/m);
    expect(await out()).toMatch(/^umwelt record: --out: a file was expected, and '.+' is a folder$/m);
    writeFileSync(join(folder, 'plain'), '');
    expect(await out('plain', 'such.umwr')).toMatch(/--out: a folder was expected, and '.+plain' is none$/m);
  });

  it('does not replace the trace that it is made from', async () => {
    const trace = join(folder, 'kept.csv');
    const text = 't,id,x,y\n0,a,0,0\n2,a,4,0\n';
    writeFileSync(trace, text);
    const link = join(folder, 'link.csv');
    symlinkSync(trace, link);
    for (const out of [trace, link, `${folder}/./kept.csv`]) {
      expect(await mistakeIn('record', '--trace', trace, '--out', out)).toMatch(
        /^umwelt record: --out: '.+\.csv' is the file of --trace too, and would replace it$/m,
      );
    }
    expect(readFileSync(trace, 'utf8')).toBe(text);
  });

  it('may go to what is a file already, in a folder where none can be made', async () => {
    expect(await told(...RECORD, '--out', '/dev/null')).toMatchObject({ exitCode: 0, errors: '' });
  });

  it('of interests with functions is replayed with a module that exports them', async () => {
    const file = join(folder, 'ranked.umwr');
    const pieces: Uint8Array[] = [];
    const farthest = (_watcher: number, _marker: number, distance: number) => -distance;
    const world = new RecordedWorld({ interests: { default: { cap: 1, rank: farthest } } });
    world.record((piece) => pieces.push(piece));
    const [watcher = 0] = world.addMany({ x: [0, 10, 20], y: [0, 0, 0], range: 50 });
    world.tick();
    world.move(watcher, 1, 0);
    world.tick();
    world.stopRecording();
    writeFileSync(file, Buffer.concat(pieces));
    expect(await mistakeIn('replay', file)).toBe(
      "umwelt replay: interest 'default' had a function, which is not stored; expected it among the interests given: give --interests MODULE, a file that exports them\n",
    );
    const module = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return ['--interests', join(folder, name)];
    };
    const ranked = module(
      'ranked.mjs',
      'export const interests = { default: { cap: 1, rank: (_watcher, _marker, distance) => -distance } };',
    );
    const { output } = await told('replay', file, ...ranked);
    expect(output).toMatch(/^2 ticks, each with the recorded hash$/m);
    const nearest = module(
      'nearest.mjs',
      'export const interests = { default: { rank: (_watcher, _marker, distance) => distance } };',
    );
    expect(await mistakeIn('replay', file, ...nearest)).toMatch(/tick 1 differs: hash /);
    expect(await mistakeIn('replay', file, ...module('none.mjs', 'export default {};'))).toMatch(
      /--interests: '.+none\.mjs' has no such export, expected: export const interests = \{ name: \{ rank, admit \} \}$/m,
    );
    expect(await mistakeIn('replay', file, ...module('broken.mjs', 'throw new Error("no file");'))).toMatch(
      /--interests: '.+broken\.mjs' cannot be run: no file$/m,
    );
    expect(await mistakeIn('replay', file, '--interests', join(folder, 'nowhere.mjs'))).toMatch(
      /--interests: no such file: '.+nowhere\.mjs'$/m,
    );
  });

  it('that was cut short is replayed as far as it is whole', async () => {
    const cut = join(folder, 'cut.umwr');
    const bytes = readFileSync(file);
    writeFileSync(cut, bytes.subarray(0, bytes.length - 30));
    const { exitCode, output } = await told('replay', cut);
    expect(exitCode).toBe(0);
    expect(output).toMatch(/^the recording was cut short: it is complete up to tick \d+$/m);
  });

  it('that was cut short right after its first snapshot has no ticks', async () => {
    const cut = join(folder, 'begun.umwr');
    const pieces: Uint8Array[] = [];
    const world = new RecordedWorld();
    world.record((piece) => pieces.push(piece));
    world.add({ x: 0, y: 0 });
    world.tick();
    world.stopRecording();
    // Its header and the snapshot.
    writeFileSync(cut, Buffer.concat(pieces.slice(0, 2)));
    const { exitCode, output } = await told('replay', cut);
    expect({ exitCode, output }).toEqual({
      exitCode: 0,
      output:
        'the recording was cut short: it is complete up to tick 0\nthe recording has no ticks\ntick 0: 0 entities, 0 relations, detector sweep\n',
    });
  });
});

/** Of frames with everybody's place: they are to be confirmed. */
const TICK_FRAME = 2;

/** What the feed of a page says in text, as long as it is open. */
function pageOf(url: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/feed`);
  const heard: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  let ticks = 0;
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) heard.push(JSON.parse(data.toString()) as Record<string, unknown>);
    else if (data.readUInt16LE(6) === TICK_FRAME) ticks++;
    if (isBinary) socket.send(JSON.stringify({ type: 'taken', frames: ticks, structures: 0 }));
    for (const wake of waiting) wake();
  });
  return {
    say: (message: object) => socket.send(JSON.stringify(message)),
    close: () => socket.close(),
    /** The next message for which it holds. */
    async hears(holds: (message: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
      for (;;) {
        const found = heard.splice(0).find(holds);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
      }
    },
  };
}

describe('a recording on a page', () => {
  it('is greeted with, sought through, played to its end, and ended by Ctrl-C', async () => {
    const process = new UmweltProcess(['replay', file, '--serve', '--port', '0', '--at', '17']);
    const [, url] = await process.printed(/(http:\/\/localhost:\d+)/);
    const page = pageOf(url as string);
    const greeting = await page.hears(({ type }) => type === 'greeting');
    expect(greeting).toMatchObject({
      title: expect.stringMatching(/flocks/i),
      tickSeconds: 0.05,
      recording: { firstTick: 0, lastTick: 40, isComplete: true },
    });
    page.say({ type: 'seek', tick: 3 });
    await page.hears(({ type, tick, progress }) => type === 'seek' && tick === 3 && progress === 1);
    page.say({ type: 'speed', factor: 64 });
    page.say({ type: 'seek', tick: 38 });
    await page.hears(({ type, tick, progress }) => type === 'seek' && tick === 38 && progress === 1);
    page.say({ type: 'play' });
    await process.printed(/tick 40 of 40, paused/);
    page.close();
    process.kill('SIGINT');
    expect(await process.ended).toMatchObject({ exitCode: 0, errors: '' });
  });

  it('that tells nothing of itself is shown by what its world shows', async () => {
    const world = new RecordedWorld();
    const pieces: Uint8Array[] = [];
    world.record((bytes) => pieces.push(bytes));
    world.add({ x: 0, y: 0, range: 5 });
    world.add({ x: 100, y: 0 });
    for (let i = 0; i < 3; i++) world.tick();
    const bare = join(folder, 'bare.umwr');
    world.stopRecording();
    writeFileSync(bare, Buffer.concat(pieces));
    const process = new UmweltProcess(['replay', bare, '--serve', '--port', '0', '--rate', '10']);
    const [, url] = await process.printed(/(http:\/\/localhost:\d+)/);
    const page = pageOf(url as string);
    expect(await page.hears(({ type }) => type === 'greeting')).toMatchObject({
      title: 'bare.umwr',
      kinds: ['watcher', 'marker'],
      tickSeconds: 0.1,
      bounds: { minX: -8, maxX: 108 },
    });
    page.close();
    process.kill('SIGTERM');
    expect((await process.ended).exitCode).toBe(0);
  });

  it('of a world with a detector of its own is shown with the one that is given', async () => {
    const own = () => ({
      name: 'own',
      memoryBytes: 0,
      detect() {},
      collect() {},
      validate() {},
      describe: () => '',
    });
    const world = new RecordedWorld({ detector: own });
    const pieces: Uint8Array[] = [];
    world.record((bytes) => pieces.push(bytes));
    for (let i = 0; i < 3; i++) world.tick();
    world.stopRecording();
    const bare = join(folder, 'own.umwr');
    writeFileSync(bare, Buffer.concat(pieces));
    const process = new UmweltProcess(['replay', bare, '--serve', '--port', '0', '--detector', 'sweep']);
    const [, url] = await process.printed(/(http:\/\/localhost:\d+)/);
    const page = pageOf(url as string);
    await page.hears(({ type }) => type === 'greeting');
    page.close();
    process.kill('SIGTERM');
    expect(await process.ended).toMatchObject({ exitCode: 0, errors: '' });
  });
});

describe('a mistake is told in one line', () => {
  it.each([
    [['record'], /--out FILE is needed/],
    [['record', '--out', 'x', '--trace', 'y', '--seed', '1'], /--seed does not go with --trace/],
    [['record', '--out', 'x', '--ticks', '0'], /--ticks: expected a whole number/],
    [['record', '--out', '/nowhere/x', '--entities', '5'], /--out: no such folder: '\/nowhere'/],
    [
      ['record', '--out', '-'],
      /--out: a file was expected, and '-' is none; for a file of that name, give .\/-$/m,
    ],
    [['replay'], /a recording is needed first/],
    [['replay', '--at', '3'], /a recording is needed first/],
    [['replay', 'nowhere.umwr'], /no such file: 'nowhere.umwr'/],
    [['replay', 'nowhere.umwr', '--serve'], /no such file: 'nowhere.umwr'/],
    [['replay', 'x', '--port', '7'], /--port needs --serve/],
    [['replay', 'x', '--rate', '7'], /--rate needs --serve/],
    [['replay', 'x', 'y'], /'y' is one too many/],
    [['record', '--out', 'x', '--gap', '2'], /--gap needs --trace FILE/],
    [['record', '--out', 'x', '--trace', 'y', '--gap', '0'], /--gap: expected a number/],
    [['replay', 'x', '--serve', '--port', '70000'], /--port: expected a whole number/],
  ])('%j', async (words, expected) => {
    expect(await mistakeIn(...words)).toMatch(expected);
  });

  it('a tick that the recording does not have', async () => {
    expect(await mistakeIn('replay', file, '--at', '41')).toMatch(
      /the recording has ticks 0 to 40, given '41'/,
    );
  });

  it('a file that is no recording, and one that was altered', async () => {
    const text = join(folder, 'text.umwr');
    writeFileSync(text, 'not a recording, whatever its name says');
    expect(await mistakeIn('replay', text)).toMatch(/no recording of a world/);
    writeFileSync(text, '');
    expect(await mistakeIn('replay', text)).toMatch(/no recording of a world/);
    const altered = readFileSync(file);
    altered.writeUInt8(altered.readUInt8(700) ^ 1, 700);
    writeFileSync(text, altered);
    expect(await mistakeIn('replay', text)).toMatch(/altered/);
    expect(await mistakeIn('replay', text, '--serve')).toMatch(/altered/);
  });
});
