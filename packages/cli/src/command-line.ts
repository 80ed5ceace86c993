/** The `umwelt` command line without its process: words in, output, errors and an exit code out. */
import { readFileSync } from 'node:fs';
import { closestWord } from './arguments.ts';
import type { Command } from './commands/command.ts';
import { EXIT_CODES, faultLine, Mistake } from './faults.ts';
import type { Output, Terminal } from './terminal.ts';

interface Listed {
  readonly name: string;
  /** A few words for the list of commands. */
  readonly summary: string;
  load(errors: Output): Promise<Command>;
}

/** Each command is loaded on demand: this halves the start-up time, and typing errors are reported at once. */
const COMMANDS: readonly Listed[] = [
  {
    name: 'play',
    summary: 'runs a world, shows it on a web page, and prints its figures',
    load: async () => (await import('./commands/play.ts')).play,
  },
  {
    name: 'record',
    summary: 'records every call on a world to a file that replays exactly',
    load: async () => (await import('./commands/record.ts')).record,
  },
  {
    name: 'replay',
    summary: 'replays a recording, and compares each tick with the recorded one',
    load: async () => (await import('./commands/replay.ts')).replay,
  },
  {
    name: 'compare',
    summary: 'measures every detector on the same crowds, and advises which to use',
    load: async (errors) => (await import('./commands/compare.ts')).compareCommand(errors),
  },
  {
    name: 'serve',
    summary: 'area of interest for servers in other languages, over a WebSocket',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  {
    name: 'cluster',
    summary: 'the state of a world that several processes share',
    load: async () => (await import('./commands/cluster.ts')).cluster,
  },
];

const HELP = `umwelt: who perceives whom, exactly, every tick

Usage: umwelt COMMAND [OPTIONS]

Commands:
${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(9)} ${summary}`).join('\n')}

  help      this text; umwelt help COMMAND: the help of that command

Options:
  -h, --help     the same: alone, or after a command
  -v, --version  the version

Exit codes: 0 done, or ended by Ctrl-C or SIGTERM; 2 a mistake in the command or its input; 1 a bug in umwelt`;

/** Runs a command; returns its exit code. What it leaves under way after an error ends with the process. */
export async function commandLine(
  words: readonly string[],
  terminal: Terminal,
  errors: Output,
): Promise<number> {
  try {
    await run(words, terminal, errors);
    return EXIT_CODES.done;
  } catch (error) {
    return report(error, words, errors);
  }
}

async function run(words: readonly string[], terminal: Terminal, errors: Output): Promise<void> {
  // npm only warns about an old Node, and commands would fail in the middle.
  if (typeof Promise.withResolvers !== 'function') {
    throw new Mistake(`Node 22 or newer is needed; this is ${process.version}`);
  }
  const [first, ...rest] = words;
  const command = COMMANDS.find(({ name }) => name === first);
  if (first === 'help' && rest[0] !== undefined) {
    await run([rest[0], '--help'], terminal, errors);
  } else if (first === undefined || ['help', '--help', '-h'].includes(first)) {
    terminal.output.write(`${HELP}\n`);
  } else if (first === '--version' || first === '-v') {
    terminal.output.write(`${version()}\n`);
  } else if (command === undefined) {
    throw new Mistake(unknownCommand(first));
  } else if (rest.includes('--help') || rest.includes('-h')) {
    terminal.output.write(`${(await command.load(errors)).help}\n`);
  } else {
    await (await command.load(errors)).run(rest, terminal);
  }
}

function unknownCommand(word: string): string {
  if (word.startsWith('-')) {
    return `unknown option ${word}; options come after a command, as in umwelt play --help; see umwelt --help`;
  }
  const closest = closestWord(
    word,
    COMMANDS.map(({ name }) => name),
  );
  const hint = closest === undefined ? '' : ` (did you mean ${closest}?)`;
  return `unknown command '${word}'${hint}; see umwelt --help`;
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function report(error: unknown, words: readonly string[], errors: Output): number {
  const line = faultLine(error);
  if (line === undefined) {
    errors.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return EXIT_CODES.ownFault;
  }
  const command = COMMANDS.find(({ name }) => name === words[0]);
  errors.write(`umwelt${command === undefined ? '' : ` ${command.name}`}: ${line}\n`);
  return EXIT_CODES.mistake;
}
