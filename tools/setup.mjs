/**
 * The entry point of every npm script: prepares what the job needs, then runs the job on the project's own Node.
 *
 * `npm start`, `npm test` and the others must work from a fresh clone, under any Node from 20 on. So this file and
 * installed.mjs are plain JavaScript without dependencies. It
 *   1. runs `npm ci` if node_modules is absent or lacks packages of package-lock.json that the job needs: all of them, or,
 *      if the job only runs the engine and its page, those that these need,
 *   2. builds what the job needs and what is missing or stale (tools/build.ts),
 *   3. finds or downloads the browser and the broker if the job tests with them (tools/install-*.ts),
 *   4. runs the job from its sources with the Node of the npm package `node`.
 * Only `npm run build` compiles to dist. The jobs here do not read dist, so it cannot be stale for them.
 *
 * Arguments and the exit code pass through. Signals do, too, once: see `runJob`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInstalled, packageCount, removeNodeRemains } from './installed.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const binFolder = path.join(root, 'node_modules', '.bin');

/** Workspaces that the command line needs to run and to build the page; and a Node, if the machine's own is too old. */
const RUNNING = ['packages/cli', 'packages/inspector', ...(isNodeNewEnough() ? [] : ['tools/node'])];
/** The exit code of a step that needs a complete installation; see tools/build.ts. */
const NEEDS_ALL = 3;

/**
 * Jobs by name: the script, what is built before it, the programs that are found or downloaded, whether it runs in the folder in
 * which the command was typed, and the workspaces that it needs (all, unless named).
 */
const jobs = {
  start: {
    script: 'packages/cli/src/main.ts',
    first: ['play'],
    build: ['kernels', 'page'],
    whereTyped: true,
    needs: RUNNING,
  },
  record: {
    script: 'packages/cli/src/main.ts',
    first: ['record'],
    build: ['kernels'],
    whereTyped: true,
    needs: RUNNING,
  },
  serve: {
    script: 'packages/cli/src/main.ts',
    first: ['serve'],
    build: ['kernels'],
    whereTyped: true,
    needs: RUNNING,
  },
  replay: {
    script: 'packages/cli/src/main.ts',
    first: ['replay'],
    build: ['kernels', 'page'],
    whereTyped: true,
    needs: RUNNING,
  },
  compare: {
    script: 'packages/cli/src/main.ts',
    first: ['compare'],
    build: ['kernels'],
    whereTyped: true,
    needs: RUNNING,
  },
  test: {
    script: 'node_modules/vitest/vitest.mjs',
    first: ['run'],
    build: ['kernels', 'page'],
    programs: ['chromium', 'nats-server'],
  },
  playground: { script: 'tools/playground.ts', build: ['kernels'], needs: RUNNING },
  picture: { script: 'tools/picture.ts', build: ['kernels', 'page'], programs: ['chromium'] },
  build: { script: 'tools/build.ts' },
  pack: { script: 'tools/pack.ts' },
  docs: { script: 'tools/docs.ts', build: ['kernels'] },
  lighthouse: { script: 'tools/lighthouse.ts', build: ['kernels'], programs: ['chromium'] },
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

if (!isInstalled(root, job.needs)) install(job.needs);
const node = projectNode();
if (job.build) build(job.build);
for (const program of job.programs ?? []) runStep([`tools/install-${program}.ts`]);
runJob();

/** Installs everything, or only what the given workspaces need. */
function install(workspaces) {
  const count = packageCount(root, workspaces);
  const what =
    workspaces === undefined ? 'everything' : `what npm ${jobName === 'start' ? '' : 'run '}${jobName} needs`;
  say(`installing ${what}: ${count} packages, once`);
  const startMs = performance.now();
  // Without this project's own Node on the PATH, because npm is about to replace it.
  const elsewhere = pathEntries().filter((entry) => !path.resolve(entry).startsWith(root + path.sep));
  const environment = { ...process.env, PATH: elsewhere.join(path.delimiter) };
  const only = (workspaces ?? []).flatMap((workspace) => ['--workspace', workspace]);
  // npm's warnings here are about the machine's Node, which runs only npm.
  const result = spawnSync('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund', ...only], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (result.error) fail(`npm could not be started: ${result.error.message}`, 1);
  if (result.status !== 0) fail('npm ci failed', result.status ?? 1);
  removeNodeRemains(root);
  say(`installed in ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
}

/** Changed kernel sources need the compiler, which is not installed for a job that only runs kernels. */
function build(parts) {
  const exitCode = stepExitCode(['tools/build.ts', ...parts]);
  if (exitCode === 0) return;
  if (exitCode !== NEEDS_ALL) process.exit(exitCode);
  install();
  runStep(['tools/build.ts', ...parts]);
}

/** The Node of the npm package `node`, or this one if it is new enough. */
function projectNode() {
  const own = path.join(
    root,
    'node_modules',
    'node',
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  if (existsSync(own)) return own;
  if (isNodeNewEnough()) return process.execPath;
  return fail(
    `Node 22.18 or newer is needed and this is ${process.version}: allow the npm package 'node' its install script`,
    1,
  );
}

function isNodeNewEnough() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

/** Runs one preparing script to its end; its output goes to stderr, so that stdout has only the job's output. */
function runStep(scriptAndArguments) {
  const exitCode = stepExitCode(scriptAndArguments);
  if (exitCode !== 0) process.exit(exitCode);
}

function stepExitCode(scriptAndArguments) {
  const result = spawnSync(node, scriptAndArguments, {
    cwd: root,
    env: jobEnvironment(),
    stdio: ['ignore', 2, 2],
  });
  return result.status ?? 1;
}

/**
 * Runs the job until it ends by itself. A Ctrl-C on a terminal reaches the job directly, and npm forwards signals, too. Forwarding
 * at once would signal the job twice, and many programs treat a second Ctrl-C as "now". So a signal is forwarded only if the
 * job still runs after a while, and only once.
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
  // If only npm is killed, the job gets no signal: it would continue to run and keep its port.
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
