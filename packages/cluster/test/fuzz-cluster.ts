/**
 * `npm run fuzz -- cluster`: clusters in virtual time under all faults, seed after seed, until the time is up or something
 * is found. What must hold is said in simulation/verdict.ts. A find is shrunk and printed. Exit codes: 1 for a find, 2 for a
 * wrong argument.
 */
import { parseArgs } from 'node:util';
import { type Plan, planOf } from './simulation/plan.ts';
import { planText, shrinkPlan } from './simulation/shrink.ts';
import { type Outcome, simulate } from './simulation/simulation.ts';

const USAGE = `npm run fuzz -- cluster

  --seed N      the only seed; with --minutes or --count, the first one
  --minutes K   how long; default 1
  --count N     how many seeds, instead of a time
  --views WHO   own, all: whose views nodes compute; default own
  --entities N  how many live at most; default 10, 30 or 60, by the seed
  --upgrade WHO yes, no: whether nodes are upgraded meanwhile; default yes for each second seed
  --odds WHO    yes, no: whether what is rare is drawn, too: 3-D, calls that take several records, clocks that differ, a log that
                cannot tell its end, observers; default yes for each third seed
  --gives P     how likely each entity is given away in a tick, 0 to 1; default 0.05
`;

interface Wishes {
  readonly firstSeed: number;
  readonly count: number;
  readonly minutes: number;
  readonly views: 'own' | 'all';
  readonly giveChance: number;
  readonly entities: number | undefined;
  /** Default: of each second seed. */
  readonly upgrade: 'yes' | 'no' | undefined;
  /** Default: of each third seed. */
  readonly odds: 'yes' | 'no' | undefined;
}

/** False when something was found. */
async function fuzz({
  firstSeed,
  count,
  minutes,
  views,
  giveChance,
  entities,
  upgrade,
  odds,
}: Wishes): Promise<boolean> {
  const startedMs = Date.now();
  const sum = { reports: 0, ticks: 0, gives: 0, records: 0, refused: 0 };
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const hasUpgrade = upgrade === undefined ? seed % 2 === 1 : upgrade === 'yes';
    const plan = planOf(seed, {
      views,
      giveChance,
      hasUpgrade,
      isOdd: odds === undefined ? seed % 3 === 1 : odds === 'yes',
      ...(entities !== undefined && { entities }),
    });
    const outcome = await simulate(plan);
    if (outcome.problem !== undefined) {
      const size = entities === undefined ? '' : ` --entities ${entities}`;
      await tell(
        plan,
        outcome,
        `--seed ${seed} --views ${views} --gives ${giveChance}${size} --upgrade ${yesOrNo(hasUpgrade)} --odds ${yesOrNo(plan.odds !== undefined)}`,
      );
      return false;
    }
    for (const name of ['reports', 'ticks', 'gives', 'records', 'refused'] as const)
      sum[name] += outcome[name];
    const counts = Object.entries(sum).map(([name, value]) => `${value} ${name}`);
    print(`seed ${seed}: ${counts.join(', ')} in all`);
    if (Date.now() - startedMs >= minutes * 60_000) break;
  }
  print('nothing found');
  return true;
}

async function tell(plan: Plan, { problem }: Outcome, replay: string): Promise<void> {
  print(`seed ${plan.seed} fails: ${problem}\nshrinking ...`);
  const shrunk = await shrinkPlan(
    plan,
    async (candidate) => (await simulate(candidate)).problem !== undefined,
  );
  print(`${planText(shrunk)}\nfails: ${(await simulate(shrunk)).problem}`);
  print(`again: npm run fuzz -- cluster ${replay}`);
}

function yesOrNo(isSo: boolean): string {
  return isSo ? 'yes' : 'no';
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** `undefined` for what is none. */
function wishesOf(words: readonly string[]): (Wishes & { help: boolean }) | undefined {
  const text = { type: 'string' } as const;
  const options = {
    seed: text,
    minutes: text,
    count: text,
    views: text,
    upgrade: text,
    odds: text,
    gives: text,
    entities: text,
    help: { type: 'boolean', default: false },
  } as const;
  try {
    const { values } = parseArgs({ args: [...words], options, strict: true });
    const isOne = values.seed !== undefined && values.minutes === undefined && values.count === undefined;
    const minutes =
      values.minutes === undefined && values.count === undefined ? 1 : Number(values.minutes ?? 1e9);
    const firstSeed = Number(values.seed ?? Date.now() % 2 ** 31);
    const count = isOne ? 1 : Number(values.count ?? 1e9);
    const { views = 'own', upgrade, odds } = values;
    if (upgrade !== undefined && upgrade !== 'yes' && upgrade !== 'no') return undefined;
    if (odds !== undefined && odds !== 'yes' && odds !== 'no') return undefined;
    const giveChance = Number(values.gives ?? 0.05);
    const entities = values.entities === undefined ? undefined : Number(values.entities);
    if (entities !== undefined && !(Number.isInteger(entities) && entities > 0)) return undefined;
    const isSound =
      Number.isInteger(firstSeed) && firstSeed >= 0 && Number.isInteger(count) && count > 0 && minutes > 0;
    if (!(giveChance >= 0 && giveChance <= 1)) return undefined;
    if (!isSound || (views !== 'own' && views !== 'all')) return undefined;
    return { firstSeed, count, minutes, views, giveChance, entities, upgrade, odds, help: values.help };
  } catch {
    return undefined;
  }
}

const wishes = wishesOf(process.argv.slice(2));
if (wishes === undefined) {
  process.stderr.write(`fuzz: cluster: expected\n${USAGE}`);
  process.exitCode = 2;
} else if (wishes.help) process.stdout.write(USAGE);
else {
  // Worlds of nodes that died hold no handle, but a node in real time would.
  process.exitCode = (await fuzz(wishes)) ? 0 : 1;
}
