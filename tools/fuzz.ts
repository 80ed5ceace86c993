/**
 * `npm run fuzz`: runs random scripts on the detectors until the time is up or an error is found.
 *
 * After every tick of every script it checks: the whole report against the model (in larger worlds against brute force,
 * by hash and lists), columns against views, relations, queries, ids, and the structures' own validate(). An error is
 * shrunk and printed with its seed; the exit code is then 1. A wrong argument is one line and exit code 2.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type DetectorFactory, type DetectorName, detectorNames, type KernelChoice } from 'umwelt';
import {
  createScript,
  findText,
  runScript,
  type Script,
  type ScriptSize,
  shrinkScript,
  type Trial,
} from 'umwelt/conformance';

const USAGE = `npm run fuzz                                   a minute of fresh seeds on every detector
npm run fuzz -- frames --count 1000000         damaged messages at a client and at a gateway; --help says more
npm run fuzz -- attacks                        a gateway on the loopback under attack, measured; --help says more
npm run fuzz -- endurance --minutes 30         a thousand clients, cut and stalled, and a server that restarts; --help says more
npm run fuzz -- canary --count 1000000         whether clients of a gateway or a room receive what they must not know; --help says more
npm run fuzz -- cluster --minutes 10           nodes of a cluster in virtual time, under all faults; --help says more
npm run fuzz -- cluster-calls --count 1000     calls in single ticks of nodes, against one world; --help says more
npm run fuzz -- cluster-nats --minutes 30     node processes on a real broker, killed and stopped; --help says more
npm run fuzz -- cluster-figures                what nodes of a cluster cost, measured; --help says more
npm run fuzz -- --minutes 30 --detector sweep  longer, on one detector
npm run fuzz -- --seed 17                      the script of that seed alone

  --seed N         the only seed; with --minutes, the first one
  --minutes K      how long; default 1
  --detector NAME  ${detectorNames.join(', ')}, or a module whose default export is a DetectorFactory
  --against NAME   model, or a detector; default: the model, and brute-force for large worlds
  --operations M   operations in a script; default: 200, 250, 400 and 800 in turn; 12000 if short-lived
  --entities N     most entities at once; default: 5, 14, 60 and 250 in turn
  --interests WHO  all, none, some: which scripts have rules of interest; default some: most of them
  --turnover WHO   all, none, some: in which scripts all entities are short-lived; default some
  --attachments WHO all, none, some: in which scripts entities are attached; default some: every third
  --together       uses all rules, conditions and calls at once, and sometimes stores and restores the world
  --kernels NAME   auto, typescript, wasm; default auto
  --checked        checks every write to a column, which makes it several times slower
  --script FILE    a script as printed for an error, in place of a seed
`;

const PROGRESS_MS = 5000;
/**
 * Sizes in turn, by seed. With 250 entities the model would be too slow, so brute force checks; short-lived scripts last
 * thousands of ticks.
 */
const SIZES: readonly ScriptSize[] = [
  { operations: 200, entities: 5 },
  { operations: 200, entities: 5, interests: true },
  { operations: 200, entities: 8, attachments: true },
  { operations: 250, entities: 14 },
  { operations: 250, entities: 14, interests: true },
  { operations: 250, entities: 14, interests: true, attachments: true },
  { operations: 400, entities: 60 },
  { operations: 400, entities: 60, interests: true },
  { operations: 400, entities: 60, interests: true, attachments: true },
  { operations: 800, entities: 250 },
  { operations: 800, entities: 250, interests: true },
  { operations: 800, entities: 250, interests: true, attachments: true },
  { operations: 12_000, entities: 12, turnover: true },
  { operations: 12_000, entities: 12, turnover: true, interests: true },
  { operations: 12_000, entities: 12, turnover: true, interests: true, attachments: true },
];
const MOST_FOR_MODEL = 100;

interface FuzzPlan {
  readonly detectors: readonly { name: string; detector: DetectorName | DetectorFactory }[];
  readonly against: 'model' | DetectorName | undefined;
  readonly kernels: KernelChoice;
  readonly sizes: readonly ScriptSize[];
  /** A script file, in place of scripts by seed. */
  readonly script: Script | undefined;
  readonly firstSeed: number;
  readonly lastSeed: number;
  readonly minutes: number;
}

class BadArgument extends Error {}

/** Runs the plan; returns false if an error was found. */
function fuzz(plan: FuzzPlan): boolean {
  const startedMs = Date.now();
  let shownMs = startedMs;
  let [scripts, operations] = [0, 0];
  const progress = () => {
    const seconds = Math.max(1, Date.now() - startedMs) / 1000;
    print(`${operations} operations in ${scripts} scripts, ${Math.round(operations / seconds)} a second`);
  };
  for (let seed = plan.firstSeed; seed <= plan.lastSeed; seed++) {
    const size = plan.sizes[seed % plan.sizes.length] as ScriptSize;
    const script = plan.script ?? createScript(seed, size);
    const against = plan.against ?? (size.entities > MOST_FOR_MODEL ? 'brute-force' : 'model');
    for (const { name, detector } of plan.detectors) {
      const trial: Trial = { detector, against, options: { kernels: plan.kernels } };
      if (!passes(script, trial, `${sizeArguments(size)} --detector ${name} --against ${against}`))
        return false;
      scripts++;
      operations += script.operations.length;
    }
    if (Date.now() - shownMs >= PROGRESS_MS) {
      shownMs = Date.now();
      progress();
    }
    if (Date.now() - startedMs >= plan.minutes * 60_000) break;
  }
  progress();
  print('nothing found');
  return true;
}

/** Runs one script; on a mismatch prints the shrunk script and the command that repeats it. */
function passes(script: Script, trial: Trial, replayArguments: string): boolean {
  const mismatch = runScript(script, trial);
  if (mismatch === undefined) return true;
  print(`seed ${script.seed} fails: ${mismatch.what}\nshrinking ...`);
  print(findText(shrinkScript(script, trial) ?? { script, mismatch }));
  print(`again: npm run fuzz -- --seed ${script.seed} ${replayArguments}`);
  return false;
}

function sizeArguments(size: ScriptSize): string {
  const { operations, entities, interests = false, turnover = false, attachments = false, together } = size;
  const all = (is: boolean) => (is ? 'all' : 'none');
  const who = `--interests ${all(interests)} --turnover ${all(turnover)} --attachments ${all(attachments)}`;
  return `--operations ${operations} --entities ${entities} ${who}${together ? ' --together' : ''}`;
}

/** Runs the same command again, on sources in which writes past the end of a column throw. */
function fuzzChecked(words: readonly string[]): number {
  const checks = [
    '--import',
    pathToFileURL(resolve(import.meta.dirname, 'checked-columns/register.ts')).href,
  ];
  const program = [...process.execArgv, ...checks, import.meta.filename];
  const run = spawnSync(process.execPath, [...program, ...words.filter((word) => word !== '--checked')], {
    stdio: 'inherit',
  });
  return run.status ?? 1;
}

/** Other fuzz programs; they are in packages that may import gateways and clients. */
const OTHERS: Readonly<Record<string, string>> = {
  frames: '../packages/gateway/test/fuzz-frames.ts',
  attacks: '../packages/gateway/test/fuzz-attacks.ts',
  endurance: '../packages/gateway/test/fuzz-endurance.ts',
  canary: './canary.ts',
  cluster: '../packages/cluster/test/fuzz-cluster.ts',
  'cluster-calls': '../packages/cluster/test/fuzz-cluster-calls.ts',
  'cluster-nats': '../packages/cluster/test/fuzz-cluster-nats.ts',
  'cluster-figures': '../packages/cluster/test/fuzz-cluster-figures.ts',
};

function fuzzOther(path: string, words: readonly string[]): number {
  const script = resolve(import.meta.dirname, path);
  const run = spawnSync(process.execPath, [...process.execArgv, script, ...words], { stdio: 'inherit' });
  return run.status ?? 1;
}

async function planOf(values: ReturnType<typeof parsed>): Promise<FuzzPlan> {
  const script = values.script === undefined ? undefined : readScript(values.script);
  const seed = values.seed === undefined ? undefined : numberOf('seed', values.seed, 0);
  // Fresh seeds begin at the clock's value; every error is printed with its seed.
  const firstSeed = seed ?? Date.now() % 2 ** 31;
  const isOne = script !== undefined || (seed !== undefined && values.minutes === undefined);
  const whose = oneOf('interests', values.interests, ['some', 'all', 'none']);
  const shortLived = oneOf('turnover', values.turnover, ['some', 'all', 'none']);
  const attached = oneOf('attachments', values.attachments, ['some', 'all', 'none']);
  const sizes = SIZES.map(({ operations, entities, interests, turnover, attachments }) => ({
    operations: values.operations === undefined ? operations : numberOf('operations', values.operations, 2),
    entities: values.entities === undefined ? entities : numberOf('entities', values.entities, 1),
    interests: whose === 'some' ? interests === true : whose === 'all',
    turnover: shortLived === 'some' ? turnover === true : shortLived === 'all',
    attachments: attached === 'some' ? attachments === true : attached === 'all',
    together: values.together,
  }));
  return {
    detectors:
      values.detector === undefined
        ? detectorNames.map((name) => ({ name, detector: name }))
        : [{ name: values.detector, detector: await detectorOf(values.detector) }],
    against:
      values.against === undefined
        ? undefined
        : oneOf<'model' | DetectorName>('against', values.against, ['model', ...detectorNames]),
    kernels: oneOf('kernels', values.kernels, ['auto', 'typescript', 'wasm']),
    sizes,
    script,
    firstSeed,
    lastSeed: isOne ? firstSeed : Number.MAX_SAFE_INTEGER,
    minutes: values.minutes === undefined ? 1 : numberOf('minutes', values.minutes, 0, false),
  };
}

function parsed(args: string[]) {
  const text = { type: 'string' } as const;
  const options = {
    seed: text,
    minutes: text,
    detector: text,
    against: text,
    operations: text,
    entities: text,
    interests: { type: 'string', default: 'some' },
    turnover: { type: 'string', default: 'some' },
    attachments: { type: 'string', default: 'some' },
    together: { type: 'boolean', default: false },
    kernels: { type: 'string', default: 'auto' },
    script: text,
    checked: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const;
  try {
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    throw new BadArgument(reasonOf(error));
  }
}

function numberOf(name: string, text: string, least: number, whole = true): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= least && Number.isFinite(value) && (!whole || Number.isInteger(value))) {
    return value;
  }
  throw new BadArgument(`--${name} ${text}: expected a ${whole ? 'whole ' : ''}number of at least ${least}`);
}

function oneOf<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text);
  if (choice === undefined) throw new BadArgument(`--${name} ${text}: expected one of ${choices.join(', ')}`);
  return choice;
}

/** A detector by name, or from a module. */
async function detectorOf(text: string): Promise<DetectorName | DetectorFactory> {
  if (!/\.[mc]?[jt]s$/.test(text)) return oneOf('detector', text, detectorNames);
  let factory: unknown;
  try {
    factory = (await import(pathToFileURL(asTyped(text)).href)).default;
  } catch (error) {
    throw new BadArgument(`--detector ${text}: ${reasonOf(error)}`);
  }
  if (typeof factory === 'function') return factory as DetectorFactory;
  throw new BadArgument(`--detector ${text}: expected a DetectorFactory as its default export`);
}

/** Parses a script as an error prints it; text before and after the braces is skipped. */
function readScript(path: string): Script {
  try {
    const text = readFileSync(asTyped(path), 'utf8');
    const script = JSON.parse(text.slice(text.indexOf('{ "seed"'), text.lastIndexOf('] }') + 3));
    if (!Array.isArray(script.operations)) throw new Error('it has no operations');
    return script;
  } catch (error) {
    throw new BadArgument(`--script ${path}: ${reasonOf(error)}`);
  }
}

/** A path relative to the folder in which the command was typed. */
function asTyped(path: string): string {
  return resolve(process.env.INIT_CWD ?? '.', path);
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  const [first, ...others] = process.argv.slice(2);
  const other = OTHERS[first ?? ''];
  const values = parsed(other === undefined ? process.argv.slice(2) : []);
  if (other !== undefined) process.exitCode = fuzzOther(other, others);
  else if (values.help) process.stdout.write(USAGE);
  else if (values.checked) process.exitCode = fuzzChecked(process.argv.slice(2));
  else process.exitCode = fuzz(await planOf(values)) ? 0 : 1;
} catch (error) {
  if (!(error instanceof BadArgument)) throw error;
  process.stderr.write(`fuzz: ${error.message}\n`);
  process.exitCode = 2;
}
