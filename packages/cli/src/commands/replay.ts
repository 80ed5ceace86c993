/**
 * `umwelt replay`: makes the calls of a recording again and compares each tick's report with the recorded one, by hash.
 *
 * With another detector it is a test of that detector on a life as it was lived; with `--at` it goes to one tick, by the
 * nearest snapshot before it, and gives its figures.
 */
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { type DetectorName, detectorNames, Replay } from 'umwelt';
import { optionLines, parseOptions, readChoice, readWhole } from '../arguments.ts';
import { Mistake } from '../faults.ts';
import { fullCount } from '../status-line.ts';
import type { Output, Terminal } from '../terminal.ts';
import type { Command } from './command.ts';

const OPTIONS = {
  at: { value: 'TICK', help: 'goes to the end of that tick, and gives its figures' },
  detector: { value: 'NAME', help: `${detectorNames.join(', ')} (the recorded one)` },
  help: { short: 'h', help: 'this text' },
} as const;

/** Ticks between two looks at whether to stop. */
const TICKS_AT_ONCE = 16;

export const replay: Command = {
  name: 'replay',
  summary: 'a recording made again, each tick held against the recorded one',
  help: `umwelt replay: a recording made again, each tick held against the recorded one

Usage: umwelt replay FILE [OPTIONS]

${optionLines(OPTIONS)}

The first tick that reports something else ends it with exit code 2.

Examples:
  umwelt record --scenario city --ticks 500 --out city.umwr
  umwelt replay city.umwr --detector hot-pair
  umwelt replay city.umwr --at 250`,
  run: (words, terminal) => replayFile(words, terminal),
};

async function replayFile(words: readonly string[], { output, stop }: Terminal): Promise<void> {
  const [file, ...rest] = words;
  if (file === undefined || file.startsWith('-')) {
    throw new Mistake('a recording is needed first: umwelt replay FILE');
  }
  const given = parseOptions(rest, OPTIONS);
  const detector = given.detector === undefined ? undefined : detectorOf(given.detector);
  const at = given.at === undefined ? undefined : readWhole('--at', given.at, 0, Number.MAX_SAFE_INTEGER);
  const played = new Replay(readFileSync(file), detector === undefined ? {} : { detector });
  const { firstTick, lastTick, isComplete } = played;
  if (!isComplete) output.write(`the recording was cut short: it is whole up to tick ${lastTick}\n`);
  if (at !== undefined) {
    if (at < firstTick || at > lastTick) {
      throw new Mistake(`--at: the recording has ticks ${firstTick} to ${lastTick}, given '${at}'`);
    }
    played.seek(at);
  }
  while (at === undefined && !stop.aborted && played.difference === undefined) {
    if (played.step() === undefined) break;
    if (played.tick % TICKS_AT_ONCE === 0) await setImmediate();
  }
  const { difference } = played;
  if (difference !== undefined) {
    const { tick, recorded, found } = difference;
    throw new Mistake(`tick ${tick} reports something else: hash ${found}, recorded ${recorded}`);
  }
  if (at === undefined) {
    output.write(`${fullCount(played.tick - firstTick)} ticks, each with the hash that was recorded\n`);
  }
  writeFigures(output, played);
}

function detectorOf(text: string): DetectorName {
  return readChoice('--detector', text, detectorNames);
}

/** How the world stands at the tick that was come to. */
function writeFigures(output: Output, { world, firstTick }: Replay): void {
  const { tick, entities, relationCount, detector } = world.stats();
  const { enteredCount, leftCount, updatedCount, sensedCount } = world.lastChanges;
  const lines = [
    `tick ${fullCount(tick)}: ${fullCount(entities)} entities, ${fullCount(relationCount)} relations, detector ${detector}`,
  ];
  if (tick > firstTick) {
    lines.push(
      `it reports ${fullCount(enteredCount)} entered, ${fullCount(leftCount)} left, ${fullCount(updatedCount)} updated, ${fullCount(sensedCount)} sensed`,
      `its hash is ${world.lastChanges.hash()}`,
    );
  }
  output.write(lines.map((line) => `${line}\n`).join(''));
}
