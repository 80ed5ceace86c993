/** What `npm create umwelt` writes, what it refuses, and what a template may not forget. That a project runs is tools/test/create.test.ts. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isOldNode, NODE_VERSION, ownVersion, packageName } from '../src/manifest.ts';
import { DEV_DEPENDENCIES, folderOf, TEMPLATES } from '../src/templates.ts';

const main = path.resolve(import.meta.dirname, '../src/main.ts');
const packages = path.resolve(import.meta.dirname, '../..');
const version = ownVersion();
const place = mkdtempSync(path.join(tmpdir(), 'umwelt-create-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

function typed(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], {
    cwd: place,
    encoding: 'utf8',
    input: '',
  });
  return { status, stdout, stderr };
}

const read = (...parts: readonly string[]) => readFileSync(path.join(place, ...parts), 'utf8');

/** Every file of a folder, as text. */
function textsOf(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(folder, file).split(path.sep).join('/'), readFileSync(file, 'utf8')];
    }),
  );
}

describe('a project', () => {
  it('has the files of its template, a package.json of its name, and what npm would not pack', () => {
    const { status, stdout, stderr } = typed('My Game', '--template', 'ecs');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('  cd "My Game"\n');
    expect(stdout).toContain('npm install\n  npm test\n  npm start');
    const files = [...textsOf(path.join(place, 'My Game')).keys()].sort();
    const template = [...textsOf(folderOf(TEMPLATES[2]!)).keys()].map((file) =>
      file === '_gitignore' ? '.gitignore' : file,
    );
    expect(files).toEqual([...template, 'package.json'].sort());
    const manifest = JSON.parse(read('My Game', 'package.json'));
    expect(manifest).toMatchObject({ name: 'my-game', private: true, type: 'module' });
    expect(manifest.dependencies).toMatchObject({ umwelt: `^${version}`, bitecs: '^0.4.0' });
    expect(Object.values({ ...manifest.dependencies, ...manifest.devDependencies })).not.toContain(undefined);
  });

  it('is of the first template where nobody can be asked', () => {
    const { status, stdout } = typed('plain');
    expect(status).toBe(0);
    expect(stdout).toContain('  cd plain\n');
    expect(read('plain', 'game.ts')).toBe(textsOf(folderOf(TEMPLATES[0]!)).get('game.ts'));
  });

  it('takes packages from tarballs, named as seen from it', () => {
    mkdirSync(path.join(place, 'packs'));
    const names = [
      'umwelt',
      ...['gateway', 'client', 'inspector', 'colyseus'].map((name) => `umwelt-${name}`),
    ];
    for (const name of names) writeFileSync(path.join(place, 'packs', `${name}-${version}.tgz`), '');
    expect(typed('games/room', '--template', 'colyseus', '--packages', 'packs').status).toBe(0);
    const { dependencies } = JSON.parse(read('games/room/package.json'));
    expect(dependencies.umwelt).toBe(`file:../../packs/umwelt-${version}.tgz`);
    expect(dependencies['@umwelt/colyseus']).toBe(`file:../../packs/umwelt-colyseus-${version}.tgz`);
    expect(dependencies['@colyseus/core']).toMatch(/^\^/);
  });

  it('is not written where it would lack something, or over anything', () => {
    mkdirSync(path.join(place, 'full'));
    writeFileSync(path.join(place, 'full', 'mine.txt'), '');
    mkdirSync(path.join(place, 'none'));
    const cases: readonly [words: readonly string[], said: string][] = [
      [['full'], 'is not empty; expected a new or an empty folder'],
      [['new', '--template', 'unity'], "template is 'unity'; expected one of ws, colyseus, ecs"],
      [['new', '--packages', 'none'], `there is no umwelt-${version}.tgz in`],
      [['new', '--packages', 'nowhere'], 'expected an existing folder'],
      [['new', '--tempalte', 'ws'], "Unknown option '--tempalte'; see --help"],
      [['new', 'other'], "got 'new other'; expected one folder"],
      [['__'], "folder is '__'; expected a name with a letter or a digit"],
      [[], 'no folder was given; expected one, as in: npm create umwelt my-game'],
    ];
    for (const [words, said] of cases) {
      const { status, stderr } = typed(...words);
      expect(stderr, words.join(' ')).toContain(said);
      expect([status, stderr.trimEnd().split('\n').length]).toEqual([2, 1]);
    }
    expect(readdirSync(place)).not.toContain('new');
  });

  it('says in one line why a folder cannot be written', () => {
    writeFileSync(path.join(place, 'file'), '');
    mkdirSync(path.join(place, 'locked'), { mode: 0o555 });
    chmodSync(place, 0o755); // so that `nobody` comes as far as the locked folder
    const long = 'x'.repeat(300);
    const cases: readonly [words: readonly string[], said: string][] = [
      [['file'], `create-umwelt: '${place}/file' is a file; expected a new or an empty folder`],
      [['file/new'], `create-umwelt: ENOTDIR: not a directory, mkdir '${place}/file/new'`],
      [
        ['new', '--packages', 'file'],
        `create-umwelt: --packages is '${place}/file'; expected an existing folder`,
      ],
      [[long], `create-umwelt: ENAMETOOLONG: name too long, stat '${place}/${long}'`],
      [['locked/new'], `create-umwelt: EACCES: permission denied, mkdir '${place}/locked/new'`],
      [['locked'], `create-umwelt: EACCES: permission denied, access '${place}/locked'`],
    ];
    // Rights do not bind root.
    const user = process.getuid?.() === 0 ? { uid: 65_534 } : {};
    for (const [words, said] of cases) {
      const options = { cwd: place, encoding: 'utf8', input: '', ...user } as const;
      const { status, stderr } = spawnSync(process.execPath, [main, ...words], options);
      expect([status, stderr]).toEqual([2, `${said}\n`]);
    }
  });
});

describe.each(TEMPLATES)('the template $name', (template) => {
  const texts = textsOf(folderOf(template));

  it('names every package that it imports, and ours that those need', () => {
    const imported = new Set<string>();
    for (const text of texts.values()) {
      for (const [, specifier = ''] of text.matchAll(/(?:from |import\()'([^.'][^']*)'/g)) {
        if (specifier.startsWith('node:')) continue;
        imported.add(/^(@[^/]+\/)?[^/]+/.exec(specifier)![0]);
      }
    }
    for (const name of imported) expect([...template.dependencies, ...DEV_DEPENDENCIES]).toContain(name);
    // One that is missing would come from the registry, which with tarballs has none of ours.
    for (const name of template.dependencies.filter((each) => /^(umwelt$|@umwelt\/)/.test(each))) {
      const folder = name === 'umwelt' ? 'core' : name.replace('@umwelt/', '');
      const manifest = readFileSync(path.join(packages, folder, 'package.json'), 'utf8');
      const { dependencies = {} } = JSON.parse(manifest) as { dependencies?: Record<string, string> };
      const ours = Object.keys(dependencies).filter((each) => /^(umwelt$|@umwelt\/)/.test(each));
      expect(template.dependencies, name).toEqual(expect.arrayContaining(ours));
    }
  });

  it('attaches the inspector in one call, with its kinds and names, and has a test', () => {
    expect(texts.get('server.ts')!.match(/\binspect\(/g)).toHaveLength(1);
    expect(texts.get('server.ts')).toMatch(/kinds: \['player', 'sheep'\]/);
    expect(texts.get('server.ts')).toMatch(/nameOf: \(id\) => .*gateway\.get\(id, 'name'\)/);
    expect(texts.has(template.test)).toBe(true);
  });

  it('has what all have in common as all have it', () => {
    const first = textsOf(folderOf(TEMPLATES[0]!));
    const shared = ['appearance.ts', 'index.html', 'page/meadow.ts', 'tsconfig.json', '_gitignore'];
    for (const file of shared) expect(texts.get(file), file).toBe(first.get(file));
  });
});

it('a package is named after its folder', () => {
  expect(['My Game', 'Spiel & Spaß', '_x', 'a.b'].map(packageName)).toEqual([
    'my-game',
    'spiel-spa',
    'x',
    'a.b',
  ]);
});

it('a Node that cannot run a project is known as such', () => {
  const versions = ['20.20.2', '22.17.1', '22.18.0', '22.20.0', '24.0.0'];
  expect(versions.filter(isOldNode)).toEqual(['20.20.2', '22.17.1']);
  expect(typed('told').stdout.includes(`Node ${NODE_VERSION} or newer`)).toBe(
    isOldNode(process.versions.node),
  );
});
