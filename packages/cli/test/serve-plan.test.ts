/** Every option of `umwelt serve` with words that are no value of it: a plan, or one line that says what is wrong. */
import { UmweltError, World } from 'umwelt';
import { expect, test } from 'vitest';
import { Mistake } from '../src/faults.ts';
import { planOf, SERVE_OPTIONS } from '../src/serve/serve-plan.ts';

const WORDS = [
  '',
  ' ',
  'NaN',
  'null',
  'undefined',
  '-1',
  '1e999',
  '0x10',
  '1.5',
  '{}',
  '[]',
  ',',
  'a,,b',
  'x'.repeat(2000),
];
const NAMES = Object.keys(SERVE_OPTIONS).filter((name) => name !== 'help');
/** Any text is a name, but for none. */
const NAMES_OF_ANYTHING = WORDS.filter((word) => !['', ' ', ',', 'a,,b'].includes(word));
/** What is a value all the same: numbers are read as JavaScript reads them. */
const TAKEN: Readonly<Record<string, readonly string[]>> = {
  rate: ['0x10', '1.5'],
  groups: NAMES_OF_ANYTHING,
  senses: NAMES_OF_ANYTHING,
  port: ['0x10'],
  'admin-port': ['0x10'],
  'entities-max': ['0x10'],
  threads: ['0x10'],
};

test.each(NAMES)('--%s with words that are no value of it is a mistake', (name) => {
  for (const word of WORDS) {
    let outcome = 'taken';
    try {
      const plan = planOf([`--${name}=${word}`], {});
      void new World(plan.world).dispose();
    } catch (error) {
      // What the system says of a file is told in one line, too.
      const isTold =
        error instanceof Mistake || error instanceof UmweltError || 'syscall' in (error as Error);
      if (!isTold) throw error;
      expect((error as Error).message).not.toContain('\n');
      outcome = 'a mistake';
    }
    const mayBe = TAKEN[name]?.includes(word) === true;
    if (!mayBe) expect(`--${name} ${JSON.stringify(word.slice(0, 20))}: ${outcome}`).toContain('a mistake');
  }
});

test('--rate is 0 or at least a tenth, and says so', () => {
  expect(planOf(['--rate', '0'], {}).rate).toBe(0);
  expect(planOf(['--rate', '0.1'], {}).rate).toBe(0.1);
  expect(() => planOf(['--rate', '0.05'], {})).toThrow(
    "expected 0, or a number from 0.1 to 1000, given '0.05'",
  );
});

test('one port for callers and the operator is a mistake', () => {
  expect(() => planOf(['--port', '7650', '--admin-port', '7650'], {})).toThrow(
    "--admin-port: expected another port than --port, given '7650'",
  );
  expect(planOf(['--port', '0', '--admin-port', '0'], {}).adminPort).toBe(0);
});

test('a word that nobody knows is a mistake', () => {
  expect(() => planOf(['--nonsense', '1'], {})).toThrow(Mistake);
  expect(() => planOf(['nonsense'], {})).toThrow(Mistake);
});

test('names may have spaces after the commas', () => {
  expect(planOf(['--senses', 'sight, hearing', '--groups', 'party, raid'], {}).world).toMatchObject({
    senses: ['sight', 'hearing'],
    groups: ['party', 'raid'],
  });
});
