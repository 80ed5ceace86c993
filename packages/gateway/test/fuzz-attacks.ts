/**
 * `npm run fuzz -- attacks`: what honest clients see of a gateway before, while and after it is attacked, attack by attack.
 *
 * Loopback only, bounded in sockets and time, and over by itself. An attack is withstood when no honest client loses its connection,
 * newcomers get in as in quiet moments, the server does not work longer than a tick from one to the next, the 99th percentile between
 * frames is at most 1.5 times that of quiet moments right before and after (attacks/gap-ratio.ts), and the server holds at most a tenth
 * more memory when it is over. Exit codes: 1 where one is not, 2 for a wrong argument.
 */
import { parseArgs } from 'node:util';
import { ATTACKS } from './attacks/attack-list.ts';
import { type AttackFigures, type AttackPlan, type PhaseFigures, runAttack } from './attacks/attack-stage.ts';
import { gapRatio, medianOf } from './attacks/gap-ratio.ts';

const GAP_RATIO = 1.5;
const TICK_MS = 50;
const MEMORY_RATIO = 1.1;

const USAGE = `npm run fuzz -- attacks

  --attack NAME   one of ${Object.keys(ATTACKS).join(', ')}; default: all
  --seconds S     of each phase, attacked or quiet; default 4
  --rounds N      how often each attack comes and goes; default 5, up to four times as often where it seems to cost too much
  --clients N     honest ones; default 50
  --from ADDRESS  of the loopback, where attacks come from; default 127.0.0.2. From 127.0.0.1 attackers and
                  honest clients have one address
`;

interface Words {
  readonly names: readonly string[];
  readonly seconds: number;
  readonly rounds: number;
  readonly clients: number;
  readonly address: string;
  readonly help: boolean;
}

function wordsOf(args: string[]): Words | undefined {
  const text = { type: 'string' } as const;
  const options = {
    attack: text,
    seconds: text,
    rounds: text,
    clients: text,
    from: text,
    help: { type: 'boolean', default: false },
  } as const;
  try {
    const { values } = parseArgs({ args, options, strict: true });
    const names = values.attack === undefined ? Object.keys(ATTACKS) : [values.attack];
    const seconds = Number(values.seconds ?? 4);
    const rounds = Number(values.rounds ?? 5);
    const clients = Number(values.clients ?? 50);
    const address = values.from ?? '127.0.0.2';
    const isSound =
      names.every((name) => name in ATTACKS) &&
      seconds > 0 &&
      seconds <= 300 &&
      Number.isInteger(rounds) &&
      rounds > 0 &&
      rounds <= 100 &&
      Number.isInteger(clients) &&
      clients > 0 &&
      /^127\.\d+\.\d+\.\d+$/.test(address);
    return isSound ? { names, seconds, rounds, clients, address, help: values.help } : undefined;
  } catch {
    return undefined;
  }
}

/** Why it is not withstood; empty if it is. */
function faultsOf(figures: AttackFigures): string[] {
  const { attacked, quiet, lost } = figures;
  const [held, heldAfter] = figures.heldBytes;
  const faults: string[] = [];
  // Where newcomers wait too long in quiet moments, too, the machine lets them.
  const failed = failedShare(attacked);
  const workP99Ms = medianOf(attacked.map((phase) => phase.workP99Ms));
  const { median: ratio } = gapRatio(figures);
  if (lost > 0) faults.push(`${lost} honest connections were lost`);
  if (failed > GAP_RATIO * failedShare(quiet))
    faults.push(`${(failed * 100).toFixed(0)} % of honest newcomers could not join`);
  if (!(workP99Ms < TICK_MS)) faults.push(`the server works ${workP99Ms.toFixed(1)} ms a tick, p99`);
  if (!(ratio <= GAP_RATIO))
    faults.push(`p99 between frames is ${ratio.toFixed(2)} times that of quiet moments`);
  if (heldAfter > held * MEMORY_RATIO)
    faults.push(`memory is ${(heldAfter / held).toFixed(2)} times that of before`);
  return faults;
}

/** Of newcomers, those that were not in within ten seconds. */
function failedShare(phases: readonly PhaseFigures[]): number {
  const failed = phases.reduce((sum, { joinsFailed }) => sum + joinsFailed, 0);
  const joined = phases.reduce((sum, { joins }) => sum + joins, 0);
  return failed / (failed + joined);
}

/** Medians over the phases, but for what is counted. */
function phaseLine(name: string, phases: readonly PhaseFigures[]): string {
  const median = (of: (figures: PhaseFigures) => number): string => medianOf(phases.map(of)).toFixed(1);
  const sum = (of: (figures: PhaseFigures) => number): number =>
    phases.reduce((total, each) => total + of(each), 0);
  const failed = sum(({ joinsFailed }) => joinsFailed);
  return (
    `  ${name.padEnd(8)} frames ${median(({ gapP50Ms }) => gapP50Ms)} ms apart, p99 ${median(({ gapP99Ms }) => gapP99Ms)}; ` +
    `${sum(({ joins }) => joins)} joined, the slowest in ${Math.max(...phases.map(({ joinMaxMs }) => joinMaxMs)).toFixed(0)} ms` +
    `${failed > 0 ? `, ${failed} could not` : ''}; ` +
    `server works ${median(({ workP50Ms }) => workP50Ms)} ms a tick, p99 ${median(({ workP99Ms }) => workP99Ms)}; all its threads ${median(({ allWorkP50Ms }) => allWorkP50Ms)}`
  );
}

async function run({ names, seconds, rounds, clients, address }: Words): Promise<boolean> {
  let isWithstood = true;
  for (const name of names) {
    // What others do goes either way, and comes to nothing in the long run.
    const isUnclear: AttackPlan['isUnclear'] = (seen) => gapRatio(seen).median > GAP_RATIO;
    const figures = await runAttack({ name, seconds, rounds, isUnclear, clients, address, settles: true });
    const faults = faultsOf(figures);
    isWithstood &&= faults.length === 0;
    const [held, heldAfter] = figures.heldBytes.map((bytes) => (bytes / 1e6).toFixed(1));
    const tally = Object.entries(figures.tally).map(([what, count]) => `${what} ${count}`);
    const { median, each, quietEach } = gapRatio(figures);
    const listed = (ratios: readonly number[]): string => ratios.map((ratio) => ratio.toFixed(2)).join(', ');
    print(`${name}: ${faults.length === 0 ? 'withstood' : faults.join('; ')}`);
    print(phaseLine('quiet', figures.quiet));
    print(phaseLine('attacked', figures.attacked));
    print(
      `  p99 ${median.toFixed(2)} times that of quiet moments (${listed(each)}; those among themselves ${listed(quietEach)})`,
    );
    print(`  memory ${held} MB before, ${heldAfter} MB after; ${tally.join(', ')}`);
  }
  return isWithstood;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const words = wordsOf(process.argv.slice(2));
if (words === undefined) {
  process.stderr.write(`fuzz: attacks: wrong arguments; expected\n${USAGE}`);
  process.exitCode = 2;
} else if (words.help) process.stdout.write(USAGE);
else process.exitCode = (await run(words)) ? 0 : 1;
