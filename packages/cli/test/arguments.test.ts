/** Reading a command's options, and what is said about the ones that do not fit. */
import { describe, expect, it } from 'vitest';
import {
  closestWord,
  optionLines,
  parseOptions,
  readChoice,
  readNumber,
  readWhole,
} from '../src/arguments.ts';
import { Mistake } from '../src/faults.ts';

const TABLE = {
  entities: { value: 'COUNT', help: 'how many' },
  trace: { value: 'FILE', help: 'what to play' },
  'no-page': { help: 'serve no page' },
  'playback-speed': { value: 'FACTOR', help: 'how many of its seconds to one' },
  help: { short: 'h', help: 'this text' },
} as const;

function mistakeIn(...words: string[]): string {
  try {
    parseOptions(words, TABLE);
  } catch (error) {
    expect(error).toBeInstanceOf(Mistake);
    return (error as Mistake).message;
  }
  throw new Error('nothing was found wrong');
}

describe('options', () => {
  it('are read in both spellings, and switches are empty text', () => {
    expect(parseOptions(['--entities', '12', '--trace=a b.csv', '--no-page', '-h'], TABLE)).toEqual({
      entities: '12',
      trace: 'a b.csv',
      'no-page': '',
      help: '',
    });
  });

  it('are absent where not given, and the last of two holds', () => {
    expect(parseOptions(['--entities', '1', '--entities', '2'], TABLE)).toEqual({ entities: '2' });
  });

  it('may have a value that begins with a dash', () => {
    expect(parseOptions(['--entities', '-1'], TABLE)).toEqual({ entities: '-1' });
  });

  it('that are unknown are named, with the likeliest one meant', () => {
    expect(mistakeIn('--entitys', '3')).toBe(
      'unknown option --entitys (did you mean --entities?); see --help',
    );
    expect(mistakeIn('--frobnicate')).toBe('unknown option --frobnicate; see --help');
    expect(mistakeIn('-x')).toBe('unknown option -x; see --help');
  });

  it.each([
    ['--Trace', 'trace'],
    ['--nopage', 'no-page'],
    ['--no_page', 'no-page'],
    ['--playback', 'playback-speed'],
    ['--playbackspeed', 'playback-speed'],
    ['--trace-file', 'trace'],
    ['--play-speed', 'playback-speed'],
    ['--page', 'no-page'],
    ['--ent', 'entities'],
  ])('that are unknown have their nearest one named, however it is written: %s', (word, nearest) => {
    expect(mistakeIn(word)).toBe(`unknown option ${word} (did you mean --${nearest}?); see --help`);
  });

  it('are not found among the names that every object has', () => {
    expect(mistakeIn('--constructor')).toContain('unknown option --constructor');
    expect(mistakeIn('--__proto__')).toContain('unknown option');
  });

  it('without their value are named, also when another option follows', () => {
    expect(mistakeIn('--trace')).toBe('--trace needs a value: --trace FILE');
    expect(mistakeIn('--trace', '--no-page')).toBe('--trace needs a value: --trace FILE');
    expect(mistakeIn('--trace=')).toBe('--trace needs a value: --trace FILE');
  });

  it('that take none refuse a value', () => {
    expect(mistakeIn('--no-page=1')).toBe("--no-page takes no value, given '1'");
  });

  it('are all there is: any other word is named', () => {
    expect(mistakeIn('city')).toBe("'city' is not an option; see --help");
    expect(mistakeIn('--', '--trace')).toBe("'--trace' is not an option; see --help");
  });

  it('are listed with their explanations aligned', () => {
    const columns = optionLines(TABLE)
      .split('\n')
      .map((line) => line.search(/how many|what to play|serve no page|this text/));
    expect(new Set(columns).size).toBe(1);
    expect(optionLines(TABLE)).toContain('-h, --help');
  });
});

describe('values', () => {
  it('are whole numbers within their bounds', () => {
    expect(readWhole('--ticks', '17', 1, 20)).toBe(17);
    expect(readWhole('--seed', '-3', -5, 5)).toBe(-3);
    for (const text of ['0', '21', '1.5', '1e1', ' 3', '', 'x', '0x10', 'NaN', '--3']) {
      expect(() => readWhole('--ticks', text, 1, 20)).toThrow(
        new Mistake(`--ticks: expected a whole number from 1 to 20, given '${text}'`),
      );
    }
  });

  it('are numbers within their bounds', () => {
    expect(['1', '.5', '1.', '2e-1', '+3'].map((text) => readNumber('--speed', text, 0.1, 10))).toEqual([
      1, 0.5, 1, 0.2, 3,
    ]);
    for (const text of ['', '0', '11', '1,5', 'Infinity', '0x1', 'fast', '1 ']) {
      expect(() => readNumber('--speed', text, 0.1, 10)).toThrow(Mistake);
    }
  });

  it('are one of the choices', () => {
    expect(readChoice('--detector', 'sweep', ['sweep', 'tower'])).toBe('sweep');
    expect(() => readChoice('--detector', 'grid', ['sweep', 'tower', 'quadtree'])).toThrow(
      new Mistake("--detector: expected sweep, tower or quadtree, given 'grid'"),
    );
  });
});

it('the closest word is at most two letters away, and not another word altogether', () => {
  expect(closestWord('plya', ['play', 'bench'])).toBe('play');
  expect(closestWord('benhc', ['play', 'bench'])).toBe('bench');
  expect(closestWord('bench', ['play'])).toBeUndefined();
  expect(closestWord('x', ['on', 'at'])).toBeUndefined();
});
