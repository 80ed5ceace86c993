/** The arguments of `npm run bench --`. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { helpText, readArguments } from '../arguments.ts';
import { bruteForce } from '../engines/brute-force.ts';
import { engineList } from '../engines/engine-list.ts';
import { Mistake } from '../mistake.ts';
import { type Choice, chosenCase } from '../suites/suite.ts';
import { suiteList } from '../suites/suite-list.ts';
import { walkers } from '../suites/walkers.ts';

const TODAY = '2026-01-31';

function bench(...words: string[]) {
  const file = fileURLToPath(new URL('../main.ts', import.meta.url));
  return spawnSync(process.execPath, [...process.execArgv, file, ...words], { encoding: 'utf8' });
}

test('without arguments every suite is measured at its own size', () => {
  const plan = readArguments([], TODAY);
  expect(plan.suites).toEqual(suiteList);
  expect(plan.choice).toEqual({ smoke: false, entities: undefined, engines: undefined });
  expect(plan.date).toBe(TODAY);
});

test('arguments choose suites, populations, engines and a date', () => {
  const words = [
    'heap',
    'idle',
    '--entities',
    '10',
    '--entities',
    '20',
    '--engine',
    'rbush',
    '--date',
    '2025-12-01',
  ];
  const plan = readArguments(words, TODAY);
  expect(plan.suites.map(({ name }) => name)).toEqual(['heap', 'idle']);
  expect(plan.choice).toEqual({ smoke: false, entities: [10, 20], engines: ['rbush'] });
  expect(plan.date).toBe('2025-12-01');
});

test.each([
  [['walk'], /no suite 'walk'; there are walkers/],
  [['--engine', 'flatbush'], /no engine 'flatbush'; there are umwelt/],
  [['--entities', '1e3'], /--entities: expected a whole number .* given '1e3'/],
  [['--entities', '0'], /--entities/],
  [['load', '--clients', '0'], /--clients: expected a whole number/],
  [['load', '--seconds', 'ten'], /--seconds/],
  [['--budget', '-1'], /--budget/],
  [['--date', '31.1.2026'], /--date: expected a day/],
  [['--date', '2026-13-01'], /--date/],
  [['--fast'], /--fast/],
  [['--save', '--smoke'], /--save/],
  [['--fail-above', '1.3'], /--fail-above needs --compare/],
  [['--compare', 'a.json', '--fail-above', '0.9'], /--fail-above: expected a number from 1 on/],
])('%j is refused with one line', (words, message) => {
  expect(() => readArguments(words, TODAY)).toThrow(Mistake);
  expect(() => readArguments(words, TODAY)).toThrow(message);
});

test('a wrong argument ends the command with one line and exit code 2', () => {
  const result = bench('--fast');
  expect(result.status).toBe(2);
  expect(result.stdout).toBe('');
  expect(result.stderr).toMatch(/^bench: .*--fast.*\n$/);
});

test('a results file that cannot be written ends the command before anything is measured', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const result = bench('heap', '--smoke', '--json', folder);
  expect(result.status).toBe(2);
  expect(result.stdout).toBe('');
  expect(result.stderr).toMatch(/^bench: .*\n$/);
});

test('slowness fails nothing without --fail-above', () => {
  expect(readArguments(['--compare', 'a.json'], TODAY).failAbove).toBe(Number.POSITIVE_INFINITY);
  expect(readArguments(['--compare', 'a.json', '--fail-above', '1.3'], TODAY).failAbove).toBe(1.3);
});

test('a --case that matches no case ends the command with one line', () => {
  const result = bench('heap', '--smoke', '--case', 'no such case');
  expect(result.status).toBe(2);
  expect(result.stderr).toMatch(/^bench: no case has 'no such case' in its name\n$/);
});

test('missing saved results end the command before anything is measured', () => {
  const result = bench('heap', '--smoke', '--compare', 'no-such-file.json');
  expect(result.status).toBe(2);
  expect(result.stderr).toMatch(/^bench: no such file: 'no-such-file.json'\n$/);
});

test('the help names every suite and every engine', () => {
  for (const { name } of [...suiteList, ...engineList]) expect(helpText()).toContain(name);
});

test('case names are unique: in full, at smoke size and at a given size', () => {
  const choices: Choice[] = [
    { smoke: false, entities: undefined, engines: undefined },
    { smoke: true, entities: undefined, engines: undefined },
    { smoke: false, entities: [50, 60], engines: undefined },
  ];
  for (const choice of choices) {
    for (const suite of suiteList) {
      const names = suite.cases(choice).map(({ name }) => name);
      expect(names.length).toBeGreaterThan(0);
      expect(new Set(names).size).toBe(names.length);
    }
  }
});

function lanesOf(choice: Choice): string[] {
  const chosen = chosenCase(walkers.cases(choice)[0]!, choice);
  return chosen.kind === 'race' ? chosen.lanes.map(({ engine }) => engine.name) : [];
}

test('--engine keeps the named engine and the first one', () => {
  expect(lanesOf({ smoke: false, entities: [50], engines: ['rbush'] })).toEqual(['umwelt', 'rbush']);
});

test('at smoke size every work has a judge', () => {
  expect(lanesOf({ smoke: true, entities: undefined, engines: ['rbush'] })).toEqual([
    'umwelt',
    'rbush',
    bruteForce.name,
  ]);
});
