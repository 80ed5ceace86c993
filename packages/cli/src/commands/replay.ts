/**
 * `umwelt replay`: replays the calls of a recording and compares each tick's report with the recorded one, by hash.
 *
 * With another detector it tests that detector on recorded data. With `--at` it goes to one tick, from the nearest snapshot
 * before it, and prints its figures; with `--describe` also the surroundings of an entity at that tick. With `--serve` the
 * inspector's page shows the recording, to play and seek.
 */
import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type DescribeOptions, type DetectorName, detectorNames, Replay, UmweltError } from 'umwelt';
import { type Given, optionLines, parseWithFile, readChoice, readNumber, readWhole } from '../arguments.ts';
import { bytesOf, Mistake } from '../faults.ts';
import { counted, fullCount } from '../numbers.ts';
import { PAGE_OPTION_NAMES, PAGE_OPTIONS, pagePlanOf, TOKEN_NOTE } from '../page-access.ts';
import { loadInterests } from '../replay/interest-module.ts';
import { CHECKPOINT_BYTES } from '../replay/replay-player.ts';
import { serveReplay } from '../replay/serve-replay.ts';
import type { Output, Terminal } from '../terminal.ts';
import type { Command } from './command.ts';

const OPTIONS = {
  at: {
    value: 'TICK',
    help: 'goes to the end of that tick and prints its figures; with --serve, starts there',
  },
  describe: {
    value: 'ID',
    help: "prints that entity's surroundings and relations at that tick; all: the whole world",
  },
  limit: { value: 'COUNT', help: 'maximum entities in each list of --describe (10)' },
  detector: { value: 'NAME', help: `${detectorNames.join(', ')} (the recorded one)` },
  interests: {
    value: 'MODULE',
    help: 'file whose export interests has those with functions, by name: a recording has no functions (none)',
  },
  serve: { help: 'shows it on a web page, with a time line to play and seek' },
  rate: { value: 'HERTZ', help: 'ticks per second on the page (as recorded, else 20)' },
  ...PAGE_OPTIONS,
  help: { short: 'h', help: 'this text' },
} as const;

/** Number of ticks between checks whether to stop. */
const TICKS_AT_ONCE = 16;

export const replay: Command = {
  name: 'replay',
  help: `umwelt replay: replays a recording, and compares each tick with the recorded one

Usage: umwelt replay FILE [OPTIONS]

${optionLines(OPTIONS)}

The first tick that differs ends it with exit code 2; with --serve the difference is printed, and playing goes on.

${TOKEN_NOTE}

Examples:
  umwelt record --scenario city --ticks 500 --out city.umwr
  umwelt replay city.umwr --detector hot-pair
  umwelt replay city.umwr --at 250
  umwelt replay city.umwr --at 250 --describe 5121    its surroundings and relations, with reasons
  umwelt replay city.umwr --serve --at 250            on http://localhost:7600
  umwelt replay game.umwr --interests interests.js    of a game whose interests have rank or admit`,
  run: async (words, terminal) => {
    try {
      await replayFile(words, terminal);
    } catch (error) {
      throw error instanceof UmweltError && error.code === 'UNKNOWN_INTEREST'
        ? new Mistake(`${error.message}: give --interests MODULE, a file that exports them`)
        : error;
    }
  },
};

async function replayFile(words: readonly string[], terminal: Terminal): Promise<void> {
  const { output, stop } = terminal;
  const { files, given } = parseWithFile(words, OPTIONS);
  const [file] = files;
  if (file === undefined) throw new Mistake('a recording is needed first: umwelt replay FILE');
  checkTogether(given);
  const detector = given.detector === undefined ? undefined : detectorOf(given.detector);
  const at = given.at === undefined ? undefined : readWhole('--at', given.at, 0, Number.MAX_SAFE_INTEGER);
  const isServed = given.serve !== undefined;
  const rate = given.rate === undefined ? undefined : readNumber('--rate', given.rate, 0.1, 1000);
  const description = descriptionOf(given);
  const page = pagePlanOf(given, terminal.environment);
  const interests = given.interests === undefined ? undefined : await loadInterests(given.interests);
  const played = new Replay(bytesOf(file), {
    checkpointBytes: isServed ? CHECKPOINT_BYTES : 0,
    ...(detector === undefined ? {} : { detector }),
    ...(interests === undefined ? {} : { interests }),
  });
  const { firstTick, lastTick, isComplete } = played;
  if (!isComplete) output.write(`the recording was cut short: it is complete up to tick ${lastTick}\n`);
  if (at !== undefined) {
    if (at < firstTick || at > lastTick) {
      throw new Mistake(`--at: the recording has ticks ${firstTick} to ${lastTick}, given '${at}'`);
    }
  }
  if (isServed) {
    await serveReplay(played, { title: basename(file), at, rate, detector, page }, terminal);
    return;
  }
  if (at !== undefined) played.seek(at);
  while (at === undefined && !stop.aborted && played.difference === undefined) {
    if (played.step() === undefined) break;
    if (played.tick % TICKS_AT_ONCE === 0) await setImmediate();
  }
  const { difference } = played;
  if (difference !== undefined) {
    const { tick, recorded, found } = difference;
    throw new Mistake(`tick ${tick} differs: hash ${found}, recorded ${recorded}`);
  }
  // Before anything is written: the id may be unknown.
  if (description?.around !== undefined && !played.world.has(description.around)) {
    throw new Mistake(`--describe: no entity has the id ${description.around} at tick ${played.tick}`);
  }
  const described = description === undefined ? '' : `\n${played.world.describe(description)}\n`;
  if (at === undefined) {
    const ticks = `${counted(played.tick - firstTick, 'tick')}, each with the recorded hash`;
    // None: it was cut short right after its first snapshot, say.
    output.write(lastTick === firstTick ? 'the recording has no ticks\n' : `${ticks}\n`);
  }
  writeFigures(output, played);
  output.write(described);
}

/** The options for `World.describe`; undefined: nothing to describe. */
function descriptionOf({ describe, limit }: Given<typeof OPTIONS>): DescribeOptions | undefined {
  if (describe === undefined) return undefined;
  const most = limit === undefined ? {} : { limit: readWhole('--limit', limit, 0, 1_000_000) };
  if (describe === 'all') return most;
  if (!/^\d+$/u.test(describe)) throw new Mistake(`--describe: expected an id or all, given '${describe}'`);
  return { around: readWhole('--describe', describe, 1, 2 ** 32 - 1), ...most };
}

/** @throws Mistake for an option that would have no effect beside the others. */
function checkTogether(given: Given<typeof OPTIONS>): void {
  if (given.limit !== undefined && given.describe === undefined)
    throw new Mistake('--limit needs --describe');
  if (given.serve !== undefined) {
    if (given.describe !== undefined) throw new Mistake('--describe does not go with --serve');
    return;
  }
  const idle = (['rate', ...PAGE_OPTION_NAMES] as const).find((name) => given[name] !== undefined);
  if (idle !== undefined) throw new Mistake(`--${idle} needs --serve`);
}

function detectorOf(text: string): DetectorName {
  return readChoice('--detector', text, detectorNames);
}

/** Figures of the world at the tick that was reached. */
function writeFigures(output: Output, { world, firstTick }: Replay): void {
  const { tick, entities, relationCount, detector } = world.stats();
  const { enteredCount, leftCount, updatedCount, sensedCount } = world.lastChanges;
  const lines = [
    `tick ${fullCount(tick)}: ${counted(entities, 'entity', 'entities')}, ${counted(relationCount, 'relation')}, detector ${detector}`,
  ];
  if (tick > firstTick) {
    lines.push(
      `it reports ${fullCount(enteredCount)} entered, ${fullCount(leftCount)} left, ${fullCount(updatedCount)} updated, ${fullCount(sensedCount)} sensed`,
      `its hash is ${world.lastChanges.hash()}`,
    );
  }
  output.write(lines.map((line) => `${line}\n`).join(''));
}
