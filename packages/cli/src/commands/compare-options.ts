/**
 * The options of `umwelt compare`, checked before anything is measured.
 *
 * Lists are separated by commas or given as several words. An option that would have no effect beside the others is an
 * error: the user expects something else of the run. The output paths are checked first too, rather than after ten minutes
 * of measuring, and a recording is read before anything is measured.
 */
import { type Given, parseOptions, readList, readNumber, readWhole } from '../arguments.ts';
import type { Contender } from '../compare/contender.ts';
import {
  type ComparisonPlan,
  crowdDescriptions,
  defaultScenarios,
  type ScenarioSource,
  smokeScenarios,
  WORLD,
} from '../compare/crowd-plan.ts';
import { Mistake } from '../faults.ts';
import { checkFileToWrite, checkFolderToWrite, checkOtherFile } from './place-to-write.ts';
import { OF_TRACES, readTile, TRACE_OPTIONS, type TraceRequest, traceRequestOf } from './trace-options.ts';

export const COMPARE_OPTIONS = {
  scenario: { value: 'NAME,...', help: `crowds of the list below (${defaultScenarios.join(',')})` },
  entities: { value: 'COUNT,...', help: 'entities per crowd (100,1000,10000,100000)' },
  things: { value: 'COUNT,...', help: 'things in the scenario world (100000)' },
  players: { value: 'COUNT', help: 'players that walk among the things (100)' },
  ...TRACE_OPTIONS,
  tile: { value: 'COUNT', help: "the recording's crowd up to COUNT x COUNT times, side by side (1)" },
  detectors: { value: 'NAME,...', help: 'detectors to compare (all)' },
  budget: { value: 'SECONDS', help: 'time limit per detector and crowd; a slower detector is skipped (10)' },
  seed: { value: 'NUMBER', help: 'same seed, same movements (1)' },
  json: { value: 'FILE', help: 'writes the result as JSON' },
  html: { value: 'FILE', help: 'writes the report: one page with plots, advice and verdicts' },
  pictures: { value: 'FOLDER', help: "writes the report's plots as SVG files" },
  from: { value: 'FILE', help: 'measures nothing; reads a result that --json wrote' },
  'no-claims': { help: 'skips crowds that only serve to test claims about the algorithms' },
  smoke: { help: 'everything at tiny size, to check that it works; the figures mean nothing' },
  help: { short: 'h', help: 'this text' },
} as const;

/** Maximum number of entities in a world. */
const MOST_ENTITIES = 4_193_280;

type Options = typeof COMPARE_OPTIONS;

const LISTS = ['scenario', 'entities', 'things', 'detectors'] as const;
const OF_WORLD = ['things', 'players'] as const;
const OF_SCENARIOS = ['scenario', 'entities', ...OF_WORLD] as const;
const OF_MEASURING = [
  ...OF_SCENARIOS,
  'trace',
  ...OF_TRACES,
  'detectors',
  'budget',
  'seed',
  'no-claims',
  'smoke',
  'json',
] as const;

/** A plan whose recording has not been read yet. */
export interface PlanRequest extends Omit<ComparisonPlan, 'source'> {
  readonly source: ScenarioSource | { readonly trace: TraceRequest; readonly tiles: readonly number[] };
}

export interface CompareRequest {
  /** A stored result; if absent, `plan` is set. */
  readonly from: string | undefined;
  readonly plan: PlanRequest | undefined;
  readonly budgetSeconds: number;
  readonly json: string | undefined;
  readonly html: string | undefined;
  readonly pictures: string | undefined;
}

/** @throws Mistake for invalid options. `contenders` are those to choose from. */
export function requestOf(words: readonly string[], contenders: readonly Contender[]): CompareRequest {
  const given = parseOptions(withCommas(words), COMPARE_OPTIONS);
  checkTogether(given);
  for (const name of ['json', 'html'] as const) {
    checkFileToWrite(`--${name}`, given[name]);
    for (const read of ['trace', 'from'] as const)
      checkOtherFile(`--${name}`, given[name], `--${read}`, given[read]);
  }
  checkOtherFile('--html', given.html, '--json', given.json);
  checkFolderToWrite('--pictures', given.pictures);
  return {
    from: given.from,
    plan: given.from === undefined ? planOf(given, contenders) : undefined,
    budgetSeconds: readNumber('--budget', given.budget ?? '10', 0.01, 86_400),
    json: given.json,
    html: given.html,
    pictures: given.pictures,
  };
}

/** Joins a list given as several words: `--entities 100 1000` becomes `--entities 100,1000`. */
function withCommas(words: readonly string[]): string[] {
  const joined: string[] = [];
  let isList = false;
  for (const word of words) {
    const before = joined.at(-1);
    if (word.startsWith('-') && !/^-\d/u.test(word)) {
      isList = LISTS.some((name) => word === `--${name}`);
      joined.push(word);
    } else if (isList && before !== undefined && !before.startsWith('--')) {
      joined[joined.length - 1] = `${before},${word}`;
    } else {
      joined.push(word);
    }
  }
  return joined;
}

/** @throws Mistake for an option that would have no effect beside the others. */
function checkTogether(given: Given<Options>): void {
  const idle = (names: readonly (keyof Options)[]) => names.find((name) => given[name] !== undefined);
  const measuring = given.from === undefined ? undefined : idle(OF_MEASURING);
  if (measuring !== undefined) throw new Mistake(`--${measuring} does not go with --from`);
  if (given.from !== undefined && given.html === undefined && given.pictures === undefined) {
    throw new Mistake('--from needs --html FILE or --pictures FOLDER');
  }
  const ofScenarios = given.trace === undefined ? undefined : idle(OF_SCENARIOS);
  if (ofScenarios !== undefined) throw new Mistake(`--${ofScenarios} does not go with --trace`);
  const ofWorld = scenariosNamed(given.scenario).includes(WORLD) ? undefined : idle(OF_WORLD);
  if (ofWorld !== undefined) throw new Mistake(`--${ofWorld} needs --scenario ${WORLD}`);
  if (given.entities !== undefined && given.scenario?.trim() === WORLD) {
    throw new Mistake(`--entities does not go with --scenario ${WORLD}, which has --things and --players`);
  }
  const ofTraces = given.trace === undefined ? idle(OF_TRACES) : undefined;
  if (ofTraces !== undefined) throw new Mistake(`--${ofTraces} needs --trace FILE`);
}

/** Empty if none is given. */
function scenariosNamed(text: string | undefined): string[] {
  return text === undefined ? [] : readList(text);
}

function planOf(given: Given<Options>, contenders: readonly Contender[]): PlanRequest {
  const isSmoke = given.smoke !== undefined;
  const source =
    given.trace === undefined
      ? {
          scenarios: scenariosOf(given.scenario, isSmoke ? smokeScenarios : defaultScenarios),
          populations: countsOf(
            '--entities',
            given.entities ?? (isSmoke ? '50,200' : '100,1000,10000,100000'),
          ),
          things: countsOf('--things', given.things ?? (isSmoke ? '200' : '100000')),
          players: readWhole('--players', given.players ?? (isSmoke ? '10' : '100'), 1, 100_000),
        }
      : { trace: traceRequestOf(given.trace, given), tiles: tilesUpTo(readTile(given.tile)) };
  return {
    source,
    contenders: contendersOf(given.detectors, contenders),
    seed: readWhole('--seed', given.seed ?? '1', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    hasClaims: given['no-claims'] === undefined,
    isSmoke,
  };
}

function scenariosOf(text: string | undefined, usual: readonly string[]): readonly string[] {
  if (text === undefined) return usual;
  return wordsIn('--scenario', text, Object.keys(crowdDescriptions));
}

function contendersOf(text: string | undefined, contenders: readonly Contender[]): readonly Contender[] {
  if (text === undefined) return contenders;
  const names = wordsIn(
    '--detectors',
    text,
    contenders.map(({ name }) => name),
  );
  return contenders.filter(({ name }) => names.includes(name));
}

/** The choices that the text names, each once, in its order. */
function wordsIn(option: string, text: string, choices: readonly string[]): string[] {
  const words = [...new Set(readList(text))];
  const unknown = words.find((word) => !choices.includes(word));
  if (unknown === undefined) return words;
  throw new Mistake(`${option}: expected some of ${choices.join(', ')}, given '${unknown}'`);
}

/** Ascending, without duplicates. */
function countsOf(option: string, text: string): number[] {
  const counts = readList(text).map((word) => readWhole(option, word, 1, MOST_ENTITIES));
  return [...new Set(counts)].sort((one, other) => one - other);
}

/** 1, 3, 10, 30, ... up to `tile`: a growing crowd. */
function tilesUpTo(tile: number): number[] {
  const tiles: number[] = [];
  for (let power = 1; power < tile; power *= 10)
    tiles.push(...[power, 3 * power].filter((one) => one < tile));
  return [...tiles, tile];
}
