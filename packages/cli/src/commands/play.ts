/**
 * `umwelt play`: runs a world, shows it on a web page, and prints its figures.
 *
 * A generated scenario, or a recording of real movement, moves the entities of a world that ticks in real time. The
 * inspector's page shows the world; one status line, or a plain line every few seconds, shows its figures. It runs until it
 * is stopped, has done the requested ticks, or reaches the end of a recording that is played once; then it prints a summary.
 */
import { type Inspector, type InspectorOptions, startInspector } from '@umwelt/inspector';
import { createScenario, type Simulation, scenarioDescriptions } from '@umwelt/scenarios';
import { type DetectorName, detectorNames } from 'umwelt';
import { optionLines } from '../arguments.ts';
import { counted, fullCount, milliseconds, ticksPerSecond } from '../numbers.ts';
import { addressLines, type PagePlan, TOKEN_NOTE } from '../page-access.ts';
import { Playback } from '../playback.ts';
import { RunningWorld } from '../running-world.ts';
import { StatusLine } from '../status-line.ts';
import { untilStopped } from '../stop-signal.ts';
import type { Terminal } from '../terminal.ts';
import type { Command } from './command.ts';
import { PLAY_OPTIONS, type PlayPlan, planOf } from './play-plan.ts';
import { loadRequested, traceLines } from './trace-options.ts';

/** Number of entities up to which checking every pair takes at most about a second per tick. */
const BRUTE_FORCE_MAX = 6000;

export const play: Command = {
  name: 'play',
  help: `umwelt play: runs a world, shows it on a web page, and prints its figures

Usage: umwelt play [OPTIONS]

${optionLines(PLAY_OPTIONS)}

Scenarios:
${Object.entries(scenarioDescriptions)
  .map(([name, description]) => `  ${name.padEnd(12)} ${description}`)
  .join('\n')}

Figures: events are pairs that entered, left or were sensed, on the page as in the status line.

${TOKEN_NOTE}

Examples:
  umwelt play                                         a town of 5,000 on http://localhost:7600
  umwelt play --scenario flocks --entities 20000
  umwelt play --trace people.csv --tile 10            a hundred copies of a recording
  umwelt play --trace sheep.txt --columns id,t,x,y --range 30
  umwelt play --no-page --ticks 500 --speed 1000      as fast as possible, for the hash

Ctrl-C stops with exit code 0; a second Ctrl-C stops at once.`,
  run: (words, terminal) => playWorld(planOf(words, terminal.environment), terminal),
};

/** The simulation to play, and lines that describe it. */
async function open({ source, rate }: PlayPlan): Promise<{ simulation: Simulation; lines: string[] }> {
  const tickSeconds = 1 / rate;
  if ('scenario' in source) {
    const { scenario, entities, seed } = source;
    return { simulation: createScenario(scenario, { entities, seed, tickSeconds }), lines: [] };
  }
  const { trace: request, tile, once } = source;
  const { range, playbackSpeed: speed } = request;
  const trace = await loadRequested(request);
  return {
    simulation: trace.play({ tile, tickSeconds, range, speed, loop: !once }),
    lines: traceLines(trace, request),
  };
}

async function playWorld(plan: PlayPlan, { output, clock, stop }: Terminal): Promise<void> {
  const opened = await untilStopped(open(plan), stop);
  if (opened === undefined) return;
  const { simulation, lines } = opened;
  const running = new RunningWorld(simulation, {
    clock,
    detector: plan.detector,
    hashed: plan.ticks !== undefined,
  });
  let inspector: Inspector | undefined;
  const playback = new Playback({
    clock,
    periodMs: 1000 / plan.rate,
    speed: plan.speed,
    tick: () => {
      const { changes, tickMs } = running.tick();
      inspector?.publish(changes, { tickMs, paused: playback.paused, speed: playback.speed });
      return !simulation.done && running.figures.ticks !== plan.ticks;
    },
  });
  const statusLine = new StatusLine(output, clock, () => running.status(playback));
  if (plan.page !== undefined) {
    inspector = await startInspector(inspectorOptions(running, playback, plan.page, statusLine));
  }
  const onStop = () => playback.stop();
  stop.addEventListener('abort', onStop);
  try {
    for (const line of lines) statusLine.print(line);
    statusLine.print(`${simulation.title}, ${ticksPerSecond(plan.rate)}, detector ${plan.detector}`);
    for (const line of inspector === undefined ? ['Ctrl-C stops'] : addressLines(inspector.urls))
      statusLine.print(line);
    statusLine.start();
    if (stop.aborted) playback.stop();
    await playback.run();
  } finally {
    stop.removeEventListener('abort', onStop);
    statusLine.stop();
    await inspector?.close();
  }
  output.write(summary(running, playback));
}

function inspectorOptions(
  running: RunningWorld,
  playback: Playback,
  page: PagePlan,
  statusLine: StatusLine,
): InspectorOptions {
  const { world, simulation } = running;
  const { title, kinds, bounds, tickSeconds, capacity } = simulation;
  return {
    world,
    title,
    kinds,
    bounds,
    tickSeconds,
    kindOf: (id) => running.kindOf(id),
    nameOf: (id) => running.nameOf(id),
    detectors: detectorsFor(capacity),
    commands: {
      play: () => playback.play(),
      pause: () => playback.pause(),
      step: () => playback.step(),
      setSpeed: (factor) => playback.setSpeed(factor),
      setDetector: (name) => {
        // The page offers only the names above, and the world checks the name.
        world.setDetector(name as DetectorName);
        statusLine.print(`detector ${name} from tick ${fullCount(world.tickCount + 1)} on`);
      },
    },
    ...page,
  };
}

/** Detectors that a page may choose for a world of that size: brute force would stop a large one for minutes. */
export function detectorsFor(entities: number): readonly DetectorName[] {
  return detectorNames.filter((name) => name !== 'brute-force' || entities <= BRUTE_FORCE_MAX);
}

/** The summary, four or five lines. Hash and counts are the same on every machine, times are not. */
function summary(running: RunningWorld, playback: Playback): string {
  const { figures, hash, world, simulation } = running;
  const { entered, left, updated, sensed } = figures.events;
  const worldSeconds = figures.ticks * simulation.tickSeconds;
  const { relations, tickMsMedian, tickMsP99, ticksBehind } = running.status(playback);
  const lines = [
    `ended after ${counted(figures.ticks, 'tick')}, ${worldSeconds.toFixed(1)} s of world time`,
    `${counted(world.size, 'entity', 'entities')} and ${counted(relations, 'relation')} at the end`,
    `reported ${fullCount(entered)} entered, ${fullCount(left)} left, ${fullCount(updated)} updated, ${fullCount(sensed)} sensed`,
    ...(hash === undefined ? [] : [`hash of all reports ${hash}`]),
    `tick ms p50 ${milliseconds(tickMsMedian)} p99 ${milliseconds(tickMsP99)}, ${counted(ticksBehind, 'tick')} behind`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}
