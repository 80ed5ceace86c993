/**
 * The options of `umwelt play`, and the plan that follows from them.
 *
 * Everything is checked before anything is opened. An option that would have no effect beside the others (a seed for a
 * recording, a port without a page) is an error too: the user expects something else of the run.
 */
import { type DetectorName, detectorNames } from 'umwelt';
import { type Given, parseOptions, readChoice, readNumber, readWhole } from '../arguments.ts';
import { Mistake } from '../faults.ts';
import { PAGE_OPTION_NAMES, PAGE_OPTIONS, type PagePlan, pagePlanOf } from '../page-access.ts';
import { MAX_SPEED, MIN_SPEED } from '../playback.ts';
import type { Terminal } from '../terminal.ts';
import { OF_TRACES, readTile, TRACE_OPTIONS, type TraceRequest, traceRequestOf } from './trace-options.ts';

const DEFAULT_DETECTOR: DetectorName = 'sweep';

export const PLAY_OPTIONS = {
  scenario: { value: 'NAME', help: 'scenario from the list below (town)' },
  entities: {
    value: 'COUNT',
    help: "number of entities (the scenario's default: 1000 for raid, 5000 for most)",
  },
  seed: { value: 'NUMBER', help: 'same seed, same movements (1)' },
  ...TRACE_OPTIONS,
  once: { help: 'ends when the recording ends, instead of repeating it' },
  rate: { value: 'HERTZ', help: 'ticks per second (20)' },
  speed: { value: 'FACTOR', help: 'speed of world time: 2 is twice as fast (1)' },
  detector: { value: 'NAME', help: `${detectorNames.join(', ')} (${DEFAULT_DETECTOR})` },
  ticks: { value: 'COUNT', help: 'ends after that many ticks, and prints the hash of all reports' },
  ...PAGE_OPTIONS,
  'no-page': { help: 'serves no page' },
  help: { short: 'h', help: 'this text' },
} as const;

const OF_SCENARIOS = ['scenario', 'entities', 'seed'] as const;

interface ScenarioPlan {
  readonly scenario: string;
  /** `undefined`: the scenario's default. */
  readonly entities: number | undefined;
  readonly seed: number;
}

interface TracePlan {
  readonly trace: TraceRequest;
  readonly tile: number;
  readonly once: boolean;
}

export interface PlayPlan {
  readonly source: ScenarioPlan | TracePlan;
  /** Ticks per second at speed 1. */
  readonly rate: number;
  readonly speed: number;
  readonly detector: DetectorName;
  /** Absent: no limit but the recording's end. */
  readonly ticks: number | undefined;
  /** Absent: no page. */
  readonly page: PagePlan | undefined;
}

/** @throws Mistake for invalid options. */
export function planOf(words: readonly string[], environment?: Terminal['environment']): PlayPlan {
  const given = parseOptions(words, PLAY_OPTIONS);
  checkTogether(given);
  return {
    source: given.trace === undefined ? scenarioPlanOf(given) : tracePlanOf(given.trace, given),
    rate: readNumber('--rate', given.rate ?? '20', 0.1, 1000),
    speed: readNumber('--speed', given.speed ?? '1', MIN_SPEED, MAX_SPEED),
    detector: readChoice('--detector', given.detector ?? DEFAULT_DETECTOR, detectorNames),
    ticks: given.ticks === undefined ? undefined : readWhole('--ticks', given.ticks, 1, 1e9),
    page: given['no-page'] === undefined ? pagePlanOf(given, environment) : undefined,
  };
}

/** @throws Mistake for an option that would have no effect beside the others. */
function checkTogether(given: Given<typeof PLAY_OPTIONS>): void {
  const idleIn = (names: readonly (keyof typeof PLAY_OPTIONS)[]) =>
    names.find((name) => given[name] !== undefined);
  const ofOther = idleIn(given.trace === undefined ? [...OF_TRACES, 'once'] : OF_SCENARIOS);
  if (ofOther !== undefined) {
    throw new Mistake(
      `--${ofOther} ${given.trace === undefined ? 'needs --trace FILE' : 'does not go with --trace'}`,
    );
  }
  const ofPage = given['no-page'] === undefined ? undefined : idleIn(PAGE_OPTION_NAMES);
  if (ofPage !== undefined) throw new Mistake(`--${ofPage} does not go with --no-page`);
}

function scenarioPlanOf(given: Given<typeof PLAY_OPTIONS>): ScenarioPlan {
  return {
    scenario: given.scenario ?? 'town',
    entities: readEntities(given.entities),
    seed: readWhole('--seed', given.seed ?? '1', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  };
}

/** `undefined`: the scenario's default. */
export function readEntities(given: string | undefined): number | undefined {
  return given === undefined ? undefined : readWhole('--entities', given, 1, 4_193_280);
}

function tracePlanOf(path: string, given: Given<typeof PLAY_OPTIONS>): TracePlan {
  return { trace: traceRequestOf(path, given), tile: readTile(given.tile), once: given.once !== undefined };
}
