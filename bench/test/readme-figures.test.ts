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

it('the tuned peer comes before the usual one', () => {
  const rows = readmeFigures(told).match(/^\| .*kdbush.*$/gm) ?? [];
  expect(rows).toHaveLength(2);
  expect(rows[0]).toContain(kdbushKept.title);
});
