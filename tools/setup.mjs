/**
 * The way into every npm script: makes ready what the job needs, then runs the job on the project's own Node.
 *
 * `npm start`, `npm test` and their like must work from a fresh clone, under whichever Node from 20 on the machine has.
 * So this one file is plain JavaScript without dependencies. It
 *   1. runs `npm ci` when node_modules is absent or does not hold what package-lock.json asks for,
 *   2. builds what the job needs and what is missing or stale (tools/build.ts),
 *   3. finds or fetches the browser and the broker where the job tests with them (tools/install-*.ts),
 *   4. runs the job from its sources with the Node that the npm package `node` brings.
 * Only `npm run build` compiles to dist: the jobs here do not read it, so it cannot be stale for them.
 *
 * Arguments and the exit code pass through. Signals too, once: see `runJob`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const binFolder = path.join(root, 'node_modules', '.bin');

/** What runs, what is built before it, what programs are found or fetched, whether it runs where the person typed it. */
const jobs = {
  start: {
    script: 'packages/cli/src/main.ts',
    first: ['play'],
    build: ['kernels', 'page'],
    whereTyped: true,
  },
  record: { script: 'packages/cli/src/main.ts', first: ['record'], build: ['kernels'], whereTyped: true },
  serve: { script: 'packages/cli/src/main.ts', first: ['serve'], build: ['kernels'], whereTyped: true },
  replay: {
    script: 'packages/cli/src/main.ts',
    first: ['replay'],
    build: ['kernels', 'page'],
    whereTyped: true,
  },
  compare: { script: 'packages/cli/src/main.ts', first: ['compare'], build: ['kernels'], whereTyped: true },
  test: {
    script: 'node_modules/vitest/vitest.mjs',
    first: ['run'],
    build: ['kernels', 'page'],
    programs: ['chromium', 'nats-server'],
  },
  build: { script: 'tools/build.ts' },
  pack: { script: 'tools/pack.ts' },
  check: { script: 'tools/check.ts', build: ['kernels', 'page'] },
  format: { script: 'node_modules/@biomejs/biome/bin/biome', first: ['check', '--write'] },
  bench: { script: 'bench/main.ts', build: ['kernels'] },
  fuzz: { script: 'tools/fuzz.ts', build: ['kernels'] },
  example: { script: 'tools/example.ts', build: ['kernels'] },
};

const [jobName = '', ...given] = process.argv.slice(2);
if (!Object.hasOwn(jobs, jobName)) {
  fail(`expected one of ${Object.keys(jobs).join(', ')}; got '${jobName}'`, 2);
}
const job = jobs[jobName];

if (!isInstalled()) install();
const node = projectNode();
if (job.build) runStep(['tools/build.ts', ...job.build]);
for (const program of job.programs ?? []) runStep([`tools/install-${program}.ts`]);
runJob();

/**
 * Whether node_modules holds what package-lock.json asks for. npm writes what it installed, in the same form, to
 * node_modules/.package-lock.json when it is done; an interrupted installation leaves none. Optional packages are
 * those of other platforms.
 */
function isInstalled() {
  const wanted = lockedPackages('package-lock.json');
  const present = lockedPackages(path.join('node_modules', '.package-lock.json'));
  if (present === undefined || wanted === undefined) return false;
  return Object.entries(wanted).every(([place, entry]) => {
    if (!place.includes('node_modules/') || entry.optional) return true;
    const found = present[place];
    return found !== undefined && found.version === entry.version && found.integrity === entry.integrity;
  });
}

function lockedPackages(file) {
  try {
    return JSON.parse(readFileSync(path.join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function install() {
  say('node_modules is absent or stale: npm ci');
  // Without this project's own Node on the PATH: npm is about to replace it.
  const elsewhere = pathEntries().filter((entry) => !path.resolve(entry).startsWith(root + path.sep));
  const environment = { ...process.env, PATH: elsewhere.join(path.delimiter) };
  // npm's warnings here are about the machine's Node, which runs npm and nothing else.
  const result = spawnSync('npm', ['ci', '--loglevel=error'], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (result.error) fail(`npm could not be started: ${result.error.message}`, 1);
  if (result.status !== 0) fail('npm ci failed', result.status ?? 1);
}

/** The Node that the npm package `node` brought, or this one where it is new enough. */
function projectNode() {
  const own = path.join(
    root,
    'node_modules',
    'node',
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  if (existsSync(own)) return own;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  return fail(
    `Node 22.18 or newer is needed and this is ${process.version}: allow the npm package 'node' its install script`,
    1,
  );
}

/** Runs one preparing script to its end; its output goes to stderr, so that stdout is the job's alone. */
function runStep(scriptAndArguments) {
  const result = spawnSync(node, scriptAndArguments, {
    cwd: root,
    env: jobEnvironment(),
    stdio: ['ignore', 2, 2],
  });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/**
 * Runs the job until it ends by itself. A Ctrl-C on a terminal reaches the job directly, and npm passes signals on
 * besides, so forwarding at once would tell it twice, and a second Ctrl-C means "now" to many programs. A signal is
 * therefore passed on only if the job is still there after a while, and only once.
 */
function runJob() {
  const cwd = job.whereTyped ? (process.env.INIT_CWD ?? process.cwd()) : root;
  const script = [path.join(root, job.script), ...(job.first ?? []), ...given];
  const child = spawn(node, ['--conditions=umwelt:source', ...script], {
    cwd,
    env: jobEnvironment(),
    stdio: 'inherit',
  });
  const graceMs = process.stdin.isTTY || process.stdout.isTTY ? 3000 : 300;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    let pending = false;
    process.on(signal, () => {
      if (pending) return;
      pending = true;
      setTimeout(() => child.kill(signal), graceMs).unref();
    });
  }
  // npm, killed by itself, tells nobody: without it the job would live on and keep its port.
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event !== undefined) {
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      child.kill('SIGTERM');
    }, 500).unref();
  }
  child.on('error', (error) => fail(`${jobName} could not be started: ${error.message}`, 1));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

function jobEnvironment() {
  return { ...process.env, PATH: [binFolder, ...pathEntries()].join(path.delimiter) };
}

function pathEntries() {
  return (process.env.PATH ?? '').split(path.delimiter).filter((entry) => entry !== '');
}

function say(text) {
  process.stderr.write(`umwelt: ${text}\n`);
}

function fail(text, exitCode) {
  say(text);
  process.exit(exitCode);
}
