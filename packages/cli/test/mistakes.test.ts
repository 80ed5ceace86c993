/** Every mistake is one line on stderr, nothing on stdout, and exit code 2; never a stack. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Outcome, told, umwelt } from './child-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'umwelt-mistakes-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Told in this process, before anything is opened. */
async function mistakeIn(...words: string[]): Promise<string> {
  return mistakeOf(await told(...words));
}

function mistakeOf({ exitCode, output, errors }: Outcome): string {
  expect({ exitCode, output }, errors).toEqual({ exitCode: 2, output: '' });
  expect(errors).toMatch(/^umwelt( [a-z]+)?: [^\n]+\n$/);
  return errors.trimEnd();
}

describe('a mistake in the words', () => {
  it.each([
    [['plya'], /^umwelt: unknown command 'plya' \(did you mean play\?\)/],
    [['help', 'plya'], /^umwelt: unknown command 'plya' \(did you mean play\?\)/],
    [['cluster', 'status', '--world', 'x', '--password', 'y'], /--password needs --user NAME/],
    [['frobnicate'], /^umwelt: unknown command 'frobnicate'; see umwelt --help$/],
    [['--verbose'], /^umwelt: unknown option --verbose/],
    [['play', '--entitys', '5'], /unknown option --entitys \(did you mean --entities\?\)/],
    [['play', 'city'], /'city' is not an option/],
    [['play', '--entities', 'many'], /--entities: expected a whole number from 1 to 4193280, given 'many'/],
    [['play', '--entities', '0'], /--entities/],
    [['play', '--seed', '1.5'], /--seed/],
    [['play', '--rate', '0'], /--rate: expected a number from 0.1 to 1000, given '0'/],
    [['play', '--speed', 'fast'], /--speed/],
    [['play', '--ticks', '-1'], /--ticks/],
    [['play', '--port', '70000'], /--port: expected a whole number from 0 to 65535, given '70000'/],
    [['play', '--detector', 'magic'], /--detector: expected sweep, .*or [a-z-]+, given 'magic'/],
    [['play', '--scenario', 'atlantis'], /no scenario 'atlantis'; there are town, city, /],
    [['play', '--trace'], /--trace needs a value: --trace FILE/],
    [['play', '--tile', '3'], /--tile needs --trace FILE/],
    [['play', '--range', '3'], /--range needs --trace FILE/],
    [['play', '--columns', 't,id,x,y'], /--columns needs --trace FILE/],
    [['play', '--trace', 'x.csv', '--columns', 't,id,x'], /columns are 't,id,x': y is missing; expected /],
    [['play', '--trace', 'x.csv', '--range', '-1'], /--range: expected a number from 0\.000001 to /],
    [['play', '--playback', '3'], /did you mean --playback-speed\?/],
    [['play', '--trace', 'x.csv', '--seed', '3'], /--seed does not go with --trace/],
    [['play', '--no-page=yes'], /--no-page takes no value/],
    [['play', '--no-page', '--port', '80'], /--port does not go with --no-page/],
  ])('%j is told in one line', async (words, expected) => {
    expect(await mistakeIn(...words)).toMatch(expected);
  });
});

it('a mistake in the words of a process is told in one line', async () => {
  expect(mistakeOf(await umwelt('plya'))).toMatch(/unknown command 'plya'/);
});

describe('a trace', () => {
  it('that is not there is named', async () => {
    const path = join(folder, 'nowhere.csv');
    expect(await mistakeIn('play', '--trace', path)).toContain(`${path}: no such file`);
  });

  it('that is a folder is named', async () => {
    expect(await mistakeIn('play', '--trace', folder)).toContain('it is a folder');
  });

  it.each([
    ['replay', folder],
    ['compare', '--from', folder, '--html', join(folder, 'x.html')],
    ['serve', '--interests', folder],
  ])('a folder for a file of %s is named', async (...words) => {
    expect(await mistakeIn(...words)).toMatch(`a file was expected, and this is a folder: '${folder}'`);
  });

  it('with a malformed line is told with its line number', async () => {
    const path = fileWith('bad.csv', 't,id,x,y\n0,1,0,0\n1,1,zero,0\n');
    expect(await mistakeIn('play', '--trace', path)).toMatch(/bad\.csv, line 3: /);
  });

  it('whose time runs backwards is told with its line number', async () => {
    const path = fileWith('backwards.csv', 't,id,x,y\n0,1,0,0\n5,1,1,0\n4,1,2,0\n');
    expect(await mistakeIn('play', '--trace', path)).toMatch(/backwards\.csv, line 4: /);
  });

  it('that is sorted by id is told how many lines are out of order, and how to mend it', async () => {
    const path = fileWith('by-id.csv', 't,id,x,y\n0,1,0,0\n1,1,1,0\n0,2,0,0\n1,2,0,0\n');
    const told = await mistakeIn('play', '--trace', path);
    expect(told).toContain('(in all 1 line is earlier than one above). To mend it: awk ');
    expect(told).toMatch(/ > \S*by-id-mended\.csv$/);
  });

  it('with other columns is told which option reads it, and that option does', async () => {
    const path = fileWith('other.csv', 'id;t;x;y\n1;0;0;0\n2;0;1;1\n');
    const mistake = await mistakeIn('play', '--trace', path);
    const option = /--columns (\S+),/.exec(mistake)?.[1] ?? '';
    const words = ['--columns', option, '--no-page', '--ticks', '2', '--speed', '1000', '--range', '2'];
    const { output, exitCode } = await told('play', '--trace', path, ...words);
    expect(exitCode).toBe(0);
    expect(output).toMatch(/^range 2: at that moment an entity perceives 1 other on average$/m);
    expect(output).toMatch(/^2 entities and 2 relations at the end$/m);
  });

  it('of one entity has one id', async () => {
    const path = fileWith('one.csv', 't,id,x,y\n0,1,0,0\n1,1,1,0\n');
    const { output } = await told('play', '--trace', path, '--no-page', '--ticks', '2', '--speed', '1000');
    expect(output).toMatch(/^one: 1 id in 1 s, at most 1 at once/m);
  });

  it('that is empty is told so', async () => {
    expect(await mistakeIn('play', '--trace', fileWith('empty.csv', ''))).toMatch(/empty\.csv, line 1: /);
  });

  it('that is no gzip file though its name says so is told so', async () => {
    const path = fileWith('plain.csv.gz', 't,id,x,y\n0,1,0,0\n');
    expect(await mistakeIn('play', '--trace', path)).toContain('gzip');
  });
});

it('an admin port that is in use is told with its own option', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const errors = mistakeOf(await umwelt('serve', '--port', '0', '--admin-port', String(port)));
  expect(errors).toContain(`port ${port} is in use; choose another with --admin-port`);
  server.close();
});

describe('the page', () => {
  it('names the port that is in use', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const errors = mistakeOf(await umwelt('play', '--entities', '10', '--port', String(port)));
    expect(errors).toContain(`port ${port} is in use`);
    server.close();
  });

  it('names an address that this machine does not have', async () => {
    // 192.0.2.0/24 is set aside for documentation: no machine has it.
    const errors = mistakeOf(await umwelt('play', '--entities', '10', '--port', '0', '--host', '192.0.2.1'));
    expect(errors).toContain("no address '192.0.2.1'");
  });
});
