/** The README and docs/speed.md show the figures of one committed run. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { kdbushKept } from '../engines/kdbush.ts';
import { GOALS_SUITE } from '../report/goals-page.ts';
import { readmeFigures, TOLD_MACHINE, withFigures } from '../report/readme-figures.ts';
import { type Results, readResults } from '../report/results.ts';

const root = path.join(import.meta.dirname, '../..');
const told = readResults(path.join(root, `bench/results/${TOLD_MACHINE}.json`)) as Results;

it('the README has the figures of the saved run', () => {
  const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
  expect(readme).toBe(withFigures(readme, told));
});

it('docs/speed.md is about the same machine and days', () => {
  const days = told.cases.filter(({ suite }) => suite === GOALS_SUITE).map(({ date }) => date);
  const page = readFileSync(path.join(root, 'docs/speed.md'), 'utf8');
  expect(page).toContain(`${told.machine.processor}, ${told.machine.cores} cores`);
  for (const day of new Set(days)) expect(page).toContain(day);
});

it('the tuned peer comes before the usual one, from the same run if it has the peer', () => {
  const rows = readmeFigures(told).match(/^\| .*kdbush.*$/gm) ?? [];
  expect(rows[0]).toContain(kdbushKept.title);
  expect(rows).toHaveLength(2);
  const measured = told.cases.map((one) => {
    if (one.suite !== GOALS_SUITE || one.outcome.kind !== 'race') return one;
    const [first] = one.outcome.rows;
    const row = {
      ...first!,
      label: kdbushKept.title,
      medianMs: 123,
      ratio: { median: 20, min: 19, max: 21 },
    };
    return { ...one, outcome: { ...one.outcome, rows: [...one.outcome.rows, row] } };
  });
  expect(readmeFigures({ ...told, cases: measured })).toContain(`| ${kdbushKept.title} | 123 | 20 x |`);
});
