/**
 * `npm run fuzz -- cluster-figures`: what docs/internals/cluster.md says a cluster costs, measured anew, as a table in Markdown;
 * and the pictures of where each design stops, with `--plots FOLDER`. Exit code 2 for a wrong argument.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { COMMITTED, DESIGNS, limitOf } from './figures/capacity-model.ts';
import { capacityPlot, PLOTS } from './figures/capacity-plot.ts';
import { walkWithClients } from './figures/client-figures.ts';
import { killFigures, median } from './figures/kill-figures.ts';
import { latencyOf } from './figures/latency-figures.ts';
import { joinCost, nanosecondsAMove, type Share, sharesOfIdeal } from './figures/replica-figures.ts';

const USAGE = `npm run fuzz -- cluster-figures

  --plots FOLDER   also writes the plots of the capacity model there
  --model          the model alone, by the constants that are committed
  --small          a tenth of everything: that it runs, not what it says
  --processes      what takes time instead: records through a broker, and deaths of nodes and brokers
`;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function measure(scale: number): Promise<void> {
  const entities = Math.round(100_000 * scale);
  print('| figure | must | measured |\n| --- | ---: | ---: |');
  const moveNs = nanosecondsAMove(entities, 15);
  print(
    `| one move of another node: applied, and its part of the tick (${entities} movers) | 40 ns | ${moveNs.toFixed(0)} ns |`,
  );
  const { bytes, storeMs, loadMs } = joinCost(entities);
  print(
    `| join, ${entities} entities: state written, and loaded | 1 s | ${storeMs.toFixed(0)} + ${loadMs.toFixed(0)} ms, ${(bytes / 1e6).toFixed(1)} MB |`,
  );
  const count = Math.round(10_000 * scale);
  // In a square of that side 30 stand within 20.
  const side = Math.sqrt((count * Math.PI * 20 ** 2) / 30);
  const crowds = [
    [
      'in one spot, cap 100',
      0.65,
      { entities: count, range: 200, side: 50, interest: { cap: 100 }, ticks: 9 },
    ],
    ['walkers, cap 20 of 30', 0.85, { entities: count, range: 20, side, interest: { cap: 20 }, ticks: 15 }],
    ['walkers, no rules', 0.2, { entities: count, range: 20, side, interest: {}, ticks: 15 }],
  ] as const;
  for (const [name, must, crowd] of crowds) {
    const { ofTick, ofAll } = await sharesOfIdeal(crowd);
    printShare(`${count} ${name}`, 'tick only', `${must}`, ofTick);
    printShare(`${count} ${name}`, 'apply and tick', '', ofAll);
  }
  const movers = 2 * count;
  const watchers = Math.round(0.4 * count);
  const crowd = { entities: movers, range: 20, side: side * Math.SQRT2, interest: {}, ticks: 15, watchers };
  const { ofAll } = await sharesOfIdeal(crowd, (members, own) => walkWithClients(crowd, members, own));
  printShare(`${watchers} clients, ${movers} movers`, 'apply, tick and encode', '0.8', ofAll);
}

function printShare(crowd: string, work: string, must: string, { oneMs, slowestMs, share }: Share): void {
  const measured = `${share.toFixed(2)} (${oneMs.toFixed(1)} and ${slowestMs.toFixed(1)} ms)`;
  print(`| ${crowd}: one node over 4 x the slowest of four, ${work} | ${must} | ${measured} |`);
}

async function measureProcesses(deaths: number, seconds: number): Promise<void> {
  const { bytesASecond, records, medianMs, p99Ms } = await latencyOf(25_000, seconds);
  const rows: string[] = [
    `record to applied, ${(bytesASecond / 1e6).toFixed(1)} MB/s, ${records} records: p50, p99 | 5, 20 ms | ${medianMs.toFixed(1)}, ${p99Ms.toFixed(1)} ms`,
  ];
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const { tickerMs, toldMs, silentMs, framesMs, brokerMs, allBackMs } = await killFigures(deaths, 3, say);
  const row = (name: string, must: string, values: readonly number[]) => {
    const worst = Math.max(...values);
    rows.push(
      `${name}: median, worst of ${values.length} | ${must} | ${median(values).toFixed(0)}, ${worst.toFixed(0)} ms`,
    );
  };
  row('mark to mark when the node that marks is killed', '2 ticks (100 ms)', tickerMs);
  row("node killed, `gone` told, to its entities' first move", '3 ticks (150 ms)', toldMs);
  row('the same by silence of 30 ticks', '', silentMs);
  row("node killed to its clients' next frame", '2 s', framesMs);
  row('one of three brokers killed: mark to mark', '10 s', brokerMs);
  row('the same, until all nodes are back', '+3 s', allBackMs);
  print('| figure | must | measured |\n| --- | ---: | ---: |');
  for (const line of rows) print(`| ${line} |`);
}

function model(): void {
  print('| design | nodes | spread evenly | a fifth in one spot |\n| --- | ---: | ---: | ---: |');
  for (const design of DESIGNS) {
    for (const nodes of design === 'one process' ? [1] : [1, 10, 100]) {
      const cells = [false, true].map((isCrowded) => {
        const { movers, by } = limitOf(design, nodes, isCrowded, COMMITTED);
        return `${Number(movers.toPrecision(2)).toLocaleString('en')} (${by})`;
      });
      print(`| ${design} | ${nodes} | ${cells.join(' | ')} |`);
    }
  }
}

try {
  const { values } = parseArgs({
    options: {
      plots: { type: 'string' },
      model: { type: 'boolean' },
      small: { type: 'boolean' },
      processes: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) print(USAGE);
  else if (values.processes) await measureProcesses(values.small ? 2 : 10, values.small ? 2 : 20);
  else {
    if (!values.model) await measure(values.small ? 0.1 : 1);
    model();
    if (values.plots !== undefined) {
      mkdirSync(values.plots, { recursive: true });
      for (const { file, title, isCrowded } of PLOTS) {
        writeFileSync(path.join(values.plots, file), capacityPlot(title, isCrowded, COMMITTED));
      }
    }
  }
} catch (error) {
  process.stderr.write(`fuzz: cluster-figures: ${error instanceof Error ? error.message : error}\n${USAGE}`);
  process.exitCode = 2;
}
