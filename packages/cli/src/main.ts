#!/usr/bin/env node
/**
 * The `umwelt` command line: runs a command and exits with its exit code.
 *
 * Exit codes: 0 if a command finished or was stopped (Ctrl-C, SIGTERM); 2, with one line on stderr, for an error that the user
 * can fix; 1, with a stack, for a bug. A second Ctrl-C ends the process by the signal itself.
 */
import { systemClock } from './clock.ts';
import { commandLine } from './command-line.ts';
import { stopOnSignals } from './stop-signal.ts';

const { stdout: output, stderr, env: environment } = process;
const terminal = { output, clock: systemClock, environment, stop: stopOnSignals() };
process.exitCode = await commandLine(process.argv.slice(2), terminal, stderr);
// Ends whatever is still under way, once all output has been flushed.
output.write('', () => process.exit());
