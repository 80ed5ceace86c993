/**
 * Command line options: one table defines both the parsing and the help text.
 *
 * `node:util`'s `parseArgs` splits the words; the result is checked here against the table, since its own strict mode
 * reports errors in several lines and treats `--seed -1` as ambiguous. Values stay text until a `read` function converts
 * and checks them. Every error is a `Mistake` of one line. If an option is given twice, the last value is used.
 */
import { parseArgs } from 'node:util';
import { Mistake } from './faults.ts';

interface OptionRow {
  /** Name of the value in the help; absent for a switch, which has no value. */
  readonly value?: string;
  readonly help: string;
  /** One-letter short form. */
  readonly short?: string;
}

export type OptionTable = Readonly<Record<string, OptionRow>>;

/** The given options: text for an option with a value, '' for a switch; undefined if not given. */
export type Given<Table extends OptionTable> = { readonly [Name in keyof Table]?: string };

/** @throws Mistake for an unknown option, a missing or superfluous value, and words that are no option. */
export function parseOptions<Table extends OptionTable>(
  words: readonly string[],
  table: Table,
): Given<Table> {
  return parseWithFile(words, table, 0).given;
}

/** As `parseOptions`, but also takes some words besides the options, in any place: `files`. */
export function parseWithFile<Table extends OptionTable>(
  words: readonly string[],
  table: Table,
  most = 1,
): { readonly files: readonly string[]; readonly given: Given<Table> } {
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(
      Object.entries(table).map(([name, { value, short }]) => [
        name,
        { type: value === undefined ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const files: string[] = [];
  const given: Record<string, string> = {};
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (files.length === most) {
        throw new Mistake(`'${token.value}' is ${most === 0 ? 'not an option' : 'one too many'}; see --help`);
      }
      files.push(token.value);
    }
    if (token.kind !== 'option') continue;
    const row = Object.hasOwn(table, token.name) ? table[token.name] : undefined;
    if (row === undefined)
      throw new Mistake(`unknown option ${token.rawName}${suggestion(token.name, table)}; see --help`);
    given[token.name] = checkedValue(token.rawName, token.value, row);
  }
  return { files, given: given as Given<Table> };
}

function checkedValue(rawName: string, value: string | undefined, row: OptionRow): string {
  if (row.value === undefined) {
    if (value !== undefined) throw new Mistake(`${rawName} takes no value, given '${value}'`);
    return '';
  }
  if (value === undefined || value === '' || value.startsWith('--')) {
    throw new Mistake(`${rawName} needs a value: ${rawName} ${row.value}`);
  }
  return value;
}

/** @throws Mistake unless the text is an integer from `min` to `max`. */
export function readWhole(option: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (/^-?\d+$/u.test(text) && number >= min && number <= max) return number;
  throw new Mistake(`${option}: expected a whole number from ${min} to ${max}, given '${text}'`);
}

/** @throws Mistake unless the text is a number, fractions allowed, from `min` to `max`. */
export function readNumber(option: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/iu.test(text) && number >= min && number <= max) return number;
  throw new Mistake(`${option}: expected a number from ${min} to ${max}, given '${text}'`);
}

/** The words of a list, which commas separate. */
export function readList(text: string): string[] {
  return text.split(',').map((word) => word.trim());
}

/** @throws Mistake unless the text is one of the choices. */
export function readChoice<Choice extends string>(
  option: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  throw new Mistake(`${option}: expected ${listed(choices)}, given '${text}'`);
}

/** The table as help text: one line per option, with aligned explanations. */
export function optionLines(table: OptionTable): string {
  const rows = Object.entries(table).map(([name, { value, short, help }]) => ({
    left: `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    help,
  }));
  const width = Math.max(...rows.map((row) => row.left.length));
  return rows.map((row) => `  ${row.left.padEnd(width)}  ${row.help}`).join('\n');
}

function listed(choices: readonly string[]): string {
  return choices.length === 1 ? `${choices[0]}` : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
}

/** A hint with the closest option, if one is close enough. */
function suggestion(name: string, table: OptionTable): string {
  const closest = closestOption(name, Object.keys(table));
  return closest === undefined ? '' : ` (did you mean --${closest}?)`;
}

/** The same letters apart from case and dashes; else the same beginning; else a common word. */
function closestOption(name: string, options: readonly string[]): string | undefined {
  const bare = (text: string) => text.toLowerCase().replace(/[-_]/gu, '');
  const byLetters = closestWord(bare(name), options.map(bare));
  if (byLetters !== undefined) return options.find((option) => bare(option) === byLetters);
  const begins = (one: string, other: string) => other.length >= 3 && one.startsWith(other);
  const words = name.toLowerCase().split(/[-_]/u);
  return (
    options.find((option) => begins(bare(option), bare(name)) || begins(bare(name), bare(option))) ??
    options.find((option) => option.split('-').some((word) => word.length >= 3 && words.includes(word)))
  );
}

/** The choice with the smallest edit distance to `word`: at most two letters added, removed or changed. */
export function closestWord(word: string, choices: readonly string[]): string | undefined {
  const near = choices
    .map((choice) => ({ choice, distance: editDistance(word, choice) }))
    .filter(({ choice, distance }) => distance <= 2 && distance <= choice.length / 2)
    .sort((one, other) => one.distance - other.distance);
  return near[0]?.choice;
}

/** Levenshtein distance, computed row by row. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const changed = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
