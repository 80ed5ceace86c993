/**
 * `npm run fuzz -- attacks`: what honest clients see of a gateway before, while and after it is attacked, attack by attack.
 *
 * Loopback only, bounded in sockets and time, and over by itself. An attack is withstood when no honest client loses its connection,
 * newcomers get in, the server never works longer than a tick from one to the next, the 99th percentile between frames is at most 1.5
 * times that of before, and the server holds at most a tenth more memory when it is over. Exit codes: 1 where one is not, 2 for a
 * wrong argument. Times between frames are judged on a quiet machine only, one on which they come on time before the attack.
 */
import { parseArgs } from 'node:util';
import { ATTACKS } from './attacks/attack-list.ts';
import { type AttackFigures, type PhaseFigures, runAttack } from './attacks/attack-stage.ts';

const GAP_RATIO = 1.5;
const TICK_MS = 50;
const MEMORY_RATIO = 1.1;

const USAGE = `npm run fuzz -- attacks

  --attack NAME   one of ${Object.keys(ATTACKS).join(', ')}; default: all
  --seconds S     of each phase: before, while and after; default 10
  --clients N     honest ones; default 50
  --from ADDRESS  of the loopback, where attacks come from; default 127.0.0.2. From 127.0.0.1 attackers and
                  honest clients have one address
`;

interface Words {
  readonly names: readonly string[];
  readonly seconds: number;
  readonly clients: number;
  readonly address: string;
  readonly help: boolean;
}

function wordsOf(args: string[]): Words | undefined {
  const text = { type: 'string' } as const;
  const options = {
    attack: text,
    seconds: text,
    clients: text,
    from: text,
    help: { type: 'boolean', default: false },
  } as const;
  try {
    const { values } = parseArgs({ args, options, strict: true });
    const names = values.attack === undefined ? Object.keys(ATTACKS) : [values.attack];
    const seconds = Number(values.seconds ?? 10);
    const clients = Number(values.clients ?? 50);
    const address = values.from ?? '127.0.0.2';
    const isSound =
      names.every((name) => name in ATTACKS) &&
      seconds > 0 &&
      seconds <= 300 &&
      Number.isInteger(clients) &&
      clients > 0 &&
      /^127\.\d+\.\d+\.\d+$/.test(address);
    return isSound ? { names, seconds, clients, address, help: values.help } : undefined;
  } catch {
    return undefined;
  }
}

/** Without an attack, frames come on time: where they do not, others have the processor, and times say nothing. */
function isQuiet(before: PhaseFigures): boolean {
  return before.gapP99Ms <= GAP_RATIO * TICK_MS;
}

/** Why it is not withstood; empty if it is. */
function faultsOf({ before, during, lost, heldBytes: [held, heldAfter] }: AttackFigures): string[] {
  const faults: string[] = [];
  if (lost > 0) faults.push(`${lost} honest connections were lost`);
  if (during.joinsFailed > 0) faults.push(`${during.joinsFailed} honest clients could not join`);
  if (!(during.workP99Ms < TICK_MS))
    faults.push(`the server works ${during.workP99Ms.toFixed(1)} ms a tick, p99`);
  const ratio = during.gapP99Ms / before.gapP99Ms;
  if (isQuiet(before) && !(ratio <= GAP_RATIO))
    faults.push(`p99 between frames is ${ratio.toFixed(2)} times that of before`);
  if (heldAfter > held * MEMORY_RATIO)
    faults.push(`memory is ${(heldAfter / held).toFixed(2)} times that of before`);
  return faults;
}

function phaseLine(name: string, figures: PhaseFigures): string {
  const { gapP50Ms, gapP99Ms, gapMaxMs, joins, joinMaxMs, joinsFailed, workP50Ms, workP99Ms } = figures;
  const failed = joinsFailed > 0 ? `, ${joinsFailed} could not` : '';
  return (
    `  ${name.padEnd(7)} frames ${gapP50Ms.toFixed(1)} ms apart, p99 ${gapP99Ms.toFixed(1)}, most ${gapMaxMs.toFixed(1)}; ` +
    `${joins} joined, the slowest in ${joinMaxMs.toFixed(0)} ms${failed}; server works ${workP50Ms.toFixed(1)} ms a tick, p99 ${workP99Ms.toFixed(1)}`
  );
}

async function run({ names, seconds, clients, address }: Words): Promise<boolean> {
  let isWithstood = true;
  for (const name of names) {
    const figures = await runAttack({ name, seconds, clients, address, settles: true });
    const faults = faultsOf(figures);
    isWithstood &&= faults.length === 0;
    const [held, heldAfter] = figures.heldBytes.map((bytes) => (bytes / 1e6).toFixed(1));
    const tally = Object.entries(figures.tally).map(([what, count]) => `${what} ${count}`);
    const ratio = (figures.during.gapP99Ms / figures.before.gapP99Ms).toFixed(2);
    const verdict = faults.length === 0 ? 'withstood' : faults.join('; ');
    print(`${name}: ${verdict}${isQuiet(figures.before) ? '' : ' (times not judged: the machine is busy)'}`);
    print(phaseLine('before', figures.before));
    print(phaseLine('during', figures.during));
    print(phaseLine('after', figures.after));
    print(
      `  p99 ${ratio} times that of before; memory ${held} MB before, ${heldAfter} MB after; ${tally.join(', ')}`,
    );
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
