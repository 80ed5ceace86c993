/**
 * The arguments after `npm run bench --`, checked once: what is measured, and where results go.
 */
import { parseArgs } from 'node:util';
import { engineList } from './engines/engine-list.ts';
import { DEFAULT_BUDGET_SECONDS } from './measure/pace.ts';
import { Mistake } from './mistake.ts';
import type { Choice, Suite } from './suites/suite.ts';
import { suiteList } from './suites/suite-list.ts';

export interface BenchPlan {
  readonly help: boolean;
  /** Print saved results as Markdown and measure nothing. */
  readonly table: boolean;
  readonly suites: readonly Suite[];
  /** Whether suites were named. */
  readonly isNamed: boolean;
  readonly choice: Choice;
  readonly budgetSeconds: number;
  /** Only cases whose name contains this are measured; empty: all cases. */
  readonly casePart: string;
  /** Where this run's results go, besides the terminal. */
  readonly jsonFile: string | undefined;
  /** Where a page with tables and plots goes. */
  readonly htmlFile: string | undefined;
  /** Saved results that this run is compared with. */
  readonly compareFile: string | undefined;
  /** How many times slower than saved a case may be before the command fails. */
  readonly failAbove: number;
  /** Whether the results go into the machine's committed file. */
  readonly save: boolean;
  /** Day that results are marked with, as 2026-01-31. */
  readonly date: string;
}

const MOST_ENTITIES = 4_000_000;

/** Throws `Mistake`. `today` is the date for results when none is given. */
export function readArguments(words: readonly string[], today: string): BenchPlan {
  const { values, positionals } = parsed(words);
  const smoke = values.smoke ?? false;
  const save = values.save ?? false;
  if (save && (smoke || values.engine !== undefined)) {
    throw new Mistake('--save keeps whole cases at full size: not with --smoke or --engine');
  }
  return {
    help: values.help ?? false,
    table: values.table ?? false,
    suites: positionals.length === 0 ? suiteList : positionals.map(suiteNamed),
    isNamed: positionals.length > 0,
    choice: {
      smoke,
      entities: values.entities?.map((text) => wholeNumber('--entities', text, 2, MOST_ENTITIES)),
      engines: values.engine?.map(engineNamed),
      seed: optionalNumber('--seed', values.seed, 1, 1e9),
      clients: optionalNumber('--clients', values.clients, 1, 4000),
      seconds: optionalNumber('--seconds', values.seconds, 1, 86_400),
    },
    budgetSeconds:
      values.budget === undefined ? DEFAULT_BUDGET_SECONDS : wholeNumber('--budget', values.budget, 1, 1e6),
    casePart: values.case ?? '',
    jsonFile: values.json,
    htmlFile: values.html,
    compareFile: values.compare,
    failAbove: failAbove(values['fail-above'], values.compare),
    save,
    date: values.date === undefined ? today : day(values.date),
  };
}

export function helpText(): string {
  const width = Math.max(...suiteList.map(({ name }) => name.length));
  return `npm run bench -- [SUITE ...]   measures; all suites when none is named

${suiteList.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')}

  --smoke          everything at tiny size: does it run, and do all hashes match?
  --entities N     instead of a suite's own populations; may be repeated
  --engine NAME    only this engine and the first of each case; may be repeated:
                   ${engineList.map(({ name }) => name).join(', ')}
  --seed N         for drawn, paces and changes: only the worlds of this seed
  --clients N      for load: how many clients
  --seconds N      for load: how long
  --budget SECONDS what one engine may take for one case; default ${DEFAULT_BUDGET_SECONDS}
  --case TEXT      only cases with this in their name
  --json FILE      writes the results of this run
  --html FILE      writes a page with tables and plots of them
  --save           saves them to this machine's file in bench/results; with goals, writes docs/speed.md
  --compare FILE   compares them with saved results: what became slower, beyond noise?
  --fail-above N   fails if a case became more than N times as slow; without this option slowness never fails
  --date DAY       marks the results with this day, as 2026-01-31; default today
  --table          prints saved results as Markdown: for the README, or all of the suites named

Exit codes: 0, 1 when reports differ, a case fails or became slower than --fail-above allows, 2 for a wrong argument.
`;
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        smoke: { type: 'boolean' },
        save: { type: 'boolean' },
        table: { type: 'boolean' },
        entities: { type: 'string', multiple: true },
        engine: { type: 'string', multiple: true },
        budget: { type: 'string' },
        seed: { type: 'string' },
        clients: { type: 'string' },
        seconds: { type: 'string' },
        case: { type: 'string' },
        json: { type: 'string' },
        html: { type: 'string' },
        compare: { type: 'string' },
        'fail-above': { type: 'string' },
        date: { type: 'string' },
      },
    });
  } catch (error) {
    // Node's message continues with an explanation after the first sentence.
    throw new Mistake(String((error as Error).message).split(/[.\n]/)[0]);
  }
}

function suiteNamed(name: string): Suite {
  const suite = suiteList.find((one) => one.name === name);
  if (suite !== undefined) return suite;
  throw new Mistake(`no suite '${name}'; there are ${suiteList.map((one) => one.name).join(', ')}`);
}

function engineNamed(name: string): string {
  if (engineList.some((one) => one.name === name)) return name;
  throw new Mistake(`no engine '${name}'; there are ${engineList.map((one) => one.name).join(', ')}`);
}

function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new Mistake(`${option}: expected a whole number from ${min} to ${max}, given '${text}'`);
}

function optionalNumber(option: string, text: string | undefined, min: number, max: number) {
  return text === undefined ? undefined : wholeNumber(option, text, min, max);
}

function failAbove(text: string | undefined, compareFile: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (compareFile === undefined) throw new Mistake('--fail-above needs --compare FILE');
  const times = Number(text);
  if (times >= 1 && Number.isFinite(times)) return times;
  throw new Mistake(`--fail-above: expected a number from 1 on, given '${text}'`);
}

function day(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new Mistake(`--date: expected a day as 2026-01-31, given '${text}'`);
}
