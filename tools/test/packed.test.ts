/**
 * The packages as a user has them: packed, installed from their tarballs into an empty folder, and run on every supported
 * runtime, with the same results as here.
 *
 * A runtime that cannot be installed is reported as skipped; with CI=true that is a failure.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishedPackages } from '../checks/package-list.ts';
import { openRepository } from '../checks/repository.ts';
import { findChromium, HEADLESS_FLAGS } from '../chromium.ts';
import {
  copyInstalled,
  installAsUser,
  packOnce,
  readmeExample,
  type Tarball,
  withDependencies,
} from '../packing.ts';
import { root } from '../run-command.ts';
import { installedRuntimes, type Runtime } from '../runtimes.ts';
import { bundled, bundlers, compilers, resolutions, typeErrors, wrongTypes } from '../toolchains.ts';

const run = promisify(execFile);
const names = publishedPackages(openRepository(root)).map(({ name }) => name);
/** Packages that are commands and not imported: their READMEs show commands, and they have no types. */
const forShells = ['@umwelt/cli', 'create-umwelt'];
const ownNode: Runtime = { name: "the project's Node", command: [process.execPath] };
const scripts = path.join(root, 'tools/packed');
const chromiumPath = findChromium();

/** Milliseconds: about 350 MB are downloaded, beside other tests and at the registry's speed. */
const INSTALL_MS = 25 * 60_000;

let folder = '';
let tarballs: readonly Tarball[] = [];
/** A user's folder with all packages installed. */
let whole = '';
let others: readonly Runtime[] = [];
let whyNone = '';

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'umwelt-user-'));
  whole = path.join(folder, 'whole');
  const runtimes = installedRuntimes().then(
    (found) => {
      others = found;
    },
    (error: Error) => {
      whyNone = error.message;
    },
  );
  tarballs = await packOnce();
  await Promise.all([
    runtimes,
    installAsUser(
      whole,
      tarballs.map(({ file }) => file),
    ),
  ]);
  for (const script of readdirSync(scripts)) cpSync(path.join(scripts, script), path.join(whole, script));
  cpSync(path.join(root, 'tools/bundled'), whole, { recursive: true });
}, INSTALL_MS);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The output of a script. Any text on stderr fails, because a failing worker shows nowhere else. */
async function printed(runtime: Runtime, cwd: string, ...words: string[]): Promise<string> {
  const [program, ...before] = runtime.command;
  const { PATH, HOME } = process.env;
  const environment = { PATH, HOME, NO_COLOR: '1', NODE_COMPILE_CACHE: path.join(folder, 'compiled') };
  const { stdout, stderr } = await run(program, [...before, ...words], { cwd, env: environment });
  expect(stderr).toBe('');
  return stdout;
}

/** By script. */
const ownAnswers = new Map<string, ReturnType<typeof JSON.parse>>();

/** The JSON that a script in `whole` prints on the project's Node. It is run once for all that compare with it. */
async function ownAnswer(script: string) {
  if (!ownAnswers.has(script)) ownAnswers.set(script, JSON.parse(await printed(ownNode, whole, script)));
  return ownAnswers.get(script);
}

describe.each(names)('the tarball of %s', (name) => {
  it('contains the build, the licence and a README, and no output without a source', () => {
    const { contents, package: found } = tarballs.find((each) => each.package.name === name)!;
    expect(contents).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
    const manifest = readFileSync(path.join(root, found.folder, 'package.json'), 'utf8');
    const folders = (JSON.parse(manifest) as { files: string[] }).files;
    const strays = contents.filter(
      (file) =>
        !folders.includes(file.replace(/\/.*/, '')) &&
        !/^(LICENSE|(README|CHANGELOG)\.md|package\.json)$/.test(file),
    );
    expect(strays).toEqual([]);
    const built = contents.filter((file) => /^dist\/(?!page\/).*\.js$/.test(file));
    const sources = new Set(contents.filter((file) => file.startsWith('src/')));
    expect(built.length).toBeGreaterThan(5);
    for (const file of built) {
      expect(sources, `${file} has no source`).toContain(file.replace(/^dist\/(.*)\.js$/, 'src/$1.ts'));
    }
    // Templates contain a test for the user.
    expect(contents.filter((file) => /\.test\./.test(file) && !file.startsWith('templates/'))).toEqual([]);
  });

  it('installs with only our packages that it needs, and each entry point can be imported', async () => {
    const own = path.join(folder, name.replace('/', '-'));
    const { package: found } = tarballs.find((each) => each.package.name === name)!;
    const source = readFileSync(path.join(root, found.folder, 'package.json'), 'utf8');
    const { peerDependenciesMeta = {} } = JSON.parse(source) as { peerDependenciesMeta?: object };
    const optional = Object.keys(peerDependenciesMeta);
    // Some entry points need optional peers: npm installs those, and alone the packages. For the others it has all in `whole`.
    if (optional.length === 0) copyInstalled(name, whole, own);
    else {
      const files = withDependencies(name, tarballs).map(({ file }) => file);
      await installAsUser(own, files, optional);
    }
    const manifest = JSON.parse(readFileSync(path.join(own, 'node_modules', name, 'package.json'), 'utf8'));
    const entries = Object.keys(manifest.exports ?? {}).map((subpath) => name + subpath.slice(1));
    // In one process: what an import finds does not depend on those before it.
    const imports = entries.map((entry) => {
      const how = entry.endsWith('.json') ? ", { with: { type: 'json' } }" : '';
      // An entry point that only loads something exports no names.
      const least = /\/(by-name|javascript)$/.test(entry) ? 0 : 1;
      return `if (Object.keys(await import('${entry}'${how})).length >= ${least}) console.log('${entry}');\n`;
    });
    const script = imports.join('');
    const said = await printed(ownNode, own, '--input-type=module', '--eval', script);
    expect(said).toBe(entries.map((entry) => `${entry}\n`).join(''));
    for (const [command, file] of Object.entries<string>(manifest.bin ?? {})) {
      const script = path.join('node_modules', name, file);
      expect(await printed(ownNode, own, script, '--version')).toBe(`${manifest.version}\n`);
      expect(readdirSync(path.join(whole, 'node_modules/.bin'))).toContain(command);
    }
    expect(entries.length + Object.keys(manifest.bin ?? {}).length).toBeGreaterThan(0);
  });
});

describe('the types of all packages, their READMEs and the scripts here', () => {
  const cases = compilers.flatMap((each) => resolutions.map((resolution) => ({ ...each, ...resolution })));

  it.each(cases)('hold in the strictest of projects with $compiler, by $resolution', async (each) => {
    if (each.compiler !== 'TypeScript 7' && whyNone !== '') return;
    const examples = names.filter((name) => readmeExample(whole, name) !== '');
    expect(names.filter((name) => !examples.includes(name))).toEqual(forShells);
    for (const name of examples) {
      writeFileSync(path.join(whole, `readme-${name.replace('/', '-')}.ts`), readmeExample(whole, name));
    }
    expect(await typeErrors(each.place, whole, each)).toBe('');
  });

  it.each(names.filter((name) => !forShells.includes(name)))(
    'are right in the tarball of %s',
    async (name) => {
      if (whyNone !== '') return;
      expect(await wrongTypes(tarballs.find((each) => each.package.name === name)!.file)).toEqual([]);
    },
  );
});

describe('the engine in a bundle', () => {
  it.each(bundlers)('by $bundler for $platform reports the same as unbundled', async (each) => {
    if (each.bundler !== 'vite' && whyNone !== '') return;
    const script = await bundled(each, path.join(whole, 'engine.ts'));
    writeFileSync(path.join(whole, 'engine.mjs'), script);
    const answers = JSON.parse(await printed(ownNode, whole, 'engine.mjs'));
    const wanted = await ownAnswer('engine.ts');
    expect(wanted.named).toBe(wanted.plain);
    expect(wanted.imported).toBe(wanted.plain);
    // A page contains only the detectors that it imports.
    expect(answers).toEqual(each.platform === 'node' ? wanted : { ...wanted, named: 'UNKNOWN_DETECTOR' });
  });

  it.skipIf(chromiumPath === undefined)('runs in a browser as it does in Node', async () => {
    const script = await bundled(bundlers[0], path.join(whole, 'engine.ts'));
    const browser = await chromium.launch({ executablePath: chromiumPath!, args: HEADLESS_FLAGS });
    try {
      const page = await browser.newPage();
      await page.addScriptTag({ content: script, type: 'module' });
      const answers = await page.waitForFunction(() => (globalThis as { answers?: object }).answers);
      const wanted = await ownAnswer('engine.ts');
      expect(await answers.jsonValue()).toEqual({ ...wanted, named: 'UNKNOWN_DETECTOR' });
    } finally {
      await browser.close();
    }
  });
});

it('the README of the engine shows what its example prints', async () => {
  writeFileSync(path.join(whole, 'example.ts'), readmeExample(whole, 'umwelt'));
  expect(await printed(ownNode, whole, 'example.ts')).toBe('true true\n');
});

describe('the recipes', () => {
  const pages = readdirSync(path.join(root, 'docs/recipes')).filter((page) => page !== 'README.md');

  it.each(pages)('%s prints the output that it shows', async (page) => {
    const text = readFileSync(path.join(root, 'docs/recipes', page), 'utf8');
    const examples = [...text.matchAll(/```ts\n(.*?)```\n\n```text\n(.*?)```/gs)];
    expect(examples.length).toBeGreaterThan(0);
    for (const [index, [, code = '', said]] of examples.entries()) {
      const script = `recipe-${path.parse(page).name}-${index}.mts`;
      writeFileSync(path.join(whole, script), code);
      expect(await printed(ownNode, whole, script), script).toBe(said);
    }
  });
});

describe('on a runtime that is too old', () => {
  /** Runs a script on a Node without a certain feature. */
  async function failure(without: string, ...words: string[]): Promise<{ code: number; stderr: string }> {
    const preload = `data:text/javascript,delete ${without}`;
    const [program] = ownNode.command;
    return run(program, ['--import', preload, ...words], { cwd: whole }).then(
      () => ({ code: 0, stderr: '' }),
      (error: { code: number; stderr: string }) => error,
    );
  }

  it('the command line says which version is needed', async () => {
    const script = 'node_modules/@umwelt/cli/dist/main.js';
    const { code, stderr } = await failure('Promise.withResolvers', script, 'serve', '--port', '0');
    expect(stderr).toBe(`umwelt serve: Node 22 or newer is needed; this is ${process.version}\n`);
    expect(code).toBe(2);
  });

  it('the client says what is missing and which version has it', async () => {
    const { stderr } = await failure('globalThis.WebSocket', 'wire.ts');
    expect(stderr).toContain('Error: this runtime has no WebSocket (Node 22 has one): pass openSocket\n');
  });
});

describe('beside the Node of the project', () => {
  it('other runtimes are installed', () => {
    if (whyNone !== '') process.stderr.write(`umwelt: no other runtimes, so they are skipped: ${whyNone}\n`);
    expect(whyNone === '' || process.env.CI !== 'true', whyNone).toBe(true);
  });

  it.each(['Node 22', 'Bun', 'Deno'])('%s has the same results', async (name) => {
    const runtime = others.find((each) => each.name === name);
    // Nothing else may be missing: where npm can install the runtimes, all must be there.
    if (runtime === undefined) return expect(whyNone).not.toBe('');
    for (const script of readdirSync(scripts)) {
      expect(JSON.parse(await printed(runtime, whole, script)), script).toEqual(await ownAnswer(script));
    }
    const version = await printed(runtime, whole, 'node_modules/@umwelt/cli/dist/main.js', '--version');
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('threads, sockets and the page were tested', async () => {
    const world = await ownAnswer('world.ts');
    expect(world).toMatchObject({ kernels: 'wasm', threads: 3 });
    for (const way of ['alone', 'shared', 'forgotten']) {
      expect(world[way]).toEqual(world.plain);
    }
    expect(new Set(world.plain).size).toBe(10);
    expect(new Set(world.city).size).toBe(10);
    const wire = await ownAnswer('wire.ts');
    expect(wire).toEqual({ seen: 21, own: { name: 'player' }, steered: ['north'] });
    expect(await ownAnswer('page.ts')).toMatchObject({ answers: [200] });
  });
});
