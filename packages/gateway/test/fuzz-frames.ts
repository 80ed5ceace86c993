/**
 * `npm run fuzz -- frames`: damaged and random messages at a client and at a gateway, until the count is up or something is
 * found. What counts as a find is said in frame-fuzz.ts; here, memory that grows is one too. Exit codes: 1 for a find, 2 for a
 * wrong argument.
 *
 * Mutation of sound messages, and no coverage to guide it: for a format this small that earns more than its upkeep.
 */
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type FuzzTally, fuzzClient, fuzzGateway } from './frame-fuzz.ts';

const USAGE = `npm run fuzz -- frames

  --count N   how many messages at each end; default 100000
  --seed N    the first seed; a find names its own
`;
const ROUND = 20_000;
const GROWTH_BYTES = 8e6;

interface Target {
  readonly name: string;
  readonly feed: (seed: number, count: number) => FuzzTally | Promise<FuzzTally>;
}

const TARGETS: readonly Target[] = [
  { name: 'client', feed: fuzzClient },
  { name: 'gateway', feed: fuzzGateway },
];

/** Feeds `count` messages to each end; false when something was found. */
async function fuzzFrames(count: number, firstSeed: number): Promise<boolean> {
  for (const target of TARGETS) {
    try {
      if (!(await fuzzOne(target, count, firstSeed))) return false;
    } catch (error) {
      print(`${target.name}: ${(error as Error).stack}`);
      return false;
    }
  }
  print('nothing found');
  return true;
}

async function fuzzOne({ name, feed }: Target, count: number, firstSeed: number): Promise<boolean> {
  let messages = 0;
  let taken = 0;
  let slowestMs = 0;
  let firstBytes = 0;
  let bytes = 0;
  for (let seed = firstSeed; messages < count; seed++) {
    const tally = await feed(seed, Math.min(ROUND, count - messages));
    messages += tally.messages;
    taken += tally.taken;
    slowestMs = Math.max(slowestMs, tally.slowestMs);
    bytes = heldBytes();
    // The first round is still compiling.
    if (seed <= firstSeed + 1) firstBytes = bytes;
    print(
      `${name}: ${messages} messages, ${taken} understood, slowest ${slowestMs.toFixed(1)} ms, ` +
        `heap ${(bytes / 1e6).toFixed(1)} MB`,
    );
  }
  if (bytes <= firstBytes + GROWTH_BYTES) return true;
  print(`${name}: the heap has grown from ${firstBytes} to ${bytes} bytes`);
  return false;
}

/** After collecting garbage, which Node does on demand once it has been told so. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let i = 0; i < 4; i++) collect();
  return process.memoryUsage().heapUsed;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The options as numbers; undefined for what is none. */
function numbersOf(words: readonly string[]): { help: boolean; count: number; seed: number } | undefined {
  const text = { type: 'string' } as const;
  const options = { count: text, seed: text, help: { type: 'boolean', default: false } } as const;
  try {
    const { values } = parseArgs({ args: [...words], options, strict: true });
    const count = Number(values.count ?? 100_000);
    const seed = Number(values.seed ?? Date.now() % 2 ** 31);
    return Number.isInteger(count) && count > 0 && Number.isInteger(seed)
      ? { help: values.help, count, seed }
      : undefined;
  } catch {
    return undefined;
  }
}

const numbers = numbersOf(process.argv.slice(2));
if (numbers === undefined) {
  process.stderr.write('fuzz: frames: expected --count N and --seed N, whole numbers\n');
  process.exitCode = 2;
} else if (numbers.help) process.stdout.write(USAGE);
else process.exitCode = (await fuzzFrames(numbers.count, numbers.seed)) ? 0 : 1;
