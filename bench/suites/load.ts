/**
 * A gateway under its intended load: a thousand real clients in a second process, on the loopback, twenty ticks a second
 * for a minute, ten thousand entities moving.
 *
 * `load` checks that it is correct and steady: at sampled ticks and at the end each mirror is compared with the view, no
 * tick may be without its frame, and held memory must not grow. The other case checks whether one client that has stopped
 * reading delays frames to the others. That client is shown everything, to fill all buffers, and alternates between
 * reading and not reading; of its phases the median counts. Times are printed but never fail the case, because they
 * depend on the machine.
 */
import type { GatewayLimits } from '@umwelt/gateway';
import { Crowd } from '../load/crowd.ts';
import type { CrowdReport } from '../load/crowd-messages.ts';
import { LoadStage, TICK_MS } from '../load/load-stage.ts';
import { type GaugeCase, type GaugeOutcome, heldBytes } from '../measure/gauge.ts';
import { median, percentile } from '../measure/samples.ts';
import type { Choice, Suite } from './suite.ts';

const CLIENTS = 1000;
const SMOKE_CLIENTS = 6;
const SECONDS = 60;
const SMOKE_SECONDS = 1;
const ENTITIES = 10_000;
const SMOKE_ENTITIES = 500;
const SAMPLE_TICKS = 100;
const SMOKE_SAMPLE_TICKS = 5;
/** Seconds before the memory is first measured. */
const WARM_SECONDS = 5;
const STALL_CLIENTS = 100;
const STALL_SECONDS = 40;
/** Alternating phases of reading and not reading. */
const PHASES = 10;
/** Ticks after a change of phase that are not counted: buffers are still filling, or are emptied at once. */
const SETTLING_TICKS = 35;
/**
 * The stalled client soon falls behind, by missing acknowledgements if not by full buffers. These limits keep it
 * connected.
 */
const PATIENCE: Partial<GatewayLimits> = { unackedMs: 1500, silenceMs: 1e9, behindMs: 1e9 };
const TIMED = 8;
const usageNames = ['ticks', 'processUs', 'worldUs', 'publishUs', 'publishMs', 'sendMs'] as const;
/** The growth up to which held memory counts as steady. */
const GROWTH = 1.1;
const GROWTH_BYTES = 4e6;

export const load: Suite = {
  name: 'load',
  summary: 'a thousand real clients: equal mirrors, no frame lost, a steady pace and memory',
  cases: (choice) => [loadCase(choice), stallCase(choice)],
};

function loadCase({ smoke, entities, clients, seconds }: Choice): GaugeCase {
  const crowd = clients ?? (smoke ? SMOKE_CLIENTS : CLIENTS);
  const moving = entities?.[0] ?? (smoke ? SMOKE_ENTITIES : ENTITIES);
  const time = seconds ?? (smoke ? SMOKE_SECONDS : SECONDS);
  const sampleTicks = smoke ? SMOKE_SAMPLE_TICKS : SAMPLE_TICKS;
  return {
    kind: 'gauge',
    name: `${crowd} clients, ${moving} entities moving`,
    measure: (tell) =>
      measureLoad(new LoadStage(moving, crowd, sampleTicks), time, smoke ? 0 : WARM_SECONDS, tell),
  };
}

function stallCase({ smoke, entities, clients, seconds }: Choice): GaugeCase {
  const crowd = clients ?? (smoke ? SMOKE_CLIENTS : STALL_CLIENTS);
  const moving = entities?.[0] ?? (smoke ? SMOKE_ENTITIES : ENTITIES);
  const time = seconds ?? (smoke ? SMOKE_SECONDS : STALL_SECONDS);
  const phaseTicks = Math.max(2, Math.round((time * 1000) / TICK_MS / PHASES));
  return {
    kind: 'gauge',
    name: `${crowd} clients and one that does not read, ${moving} entities moving`,
    measure: (tell) => measureStall(new LoadStage(moving, crowd, phaseTicks, PATIENCE), phaseTicks, tell),
  };
}

/** Lets clients join, runs `work` while ticks go on, and collects the clients' reports at a sampled tick. */
async function withCrowd(
  stage: LoadStage,
  timedClients: number,
  work: (crowd: Crowd) => Promise<void>,
): Promise<CrowdReport> {
  const crowd = new Crowd();
  try {
    const url = await stage.listen();
    stage.start();
    const { watchers, sampleTicks } = stage;
    await crowd.ask({ kind: 'join', url, watchers, sampleTicks, timedClients }, 'joined');
    await work(crowd);
    await stage.pass(sampleTicks - (stage.world.tickCount % sampleTicks));
    await stage.stop();
    // Waits for the frames of the last tick.
    await new Promise((resolve) => setTimeout(resolve, 10 * TICK_MS));
    return await crowd.ask({ kind: 'report' }, 'report');
  } finally {
    crowd.end();
    await stage.end();
  }
}

async function measureLoad(
  stage: LoadStage,
  seconds: number,
  warmSeconds: number,
  tell: (line: string) => void,
): Promise<GaugeOutcome> {
  const ticks = Math.round((seconds * 1000) / TICK_MS);
  const memory: { heap: number; rss: number }[] = [];
  const look = (): void => {
    const { heap, buffers } = heldBytes();
    memory.push({ heap: heap + buffers, rss: process.memoryUsage.rss() });
  };
  let firstTick = 0;
  const spent = { ticks: 0, processUs: 0, worldUs: 0, publishUs: 0, publishMs: 0, sendMs: 0 };
  const report = await withCrowd(stage, TIMED, async () => {
    tell(`${stage.watchers.length} clients have joined`);
    await stage.pass(Math.round((warmSeconds * 1000) / TICK_MS));
    firstTick = stage.world.tickCount + 1;
    look();
    for (let half = 0; half < 2; half++) {
      const before = stage.usage();
      await stage.pass(Math.ceil(ticks / 2));
      const after = stage.usage();
      for (const name of usageNames) spent[name] += after[name] - before[name];
      look();
      tell(`${(half + 1) * 50} %`);
    }
  });
  const mirrors = comparedMirrors(stage, report);
  const [start, middle, end] = memory.map(({ heap, rss }) => ({ heap: heap / 1e6, rss: rss / 1e6 }));
  const { startMs, worldMs, publishMs } = stage.times;
  const intervals = startMs.slice(firstTick).map((ms, i) => ms - startMs[firstTick + i - 1]!);
  const latencies = latenciesOf(stage, report, (tick) => tick >= firstTick);
  const clientTicks = spent.ticks * stage.watchers.length;
  const cpuUs = (spent.processUs - spent.worldUs) / clientTicks;
  const sendShare = spent.sendMs / spent.publishMs;
  const figures = {
    seconds,
    'tick interval, ms': median(intervals),
    'its p99': percentile(intervals, 0.99),
    'world tick, ms': median(worldMs),
    'publish, ms': median(publishMs),
    'publish p99': percentile(publishMs, 0.99),
    'CPU a client and tick, us': cpuUs,
    'of it frames, us': (spent.publishUs * (1 - sendShare)) / clientTicks,
    'of it sending, us': (spent.publishUs * sendShare) / clientTicks,
    'clients that fill a core': (TICK_MS * 1000) / cpuUs,
    'tick to client, ms': median(latencies),
    'p99 of that': percentile(latencies, 0.99),
    frames: report.frames,
    'ticks without a frame': report.missing,
    'mirrors compared': mirrors.compared,
    'RSS, MB': start!.rss,
    'RSS half-way': middle!.rss,
    'RSS in the end': end!.rss,
    'held, MB': start!.heap,
    'held half-way': middle!.heap,
    'held in the end': end!.heap,
  };
  const problems = [
    ...problemsOf(report, mirrors),
    ...(report.missing > 0 ? [`${report.missing} ticks without a frame`] : []),
    ...(memory[2]!.heap > memory[1]!.heap * GROWTH + GROWTH_BYTES ? ['what is held in memory grows'] : []),
  ];
  return { rows: [{ label: `${stage.watchers.length} clients`, figures }], problems };
}

async function measureStall(
  stage: LoadStage,
  phaseTicks: number,
  tell: (line: string) => void,
): Promise<GaugeOutcome> {
  const settlingTicks = Math.min(SETTLING_TICKS, phaseTicks >> 1);
  const phaseAt: number[] = [];
  const behind = [0, 0];
  const report = await withCrowd(stage, 1, async (crowd) => {
    await crowd.ask({ kind: 'read', credential: 'wide' }, 'reading');
    for (let phase = 0; phase < PHASES; phase++) {
      const isStalled = phase % 2 === 1;
      crowd.tell({ kind: 'stall', isStalled });
      const skipped = await framesSkipped(stage);
      await stage.pass(settlingTicks);
      const from = stage.world.tickCount + 1;
      await stage.pass(phaseTicks - settlingTicks);
      for (let tick = from; tick <= stage.world.tickCount; tick++) phaseAt[tick] = phase;
      behind[isStalled ? 1 : 0]! += (await framesSkipped(stage)) - skipped;
      tell(`phase ${phase + 1} of ${PHASES}`);
    }
  });
  const mirrors = comparedMirrors(stage, report);
  const rows = [false, true].map((isStalled) => {
    const phases = Array.from({ length: PHASES / 2 }, (_, i) => 2 * i + (isStalled ? 1 : 0)).map((phase) =>
      latenciesOf(stage, report, (tick) => phaseAt[tick] === phase),
    );
    return {
      label: isStalled ? 'while it does not read' : 'while it reads',
      figures: {
        frames: phases.flat().length,
        'tick to client, ms': median(phases.map(median)),
        p99: median(phases.map((latencies) => percentile(latencies, 0.99))),
        'frames not sent to it': behind[isStalled ? 1 : 0] ?? 0,
      },
    };
  });
  return { rows, problems: problemsOf(report, mirrors) };
}

function problemsOf({ dropped }: CrowdReport, { compared, wrong, late }: MirrorCounts): string[] {
  return [
    ...(dropped > 0 ? [`${dropped} connections ended`] : []),
    ...(wrong > 0 ? [`${wrong} of ${compared} mirrors are not what their watchers perceive`] : []),
    ...(late > 0 ? [`${late} clients had no frame of the last tick`] : []),
    ...(compared === 0 ? ['no mirror was compared'] : []),
  ];
}

interface MirrorCounts {
  readonly compared: number;
  readonly wrong: number;
  /** Clients that did not receive a frame of the last sampled tick. */
  readonly late: number;
}

/** Compares what clients saw with what they should have seen. */
function comparedMirrors({ sums: expected, watchers }: LoadStage, { sums }: CrowdReport): MirrorCounts {
  const lastTick = Math.max(...expected.keys());
  let wrong = 0;
  let last = 0;
  for (let i = 0; i < sums.tick.length; i++) {
    const tick = sums.tick[i]!;
    if (tick === lastTick) last++;
    if (expected.get(tick)?.[sums.client[i]!] !== sums.sum[i]) wrong++;
  }
  return { compared: sums.tick.length, wrong, late: watchers.length - last };
}

/** Latencies in milliseconds, from the start of a tick to its frame applied to the mirror. */
function latenciesOf(
  { times }: LoadStage,
  { arrivals }: CrowdReport,
  counts: (tick: number) => boolean,
): number[] {
  const latencies: number[] = [];
  for (let i = 0; i < arrivals.tick.length; i++) {
    const tick = arrivals.tick[i]!;
    if (counts(tick)) latencies.push(arrivals.ms[i]! - times.startMs[tick]!);
  }
  return latencies;
}

async function framesSkipped({ gateway }: LoadStage): Promise<number> {
  const line = /^umwelt_gateway_frames_skipped_total (\d+)/m.exec(await gateway.metrics());
  return Number(line?.[1] ?? 0);
}
