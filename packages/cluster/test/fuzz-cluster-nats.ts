/**
 * `npm run fuzz -- cluster-nats`: real node processes on a real broker, killed and stopped by a seed, and compared with a
 * twin that applies the whole log. Exit codes: 1 for a find, 2 for a wrong argument.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findNatsServer } from '../../../tools/nats-server.ts';
import { root } from '../../../tools/run-command.ts';
import { type RealOutcome, type RealPlan, realRun } from './processes/real-run.ts';

const USAGE = `npm run fuzz -- cluster-nats

  --seed N      which faults come when; default: a fresh one
  --minutes K   how long faults come; default 1
  --every S     seconds between two of them; default 5
  --nodes N     processes, 2 to 16; default 4
  --entities N  most at once; default 60
  --brokers N   1 or 3; default 1
  --patience S  seconds in which what must come about does so, all nodes back say; default 60
  --clients N   real clients on real sockets, each mirror compared every 5 ticks; default none
  --plots DIR   where the time line is drawn; default .cache/cluster-nats
`;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** False when something was found. */
async function fuzz(plan: RealPlan, folder: string): Promise<boolean> {
  print(
    `seed ${plan.seed}: ${plan.nodes} nodes, ${plan.brokers} brokers, a fault each ${plan.every} s for ${plan.seconds} s`,
  );
  const outcome = await realRun(plan, print);
  print(outcome.timeLine.text());
  const { ticks, reports, views, records, branches, gives, longestGapMs } = outcome;
  print(
    `${ticks} ticks, ${reports} reports with ${views} views compared, ${gives} gives, ${records} records`,
  );
  print(`longest time between two marks ${longestGapMs} ms; the broker lost its tail ${branches} times`);
  if (plan.clients !== undefined && plan.clients > 0) {
    const { frames, shown, gaps } = outcome;
    print(
      `${plan.clients} clients: ${frames} mirrors with ${shown} entities compared; ${gaps.count} times one was told nothing for more than a second, half of these within ${gaps.medianMs} ms, the longest ${gaps.longestMs} ms`,
    );
  }
  print(outcome.problem === undefined ? 'nothing found' : `seed ${plan.seed} fails: ${outcome.problem}`);
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `time-line-${plan.seed}.svg`);
  writeFileSync(file, outcome.timeLine.picture(headOf(plan, outcome)));
  print(`time line: ${file}`);
  return outcome.problem === undefined;
}

/** What stands above the picture. */
function headOf(
  { seed, nodes, brokers, clients = 0, seconds, every }: RealPlan,
  outcome: RealOutcome,
): string[] {
  const { ticks, reports, frames, problem } = outcome;
  const counts = [`${ticks} ticks`, `${reports} reports`, ...(clients > 0 ? [`${frames} mirrors`] : [])];
  return [
    `seed ${seed}: ${nodes} nodes, ${brokers} ${brokers === 1 ? 'broker' : 'brokers'}, ${clients} clients; ${outcome.faults.length} faults in ${seconds} s, one each ${every} s at most`,
    `${counts.join(', ')} compared: ${problem === undefined ? 'none unequal' : 'a find'}`,
  ];
}

/** `undefined` for what is none. */
function planOf(words: readonly string[]): (RealPlan & { help: boolean; folder: string }) | undefined {
  const text = { type: 'string' } as const;
  const help = { type: 'boolean', default: false } as const;
  const options = {
    seed: text,
    minutes: text,
    every: text,
    nodes: text,
    entities: text,
    brokers: text,
    clients: text,
    patience: text,
    plots: text,
    help,
  } as const;
  try {
    const { values } = parseArgs({ args: [...words], options, strict: true });
    const {
      seed = Date.now() % 2 ** 31,
      minutes = 1,
      every = 5,
      nodes = 4,
      entities = 60,
      brokers = 1,
      clients = 0,
      patience = 60,
      plots,
    } = values;
    const plan = {
      seed: Number(seed),
      seconds: 60 * Number(minutes),
      every: Number(every),
      nodes: Number(nodes),
      entities: Number(entities),
      brokers: Number(brokers),
      clients: Number(clients),
      patienceSeconds: Number(patience),
      folder:
        plots === undefined
          ? path.join(root, '.cache/cluster-nats')
          : path.resolve(process.env.INIT_CWD ?? '.', plots),
      help: values.help,
    };
    const isWhole = [plan.seed, plan.nodes, plan.entities, plan.clients].every(
      (value) => Number.isInteger(value) && value >= 0,
    );
    const isSound =
      isWhole &&
      plan.seconds > 0 &&
      plan.patienceSeconds > 0 &&
      plan.every > 0 &&
      plan.nodes >= 2 &&
      plan.nodes <= 16;
    return isSound && (plan.brokers === 1 || plan.brokers === 3) ? plan : undefined;
  } catch {
    return undefined;
  }
}

const plan = planOf(process.argv.slice(2));
if (plan === undefined) {
  process.stderr.write(`fuzz: cluster-nats: expected\n${USAGE}`);
  process.exitCode = 2;
} else if (plan.help) process.stdout.write(USAGE);
else if (findNatsServer() === undefined) {
  process.stderr.write(
    'fuzz: cluster-nats: no nats-server; npm test fetches one, or UMWELT_NATS_SERVER names it\n',
  );
  process.exitCode = 2;
} else process.exitCode = (await fuzz(plan, plan.folder)) ? 0 : 1;
