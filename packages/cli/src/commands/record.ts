/**
 * `umwelt record`: plays a scenario or a trace as fast as possible and records every call on its world.
 *
 * `umwelt replay`, or `Replay` in a program, replays the file with any exact detector. The hash it prints is that of
 * `umwelt play` with the same options.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createScenario, type Simulation, WorldDriver } from '@umwelt/scenarios';
import { type DetectorName, detectorNames, RecordedWorld } from 'umwelt';
import { type Given, optionLines, parseOptions, readChoice, readNumber, readWhole } from '../arguments.ts';
import { Mistake, naming } from '../faults.ts';
import { counted, fullCount } from '../numbers.ts';
import { SceneWriter } from '../replay/recorded-scene.ts';
import type { Terminal } from '../terminal.ts';
import type { Command } from './command.ts';
import { checkFileToWrite, checkOtherFile } from './place-to-write.ts';
import { readEntities } from './play-plan.ts';
import {
  loadRequested,
  OF_TRACES,
  readTile,
  TRACE_OPTIONS,
  traceLines,
  traceRequestOf,
} from './trace-options.ts';

const OPTIONS = {
  out: { value: 'FILE', help: 'file to write; an existing file is replaced' },
  ticks: { value: 'COUNT', help: 'number of ticks (200; for a trace: to its end)' },
  scenario: { value: 'NAME', help: 'scenario, as for umwelt play (city)' },
  entities: {
    value: 'COUNT',
    help: "number of entities (the scenario's default: 1000 for raid, 5000 for most)",
  },
  seed: { value: 'NUMBER', help: 'same seed, same movements (1)' },
  ...TRACE_OPTIONS,
  rate: { value: 'HERTZ', help: 'ticks per second of world time (20)' },
  detector: { value: 'NAME', help: `${detectorNames.join(', ')} (sweep)` },
  help: { short: 'h', help: 'this text' },
} as const;

/** Number of ticks between checks whether to stop. */
const TICKS_AT_ONCE = 16;
/** Number of ticks between notes of the kinds of new entities. */
const TICKS_A_NOTE = 512;

interface Opened {
  readonly simulation: Simulation;
  readonly lines: readonly string[];
}

interface RecordPlan {
  readonly out: string;
  /** Absent: to the end of the trace. */
  readonly ticks: number | undefined;
  readonly rate: number;
  readonly detector: DetectorName;
  /** The simulation to record, and lines that describe it. */
  open(): Promise<Opened>;
}

export const record: Command = {
  name: 'record',
  help: `umwelt record: records every call on a world to a file that replays exactly

Usage: umwelt record --out FILE [OPTIONS]

${optionLines(OPTIONS)}

Examples:
  umwelt record --scenario flocks --entities 20000 --ticks 500 --out flocks.umwr
  umwelt replay flocks.umwr --detector quadtree
  umwelt replay flocks.umwr --serve

Ctrl-C stops; the recording so far is complete.`,
  run: (words, terminal) => recordWorld(planOf(words), terminal),
};

/** @throws Mistake for invalid options. */
function planOf(words: readonly string[]): RecordPlan {
  const given = parseOptions(words, OPTIONS);
  if (given.out === undefined) throw new Mistake('--out FILE is needed: the file to write');
  checkFileToWrite('--out', given.out);
  checkOtherFile('--out', given.out, '--trace', given.trace);
  const rate = readNumber('--rate', given.rate ?? '20', 0.1, 1000);
  const ticks = given.ticks ?? (given.trace === undefined ? '200' : undefined);
  return {
    out: given.out,
    ticks: ticks === undefined ? undefined : readWhole('--ticks', ticks, 1, 1e9),
    rate,
    detector: readChoice('--detector', given.detector ?? 'sweep', detectorNames),
    open: sourceOf(given, 1 / rate),
  };
}

function sourceOf(given: Given<typeof OPTIONS>, tickSeconds: number): () => Promise<Opened> {
  const { trace } = given;
  if (trace !== undefined) {
    const idle = (['scenario', 'entities', 'seed'] as const).find((name) => given[name] !== undefined);
    if (idle !== undefined) throw new Mistake(`--${idle} does not go with --trace`);
    const request = traceRequestOf(trace, given);
    const tile = readTile(given.tile);
    return async () => {
      const { range, playbackSpeed: speed } = request;
      const loaded = await loadRequested(request);
      const simulation = loaded.play({ tile, tickSeconds, range, speed });
      return { simulation, lines: traceLines(loaded, request) };
    };
  }
  const ofTrace = OF_TRACES.find((name) => given[name] !== undefined);
  if (ofTrace !== undefined) throw new Mistake(`--${ofTrace} needs --trace FILE`);
  const entities = readEntities(given.entities);
  const seed = readWhole('--seed', given.seed ?? '1', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  return async () => ({
    simulation: createScenario(given.scenario ?? 'city', { entities, seed, tickSeconds }),
    lines: [],
  });
}

async function recordWorld(plan: RecordPlan, { output, stop }: Terminal): Promise<void> {
  const { simulation, lines: opening } = await plan.open();
  output.write(opening.map((line) => `${line}\n`).join(''));
  const world = new RecordedWorld({ ...simulation.worldOptions, detector: plan.detector });
  const file = openSync(plan.out, 'w');
  let bytesWritten = 0;
  let hashSum = 0n;
  try {
    world.record((bytes) => {
      naming(plan.out, () => {
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      });
      bytesWritten += bytes.length;
    });
    const scene = new SceneWriter(world, simulation);
    const driver = new WorldDriver(simulation, world);
    const noteKinds = () => scene.noteKinds((id) => simulation.kind[driver.actorOf(id)] ?? 0);
    while (!simulation.done && world.tickCount !== plan.ticks && !stop.aborted) {
      driver.step();
      hashSum = BigInt.asUintN(64, hashSum + BigInt(`0x${world.tick().hash()}`));
      if (world.tickCount % TICKS_A_NOTE === 1) noteKinds();
      if (world.tickCount % TICKS_AT_ONCE === 0) await setImmediate();
    }
    noteKinds();
    world.stopRecording();
  } finally {
    closeSync(file);
  }
  const lines = [
    `recorded ${counted(world.tickCount, 'tick')} of ${simulation.title}, ${counted(world.size, 'entity', 'entities')} at the end`,
    `hash of all reports ${hashSum.toString(16).padStart(16, '0')}`,
    `${fullCount(bytesWritten)} bytes in ${plan.out}`,
  ];
  output.write(lines.map((line) => `${line}\n`).join(''));
}
