/**
 * `npm run example -- NAME` runs an example, `examples/NAME/main.ts`; without a name, it lists the examples.
 *
 * A part of a name is enough, such as `02` or `hello`. Further arguments go to the example; with `--help` its opening comment is
 * shown, which says what its options are. The example runs in this process, so that signals and the exit code are its own. The
 * list shows what the first line of each example says.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** The highest number that an option takes: the last port. */
const MOST = 65_535;
const folder = path.resolve(import.meta.dirname, '..', 'examples');

const examples = readdirSync(folder)
  .filter((name) => existsSync(mainOf(name)))
  .sort();
const [, script = '', given, ...rest] = process.argv;
if (given === undefined || given === '--help' || given === '-h') {
  const width = Math.max(...examples.map((name) => name.length));
  const lines = examples.map((name) => `  ${name.padEnd(width)}  ${summaryOf(name)}`);
  process.stdout.write(`npm run example -- NAME\n\n${lines.join('\n')}\n`);
} else {
  const found = examples.includes(given) ? [given] : examples.filter((name) => name.includes(given));
  const [name] = found;
  if (name === undefined || found.length > 1) {
    const candidates = (found.length > 1 ? found : examples).join(', ');
    refuse(`expected one of ${candidates}; given '${given}'`);
  } else if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(`${openingOf(name)}\n`);
  } else {
    const fault = wrongNumber(name, rest);
    if (fault === undefined) await run(name);
    else refuse(fault);
  }
}

async function run(name: string): Promise<void> {
  process.argv = [process.execPath, script, ...rest];
  await import(pathToFileURL(mainOf(name)).href).catch((error: { code?: string; message: string }) => {
    if (error.code?.startsWith('ERR_PARSE_ARGS') !== true) throw error;
    refuse(`${error.message.split('. ')[0]}; see npm run example -- ${name} --help`);
  });
}

function refuse(message: string): void {
  process.stderr.write(`umwelt example: ${message}\n`);
  process.exitCode = 2;
}

function mainOf(name: string): string {
  return path.join(folder, name, 'main.ts');
}

/** The comment at the beginning, without its marks. */
function openingOf(name: string): string {
  const [, block, line = ''] =
    /^(?:\/\*\*\n([\s\S]*?)\n \*\/|\/\/ (.*))/.exec(readFileSync(mainOf(name), 'utf8')) ?? [];
  return block?.replace(/^ \* ?/gm, '') ?? line;
}

/** What is wrong with the value of an option that its comment calls a NUMBER: a port, or a count. */
function wrongNumber(name: string, words: readonly string[]): string | undefined {
  for (const [, option] of openingOf(name).matchAll(/`(--\w+) NUMBER`/g)) {
    const [, value] = new RegExp(`^${option}[=\\n](.*)$`, 'm').exec(words.join('\n')) ?? [];
    if (value !== undefined && !(/^\d{1,5}$/.test(value) && Number(value) <= MOST))
      return `${option}: expected a whole number from 0 to ${MOST}, given '${value}'`;
  }
  return undefined;
}

/** What its first line says after the command. */
function summaryOf(name: string): string {
  return /npm run example -- [\w-]+: (.+)/.exec(openingOf(name))?.[1] ?? '';
}
