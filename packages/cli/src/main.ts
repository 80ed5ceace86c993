#!/usr/bin/env node
/**
 * The `umwelt` command line: runs a command and exits with its exit code.
 *
 * Exit codes: 0 if a command finished or was stopped (Ctrl-C, SIGTERM); 2, with one line on stderr, for an error that the user
 * can fix; 1, with a stack, for a bug. A second Ctrl-C ends the process by the signal itself.
 */
import { readFileSync } from 'node:fs';
import { closestWord } from './arguments.ts';
import { systemClock } from './clock.ts';
import type { Command } from './commands/command.ts';
import { EXIT_CODES, faultLine, Mistake } from './faults.ts';
import { stopOnSignals } from './stop-signal.ts';
import type { Terminal } from './terminal.ts';

interface Listed {
  readonly name: string;
  /** A few words for the list of commands. */
  readonly summary: string;
  load(): Promise<Command>;
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
    load: async () => (await import('./commands/compare.ts')).compareCommand(process.stderr),
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

async function run(words: readonly string[], terminal: Terminal): Promise<void> {
  // npm only warns about an old Node, and commands would fail in the middle.
  if (typeof Promise.withResolvers !== 'function') {
    throw new Mistake(`Node 22 or newer is needed; this is ${process.version}`);
  }
  const [first, ...rest] = words;
  const command = COMMANDS.find(({ name }) => name === first);
  if (first === 'help' && rest[0] !== undefined) {
    await run([rest[0], '--help'], terminal);
  } else if (first === undefined || ['help', '--help', '-h'].includes(first)) {
    terminal.output.write(`${HELP}\n`);
  } else if (first === '--version' || first === '-v') {
    terminal.output.write(`${version()}\n`);
  } else if (command === undefined) {
    throw new Mistake(unknownCommand(first));
  } else if (rest.includes('--help') || rest.includes('-h')) {
    terminal.output.write(`${(await command.load()).help}\n`);
  } else {
    await (await command.load()).run(rest, terminal);
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

function report(error: unknown, words: readonly string[]): number {
  const line = faultLine(error);
  if (line === undefined) {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return EXIT_CODES.ownFault;
  }
  const command = COMMANDS.find(({ name }) => name === words[0]);
  process.stderr.write(`umwelt${command === undefined ? '' : ` ${command.name}`}: ${line}\n`);
  return EXIT_CODES.mistake;
}

const words = process.argv.slice(2);
let exitCode: number = EXIT_CODES.done;
try {
  const { stdout: output, env: environment } = process;
  await run(words, { output, clock: systemClock, environment, stop: stopOnSignals() });
} catch (error) {
  exitCode = report(error, words);
}
// Ends whatever is still under way, once all output has been flushed.
process.exitCode = exitCode;
process.stdout.write('', () => process.exit());
